//! Readings of the cells that are in channels.

use celltrain_proto::units::Time;

use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::cell::{KINDS, Kind};
use crate::engine::state::sparse::Sparse;
use crate::engine::state::time::STEP;
use crate::engine::trains::Trains;
use crate::engine::trains::bypassed::{BypassedHop, BypassedLink};
use crate::engine::trains::channel::{Channel, Origin};

impl Channel {
    /// The hop whose cells enter the channel and arrive at hop `end`; `None` for cells of the source itself.
    fn start_of(&self, end: usize, sources: &ByDirection<Source>) -> Option<usize> {
        let first = self.bypassed.first();
        let between = first.map_or(self.transparent, |bypassed| bypassed.hops_before);
        let start = end - between as usize;
        match self.origin {
            Origin::Source(source) if sources[source as usize].first_hop as usize == start => None,
            _ => Some(start - 1),
        }
    }
}

impl Trains {
    /// Adds the cells that are on their way past bypassed links at `now`.
    pub(in crate::engine) fn add_passing(
        &self,
        now: Time,
        hops: &mut Sparse<BypassedHop>,
        links: &mut [BypassedLink],
    ) {
        for channel in &self.channels {
            for train in channel.trains() {
                for bypassed in &channel.bypassed {
                    let hop = train.first.hop() - bypassed.hops_before as usize;
                    let kind = train.first.kind() as usize;
                    // Arrivals before now, departures up to now, and how long the other cells have been there, in ps.
                    let came = train.count_before(now.saturating_add(bypassed.to_end));
                    let to_end = bypassed.to_end - bypassed.transmission;
                    let ended = now.saturating_add(to_end);
                    let left = train.count_before(ended.saturating_add(STEP)).min(came);
                    let since = (left..came).map(|number| {
                        let at_end = train.first.at + train.gap * number;
                        let at = i128::from(at_end.as_ps()) - i128::from(bypassed.to_end.as_ps());
                        i128::from(now.as_ps()) - at
                    });
                    let at_hop: &mut BypassedHop = hops.get_mut(hop);
                    at_hop.offered[kind] += came;
                    at_hop.queued[kind] += came - left;
                    let link = &mut links[bypassed.link as usize];
                    link.departed += left;
                    link.area += i128::from(left) * i128::from(bypassed.transmission.as_ps())
                        + since.sum::<i128>();
                }
            }
        }
    }

    /// Adds the cells that are already in a channel but have yet to depart from a queue, by hop and kind.
    pub(in crate::engine) fn add_queued_trains(
        &self,
        now: Time,
        sources: &ByDirection<Source>,
        queued: &mut Sparse<[u32; KINDS]>,
    ) {
        for channel in &self.channels {
            let Origin::Link(link) = channel.origin else {
                continue;
            };
            if !self.ports[link as usize].mode.sends_ahead() {
                continue;
            }
            for train in channel.trains() {
                let departed = now.saturating_add(channel.delay);
                let gone = train.count_before(departed + STEP);
                if let Some(from) = channel.start_of(train.first.hop(), sources) {
                    let queued_here = u64::from(train.count) - gone;
                    if queued_here > 0 {
                        queued.get_mut(from)[train.first.kind() as usize] += queued_here as u32;
                    }
                }
            }
        }
    }

    /// Cells in channels, by kind and by hop, of which there are `hops`: the hop whose link sent them, or downstream of
    /// which they were taken up. Also the number of RM cells among all others, which come directly from their sources.
    pub(in crate::engine) fn in_channels(
        &self,
        hops: usize,
        sources: &ByDirection<Source>,
    ) -> (Vec<[u64; KINDS]>, u64) {
        let mut cells = vec![[0; KINDS]; hops];
        let mut of_sources = 0;
        for channel in &self.channels {
            for train in channel.trains() {
                let kind = train.first.kind();
                match channel.start_of(train.first.hop(), sources) {
                    Some(from) => cells[from][kind as usize] += u64::from(train.count),
                    None => of_sources += u64::from(kind != Kind::Data) * u64::from(train.count),
                }
            }
        }
        (cells, of_sources)
    }
}
