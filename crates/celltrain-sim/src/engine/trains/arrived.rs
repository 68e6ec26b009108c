//! What has arrived at the ends of channels: the counts of what they bypass follow from it.

use crate::engine::host::sink::Sink;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::cell::{KINDS, Kind};
use crate::engine::state::paths::Paths;
use crate::engine::state::sparse::Sparse;
use crate::engine::trains::Trains;
use crate::engine::trains::bypassed::{BypassedHop, BypassedLink};
use crate::engine::trains::channel::Channel;

/// The counts of what has arrived at the ends of channels.
pub(in crate::engine) struct Arrived<'a> {
    pub(in crate::engine) paths: &'a Paths,
    pub(in crate::engine) trains: &'a Trains,
    pub(in crate::engine) sources: &'a ByDirection<Source>,
    pub(in crate::engine) sinks: &'a ByDirection<Sink>,
}

impl Arrived<'_> {
    /// Adds the cells that have reached the end of `channel` to the counts of the hops and links that it bypasses.
    pub(in crate::engine) fn add(
        &self,
        channel: &Channel,
        hops: &mut Sparse<BypassedHop>,
        links: &mut [BypassedLink],
    ) {
        for end in channel.ends.iter().map(|&end| end as usize) {
            let last = end - channel.transparent as usize - 1;
            let passed = self.passed_over(last, end);
            for bypassed in &channel.bypassed {
                let offered = &mut hops.get_mut(end - bypassed.hops_before as usize).offered;
                for (offered, passed) in offered.iter_mut().zip(passed) {
                    *offered += passed;
                }
                let all: u64 = passed.iter().sum();
                let link = &mut links[bypassed.link as usize];
                link.departed += all;
                link.area += i128::from(all) * i128::from(bypassed.transmission.as_ps());
            }
        }
    }

    /// Cells that have reached hop number `end` of their direction through the channel whose last bypassed hop is `last`.
    /// Data cells are counted at that hop only if each cell is shown; otherwise their number is that of
    /// [`Arrived::came_to`].
    pub(in crate::engine) fn passed_over(&self, last: usize, end: usize) -> [u64; KINDS] {
        let mut passed = self.trains.passed.get(last);
        if !self.paths.hops[last].shows_each {
            passed[Kind::Data as usize] = self.came_to(last, end);
        }
        passed
    }

    /// Data cells that have reached hop number `end`, or the end of the direction of hop `last`.
    pub(in crate::engine) fn came_to(&self, last: usize, end: usize) -> u64 {
        if end
            .checked_sub(1)
            .is_some_and(|before| self.is_taken_up_lazily(before))
        {
            return self.trains.came_to_tunnel.get(end - 1);
        }
        let direction = self.paths.hops[last].direction;
        match self
            .paths
            .hops
            .get(end)
            .filter(|hop| hop.direction == direction)
        {
            Some(hop) => hop.counts.offered[Kind::Data as usize],
            None => self.sinks[direction as usize].data(),
        }
    }

    /// Whether a lazily evaluated tunnel VC takes up the cells downstream of hop number `hop`.
    pub(in crate::engine) fn is_taken_up_lazily(&self, hop: usize) -> bool {
        let tunnel = self.paths.hops[hop].entered_tunnel();
        tunnel.is_some_and(|tunnel| self.sources[tunnel as usize].port.is_some())
    }
}
