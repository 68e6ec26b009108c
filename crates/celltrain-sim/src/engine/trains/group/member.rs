//! A member of a source group. It counts the cells that only remain to be counted at the end of their direction.

use celltrain_proto::units::{Span, Time};

use crate::engine::state::transit::Transit;

/// A direction of a VC whose source is a process.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Member {
    /// Its hop at the port; below, the VC's number there.
    pub(in crate::engine) hop: u32,
    pub(in crate::engine) vc: u32,
    direction: u32,
    /// The actor that acts when its cells arrive.
    pub(in crate::engine) actor: u32,
    /// Cells that have arrived and are not yet counted at the hop.
    came: u64,
    /// The time from a cell's departure to its arrival at the sink; unlimited if its cells need more than to be counted.
    to_sink: Span,
    /// Cells that leave before this instant are counted.
    end: Time,
    /// The departures of the cells that have been counted.
    passed: Transit,
}

impl Member {
    /// A direction; `to_sink` is the time from the departure of its cells to their arrival, if they are only counted
    /// there.
    pub(in crate::engine) fn new(hop: u32, vc: u32, direction: u32, to_sink: Option<Span>) -> Self {
        Self {
            hop,
            vc,
            direction,
            actor: u32::MAX,
            came: 0,
            to_sink: to_sink.unwrap_or(Span::MAX),
            end: Time::ZERO,
            passed: Transit::default(),
        }
    }

    /// The direction.
    #[inline]
    pub(in crate::engine) fn direction(&self) -> usize {
        self.direction as usize
    }

    /// Allows cells that arrive before `end`, when arrivals are read next, to be counted early.
    pub(in crate::engine) fn count_until(&mut self, end: Time) {
        let has_time = self.to_sink <= end - Time::ZERO;
        self.end = if has_time {
            end - self.to_sink
        } else {
            Time::ZERO
        };
    }

    /// Notes an arriving cell.
    #[inline]
    pub(in crate::engine) fn come(&mut self) {
        self.came += 1;
    }

    /// Takes the number of cells that have arrived since the last call.
    pub(in crate::engine) fn take_came(&mut self) -> u64 {
        std::mem::take(&mut self.came)
    }

    /// Counts a cell that leaves at `departure`; false if it must go on.
    #[inline]
    pub(in crate::engine) fn passes(&mut self, departure: Time) -> bool {
        let is_counted = departure < self.end;
        if is_counted {
            self.passed.pass(departure);
        }
        is_counted
    }

    /// Takes the direction and the cells that have arrived at its end.
    pub(in crate::engine) fn take_passed(&mut self) -> (usize, Transit) {
        let passed = std::mem::take(&mut self.passed);
        (self.direction as usize, passed.later(self.to_sink))
    }
}
