//! 4.3BSD-Tahoe (June 1988): fast retransmit, after which slow start begins with one segment.
//!
//! Source: 4.3BSD-Tahoe `tcp_input.c`, `tcp_timer.c`; Jacobson 1988.

use super::{AckReaction, CongestionControl, DUPLICATES, Event, Reaction, Window};

/// Options of Tahoe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TahoeOptions {
    /// Whether the third duplicate acknowledgment retransmits a segment. Otherwise duplicates are ignored
    /// and only the timer repairs losses, as in many studies of TCP over ATM.
    pub(super) fast_retransmit: bool,
    /// As [`ControlOptions::go_back_n`](super::ControlOptions::go_back_n).
    pub(super) go_back_n: bool,
    /// As [`ControlOptions::avoids_from_ssthresh`](super::ControlOptions::avoids_from_ssthresh).
    pub(super) avoids_from_ssthresh: bool,
}

impl Default for TahoeOptions {
    /// The rules of BSD: fast retransmit of one segment.
    fn default() -> Self {
        Self {
            fast_retransmit: true,
            go_back_n: false,
            avoids_from_ssthresh: false,
        }
    }
}

/// The state of Tahoe.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Tahoe {
    options: TahoeOptions,
    window: Window,
    /// `snd_max` at the last loss, if the sender goes back.
    recover: u64,
}

impl Tahoe {
    pub(super) fn new(options: TahoeOptions, window: Window) -> Self {
        Self {
            options,
            window,
            recover: 0,
        }
    }
}

impl CongestionControl for Tahoe {
    fn window(&self) -> &Window {
        &self.window
    }

    fn on_duplicate_ack(&mut self, count: u32, event: &Event) -> Reaction {
        let TahoeOptions {
            fast_retransmit,
            go_back_n,
            ..
        } = self.options;
        if !fast_retransmit || count != DUPLICATES || (go_back_n && event.snd_una <= self.recover) {
            return Reaction::None;
        }
        self.window.collapse(event.snd_wnd);
        if go_back_n {
            self.recover = event.snd_max;
            Reaction::GoBack
        } else {
            Reaction::FastRetransmit
        }
    }

    fn on_ack(&mut self, _acked: u64, _event: &Event) -> AckReaction {
        let increment = |mss: u64, cwnd: u64| (mss * mss / cwnd).max(1);
        if self.options.avoids_from_ssthresh {
            self.window.grow_below_ssthresh(increment);
        } else {
            self.window.grow(increment);
        }
        AckReaction::Advance
    }

    fn on_timeout(&mut self, event: &Event) {
        self.window.collapse(event.snd_wnd);
        self.recover = event.snd_max;
    }

    fn on_ecn(&mut self, event: &Event) {
        self.window.halve_for_marks(event.flight());
    }

    fn keeps_duplicates_at_timeout(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tahoe(options: TahoeOptions, cwnd: u64) -> Tahoe {
        let mut window = Window::new(512, 65_535, 65_535);
        window.cwnd = cwnd;
        Tahoe::new(options, window)
    }

    fn at(snd_una: u64) -> Event {
        Event {
            snd_una,
            snd_max: 8 * 512,
            snd_wnd: 8_192,
            ..Event::default()
        }
    }

    #[test]
    fn the_third_duplicate_closes_the_window_to_one_segment_and_no_other_does_anything() {
        let mut t = tahoe(TahoeOptions::default(), 4_096);
        let reactions = [1, 2, 3, 4, 5].map(|count| t.on_duplicate_ack(count, &at(0)));
        let expected = [false, false, true, false, false].map(|third| {
            if third {
                Reaction::FastRetransmit
            } else {
                Reaction::None
            }
        });
        assert_eq!(reactions, expected);
        assert_eq!((t.window.ssthresh, t.window.cwnd), (2_048, 512));
    }

    #[test]
    fn without_fast_retransmit_duplicates_are_ignored() {
        let options = TahoeOptions {
            fast_retransmit: false,
            ..TahoeOptions::default()
        };
        let mut t = tahoe(options, 4_096);
        for count in 1..10 {
            assert_eq!(t.on_duplicate_ack(count, &at(0)), Reaction::None);
        }
        assert_eq!(t.window.cwnd, 4_096);
    }

    #[test]
    fn a_sender_that_goes_back_n_does_so_once_for_what_was_sent_before() {
        let options = TahoeOptions {
            go_back_n: true,
            ..TahoeOptions::default()
        };
        let mut t = tahoe(options, 4_096);
        assert_eq!(t.on_duplicate_ack(3, &at(512)), Reaction::GoBack);
        assert_eq!(t.on_duplicate_ack(3, &at(8 * 512)), Reaction::None);
        assert_eq!(t.on_duplicate_ack(3, &at(9 * 512)), Reaction::GoBack);
    }

    #[test]
    fn congestion_avoidance_adds_mss_squared_over_cwnd_and_at_least_one_octet() {
        let mut t = tahoe(TahoeOptions::default(), 2_560);
        t.window.ssthresh = 2_048;
        t.on_ack(512, &at(0));
        assert_eq!(t.window.cwnd, 2_560 + 102);
        t.window = Window::new(7, 65_535, 49);
        t.window.cwnd = 50;
        t.on_ack(512, &at(0));
        assert_eq!(t.window.cwnd, 51);
    }

    #[test]
    fn at_ssthresh_bsd_takes_one_more_step_of_slow_start_and_the_option_none() {
        for (avoids_from_ssthresh, cwnd) in [(false, 1_024 + 512), (true, 1_024 + 256)] {
            let options = TahoeOptions {
                avoids_from_ssthresh,
                ..TahoeOptions::default()
            };
            let mut t = tahoe(options, 512);
            t.window.ssthresh = 1_024;
            t.on_ack(512, &at(0));
            assert_eq!(t.window.cwnd, 1_024);
            t.on_ack(512, &at(0));
            assert_eq!(t.window.cwnd, cwnd);
        }
    }
}
