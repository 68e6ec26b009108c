//! The measured interval: the difference between two readings, with the network's names.

use std::sync::Arc;

use celltrain_proto::schedule::Class;

use super::{HopReading, SinkReading, Snapshot, SourceReading};
use crate::network::Network;
use crate::scenario::Direction;

pub(super) const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];

/// The difference between two readings, with the network's names.
pub(super) struct Interval<'a> {
    pub(super) network: &'a Network,
    pub(super) before: &'a Snapshot,
    pub(super) after: &'a Snapshot,
    pub(super) seconds: f64,
    pub(super) names: Names,
}

/// The names in a column, given by index.
pub(super) struct Names {
    pub(super) nodes: Arc<[String]>,
    pub(super) links: Arc<[String]>,
    pub(super) vcs: Arc<[String]>,
    pub(super) directions: Arc<[String]>,
    pub(super) classes: Arc<[String]>,
}

impl Names {
    pub(super) fn new(network: &Network) -> Self {
        let owned = str::to_owned;
        Self {
            nodes: network.nodes.iter().map(|it| it.name.clone()).collect(),
            links: network.links.iter().map(|it| it.name.clone()).collect(),
            vcs: network.vcs.iter().map(|it| it.name.to_string()).collect(),
            directions: DIRECTIONS.map(Direction::as_str).map(owned).into(),
            classes: Class::ALL.map(Class::as_str).map(owned).into(),
        }
    }
}

impl Interval<'_> {
    /// The indices of the nodes where a direction of a VC starts and ends.
    pub(super) fn ends(&self, vc: usize, direction: Direction) -> [usize; 2] {
        let nodes = &self.network.vcs[vc].nodes;
        let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
        match direction {
            Direction::Forward => [first, last],
            Direction::Backward => [last, first],
        }
    }

    /// By hop: its link and its direction, which is 2 x VC + (0 forward, 1 backward).
    pub(super) fn hops(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let directions = self.network.vcs.iter().flat_map(|vc| &vc.directions);
        let hops = directions.enumerate().map(|(number, direction)| {
            let links = direction.links.iter();
            links.map(move |&link| (link, number))
        });
        hops.flatten()
    }

    /// The readings of hops at the start and the end of the interval, in order.
    pub(super) fn hop_pairs(&self) -> impl Iterator<Item = (HopReading, HopReading)> + '_ {
        self.before.hops.iter().zip(self.after.hops.iter())
    }

    /// The growth of a counter, summed over all hops with the same `place`.
    pub(super) fn hop_sums(
        &self,
        places: usize,
        counter: fn(&HopReading) -> u64,
        place: fn((usize, usize)) -> usize,
    ) -> Vec<f64> {
        let mut sums = vec![0.0; places];
        for (hop, (before, after)) in self.hops().zip(self.hop_pairs()) {
            sums[place(hop)] += (counter(&after) - counter(&before)) as f64;
        }
        sums
    }

    /// The readings of sources at the start and the end of the interval, by direction.
    pub(super) fn source_pairs(&self) -> impl Iterator<Item = (SourceReading, SourceReading)> + '_ {
        self.before.sources.iter().zip(self.after.sources.iter())
    }

    /// The readings of receiving ends at the start and the end of the interval, by direction.
    pub(super) fn sink_pairs(&self) -> impl Iterator<Item = (SinkReading, SinkReading)> + '_ {
        self.before.sinks.iter().zip(self.after.sinks.iter())
    }
}

/// `a / b`, or NaN if nothing was counted.
pub(super) fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { f64::NAN }
}
