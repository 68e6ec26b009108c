//! The loop of a run: the actor that is due first acts, up to the end.

use std::sync::atomic::{AtomicBool, Ordering};

use celltrain_proto::units::{Span, Time};

use crate::engine::error::{RunError, Stop};
use crate::engine::schedule::timed::Timed;
use crate::engine::simulation::Simulation;
use crate::engine::state::mode::Mode;
use crate::engine::state::time::CHUNK;

/// Events between two looks at the cancel flag: a millisecond or two.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 12;
/// Everything is brought up to date after so long without an event, beyond a chunk.
///
/// A choice that hardly matters: of the workloads in `benches`, `chain` and `many`, which have few events or none, take the
/// same CPU time with 0 ms and with 2 s. Longer, channels hold more cells where no event comes; shorter, all is advanced more
/// often.
const IDLE: Span = Span::from_ms(90);
/// Looks that may pass without simulated time going on: some ten million events at one instant.
const LOOKS_AT_ONE_INSTANT: u32 = 3_200;

impl Simulation<'_> {
    /// Lets everything happen that happens before `end`, cell by cell.
    pub fn run_until(&mut self, end: Time, cancel: &AtomicBool) -> Result<(), RunError> {
        self.evaluate_until(end, cancel).map_err(|stop| match stop {
            Stop::Error(error) => error,
            Stop::OrderLost(link) => unreachable!("link {link} is evaluated cell by cell"),
        })
    }

    /// Lets everything happen that happens before `end`.
    pub(in crate::engine) fn evaluate_until(
        &mut self,
        end: Time,
        cancel: &AtomicBool,
    ) -> Result<(), Stop> {
        let start = self.begin(end);
        for part in 0..self.schedule.parts.len() {
            self.run_part(part, start, cancel)?;
        }
        Ok(())
    }

    /// Begins an interval that lasts until `end`; gives its start.
    pub(in crate::engine) fn begin(&mut self, end: Time) -> Time {
        self.schedule.end = end;
        self.go_ahead();
        self.schedule.now
    }

    /// Lets everything happen in a part that happens from `start` on before the end of the interval.
    pub(in crate::engine) fn run_part(
        &mut self,
        part: usize,
        start: Time,
        cancel: &AtomicBool,
    ) -> Result<(), Stop> {
        // Many small parts end before the loop looks at the flag.
        if cancel.load(Ordering::Relaxed) {
            return Err(RunError::Cancelled.into());
        }
        self.schedule.now = start;
        self.turn_to(part);
        let outcome = self.let_act(part, self.schedule.end, cancel);
        self.rest(part);
        outcome
    }

    /// It is the turn of a part.
    pub(in crate::engine) fn turn_to(&mut self, part: usize) {
        self.schedule.calendar.turn_to(part);
        self.exchange_resting(part);
        self.schedule.turns.begin(self.schedule.events);
    }

    /// The turn of a part is over.
    pub(in crate::engine) fn rest(&mut self, part: usize) {
        self.schedule.calendar.rest();
        self.exchange_resting(part);
    }

    /// Takes what a part has of its own, or puts it back. What is alone in the network has nobody to take turns with.
    fn exchange_resting(&mut self, part: usize) {
        if self.schedule.parts.len() > 1 {
            let resting = &mut self.schedule.parts[part].resting;
            std::mem::swap(&mut self.paths.rms, &mut resting.rms);
            std::mem::swap(&mut self.schedule.events, &mut resting.events);
            std::mem::swap(&mut self.schedule.next_chunk, &mut resting.next_chunk);
        }
    }

    /// Events of all parts.
    pub(in crate::engine) fn all_events(&self) -> u64 {
        let resting = self.schedule.parts.iter().map(|part| part.resting.events);
        self.schedule.events + resting.sum::<u64>()
    }

    /// Lets everything happen in a part that happens before `end`.
    fn let_act(&mut self, part: usize, end: Time, cancel: &AtomicBool) -> Result<(), Stop> {
        let mut looks_at_one_instant = 0;
        let is_lazy = !self.trains.channels.is_empty();
        let mut until = end.min(self.schedule.next_chunk);
        let mut last_look = self.schedule.now;
        loop {
            let (due, actor) = self.schedule.calendar.next();
            if due >= until {
                if self.schedule.next_chunk < due.min(end) {
                    // Long times without any event are cut, too.
                    let idle = if self.schedule.chunk < CHUNK {
                        self.schedule.chunk
                    } else {
                        IDLE
                    };
                    let at = due
                        .min(end)
                        .min(self.schedule.next_chunk.saturating_add(idle));
                    self.advance_part(part, at)?;
                    self.schedule.next_chunk = at.saturating_add(self.schedule.chunk);
                    until = end.min(self.schedule.next_chunk);
                    // Long runs in which nothing happens take many of these, and no event.
                    if cancel.load(Ordering::Relaxed) {
                        return Err(RunError::Cancelled.into());
                    }
                    continue;
                }
                if due >= end {
                    return self.advance_part(part, end);
                }
            }
            self.schedule.events += 1;
            // Cell by cell nobody asks who has acted.
            if is_lazy {
                self.schedule
                    .turns
                    .act(self.schedule.events, actor, due == self.schedule.now);
            }
            self.schedule.now = due;
            self.act(actor);
            if !self.schedule.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
                continue;
            }
            if cancel.load(Ordering::Relaxed) {
                return Err(RunError::Cancelled.into());
            }
            looks_at_one_instant = if self.schedule.now == last_look {
                looks_at_one_instant + 1
            } else {
                0
            };
            last_look = self.schedule.now;
            if looks_at_one_instant > LOOKS_AT_ONE_INSTANT {
                return Err(self.stuck().into());
            }
        }
    }

    #[inline]
    pub(in crate::engine) fn act(&mut self, actor: usize) {
        let actors = self.schedule.actors;
        if actor >= actors.links {
            match self.schedule.timed[actor - actors.links] {
                Timed::Channel(channel) => self.on_channel(channel as usize),
                Timed::Link(link) => self.on_link(link as usize),
                Timed::Port(port) => {
                    if let Mode::Tunnel(source) = self.trains.ports[port as usize].mode {
                        self.on_tunnel(source as usize);
                    }
                }
            }
        } else if actor >= actors.virtual_ends {
            self.on_virtual_end(actor - actors.virtual_ends);
        } else if actor >= actors.sources {
            self.on_source(actor - actors.sources);
        } else if actor >= actors.receivers {
            self.on_receiver_timer(actor - actors.receivers);
        } else if actor >= actors.senders {
            self.on_sender_timer(actor - actors.senders);
        } else {
            self.on_probe(actor);
        }
    }
}
