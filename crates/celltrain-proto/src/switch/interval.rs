//! Averaging intervals: they end after a time, or after a number of cells, whichever comes first.
//!
//! An interval is `[start, end)`: an arrival at its end belongs to the next one. Like windows, intervals need no timer:
//! at each call the owner asks for those that are over. The cell limit is checked only when cells arrive, and an
//! interval never ends at the instant at which it began, however many cells arrive at once: its input rate would be
//! infinite.

use crate::units::{Cells, Rate, Span, Time};

/// The counts of an interval that is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Measured {
    /// Its length.
    pub(super) length: Span,
    /// Cells that arrived.
    pub(super) cells: u64,
    /// Cells of higher priority.
    pub(super) priority: u64,
}

impl Measured {
    /// The mean rate of `cells` over the interval's length.
    pub(super) fn rate_of(self, cells: u64) -> Rate {
        Rate::cells_per_s(cells as f64 / self.length.as_secs())
    }

    /// The input rate.
    pub(super) fn rate(self) -> Rate {
        self.rate_of(self.cells)
    }

    /// The part of `line` left by higher priorities.
    pub(super) fn left_of(self, line: Rate) -> Rate {
        if self.priority == 0 {
            return line;
        }
        Rate::bps((line - self.rate_of(self.priority)).as_bps().max(0.0))
    }

    /// Whether nothing arrived.
    pub(super) fn is_empty(self) -> bool {
        self.cells == 0 && self.priority == 0
    }
}

/// The consecutive intervals of a port.
#[derive(Clone, Debug)]
pub(super) struct Intervals {
    length: Span,
    limit: u64,
    start: Time,
    end: Time,
    cells: u64,
    priority: u64,
}

impl Intervals {
    /// Intervals of at most `length`, not zero, and `limit` cells; the first begins at the start of the run.
    /// [`Span::MAX`] and `Cells(u64::MAX)` mean no limit.
    pub(super) fn new(length: Span, limit: Cells) -> Self {
        Self {
            length,
            limit: limit.0,
            start: Time::ZERO,
            end: Time::ZERO.saturating_add(length),
            cells: 0,
            priority: 0,
        }
    }

    /// Ends the open interval if its time is up at `now`. Call until it returns `None`.
    #[inline]
    pub(super) fn end_due(&mut self, now: Time) -> Option<Measured> {
        if now < self.end || self.end == Time::NEVER {
            return None;
        }
        Some(self.end_at(self.end))
    }

    /// The open interval cannot end before this instant, whatever arrives; [`Time::ZERO`] if cells can end it.
    #[inline]
    pub(super) fn counts_until(&self) -> Time {
        if self.limit == u64::MAX {
            self.end
        } else {
            Time::ZERO
        }
    }

    /// `n` cells arrive, possibly ending the open interval. No other interval may be due.
    #[inline]
    pub(super) fn on_cells(&mut self, now: Time, n: u64) -> Option<Measured> {
        self.cells += n;
        (self.cells >= self.limit && now > self.start).then(|| self.end_at(now))
    }

    /// `n` cells of higher priority use part of the line. No interval may be due.
    #[inline]
    pub(super) fn on_priority_cells(&mut self, n: u64) {
        self.priority += n;
    }

    /// Ends all intervals due at `now`, none of which may hold a cell; returns their number.
    pub(super) fn skip_due(&mut self, now: Time) -> u64 {
        if now < self.end || self.end == Time::NEVER {
            return 0;
        }
        let skipped = 1 + (now - self.end).div_floor(self.length);
        self.start = self.end.saturating_add(self.length * (skipped - 1));
        self.end = self.start.saturating_add(self.length);
        skipped
    }

    fn end_at(&mut self, end: Time) -> Measured {
        let measured = Measured {
            length: end - self.start,
            cells: core::mem::take(&mut self.cells),
            priority: core::mem::take(&mut self.priority),
        };
        self.start = end;
        self.end = end.saturating_add(self.length);
        measured
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::ms;
    use super::*;

    fn measured(length: u64, cells: u64) -> Measured {
        Measured {
            length: Span::from_ms(length),
            cells,
            priority: 0,
        }
    }

    #[test]
    fn an_arrival_at_the_end_belongs_to_the_next_interval() {
        let mut intervals = Intervals::new(Span::from_ms(10), Cells(u64::MAX));
        assert_eq!(intervals.on_cells(ms(9), 7), None);
        assert_eq!(intervals.end_due(ms(10)), Some(measured(10, 7)));
        assert_eq!(intervals.end_due(ms(10)), None);
        intervals.on_cells(ms(10), 2);
        assert_eq!(intervals.end_due(ms(20)), Some(measured(10, 2)));
    }

    #[test]
    fn the_limit_reached_first_ends_an_interval_and_restarts_both() {
        let mut intervals = Intervals::new(Span::from_ms(10), Cells(30));
        assert_eq!(intervals.on_cells(ms(3), 29), None);
        assert_eq!(intervals.on_cells(ms(4), 1), Some(measured(4, 30)));
        assert_eq!(intervals.on_cells(ms(5), 29), None);
        assert_eq!(intervals.end_due(ms(13)), None);
        assert_eq!(intervals.end_due(ms(14)), Some(measured(10, 29)));
    }

    #[test]
    fn cells_alone_may_bound_an_interval() {
        let mut intervals = Intervals::new(Span::MAX, Cells(30));
        assert_eq!(intervals.end_due(Time::NEVER), None);
        assert_eq!(intervals.skip_due(Time::NEVER), 0);
        assert_eq!(intervals.on_cells(ms(50), 31), Some(measured(50, 31)));
    }

    #[test]
    fn no_interval_ends_at_the_instant_at_which_it_began() {
        let mut intervals = Intervals::new(Span::from_ms(10), Cells(30));
        assert_eq!(intervals.on_cells(ms(0), 100), None);
        assert_eq!(intervals.on_cells(ms(1), 1), Some(measured(1, 101)));
        assert_eq!(intervals.on_cells(ms(1), 100), None);
    }

    #[test]
    fn empty_intervals_can_be_skipped_at_once() {
        let mut intervals = Intervals::new(Span::from_ms(10), Cells(30));
        intervals.on_cells(ms(1), 5);
        assert_eq!(intervals.end_due(ms(59)), Some(measured(10, 5)));
        assert_eq!(intervals.skip_due(ms(59)), 4);
        assert_eq!(intervals.skip_due(ms(59)), 0);
        assert_eq!(intervals.end_due(ms(60)), Some(measured(10, 0)));
    }

    #[test]
    fn higher_priorities_leave_the_rest_of_the_line() {
        let mut intervals = Intervals::new(Span::from_ms(10), Cells(u64::MAX));
        intervals.on_priority_cells(40);
        let measured = intervals.end_due(ms(10)).expect("its time is up");
        let line = Rate::cells_per_s(10_000.0);
        assert_eq!(measured.left_of(line), Rate::cells_per_s(6_000.0));
        assert_eq!(measured.left_of(Rate::cells_per_s(3_000.0)), Rate::ZERO);
        assert_eq!(intervals.end_due(ms(20)).map(|it| it.priority), Some(0));
    }

    #[test]
    fn the_input_rate_is_cells_over_the_real_length() {
        let of_two_ms = Measured {
            length: Span::from_ms(2),
            cells: 50,
            priority: 0,
        };
        assert_eq!(of_two_ms.rate(), Rate::cells_per_s(25_000.0));
    }
}
