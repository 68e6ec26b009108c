//! A member of a source group, which counts those of its cells that have nothing before them but to be counted at the end of
//! their direction.

use celltrain_proto::units::{Span, Time};

use crate::engine::state::transit::Transit;

/// A direction of a VC whose source is a process.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Member {
    /// Its hop at the port, and the VC's number there.
    pub(in crate::engine) hop: u32,
    pub(in crate::engine) vc: u32,
    direction: u32,
    /// Who acts when its cells arrive.
    pub(in crate::engine) actor: u32,
    /// Cells that have come and are not yet counted at the hop.
    came: u64,
    /// From a cell's departure to its arrival; without end where it is not only counted.
    to_sink: Span,
    /// Cells are counted that leave before.
    end: Time,
    /// The departures of those that have been counted.
    passed: Transit,
}

impl Member {
    /// A direction whose cells arrive so long after their departure, if they are only counted then.
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

    /// From now on nobody looks before `end` at what has arrived.
    pub(in crate::engine) fn count_until(&mut self, end: Time) {
        let has_time = self.to_sink <= end - Time::ZERO;
        self.end = if has_time {
            end - self.to_sink
        } else {
            Time::ZERO
        };
    }

    /// A cell comes.
    #[inline]
    pub(in crate::engine) fn come(&mut self) {
        self.came += 1;
    }

    /// Takes the number of cells that have come since the last call.
    pub(in crate::engine) fn take_came(&mut self) -> u64 {
        std::mem::take(&mut self.came)
    }

    /// Counts a cell that leaves at `departure`; false if it is not only to be counted.
    #[inline]
    pub(in crate::engine) fn passes(&mut self, departure: Time) -> bool {
        let is_counted = departure < self.end;
        if is_counted {
            self.passed.pass(departure);
        }
        is_counted
    }

    /// Takes what has arrived at the end of the direction, with the direction.
    pub(in crate::engine) fn take_passed(&mut self) -> (usize, Transit) {
        let passed = std::mem::take(&mut self.passed);
        (self.direction as usize, passed.later(self.to_sink))
    }
}
