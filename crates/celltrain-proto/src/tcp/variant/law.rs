//! By how much a loss reduces the window, and how it grows again.

use super::cubic::Cubic;
use super::{Event, Window};

/// The law of a window whose losses are repaired by selective acknowledgments.
#[derive(Clone, Debug)]
pub(in crate::tcp) enum Law {
    /// Half, and a segment for each window acknowledged (RFC 5681 3.1).
    Standard(Window),
    /// RFC 9438.
    Cubic(Cubic),
}

impl Law {
    pub(super) fn window(&self) -> &Window {
        match self {
            Self::Standard(window) => window,
            Self::Cubic(cubic) => &cubic.window,
        }
    }

    /// A loss: the window becomes the new threshold.
    pub(super) fn on_loss(&mut self, event: &Event) {
        match self {
            Self::Standard(w) => {
                w.ssthresh = (event.flight() / 2).max(2 * w.mss);
                w.cwnd = w.ssthresh;
            }
            Self::Cubic(cubic) => {
                cubic.reduce(event.flight());
                cubic.window.cwnd = cubic.window.ssthresh;
            }
        }
    }

    /// Marks: as for a loss, but the window may become one segment.
    pub(super) fn on_ecn(&mut self, event: &Event) {
        match self {
            Self::Standard(window) => window.halve_for_marks(event.flight()),
            Self::Cubic(cubic) => cubic.reduce_for_marks(event.flight()),
        }
    }

    /// `acked` octets of new data are acknowledged.
    pub(super) fn on_ack(&mut self, acked: u64, event: &Event) {
        match self {
            Self::Standard(window) => window.grow_as_rfc_5681(acked),
            Self::Cubic(cubic) => cubic.grow(acked, event),
        }
    }

    /// A time-out: the window becomes one segment.
    pub(super) fn on_timeout(&mut self, event: &Event) {
        match self {
            Self::Standard(w) => {
                w.ssthresh = (event.flight() / 2).max(2 * w.mss);
                w.cwnd = w.mss;
            }
            Self::Cubic(cubic) => cubic.on_timeout(event.flight()),
        }
    }

    /// Output begins after a silence.
    pub(super) fn on_idle(&mut self) {
        match self {
            Self::Standard(window) => window.cwnd = window.cwnd.min(window.mss),
            Self::Cubic(cubic) => cubic.on_idle(),
        }
    }
}
