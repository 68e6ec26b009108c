//! The main loop of a run: the actor that is due first acts, until the end of the run.

use std::sync::atomic::{AtomicBool, Ordering};

use celltrain_proto::units::{Span, Time};

use crate::engine::error::{RunError, Stop};
use crate::engine::schedule::timed::Timed;
use crate::engine::simulation::Simulation;
use crate::engine::state::mode::Mode;
use crate::engine::state::time::CHUNK;

/// Events between two checks of the cancel flag: a millisecond or two.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 12;
/// The longest time without an event, after the end of a chunk, until everything is advanced.
///
/// The value hardly matters: of the workloads in `benches`, `chain` and `many`, which have few events or none, take the
/// same CPU time with 0 ms and with 2 s. With a longer time, channels hold more cells when there are no events; with a
/// shorter one, everything is advanced more often.
const IDLE: Span = Span::from_ms(90);
/// The number of checks that may pass while simulated time stands still: some ten million events at one instant.
const LOOKS_AT_ONE_INSTANT: u32 = 3_200;

impl Simulation<'_> {
    /// Runs the simulation up to, but not including, `end`, cell by cell.
    pub fn run_until(&mut self, end: Time, cancel: &AtomicBool) -> Result<(), RunError> {
        self.evaluate_until(end, cancel).map_err(|stop| match stop {
            Stop::Error(error) => error,
            Stop::OrderLost(link) => unreachable!("link {link} is evaluated cell by cell"),
        })
    }

    /// Runs the simulation up to, but not including, `end`.
    pub(in crate::engine) fn evaluate_until(
        &mut self,
        end: Time,
        cancel: &AtomicBool,
    ) -> Result<(), Stop> {
        let start = self.begin(end);
        for part in 0..self.schedule.parts.len() {
            self.run_part(part, start, cancel)?;
        }
        self.observation.watch.end_interval(end)?;
        Ok(())
    }

    /// Begins an interval that lasts until `end`; returns its start.
    pub(in crate::engine) fn begin(&mut self, end: Time) -> Time {
        self.schedule.end = end;
        self.observation.watch.begin_interval();
        self.go_ahead();
        self.schedule.now
    }

    /// Runs a part from `start` up to, but not including, the end of the interval.
    pub(in crate::engine) fn run_part(
        &mut self,
        part: usize,
        start: Time,
        cancel: &AtomicBool,
    ) -> Result<(), Stop> {
        // Many small parts end before the loop checks the flag.
        if cancel.load(Ordering::Relaxed) {
            return Err(RunError::Cancelled.into());
        }
        self.schedule.now = start;
        self.observation.watch.active = part;
        self.schedule.turn_to(part, &mut self.paths.rms);
        let outcome = self.let_act(part, self.schedule.end, cancel);
        self.schedule.rest(part, &mut self.paths.rms);
        outcome
    }

    /// Runs a part up to, but not including, `end`.
    fn let_act(&mut self, part: usize, end: Time, cancel: &AtomicBool) -> Result<(), Stop> {
        let mut looks_at_one_instant = 0;
        let is_lazy = !self.trains.channels.is_empty();
        let mut until = end.min(self.schedule.next_chunk);
        let mut last_look = self.schedule.now;
        loop {
            let (due, actor) = self.schedule.calendar.next();
            if due >= until {
                if self.schedule.next_chunk < due.min(end) {
                    // Long intervals without events are divided, too.
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
                    // A long run in which nothing happens passes here many times without any event.
                    if cancel.load(Ordering::Relaxed) {
                        return Err(RunError::Cancelled.into());
                    }
                    self.watch_chunk()?;
                    continue;
                }
                if due >= end {
                    return self.advance_part(part, end);
                }
            }
            self.schedule.events += 1;
            // In the cell engine nothing asks who has acted.
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
            self.watch_events(EVENTS_BETWEEN_LOOKS)?;
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
        } else if actor >= actors.shapers {
            self.on_shaper(actor - actors.shapers);
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
