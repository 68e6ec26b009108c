//! Generic flow control at the user-network interface: stop and go in the GFC field (ITU-T I.361).
//!
//! The network side watches its queue, and each cell that it sends to the terminal carries the current command, HALT or
//! NO HALT, in its GFC field; no extra cells are sent for this. A halted terminal sends no cell of any kind until NO
//! HALT arrives, or until a timer started by the last HALT expires, so that a lost NO HALT does not stop it forever.
//!
//! Reduced to one bit: groups A and B and their credits (`SET_A`, `SET_B`) are not modelled.

use crate::units::{Cells, Span, Time};

/// The network side: hysteresis on the queue that the terminal fills.
#[derive(Clone, Debug)]
pub struct Controlling {
    high: Cells,
    low: Cells,
    halt: bool,
}

impl Controlling {
    /// HALT begins above `high` cells and ends below `low`, which is at most `high`.
    pub fn new(high: Cells, low: Cells) -> Self {
        Self {
            high,
            low,
            halt: false,
        }
    }

    /// The queue now holds `queue` cells. Call at each change.
    #[inline]
    pub fn on_queue(&mut self, queue: Cells) {
        if queue > self.high {
            self.halt = true;
        } else if queue < self.low {
            self.halt = false;
        }
    }

    /// The command in a cell to the terminal: true for HALT.
    #[inline]
    pub fn halt(&self) -> bool {
        self.halt
    }
}

/// The terminal.
#[derive(Clone, Debug)]
pub struct Controlled {
    timeout: Span,
    halted_until: Option<Time>,
}

impl Controlled {
    /// Creates a terminal that resumes `timeout` after the last HALT; 5 s in the standard.
    pub fn new(timeout: Span) -> Self {
        Self {
            timeout,
            halted_until: None,
        }
    }

    /// A cell with command HALT (`halt`) or NO HALT has arrived.
    #[inline]
    pub fn on_command(&mut self, now: Time, halt: bool) {
        self.halted_until = halt.then(|| now.saturating_add(self.timeout));
    }

    /// The instant from which the terminal may send again if no command arrives first; `None` if the last command was
    /// NO HALT, or if there was none. If it lies in the past, the timer has expired and the terminal may send. Only
    /// [`Controlled::on_command`] changes it.
    #[inline]
    #[must_use]
    pub fn halted_until(&self) -> Option<Time> {
        self.halted_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn halt_begins_above_the_high_mark_and_ends_below_the_low_one() {
        let mut controlling = Controlling::new(Cells(256), Cells(128));
        assert!(!controlling.halt());
        for (queue, halt) in [
            (255, false),
            (256, false),
            (257, true),
            (256, true),
            (128, true),
            (127, false),
            (128, false),
            (256, false),
            (1_024, true),
            (0, false),
        ] {
            controlling.on_queue(Cells(queue));
            assert_eq!(controlling.halt(), halt, "at {queue} cells");
        }
    }

    #[test]
    fn a_terminal_without_a_command_is_free() {
        assert_eq!(Controlled::new(Span::from_secs(5)).halted_until(), None);
    }

    #[test]
    fn each_halt_starts_the_timer_anew() {
        let mut controlled = Controlled::new(Span::from_secs(5));
        controlled.on_command(ms(1_000), true);
        assert_eq!(controlled.halted_until(), Some(ms(6_000)));
        controlled.on_command(ms(4_000), true);
        assert_eq!(controlled.halted_until(), Some(ms(9_000)));
        controlled.on_command(ms(20_000), true);
        assert_eq!(controlled.halted_until(), Some(ms(25_000)));
    }

    #[test]
    fn no_halt_lets_go_at_once() {
        let mut controlled = Controlled::new(Span::from_secs(5));
        controlled.on_command(ms(1_000), true);
        controlled.on_command(ms(1_001), false);
        assert_eq!(controlled.halted_until(), None);
    }

    #[test]
    fn a_timer_of_any_length_does_not_overflow() {
        let mut controlled = Controlled::new(Span::MAX);
        controlled.on_command(ms(1), true);
        assert_eq!(controlled.halted_until(), Some(Time::NEVER));
    }
}
