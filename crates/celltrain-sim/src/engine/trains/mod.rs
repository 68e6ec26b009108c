//! How trains of cells move: channels between stages, lookahead, the merge of inputs, source groups.

pub(in crate::engine) mod arrived;
mod bounds;
pub(in crate::engine) mod bypassed;
pub(in crate::engine) mod channel;
mod deadlines;
pub(in crate::engine) mod ends;
pub(in crate::engine) mod group;
pub(in crate::engine) mod lookahead;
pub(in crate::engine) mod merge;
pub(in crate::engine) mod port;
pub(in crate::engine) mod put;
mod under_way;

use celltrain_proto::units::Time;

use crate::engine::queue::served::Served;
use crate::engine::schedule::Schedule;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::cell::{KINDS, Kind};
use crate::engine::state::hop::Hop;
use crate::engine::state::mode::Mode;
use crate::engine::state::sparse::Sparse;
use crate::engine::state::time::STEP;
use crate::engine::trains::bypassed::{BypassedCounts, BypassedHop, BypassedLink};
use crate::engine::trains::channel::Channel;
use crate::engine::trains::group::Sorter;
use crate::engine::trains::merge::{InputTrain, Merge};
use crate::engine::trains::port::Port;

/// What lazy evaluation keeps for each link and between links.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Trains {
    /// The evaluation of each link.
    pub(in crate::engine) ports: Vec<Port>,
    pub(in crate::engine) channels: Vec<Channel>,
    /// For the last hop that each channel bypasses: cells that have reached the channel's end, by kind.
    pub(in crate::engine) passed: Sparse<[u64; KINDS]>,
    /// For each hop downstream of which a tunnel VC takes up cells: how many arrived there.
    pub(in crate::engine) came_to_tunnel: Sparse<u64>,
    /// The counts of bypassed links.
    pub(in crate::engine) bypassed: Vec<BypassedCounts>,
    pub(in crate::engine) served: Served,
    /// Until it is reported: the channels that were empty before cells entered them.
    pub(in crate::engine) filled: Vec<u32>,
    /// Until it is reported: the channels that event cells have entered.
    pub(in crate::engine) event_cells: Vec<u32>,
    /// Working memory of merges.
    pub(in crate::engine) coming: Vec<InputTrain>,
    /// Working memory for sorting cells of source groups.
    pub(in crate::engine) order: Sorter,
}

impl Trains {
    /// The trains of a network with this number of hops and links, in which no cell is on its way.
    pub(in crate::engine) fn new(
        ports: Vec<Port>,
        channels: Vec<Channel>,
        hops: usize,
        links: usize,
    ) -> Self {
        Self {
            ports,
            channels,
            passed: Sparse::new(hops),
            came_to_tunnel: Sparse::new(hops),
            bypassed: vec![BypassedCounts::default(); links],
            served: Served::default(),
            filled: Vec::new(),
            event_cells: Vec::new(),
            coming: Vec::new(),
            order: Sorter::default(),
        }
    }

    /// Starts a merge of what arrives at a port up to `time`, as seen by the actor of the present event.
    /// [`Trains::end_merge`] must follow.
    pub(in crate::engine) fn begin_merge(
        &mut self,
        link: usize,
        time: Time,
        schedule: &Schedule,
    ) -> Merge {
        let mut coming = std::mem::take(&mut self.coming);
        let port = &self.ports[link];
        for input in port.lookahead.in_time(time) {
            let number = port.channels[input] as usize;
            let channel = &self.channels[number];
            // A cell in a channel may arrive at the present instant, but after the present actor in the order. If it were
            // taken now, it would go before cells whose turn comes first.
            let has_acted = || schedule.turns.has_acted(channel.actor, channel.event_in);
            let is_later = time == schedule.now && !has_acted();
            let end = if is_later {
                time
            } else {
                time.saturating_add(STEP)
            };
            let coming_here = channel
                .first()
                .map(|&train| InputTrain::new(train, input, number, end));
            coming.extend(coming_here);
        }
        Merge::new(time, schedule.now, schedule.turns.last(), coming)
    }

    /// Returns what is left of the trains to the channels, and the next arrivals to the port; otherwise the cells would
    /// be taken twice.
    pub(in crate::engine) fn end_merge(&mut self, link: usize, mut merge: Merge) {
        for coming in merge.coming.drain(..) {
            coming.put_back(&mut self.ports[link], &mut self.channels);
        }
        self.coming = merge.coming;
    }

    /// Whether cells of a direction come to a tunnel VC at the instant at which they leave their source, and the source
    /// acts before the tunnel VC.
    pub(in crate::engine) fn comes_before(
        &self,
        direction: usize,
        tunnel: usize,
        sources: &ByDirection<Source>,
    ) -> bool {
        let way = sources[direction].way.filter(|_| direction < tunnel);
        way.is_some_and(|(channel, _)| {
            let channel = &self.channels[channel as usize];
            channel.is_at_once() && channel.stage() == sources[tunnel].port
        })
    }

    /// Adds the cells that a stage has taken from its source group to the counts of its hops.
    pub(in crate::engine) fn count_group(&mut self, stage: usize, hops: &mut [Hop]) {
        let group = self.ports[stage].group.iter_mut();
        for member in group.flat_map(|group| &mut group.members) {
            let counts = &mut hops[member.hop as usize].counts;
            counts.offered[Kind::Data as usize] += member.take_came();
        }
    }

    /// For each of `hops` hops: whether a channel bypasses it.
    pub(in crate::engine) fn bypassed_hops(&self, hops: usize) -> Vec<bool> {
        let mut is_bypassed = vec![false; hops];
        for channel in &self.channels {
            for end in channel.ends.iter() {
                for over in &channel.bypassed {
                    is_bypassed[*end as usize - over.hops_before as usize] = true;
                }
            }
        }
        is_bypassed
    }

    /// Sets the largest queue of each bypassed link since the last reading; `paths` are all hops, `hops` their counts.
    pub(in crate::engine) fn note_maxima(
        &mut self,
        paths: &[Hop],
        hops: &Sparse<BypassedHop>,
        links: &mut [BypassedLink],
    ) {
        let mut came = vec![(0, 0); links.len()];
        for (index, entry) in paths.iter().enumerate() {
            let hop = hops.get(index);
            let (arrived, queued) = &mut came[entry.link as usize];
            *arrived += hop.offered.iter().sum::<u64>();
            *queued += hop.queued.iter().sum::<u64>() as u32;
        }
        for (index, (arrived, queued)) in came.into_iter().enumerate() {
            if self.ports[index].mode == Mode::Bypassed {
                let before = self.bypassed[index];
                let has_come = u32::from(arrived > before.arrived);
                links[index].queue_max = has_come.max(before.queued);
                self.bypassed[index] = BypassedCounts { arrived, queued };
            }
        }
    }
}
