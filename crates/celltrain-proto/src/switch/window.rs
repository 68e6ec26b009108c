//! Cells and active VCs counted in windows of fixed length, brought up to date at each call.
//!
//! Window k is `[k·T, (k+1)·T)`: an arrival at exactly k·T belongs to window k. No timer is needed: a call after the
//! end of the open window closes it, and the empty ones after it, in one step.

use alloc::vec::Vec;

use crate::units::{Span, Time};

/// The counts of one window.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Counts {
    /// Cells that arrived.
    pub(super) cells: u64,
    /// Cells of higher priority.
    pub(super) priority: u64,
    /// VCs with a cell or other activity.
    pub(super) active_vcs: u64,
}

/// Sums over the windows that have ended since the last reset.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Ended {
    /// The number of windows.
    pub(super) windows: u64,
    /// The number of windows without an active VC.
    pub(super) idle: u64,
    /// Active VCs, summed over the windows.
    pub(super) active_vcs: u64,
}

impl Ended {
    /// `sum` divided by the number of windows; `None` if none has ended.
    pub(super) fn mean(self, sum: u64) -> Option<f64> {
        (self.windows > 0).then(|| sum as f64 / self.windows as f64)
    }
}

/// The windows of a port.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    length: Span,
    /// The end of the open window. It also identifies the window in `seen`.
    end: Time,
    open: Counts,
    last: Counts,
    /// For each VC, the end of the window in which it was last active; zero, where no window ends, if it never was.
    seen: Vec<Time>,
    ended: Ended,
}

impl Windows {
    /// Windows of `length`, which must not be zero; the first opens at the start of the run.
    pub(super) fn new(length: Span) -> Self {
        Self {
            length,
            end: Time::ZERO + length,
            open: Counts::default(),
            last: Counts::default(),
            seen: Vec::new(),
            ended: Ended::default(),
        }
    }

    /// The length of a window.
    pub(super) fn length(&self) -> Span {
        self.length
    }

    /// `n` cells of `vc` arrive.
    #[inline]
    pub(super) fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
        self.on_activity(now, vc);
        self.open.cells += n;
    }

    /// `n` cells of higher priority use part of the line.
    #[inline]
    pub(super) fn on_priority_cells(&mut self, now: Time, n: u64) {
        if now >= self.end {
            self.close(now);
        }
        self.open.priority += n;
    }

    /// `vc` is active.
    #[inline]
    pub(super) fn on_activity(&mut self, now: Time, vc: u32) {
        if now >= self.end {
            self.close(now);
        }
        if vc as usize >= self.seen.len() {
            self.grow(vc);
        }
        let seen = &mut self.seen[vc as usize];
        self.open.active_vcs += u64::from(*seen != self.end);
        *seen = self.end;
    }

    /// The counts of the last window that is over at `now`; zero during the first.
    pub(super) fn last(&mut self, now: Time) -> Counts {
        self.ended(now);
        self.last
    }

    /// Sums over the windows that have ended since the last reset, including one that ends at `now`.
    pub(super) fn ended(&mut self, now: Time) -> Ended {
        if now >= self.end {
            self.close(now);
        }
        self.ended
    }

    /// Restarts the sums with the windows that end after `now`.
    pub(super) fn reset(&mut self, now: Time) {
        self.ended(now);
        self.ended = Ended::default();
    }

    /// Closes the open window and the empty ones after it that are over at `now`.
    #[cold]
    fn close(&mut self, now: Time) {
        let empty = (now - self.end).div_floor(self.length);
        self.ended.windows += 1 + empty;
        self.ended.idle += empty + u64::from(self.open.active_vcs == 0);
        self.ended.active_vcs += self.open.active_vcs;
        let closed = core::mem::take(&mut self.open);
        self.last = if empty == 0 {
            closed
        } else {
            Counts::default()
        };
        self.end = self.end.saturating_add(self.length * (1 + empty));
    }

    #[cold]
    fn grow(&mut self, vc: u32) {
        self.seen.resize(vc as usize + 1, Time::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const LENGTH: Span = Span::from_ms(10);

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn counts(cells: u64, active_vcs: u64) -> Counts {
        Counts {
            cells,
            active_vcs,
            priority: 0,
        }
    }

    #[test]
    fn nothing_is_known_during_the_first_window() {
        let mut windows = Windows::new(LENGTH);
        windows.on_cells(ms(1), 0, 5);
        assert_eq!(windows.last(ms(10) - Span::from_ps(1)), Counts::default());
        assert_eq!(windows.last(ms(10)), counts(5, 1));
    }

    #[test]
    fn a_vc_counts_once_a_window_however_many_cells_it_sends() {
        let mut windows = Windows::new(LENGTH);
        windows.on_cells(ms(1), 3, 2);
        windows.on_cells(ms(2), 0, 1);
        windows.on_cells(ms(3), 3, 4);
        windows.on_cells(ms(11), 3, 1);
        assert_eq!(windows.last(ms(12)), counts(7, 2));
        assert_eq!(windows.last(ms(20)), counts(1, 1));
    }

    #[test]
    fn an_arrival_at_the_boundary_belongs_to_the_later_window() {
        let mut windows = Windows::new(LENGTH);
        windows.on_cells(ms(10), 0, 1);
        assert_eq!(windows.last(ms(10)), counts(0, 0));
        assert_eq!(windows.last(ms(20)), counts(1, 1));
    }

    #[test]
    fn other_signs_of_life_make_a_vc_active_but_are_no_arrivals() {
        let mut windows = Windows::new(LENGTH);
        windows.on_activity(ms(1), 0);
        windows.on_activity(ms(2), 0);
        windows.on_cells(ms(3), 1, 1);
        assert_eq!(windows.last(ms(10)), counts(1, 2));
    }

    #[test]
    fn a_gap_leaves_an_idle_last_window() {
        let mut windows = Windows::new(LENGTH);
        windows.on_cells(ms(1), 0, 1);
        assert_eq!(windows.last(ms(20)), counts(0, 0));
        windows.on_cells(ms(95), 0, 3);
        assert_eq!(windows.last(ms(99)), counts(0, 0));
        assert_eq!(windows.last(ms(100)), counts(3, 1));
    }

    #[test]
    fn a_window_belongs_to_the_interval_in_which_it_ends() {
        let mut windows = Windows::new(LENGTH);
        windows.on_cells(ms(5), 0, 1);
        windows.on_cells(ms(5), 1, 1);
        assert_eq!(windows.ended(ms(9)).windows, 0);
        windows.reset(ms(9));
        // Windows 0, 1 and 2 end by 30 ms, inclusive; 1 and 2 are idle, 3 is open.
        windows.on_cells(ms(30), 0, 1);
        let expected = Ended {
            windows: 3,
            idle: 2,
            active_vcs: 2,
        };
        assert_eq!(windows.ended(ms(30)), expected);
        windows.reset(ms(30));
        assert_eq!(windows.ended(ms(39)), Ended::default());
        assert_eq!(windows.ended(ms(40)).active_vcs, 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn windows_agree_with_a_list_of_all_arrivals(
            steps in prop::collection::vec((0_u64..8, 0_u32..4, 0_u64..3), 1..60),
        ) {
            let mut windows = Windows::new(LENGTH);
            let mut arrivals = std::vec::Vec::new();
            let mut now = Time::ZERO;
            for (step, vc, cells) in steps {
                now += Span::from_us(2_500) * step;
                if cells == 0 {
                    windows.on_activity(now, vc);
                } else {
                    windows.on_cells(now, vc, cells);
                }
                arrivals.push(((now - Time::ZERO).div_floor(LENGTH), vc, cells));
                let in_window = |k: u64| {
                    let inside = arrivals.iter().filter(move |arrival| arrival.0 == k);
                    let vcs: BTreeSet<u32> = inside.clone().map(|arrival| arrival.1).collect();
                    counts(inside.map(|arrival| arrival.2).sum(), vcs.len() as u64)
                };
                let open = (now - Time::ZERO).div_floor(LENGTH);
                let last = open.checked_sub(1).map_or(Counts::default(), in_window);
                prop_assert_eq!(windows.last(now), last);
                let all: std::vec::Vec<_> = (0..open).map(in_window).collect();
                let expected = Ended {
                    windows: open,
                    idle: all.iter().filter(|window| window.active_vcs == 0).count() as u64,
                    active_vcs: all.iter().map(|window| window.active_vcs).sum(),
                };
                prop_assert_eq!(windows.ended(now), expected);
            }
        }
    }
}
