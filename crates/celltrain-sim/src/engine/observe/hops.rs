//! Readings of the counters of hops.

use crate::engine::link::Link;
use crate::engine::state::cell::KINDS;
use crate::engine::state::paths::Paths;
use crate::engine::state::sparse::Sparse;
use crate::engine::trains::bypassed::BypassedHop;
use crate::measure::{ErrorCounts, HopReading, HopReadings, Readings};
use crate::network::Network;

/// The hops of a network and their links.
#[derive(Clone, Copy)]
pub(super) struct HopCounters<'a> {
    pub(super) network: &'a Network,
    pub(super) paths: &'a Paths,
    pub(super) links: &'a [Link],
}

impl HopCounters<'_> {
    /// The counters of all hops, including those of bypassed ones; `queued` are the cells in queues.
    pub(super) fn read(
        &self,
        queued: &Sparse<[u32; KINDS]>,
        bypassed: &Sparse<BypassedHop>,
    ) -> HopReadings {
        let hops = self.of_network();
        let hops = hops.map(|hop| {
            hop.map_or_else(HopReading::default, |hop| {
                self.read_one(hop, queued.get(hop).map(u64::from), bypassed.get(hop))
            })
        });
        Readings::new(self.count(), hops)
    }

    /// The counts of each hop of a link with errors.
    pub(super) fn read_errors(&self) -> Vec<(usize, ErrorCounts)> {
        if self.links.iter().all(|link| link.errors.is_none()) {
            return Vec::new();
        }
        let hops = self.of_network().enumerate();
        let counts = hops.filter_map(|(number, hop)| {
            let hop = &self.paths.hops[hop?];
            let errors = self.links[hop.link as usize].errors.as_ref()?;
            Some((number, errors.counts(hop.port_vc as usize)))
        });
        counts.collect()
    }

    /// The cells that queues store themselves, by hop and kind.
    pub(super) fn queued(&self) -> Sparse<[u32; KINDS]> {
        let mut queued: Sparse<[u32; KINDS]> = Sparse::new(self.paths.hops.len());
        let links = self.links.iter().filter(|link| link.line.is_some());
        let trains = links.flat_map(Link::trains);
        // Iterating within the chain is several times faster than stepping through it.
        trains.for_each(|(train, is_queued)| {
            if is_queued {
                let cell = train.first;
                queued.get_mut(cell.hop())[cell.kind() as usize] += train.count;
            }
        });
        queued
    }

    /// The number of links that all directions cross in total.
    fn count(&self) -> usize {
        let directions = self.network.vcs.iter().flat_map(|vc| &vc.directions);
        directions.map(|direction| direction.links.len()).sum()
    }

    /// The hop for each link that each direction of a VC crosses; `None` for directions in which no cell can come.
    fn of_network(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let mut next = 0;
        let directions = self.network.vcs.iter().flat_map(|vc| &vc.directions);
        let hops = directions.enumerate().map(move |(number, direction)| {
            let (first, count) = (next, direction.links.len());
            let hop = self.paths.hops.get(first);
            let has_hops = hop.is_some_and(|hop| hop.direction as usize == number);
            if has_hops {
                next += count;
            }
            (0..count).map(move |at| has_hops.then_some(first + at))
        });
        hops.flatten()
    }

    /// The counters of hop number `index`, including the cells in the queue and those counted by channels that bypass it.
    fn read_one(&self, index: usize, queued: [u64; KINDS], bypassed: BypassedHop) -> HopReading {
        let (hop, faults) = (&self.paths.hops[index], self.paths.faults.get(index));
        let link = &self.links[hop.link as usize];
        let dropped = link.dropped(hop.port_vc);
        let mut lost = faults.lost;
        lost[0] += dropped;
        let end = hop.virtual_end();
        let ended = end.map_or(0, |end| self.paths.virtual_ends[end as usize].ended[0]);
        HopReading {
            offered: sum(hop.counts.offered, bypassed.offered),
            lost,
            queued: if link.line.is_some() {
                sum(queued, bypassed.queued)
            } else {
                queued
            },
            errored: faults.errored.iter().sum(),
            policed: faults.policed.iter().sum(),
            tagged: faults.tagged,
            lost_downstream: ended + faults.refused.iter().sum::<u64>(),
            dropped_unseen: dropped,
        }
    }
}

fn sum(a: [u64; KINDS], b: [u64; KINDS]) -> [u64; KINDS] {
    std::array::from_fn(|kind| a[kind] + b[kind])
}
