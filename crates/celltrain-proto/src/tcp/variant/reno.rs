//! 4.3BSD-Reno (June 1990): fast retransmit and fast recovery, no logic for partial acknowledgments.
//!
//! Source: 4.3BSD-Reno `tcp_input.c`, `tcp_timer.c`.

use core::cmp::Ordering;

use super::{AckReaction, CongestionControl, DUPLICATES, Event, Reaction, Window};

/// The octets that congestion avoidance adds per acknowledgment of new data, in integer arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum AvoidanceIncrement {
    /// `mss * mss / cwnd + mss / 8`, 4.3BSD-Reno to 4.4BSD-Lite.
    #[default]
    WithEighth,
    /// `mss * mss / cwnd`, 4.4BSD-Lite2.
    Plain,
}

/// The number of duplicates after which an acknowledgment of new data deflates the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Deflation {
    /// More than three, as BSD tests: with exactly three the window stays inflated.
    #[default]
    AboveThree,
    /// Three or more.
    FromThree,
}

/// Options of Reno.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct RenoOptions {
    /// Growth in congestion avoidance.
    pub(super) increment: AvoidanceIncrement,
    /// End of fast recovery.
    pub(super) deflation: Deflation,
}

/// The state of Reno: its window. Fast recovery needs no more, since the sender counts duplicates.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Reno {
    options: RenoOptions,
    window: Window,
}

impl Reno {
    pub(super) fn new(options: RenoOptions, window: Window) -> Self {
        Self { options, window }
    }
}

impl CongestionControl for Reno {
    fn window(&self) -> &Window {
        &self.window
    }

    fn on_duplicate_ack(&mut self, count: u32, event: &Event) -> Reaction {
        let w = &mut self.window;
        match count.cmp(&DUPLICATES) {
            Ordering::Less => Reaction::None,
            Ordering::Equal => {
                w.halve_ssthresh(event.snd_wnd);
                w.cwnd = w.ssthresh + u64::from(DUPLICATES) * w.mss;
                Reaction::FastRetransmit
            }
            Ordering::Greater => {
                w.cwnd += w.mss;
                Reaction::Output
            }
        }
    }

    fn on_duplicates_end(&mut self, count: u32) {
        let deflates = match self.options.deflation {
            Deflation::AboveThree => count > DUPLICATES,
            Deflation::FromThree => count >= DUPLICATES,
        };
        if deflates {
            self.window.cwnd = self.window.cwnd.min(self.window.ssthresh);
        }
    }

    fn on_ack(&mut self, _acked: u64, _event: &Event) -> AckReaction {
        let eighth = self.options.increment == AvoidanceIncrement::WithEighth;
        self.window
            .grow(|mss, cwnd| mss * mss / cwnd + if eighth { mss / 8 } else { 0 });
        AckReaction::Advance
    }

    fn on_timeout(&mut self, event: &Event) {
        self.window.collapse(event.snd_wnd);
    }

    fn on_ecn(&mut self, event: &Event) {
        self.window.halve_for_marks(event.flight());
    }

    fn on_idle(&mut self) {
        self.window.cwnd = self.window.mss;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn reno(mss: u32, ssthresh: u32, options: RenoOptions) -> Reno {
        Reno::new(options, Window::new(mss, 65_535, ssthresh))
    }

    fn offered(snd_wnd: u64) -> Event {
        Event {
            snd_una: 0,
            snd_max: 0,
            snd_wnd,
            ..Event::default()
        }
    }

    fn growth(mut reno: Reno, acks: usize) -> Vec<u64> {
        let after_ack = |_| {
            reno.on_ack(512, &offered(65_535));
            reno.window().cwnd
        };
        (0..acks).map(after_ack).collect()
    }

    #[test]
    fn slow_start_goes_one_step_beyond_the_threshold_and_then_adds_mss_squared_over_cwnd() {
        let plain = RenoOptions {
            increment: AvoidanceIncrement::Plain,
            ..RenoOptions::default()
        };
        let eighth = RenoOptions::default();
        assert_eq!(
            growth(reno(512, 2_048, plain), 8),
            [1024, 1536, 2048, 2560, 2662, 2760, 2854, 2945]
        );
        assert_eq!(
            growth(reno(512, 2_048, eighth), 8),
            [1024, 1536, 2048, 2560, 2726, 2886, 3040, 3190]
        );
        assert_eq!(
            growth(reno(9_140, 36_560, plain), 8)[3..],
            [45_700, 47_528, 49_285, 50_980, 52_618]
        );
        assert_eq!(
            growth(reno(9_140, 36_560, eighth), 7)[3..],
            [45_700, 48_670, 51_528, 54_291]
        );
    }

    #[test]
    fn cwnd_does_not_grow_beyond_the_largest_window() {
        let r = reno(9_140, 65_535, RenoOptions::default());
        assert_eq!(growth(r, 9)[5..], [63_980, 65_535, 65_535, 65_535]);
    }

    #[test]
    fn the_threshold_is_half_of_the_smaller_window_in_whole_segments_and_at_least_two() {
        // cwnd, offered window, ssthresh in segments of 1000.
        for (cwnd, snd_wnd, segments) in [
            (9_999, 65_535, 4),
            (65_535, 7_000, 3),
            (3_999, 65_535, 2),
            (1_000, 65_535, 2),
        ] {
            let mut r = reno(1_000, 65_535, RenoOptions::default());
            r.window.cwnd = cwnd;
            r.on_timeout(&offered(snd_wnd));
            assert_eq!(
                (r.window.ssthresh, r.window.cwnd),
                (segments * 1_000, 1_000)
            );
        }
    }

    #[test]
    fn the_third_duplicate_halves_and_each_further_one_inflates_by_a_segment() {
        let mut r = reno(512, 65_535, RenoOptions::default());
        r.window.cwnd = 4_096;
        assert_eq!(r.on_duplicate_ack(1, &offered(8_192)), Reaction::None);
        assert_eq!(r.on_duplicate_ack(2, &offered(8_192)), Reaction::None);
        assert_eq!(r.window.cwnd, 4_096);
        assert_eq!(
            r.on_duplicate_ack(3, &offered(8_192)),
            Reaction::FastRetransmit
        );
        assert_eq!((r.window.ssthresh, r.window.cwnd), (2_048, 3_584));
        assert_eq!(r.on_duplicate_ack(4, &offered(8_192)), Reaction::Output);
        assert_eq!(r.on_duplicate_ack(5, &offered(8_192)), Reaction::Output);
        assert_eq!((r.window.ssthresh, r.window.cwnd), (2_048, 4_608));
    }

    #[test]
    fn exactly_three_duplicates_leave_the_window_inflated_unless_told_otherwise() {
        let from_three = Deflation::FromThree;
        for (deflation, duplicates, cwnd) in [
            (Deflation::AboveThree, 3, 3_584),
            (from_three, 3, 2_048),
            (Deflation::AboveThree, 4, 2_048),
            (from_three, 4, 2_048),
        ] {
            let options = RenoOptions {
                deflation,
                ..RenoOptions::default()
            };
            let mut r = reno(512, 65_535, options);
            r.window.cwnd = 4_096;
            for count in 1..=duplicates {
                r.on_duplicate_ack(count, &offered(8_192));
            }
            r.on_duplicates_end(duplicates);
            assert_eq!(r.window.cwnd, cwnd, "{deflation:?} {duplicates}");
        }
    }

    #[test]
    fn deflation_never_raises_the_window() {
        let mut r = reno(512, 65_535, RenoOptions::default());
        r.window.cwnd = 1_024;
        r.on_duplicates_end(4);
        assert_eq!(r.window.cwnd, 1_024);
    }
}
