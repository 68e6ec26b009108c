//! Samples of a line's queues, at the instants at which a probe of the same network would take them.

use celltrain_proto::units::{Span, Time};
use celltrain_sim::engine::Simulation;
use celltrain_sim::network::{LinkQuantity, Record, VcQuantity};
use celltrain_sim::scenario::Direction;

use crate::prepare::Carrier;

/// The queues at one instant, in the order of [`names`].
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The instant, a multiple of the span between two samples.
    pub at: Time,
    /// Cells in each queue, including the one in transmission.
    pub cells: Vec<f64>,
}

/// The sampler of a line's queues.
#[derive(Debug)]
pub(super) struct Sampler {
    every: Span,
    next: Time,
    records: Vec<Record>,
    samples: Vec<Sample>,
}

impl Sampler {
    /// # Panics
    ///
    /// If `every` is zero, for which there is no valid probe.
    pub(super) fn new(carrier: &Carrier, every: Span) -> Self {
        assert!(every > Span::ZERO, "no time between two samples");
        Self {
            every,
            next: Time::ZERO,
            records: records(carrier).into_iter().map(|it| it.1).collect(),
            samples: Vec::new(),
        }
    }

    /// The instant of the next sample, if it is not after `now`.
    pub(super) fn due(&self, now: Time) -> Option<Time> {
        (self.next <= now).then_some(self.next)
    }

    /// Takes the sample that is due; the simulation must be at its instant.
    pub(super) fn take(&mut self, simulation: &mut Simulation<'_>) {
        let records = self.records.iter();
        let cells = records.map(|&record| simulation.observe(record)).collect();
        self.samples.push(Sample {
            at: self.next,
            cells,
        });
        self.next += self.every;
    }

    /// Appends the samples taken since the last call to `samples`.
    pub(super) fn drain_into(&mut self, samples: &mut Vec<Sample>) {
        samples.append(&mut self.samples);
    }
}

/// The names of a sample's values, as in a probe: the queue of each line on the forward path, then on the backward
/// path, and the queues of the hosts at both ends.
pub fn names(carrier: &Carrier) -> Vec<String> {
    records(carrier).into_iter().map(|it| it.0).collect()
}

fn records(carrier: &Carrier) -> Vec<(String, Record)> {
    let (links, vc) = (&carrier.network.links, carrier.vc);
    let ways = [Direction::Forward, Direction::Backward];
    let crossed = ways.iter().flat_map(|&way| carrier.links(way));
    let rated = crossed.filter(|&&link| links[link].line.is_some());
    let mut found: Vec<_> = rated
        .map(|&link| {
            let name = format!("links.{}.queue_cells", links[link].unique_name());
            (name, Record::Link(link, LinkQuantity::Queue))
        })
        .collect();
    for (way, name) in ways.into_iter().zip(["forward", "backward"]) {
        let vc_name = &carrier.network.vcs[vc].name;
        let text = format!("vcs.{vc_name}.{name}.host_queue_cells");
        found.push((text, Record::Vc(vc, way, VcQuantity::HostCells)));
    }
    found
}
