//! Readings of bypassed links.

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::{KINDS, Kind};
use crate::engine::state::sparse::Sparse;
use crate::engine::state::time::STEP;
use crate::engine::trains::bypassed::{BypassedHop, BypassedLink, Stay, passage};
use crate::engine::trains::channel::{Channel, Origin};

impl Simulation<'_> {
    /// The counts so far at bypassed hops and links, by hop and by link.
    pub(in crate::engine) fn read_bypassed(&mut self) -> (Sparse<BypassedHop>, Vec<BypassedLink>) {
        let mut hops = Sparse::new(self.paths.hops.len());
        let mut links = vec![BypassedLink::default(); self.links.len()];
        let channels = self.trains.channels.iter();
        for channel in channels.filter(|channel| !channel.bypassed.is_empty()) {
            self.read_past(channel, &mut hops, &mut links);
        }
        for channel in &self.trains.channels {
            for train in channel.trains() {
                for bypassed in &channel.bypassed {
                    let hop = train.first.hop() - bypassed.hops_before as usize;
                    let kind = train.first.kind() as usize;
                    let Stay { came, left, since } = passage(self.schedule.now, bypassed, train);
                    let at_hop: &mut BypassedHop = hops.get_mut(hop);
                    at_hop.offered[kind] += came;
                    at_hop.queued[kind] += came - left;
                    let link = &mut links[bypassed.link as usize];
                    link.departed += left;
                    link.area +=
                        i128::from(left) * i128::from(bypassed.transmission.as_ps()) + since;
                }
            }
        }
        self.trains.note_maxima(&self.paths.hops, &hops, &mut links);
        (hops, links)
    }

    /// Adds the cells that have reached the end of `channel`.
    fn read_past(
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
    /// [`Simulation::came_to`].
    pub(in crate::engine) fn passed_over(&self, last: usize, end: usize) -> [u64; KINDS] {
        let mut passed = self.trains.passed.get(last);
        if !self.paths.hops[last].shows_each {
            passed[Kind::Data as usize] = self.came_to(last, end);
        }
        passed
    }

    /// Data cells that have reached hop number `end`, or the end of the direction of hop `last`.
    fn came_to(&self, last: usize, end: usize) -> u64 {
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
            None => self.ends.sinks[direction as usize].data(),
        }
    }

    /// Whether a lazily evaluated tunnel VC takes up the cells downstream of hop number `hop`.
    pub(in crate::engine) fn is_taken_up_lazily(&self, hop: usize) -> bool {
        let tunnel = self.paths.hops[hop].entered_tunnel();
        tunnel.is_some_and(|tunnel| self.sources[tunnel as usize].port.is_some())
    }

    /// Counts, at transparent links, the cells that have reached the ends of channels right downstream of them.
    pub(in crate::engine) fn count_transparent(&mut self) {
        for channel in 0..self.trains.channels.len() {
            let transparent = self.trains.channels[channel].transparent as usize;
            for end in 0..self.trains.channels[channel].ends.len() {
                let end = self.trains.channels[channel].ends[end] as usize;
                for hop in end - transparent..end {
                    if !self.paths.hops[hop].shows_each {
                        let came = self.came_to(hop, end);
                        self.paths.hops[hop].counts.offered[Kind::Data as usize] = came;
                    }
                }
            }
        }
    }
}

impl Simulation<'_> {
    /// Adds the cells that are already in a channel but have yet to depart from a queue.
    pub(in crate::engine) fn add_queued_trains(&self, queued: &mut Sparse<[u32; KINDS]>) {
        for channel in &self.trains.channels {
            let Origin::Link(link) = channel.origin else {
                continue;
            };
            if !self.trains.ports[link as usize].mode.sends_ahead() {
                continue;
            }
            for train in channel.trains() {
                let departed = self.schedule.now.saturating_add(channel.delay);
                let gone = train.count_before(departed + STEP);
                if let Some(from) = self.start_of(channel, train.first.hop()) {
                    let queued_here = u64::from(train.count) - gone;
                    if queued_here > 0 {
                        queued.get_mut(from)[train.first.kind() as usize] += queued_here as u32;
                    }
                }
            }
        }
    }

    /// Cells in channels, by kind and by hop: the hop whose link sent them, or downstream of which they were taken up.
    /// Also the number of RM cells among all others, which come directly from their sources.
    pub(in crate::engine) fn in_channels(&self) -> (Vec<[u64; KINDS]>, u64) {
        let mut cells = vec![[0; KINDS]; self.paths.hops.len()];
        let mut of_sources = 0;
        for channel in &self.trains.channels {
            for train in channel.trains() {
                let kind = train.first.kind();
                match self.start_of(channel, train.first.hop()) {
                    Some(from) => cells[from][kind as usize] += u64::from(train.count),
                    None => of_sources += u64::from(kind != Kind::Data) * u64::from(train.count),
                }
            }
        }
        (cells, of_sources)
    }

    /// The hop whose cells enter `channel` and arrive at hop `end`; `None` for cells of the source itself.
    fn start_of(&self, channel: &Channel, end: usize) -> Option<usize> {
        let first = channel.bypassed.first();
        let between = first.map_or(channel.transparent, |bypassed| bypassed.hops_before);
        let start = end - between as usize;
        match channel.origin {
            Origin::Source(source) if self.sources[source as usize].first_hop as usize == start => {
                None
            }
            _ => Some(start - 1),
        }
    }
}
