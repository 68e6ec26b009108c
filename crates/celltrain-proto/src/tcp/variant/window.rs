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
    /// The congestion window at the start of the data, to which a silence returns (RFC 5681 4.1).
    pub(in crate::tcp) initial: u64,
    /// By how many octets one acknowledgment lets slow start grow at most (`L`, RFC 3465 2.2).
    pub(in crate::tcp) octets_per_ack: u64,
    /// A loss leaves a share of the window, whatever is outstanding.
    pub(in crate::tcp) is_all_in_use: bool,
    /// What congestion avoidance has left of its divisions, so that no fraction of an octet is lost.
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
            credit: 0,
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

    /// `acked` octets are newly acknowledged. In slow start (`cwnd` below `ssthresh`) the window grows by as many, up to
    /// `limit`; beyond, by the share of a segment that `acked` is of the window. Octets count and not
    /// acknowledgments, so that delayed ones do not halve the growth (RFC 5681 3.1; RFC 3465 2).
    pub(super) fn grow_by_octets(&mut self, acked: u64, limit: u64) {
        let left = if self.is_slow_start() {
            self.grow_in_slow_start(acked, limit)
        } else {
            acked
        };
        if left == 0 {
            return;
        }
        let product = left * self.mss + self.credit;
        self.credit = product % self.cwnd;
        self.cwnd = (self.cwnd + product / self.cwnd).min(self.max);
    }

    /// `acked` octets are newly acknowledged in slow start; returns how many of them are left to congestion avoidance.
    ///
    /// Where nothing limits the growth, one acknowledgment may cover far more than is left of slow start, which ends at the
    /// threshold. A limit of two segments keeps it near the threshold by itself.
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

    /// The window in use before a loss: what is outstanding, but no more than `cwnd`. Segments beyond it, which duplicates
    /// brought out or a time-out left behind, do not count (RFC 5681 3.1, 3.2 step 2).
    pub(super) fn in_use(&self, flight: u64) -> u64 {
        if self.is_all_in_use {
            self.cwnd
        } else {
            flight.min(self.cwnd)
        }
    }

    /// A loss: the threshold becomes half of the window in use, in whole segments as in all systems that count them, and at
    /// least two (RFC 5681 3.1: "no more than").
    pub(super) fn halve_for_loss(&mut self, flight: u64) {
        let segments = (self.in_use(flight) / 2 / self.mss).max(2);
        self.ssthresh = segments * self.mss;
        self.credit = 0;
    }

    /// A loss while an earlier one is repaired: the threshold becomes half of itself, or of a smaller window, at least two
    /// segments.
    pub(super) fn halve_again(&mut self) {
        let segments = (self.ssthresh.min(self.cwnd) / 2 / self.mss).max(2);
        self.ssthresh = segments * self.mss;
        self.credit = 0;
    }

    /// The same with `cwnd` at least as given.
    pub(super) fn no_smaller_than(mut self, cwnd: u64) -> Self {
        self.cwnd = self.cwnd.max(cwnd);
        self
    }

    /// Output begins after a silence (RFC 5681 4.1).
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

    /// A time-out: half of the window becomes the threshold, and one segment the window.
    pub(super) fn collapse(&mut self, snd_wnd: u64) {
        self.halve_ssthresh(snd_wnd);
        self.cwnd = self.mss;
    }
}
