//! Linux of 1999: Reno with windows counted in segments of any length.
//!
//! `cwnd` and `ssthresh` are kept in octets of full segments; as many segments of any length may be in flight as full
//! ones fit into `cwnd`.
//!
//! Source: Linux 2.0 `tcp_input.c`; Jacobson 1990.

use core::cmp::Ordering;

use super::{AckReaction, CongestionControl, DUPLICATES, Event, Reaction, Window};

/// The state of Linux's Reno.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Linux1999 {
    window: Window,
    /// A segment was retransmitted because of duplicates, and no new data have been acknowledged since.
    is_recovering: bool,
}

impl Linux1999 {
    /// Only losses bound its window, since it counts segments that may be short.
    pub(super) fn new(mut window: Window) -> Self {
        window.max = u64::MAX;
        Self {
            window,
            is_recovering: false,
        }
    }

    /// Half of the segments in flight, but at most half of `cwnd` and at least two.
    fn halve_ssthresh(&mut self, segments: u64) {
        let w = &mut self.window;
        w.ssthresh = (w.cwnd.min(segments * w.mss) / 2).max(2 * w.mss);
    }
}

impl CongestionControl for Linux1999 {
    fn window(&self) -> &Window {
        &self.window
    }

    fn on_duplicate_ack(&mut self, count: u32, event: &Event) -> Reaction {
        match count.cmp(&DUPLICATES) {
            Ordering::Less => Reaction::None,
            Ordering::Equal if !self.is_recovering => {
                self.halve_ssthresh(event.segments);
                self.is_recovering = true;
                let w = &mut self.window;
                w.cwnd = w.ssthresh + u64::from(DUPLICATES) * w.mss;
                Reaction::FastRetransmit
            }
            _ => {
                self.window.cwnd += self.window.mss;
                Reaction::Output
            }
        }
    }

    fn on_ack(&mut self, _acked: u64, _event: &Event) -> AckReaction {
        let w = &mut self.window;
        if self.is_recovering {
            self.is_recovering = false;
            w.cwnd = w.ssthresh;
        } else {
            w.grow(|mss, cwnd| mss * mss / cwnd);
        }
        AckReaction::Advance
    }

    fn on_timeout(&mut self, event: &Event) {
        self.halve_ssthresh(event.segments);
        self.window.cwnd = self.window.mss;
        self.is_recovering = false;
    }

    fn on_ecn(&mut self, event: &Event) {
        self.window.halve_for_marks(event.flight());
    }

    fn restarts_timer_at_fast_retransmit(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Windows in octets, with segments of 1000.
    fn linux(cwnd: u64, ssthresh: u32) -> Linux1999 {
        let mut window = Window::new(1_000, 65_535, 1_000 * ssthresh);
        window.cwnd = 1_000 * cwnd;
        Linux1999::new(window)
    }

    fn in_flight(segments: u64) -> Event {
        Event {
            segments,
            ..Event::default()
        }
    }

    #[test]
    fn slow_start_adds_a_segment_an_ack_up_to_and_at_the_threshold_and_then_a_part_of_one() {
        let mut linux = linux(1, 3);
        let cwnd: Vec<u64> = (0..5)
            .map(|_| {
                linux.on_ack(1, &in_flight(1));
                linux.window.cwnd
            })
            .collect();
        assert_eq!(cwnd, [2_000, 3_000, 4_000, 4_250, 4_485]); // 1000/4.25 = 235
    }

    #[test]
    fn the_threshold_is_half_of_the_segments_in_flight_however_short_they_are() {
        // cwnd, segments in flight, ssthresh in thousandths of a segment.
        for (cwnd, segments, ssthresh) in [
            (20, 10, 5_000),
            (6, 10, 3_000),
            (20, 5, 2_500),
            (20, 1, 2_000),
        ] {
            let mut linux = linux(cwnd, 65);
            linux.on_timeout(&in_flight(segments));
            assert_eq!(
                (linux.window.ssthresh, linux.window.cwnd),
                (ssthresh, 1_000)
            );
        }
    }

    #[test]
    fn the_third_duplicate_begins_a_recovery_that_the_first_new_ack_ends_at_the_threshold() {
        let mut linux = linux(8, 65);
        let reactions: Vec<Reaction> = (1..=5)
            .map(|count| linux.on_duplicate_ack(count, &in_flight(8)))
            .collect();
        let expected = [
            Reaction::None,
            Reaction::None,
            Reaction::FastRetransmit,
            Reaction::Output,
            Reaction::Output,
        ];
        assert_eq!(reactions, expected);
        assert_eq!(linux.window.cwnd, 4_000 + 3_000 + 2_000);
        linux.on_ack(1, &in_flight(3));
        assert_eq!((linux.window.cwnd, linux.window.ssthresh), (4_000, 4_000));
        linux.on_ack(1, &in_flight(3));
        assert_eq!(linux.window.cwnd, 5_000);
    }
}
