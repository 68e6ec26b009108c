//! Congestion window and slow-start threshold, and the arithmetic that the BSD variants share.

/// `cwnd` and `ssthresh` in octets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tcp) struct Window {
    /// Octets of data in a full segment.
    pub(in crate::tcp) mss: u64,
    /// The limit of growth by acknowledgments of new data.
    pub(in crate::tcp) max: u64,
    pub(in crate::tcp) cwnd: u64,
    pub(in crate::tcp) ssthresh: u64,
    /// The initial congestion window, also used after an idle period (RFC 5681 4.1).
    pub(in crate::tcp) initial: u64,
    /// The most octets that one acknowledgment adds in slow start (`L`, RFC 3465 2.2).
    pub(in crate::tcp) octets_per_ack: u64,
    /// A loss reduces the window itself, not the outstanding data.
    pub(in crate::tcp) is_all_in_use: bool,
    /// Congestion avoidance adds whole segments (Linux).
    pub(in crate::tcp) is_in_segments: bool,
    /// Remainder of the divisions of congestion avoidance, so that no fraction of an octet is lost; of whole segments, the
    /// octets acknowledged since the last one was added.
    credit: u64,
}

impl Window {
    /// The window at the start of a connection and after a time-out: one segment.
    pub(in crate::tcp) fn new(mss: u32, max: u32, ssthresh: u32) -> Self {
        let mss = u64::from(mss);
        Self {
            mss,
            max: max.into(),
            cwnd: mss,
            ssthresh: ssthresh.into(),
            initial: mss,
            octets_per_ack: 2 * mss,
            is_all_in_use: false,
            is_in_segments: false,
            credit: 0,
        }
    }

    /// `ssthresh` becomes half of the window in use, in whole segments, at least two.
    pub(super) fn halve_ssthresh(&mut self, snd_wnd: u64) {
        let segments = (self.cwnd.min(snd_wnd) / 2 / self.mss).max(2);
        self.ssthresh = segments * self.mss;
    }

    /// One acknowledgment of new data: a segment in slow start (`cwnd` up to and including `ssthresh`),
    /// otherwise `increment(mss, cwnd)`.
    pub(super) fn grow(&mut self, increment: impl FnOnce(u64, u64) -> u64) {
        self.grow_by(self.cwnd <= self.ssthresh, increment);
    }

    /// As [`Self::grow`], but slow start ends when `cwnd` reaches `ssthresh`.
    pub(super) fn grow_below_ssthresh(&mut self, increment: impl FnOnce(u64, u64) -> u64) {
        self.grow_by(self.cwnd < self.ssthresh, increment);
    }

    fn grow_by(&mut self, is_slow_start: bool, increment: impl FnOnce(u64, u64) -> u64) {
        let increment = if is_slow_start {
            self.mss
        } else {
            increment(self.mss, self.cwnd)
        };
        self.cwnd = (self.cwnd + increment).min(self.max);
    }

    /// `acked` octets are newly acknowledged. In slow start (`cwnd` below `ssthresh`) the window grows by as many, up to
    /// `limit`; in congestion avoidance by `mss * acked / cwnd`. It counts octets, not acknowledgments, so that delayed
    /// acknowledgments do not halve the growth (RFC 5681 3.1; RFC 3465 2).
    pub(super) fn grow_by_octets(&mut self, acked: u64, limit: u64) {
        let left = if self.is_slow_start() {
            self.grow_in_slow_start(acked, limit)
        } else {
            acked
        };
        if left == 0 {
            return;
        }
        if self.is_in_segments {
            self.grow_by_segments(left, self.cwnd);
            return;
        }
        let product = self.most_of_a_window(left) * self.mss + self.credit;
        self.credit = product % self.cwnd;
        self.cwnd = (self.cwnd + product / self.cwnd).min(self.max);
    }

    /// How many of `acked` octets count in congestion avoidance: a window of them, since the window grows by a segment in
    /// a round trip at most (RFC 5681 3.1). After a time-out one acknowledgment may cover far more: all that the receiver
    /// held beyond a hole, from a time when the window was larger.
    pub(super) fn most_of_a_window(&self, acked: u64) -> u64 {
        acked.min(self.cwnd)
    }

    /// `acked` octets are newly acknowledged: the window grows by a segment for each `due` of them (Linux
    /// `tcp_cong_avoid_ai`).
    pub(super) fn grow_by_segments(&mut self, acked: u64, due: u64) {
        // What was acknowledged while more was due adds one segment at most.
        if self.credit >= due {
            self.credit = 0;
            self.cwnd += self.mss;
        }
        self.credit += acked;
        self.cwnd = (self.cwnd + self.credit / due * self.mss).min(self.max);
        self.credit %= due;
    }

    /// Forgets what congestion avoidance has counted since the window last grew.
    pub(super) fn clear_credit(&mut self) {
        self.credit = 0;
    }

    /// `acked` octets are newly acknowledged in slow start; returns how many of them are left for congestion avoidance.
    ///
    /// With unlimited growth, one acknowledgment may cover far more than slow start still needs to reach the threshold.
    /// A limit of two segments alone keeps the window near the threshold.
    pub(super) fn grow_in_slow_start(&mut self, acked: u64, limit: u64) -> u64 {
        let counted = match limit {
            u64::MAX => acked.min(self.ssthresh - self.cwnd),
            _ => acked.min(limit),
        };
        self.cwnd = (self.cwnd + counted).min(self.max);
        if limit == u64::MAX {
            acked - counted
        } else {
            0
        }
    }

    /// Whether the window is below the threshold (RFC 5681 3.1).
    pub(in crate::tcp) fn is_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// The window in use before a loss: the outstanding data, but at most `cwnd`. Segments beyond it, released by
    /// duplicates or left from before a time-out, do not count (RFC 5681 3.1, 3.2 step 2).
    pub(super) fn in_use(&self, flight: u64) -> u64 {
        if self.is_all_in_use {
            self.cwnd
        } else {
            flight.min(self.cwnd)
        }
    }

    /// A loss: the threshold becomes half of the window in use, in whole segments as in all systems that count them,
    /// and at least two (RFC 5681 3.1: "no more than").
    pub(super) fn halve_for_loss(&mut self, flight: u64) {
        let segments = (self.in_use(flight) / 2 / self.mss).max(2);
        self.ssthresh = segments * self.mss;
        self.credit = 0;
    }

    /// A loss while an earlier one is being repaired: the threshold becomes half of the smaller of itself and `cwnd`, at
    /// least two segments.
    pub(super) fn halve_again(&mut self) {
        let segments = (self.ssthresh.min(self.cwnd) / 2 / self.mss).max(2);
        self.ssthresh = segments * self.mss;
        self.credit = 0;
    }

    /// This window with its `cwnd` raised to at least `cwnd`.
    pub(super) fn no_smaller_than(mut self, cwnd: u64) -> Self {
        self.cwnd = self.cwnd.max(cwnd);
        self
    }

    /// Output resumes after an idle period (RFC 5681 4.1).
    pub(super) fn restart_after_idle(&mut self) {
        self.cwnd = self.cwnd.min(self.initial);
    }

    /// Marks: half of the `flight` octets outstanding becomes the window, at least a segment, and the
    /// threshold, at least two (RFC 3168 6.1.2; RFC 5681 3.1).
    pub(super) fn halve_for_marks(&mut self, flight: u64) {
        let half = self.in_use(flight) / 2;
        self.ssthresh = half.max(2 * self.mss);
        self.cwnd = half.max(self.mss);
    }

    /// A time-out: the threshold becomes half of the window, and the window one segment.
    pub(super) fn collapse(&mut self, snd_wnd: u64) {
        self.halve_ssthresh(snd_wnd);
        self.cwnd = self.mss;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_5681_3_1_an_acknowledgment_adds_one_segment_at_most_in_congestion_avoidance() {
        for (acked, added) in [(3_000, 250), (12_000, 1_000), (75_000, 1_000)] {
            let mut window = Window::new(1_000, 65_535, 12_000);
            window.cwnd = 12_000;
            window.grow_by_octets(acked, 2_000);
            assert_eq!(window.cwnd, 12_000 + added, "{acked}");
        }
    }

    const MSS: u64 = 1_000;

    fn in_segments(segments: u64) -> Window {
        let mut window = Window::new(MSS as u32, 1_000_000, 2_000);
        window.cwnd = segments * MSS;
        window.is_in_segments = true;
        window
    }

    #[test]
    fn linux_adds_a_segment_when_a_window_of_segments_is_acknowledged() {
        for acked in [1, 2] {
            let mut window = in_segments(4);
            let windows = (0..18 / acked).map(|_| {
                window.grow_by_octets(acked * MSS, u64::MAX);
                window.cwnd / MSS
            });
            let windows: alloc::vec::Vec<u64> = windows.collect();
            // Four acknowledged, then five, then six.
            let grows_at = [4, 9, 15].map(|at: u64| at.div_ceil(acked) as usize - 1);
            for (place, segments) in grows_at.into_iter().zip([5, 6, 7]) {
                assert_eq!(windows[place], segments, "{acked}");
                assert_eq!(windows[place - 1], segments - 1, "{acked}");
            }
        }
    }

    #[test]
    fn linux_adds_one_segment_for_what_was_acknowledged_while_more_was_due() {
        let mut window = in_segments(20);
        window.grow_by_segments(19 * MSS, 20 * MSS);
        window.grow_by_segments(MSS, 2 * MSS);
        assert_eq!(window.cwnd, 21 * MSS);
        window.grow_by_segments(MSS, 2 * MSS);
        assert_eq!(window.cwnd, 22 * MSS);
    }
}
