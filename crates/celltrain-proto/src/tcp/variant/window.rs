//! Congestion window and slow-start threshold, and the arithmetic that the BSD variants share.

/// `cwnd` and `ssthresh` in octets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tcp) struct Window {
    /// Octets of data in a full segment.
    pub(in crate::tcp) mss: u64,
    /// What `cwnd` may grow to by acknowledgments of new data.
    pub(in crate::tcp) max: u64,
    pub(in crate::tcp) cwnd: u64,
    pub(in crate::tcp) ssthresh: u64,
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
        }
    }

    /// `ssthresh` becomes half of the window in use in whole segments, at least two.
    pub(super) fn halve_ssthresh(&mut self, snd_wnd: u64) {
        let segments = (self.cwnd.min(snd_wnd) / 2 / self.mss).max(2);
        self.ssthresh = segments * self.mss;
    }

    /// One acknowledgment of new data: a segment in slow start (`cwnd` up to and including `ssthresh`),
    /// else `increment(mss, cwnd)`.
    pub(super) fn grow(&mut self, increment: impl FnOnce(u64, u64) -> u64) {
        self.grow_by(self.cwnd <= self.ssthresh, increment);
    }

    /// The same where slow start ends with `cwnd` at `ssthresh`.
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

    /// `acked` octets are newly acknowledged: as much, up to a segment, in slow start (`cwnd` below
    /// `ssthresh`), else a segment in a window's worth of acknowledgments (RFC 5681 3.1).
    pub(super) fn grow_as_rfc_5681(&mut self, acked: u64) {
        let increment = if self.cwnd < self.ssthresh {
            acked.min(self.mss)
        } else {
            (self.mss * self.mss / self.cwnd).max(1)
        };
        self.cwnd = (self.cwnd + increment).min(self.max);
    }

    /// Marks: half of the `flight` octets outstanding becomes the window, at least a segment, and the
    /// threshold, at least two (RFC 3168 6.1.2; RFC 5681 3.1).
    pub(super) fn halve_for_marks(&mut self, flight: u64) {
        let half = flight.min(self.cwnd) / 2;
        self.ssthresh = half.max(2 * self.mss);
        self.cwnd = half.max(self.mss);
    }

    /// A time-out: half of the window becomes the threshold, and one segment the window.
    pub(super) fn collapse(&mut self, snd_wnd: u64) {
        self.halve_ssthresh(snd_wnd);
        self.cwnd = self.mss;
    }
}
