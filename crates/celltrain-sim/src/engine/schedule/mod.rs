//! Who acts next, and who has acted at the present instant.

pub(in crate::engine) mod calendar;
pub(in crate::engine) mod parts;
pub(in crate::engine) mod timed;
pub(in crate::engine) mod turns;

use celltrain_proto::units::{Span, Time};

use crate::engine::schedule::calendar::Calendar;
use crate::engine::schedule::parts::Component;
use crate::engine::schedule::timed::Timed;
use crate::engine::schedule::turns::Turns;
use crate::engine::state::rm_store::RmStore;
use crate::engine::state::shaper::Shaper;
use crate::engine::state::time::{STEP, minus};
use crate::engine::state::virtual_end::VirtualEnd;
use crate::network::Network;

/// The clock of a run, the deadlines of all actors, and the parts that take turns.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Schedule {
    pub(in crate::engine) now: Time,
    /// Who has acted at the present instant.
    pub(in crate::engine) turns: Turns,
    /// When everything in the active part is advanced next, so that channels stay short.
    pub(in crate::engine) next_chunk: Time,
    /// The interval between two such instants.
    pub(in crate::engine) chunk: Span,
    /// How far ahead of the present instant processes fill their channels.
    pub(in crate::engine) ahead: Span,
    /// The end of the present interval. No counter is read before it.
    pub(in crate::engine) end: Time,
    pub(in crate::engine) calendar: Calendar,
    pub(in crate::engine) actors: Actors,
    /// The links and channels that are actors, in the order of the calendar.
    pub(in crate::engine) timed: Vec<Timed>,
    /// The parts; at least one.
    pub(in crate::engine) parts: Vec<Component>,
    /// The fewest actors that form a separate part.
    pub(in crate::engine) least_part: u32,
    /// Events so far in the active part.
    pub(in crate::engine) events: u64,
}

/// Where each kind of actor starts in the calendar.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Actors {
    pub(in crate::engine) senders: usize,
    pub(in crate::engine) receivers: usize,
    pub(in crate::engine) sources: usize,
    pub(in crate::engine) virtual_ends: usize,
    pub(in crate::engine) shapers: usize,
    pub(in crate::engine) links: usize,
}

impl Schedule {
    /// The schedule of a run that has not begun; everything is advanced at the first instant of `chunks` and then again
    /// after each such interval.
    pub(in crate::engine) fn new(
        actors: Actors,
        timed: Vec<Timed>,
        ahead: Span,
        chunks: (Time, Span),
        least_part: u32,
    ) -> Self {
        Self {
            now: Time::ZERO,
            turns: Turns::default(),
            next_chunk: chunks.0,
            chunk: chunks.1,
            ahead,
            end: Time::ZERO,
            calendar: Calendar::new(actors.links + timed.len()),
            actors,
            timed,
            parts: Vec::new(),
            least_part,
            events: 0,
        }
    }

    /// The number of events in all parts.
    pub(in crate::engine) fn all_events(&self) -> u64 {
        let resting = self.parts.iter().map(|part| part.resting.events);
        self.events + resting.sum::<u64>()
    }

    /// The instant up to which the source of a direction, last woken or acting in event `woken`, sends when it is advanced to `time`:
    /// the present instant counts only if its turn has come since then.
    pub(in crate::engine) fn until(
        &self,
        direction: usize,
        woken: u64,
        time: Time,
    ) -> Option<Time> {
        let actor = self.actors.sources + direction;
        if time == self.now && !self.turns.has_acted(actor, woken) {
            minus(time, STEP)
        } else {
            Some(time)
        }
    }

    /// Makes a part the active one; `rms` are the RM cells of the active part.
    pub(in crate::engine) fn turn_to(&mut self, part: usize, rms: &mut RmStore) {
        self.calendar.turn_to(part);
        self.exchange_resting(part, rms);
        self.turns.begin(self.events);
    }

    /// Ends the turn of a part.
    pub(in crate::engine) fn rest(&mut self, part: usize, rms: &mut RmStore) {
        self.calendar.rest();
        self.exchange_resting(part, rms);
    }

    /// Merges all parts into one; none of them may have begun to run.
    pub(in crate::engine) fn unite(&mut self) {
        if self.parts.len() > 1 {
            debug_assert_eq!(self.all_events(), 0);
            self.next_chunk = self.parts[0].resting.next_chunk;
        }
        self.parts = vec![Component::of_all(&self.parts)];
        self.calendar.unite();
    }

    /// Sets when virtual end number `index` acts next, which is not before now.
    pub(in crate::engine) fn wake_virtual_end(&mut self, index: usize, end: &VirtualEnd) {
        let deadline = end.deadline().max(self.now);
        self.calendar
            .set(self.actors.virtual_ends + index, deadline);
    }

    /// Sets when shaper number `index` lets a cell leave next.
    pub(in crate::engine) fn wake_shaper(&mut self, index: usize, shaper: &Shaper) {
        let deadline = shaper.deadline(self.now);
        self.calendar.set(self.actors.shapers + index, deadline);
    }

    /// Swaps the state that each part keeps for itself, with `rms` of the active part, in or out. A part that is alone in
    /// the network needs no swap.
    fn exchange_resting(&mut self, part: usize, rms: &mut RmStore) {
        if self.parts.len() > 1 {
            let resting = &mut self.parts[part].resting;
            std::mem::swap(rms, &mut resting.rms);
            std::mem::swap(&mut self.events, &mut resting.events);
            std::mem::swap(&mut self.next_chunk, &mut resting.next_chunk);
        }
    }
}

impl Actors {
    /// The actors of a network with these numbers of probes, flows, virtual ends and shapers, in the order in which they
    /// act at one instant.
    pub(in crate::engine) fn of(
        network: &Network,
        probes: usize,
        flows: usize,
        ends: usize,
        shapers: usize,
    ) -> Self {
        let receivers = probes + flows;
        let sources = receivers + flows;
        let virtual_ends = sources + 2 * network.vcs.len();
        Self {
            senders: probes,
            receivers,
            sources,
            virtual_ends,
            shapers: virtual_ends + ends,
            links: virtual_ends + ends + shapers,
        }
    }
}
