//! The periodic BSD timers, evaluated without an event for each tick.

use crate::units::{Span, Time};

/// Ticks at `phase`, `phase + granularity`, `phase + 2 granularity` and so on, numbered from one.
///
/// BSD's slow timer has a granularity of 500 ms and its fast timer one of 200 ms; their phases differ between hosts. A
/// counter that is set to `n` at `now` and decremented at each tick reaches zero at tick `ticks_at(now) + n`, more than
/// `n - 1` and at most `n` ticks away.
///
/// ```
/// use celltrain_proto::tcp::TickClock;
/// use celltrain_proto::units::{Span, Time};
/// let slow = TickClock::new(Span::from_ms(500), Span::from_ms(120));
/// assert_eq!(slow.ticks_at(Time::ZERO), 0);
/// assert_eq!(slow.ticks_at(Time::ZERO + Span::from_ms(620)), 2); // a tick at this instant has happened
/// assert_eq!(slow.time_of(2), Time::ZERO + Span::from_ms(620));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TickClock {
    granularity: Span,
    phase: Span,
}

impl TickClock {
    /// Creates a clock whose first tick is `phase` after the start of the run. `granularity` must not be zero.
    pub const fn new(granularity: Span, phase: Span) -> Self {
        assert!(
            granularity.as_ps() > 0,
            "the granularity of a tick clock must be positive"
        );
        Self { granularity, phase }
    }

    /// The time between two ticks.
    pub const fn granularity(self) -> Span {
        self.granularity
    }

    /// The first tick, as a span from the start of the run.
    pub const fn phase(self) -> Span {
        self.phase
    }

    /// The number of ticks that have happened at `now`, including one at `now` itself.
    pub fn ticks_at(self, now: Time) -> u64 {
        let first = Time::ZERO + self.phase;
        if now < first {
            0
        } else {
            (now - first).div_floor(self.granularity) + 1
        }
    }

    /// The instant of tick `number`, where the first is number one; the start of the run for zero, and [`Time::NEVER`]
    /// if out of range.
    pub fn time_of(self, number: u64) -> Time {
        let Some(periods) = number.checked_sub(1) else {
            return Time::ZERO;
        };
        let since_first = self.granularity.as_ps().saturating_mul(periods);
        Time::ZERO
            .saturating_add(self.phase)
            .saturating_add(Span::from_ps(since_first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

    #[test]
    fn a_tick_at_an_instant_has_happened() {
        let clock = TickClock::new(Span::from_ms(500), Span::from_ms(120));
        let cases = [
            (0, 0),
            (119, 0),
            (120, 1),
            (121, 1),
            (619, 1),
            (620, 2),
            (5_120, 11),
        ];
        for (ms, ticks) in cases {
            assert_eq!(clock.ticks_at(MS(ms)), ticks, "{ms} ms");
        }
        assert_eq!(
            TickClock::new(Span::from_ms(500), Span::ZERO).ticks_at(Time::ZERO),
            1
        );
    }

    #[test]
    fn the_instant_of_a_tick_is_the_first_at_which_it_has_happened() {
        let clock = TickClock::new(Span::from_us(100), Span::from_us(37));
        for number in [1, 2, 3, 640_000] {
            let at = clock.time_of(number);
            assert_eq!(clock.ticks_at(at), number);
            assert_eq!(clock.ticks_at(at - Span::from_ps(1)), number - 1);
        }
        assert_eq!(clock.time_of(0), Time::ZERO);
        assert_eq!(clock.time_of(u64::MAX), Time::NEVER);
    }
}
