//! By how much a loss reduces the window, and how it grows again.

use alloc::boxed::Box;

use super::bbr::{Bbr, State};
use super::cubic::Cubic;
use super::{BbrOptions, Event, Window};
use crate::random::Stream;
use crate::tcp::delivery::RateSample;
use crate::units::{Rate, Time};

/// The law of a window, however its losses are repaired. BBR's are repaired by selective acknowledgments only.
#[derive(Clone, Debug)]
pub(in crate::tcp) enum Law {
    /// Half, and a segment for each window acknowledged (RFC 5681 3.1).
    Standard(Window),
    /// RFC 9438.
    Cubic(Cubic),
    /// BBR version 1.
    Bbr(Box<Modelled>),
}

/// BBR, and its window where the sender looks for one. There is no threshold: it is never reached.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Modelled {
    bbr: Bbr,
    window: Window,
}

impl Modelled {
    pub(super) fn new(options: BbrOptions, window: Window) -> Self {
        let stream = Stream::named(options.seed, "bbr");
        let mut modelled = Self {
            bbr: Bbr::new(window.mss as u32, window.cwnd, stream),
            window,
        };
        modelled.window.ssthresh = u64::MAX;
        modelled.take_window();
        modelled
    }

    fn take_window(&mut self) {
        self.window.cwnd = self.bbr.cwnd().min(self.window.max);
    }
}

impl Law {
    pub(super) fn window(&self) -> &Window {
        match self {
            Self::Standard(window) => window,
            Self::Cubic(cubic) => &cubic.window,
            Self::Bbr(modelled) => &modelled.window,
        }
    }

    pub(super) fn window_mut(&mut self) -> &mut Window {
        match self {
            Self::Standard(window) => window,
            Self::Cubic(cubic) => &mut cubic.window,
            Self::Bbr(modelled) => &mut modelled.window,
        }
    }

    /// A loss: the window becomes the new threshold.
    pub(super) fn on_loss(&mut self, event: &Event) {
        match self {
            Self::Standard(w) => {
                w.halve_for_loss(event.flight());
                w.cwnd = w.ssthresh;
            }
            Self::Cubic(cubic) => {
                cubic.reduce(event.flight());
                cubic.window.cwnd = cubic.window.ssthresh;
            }
            Self::Bbr(modelled) => {
                modelled.bbr.enter_recovery(event.flight());
                modelled.take_window();
            }
        }
    }

    /// All that was outstanding at a loss or a time-out is acknowledged.
    pub(super) fn on_repaired(&mut self) {
        if let Self::Bbr(modelled) = self {
            modelled.bbr.exit_recovery();
            modelled.take_window();
        }
    }

    /// The last reduction had no cause; the window is not below what it has become. A model of the network stays as it is.
    pub(super) fn undo(&mut self, before: Self) {
        let cwnd = self.window().cwnd;
        match self {
            Self::Bbr(_) => self.on_repaired(),
            Self::Standard(_) | Self::Cubic(_) => *self = before,
        }
        match self {
            Self::Standard(window) => window.cwnd = window.cwnd.max(cwnd),
            Self::Cubic(cubic) => cubic.window.cwnd = cubic.window.cwnd.max(cwnd),
            Self::Bbr(_) => {}
        }
    }

    /// Slow start ends without a loss.
    pub(super) fn end_slow_start(&mut self) {
        match self {
            Self::Standard(window) => window.ssthresh = window.cwnd,
            Self::Cubic(cubic) => cubic.window.ssthresh = cubic.window.cwnd,
            Self::Bbr(_) => {}
        }
    }

    /// An acknowledgment shows how fast the network delivers, and that `lost` octets are lost.
    pub(super) fn on_delivery(&mut self, now: Time, sample: &RateSample, lost: u64, inflight: u64) {
        if let Self::Bbr(modelled) = self {
            if lost > 0 {
                modelled.bbr.on_loss(lost);
            }
            modelled.bbr.on_ack(now, sample, inflight);
            modelled.take_window();
        }
    }

    /// The rate at which segments leave; none if they are not spaced.
    pub(super) fn pacing_rate(&self) -> Option<Rate> {
        match self {
            Self::Bbr(modelled) => Some(modelled.bbr.pacing_rate()),
            _ => None,
        }
    }

    /// Whether the network is kept from filling for a measurement of its delay.
    pub(super) fn limits_inflight(&self) -> bool {
        matches!(self, Self::Bbr(modelled) if modelled.bbr.state() == State::ProbeRtt)
    }

    /// Marks: as for a loss, but the window may become one segment.
    pub(super) fn on_ecn(&mut self, event: &Event) {
        match self {
            Self::Standard(window) => window.halve_for_marks(event.flight()),
            Self::Cubic(cubic) => cubic.reduce_for_marks(event.flight()),
            // Version 1 does not look at marks.
            Self::Bbr(_) => {}
        }
    }

    /// `acked` octets of new data are acknowledged; slow start grows by `limit` at most.
    pub(super) fn on_ack(&mut self, acked: u64, limit: u64, event: &Event) {
        match self {
            Self::Standard(window) if event.is_cwnd_limited => window.grow_by_octets(acked, limit),
            Self::Cubic(cubic) if event.is_cwnd_limited => cubic.grow(acked, limit, event),
            Self::Cubic(cubic) => cubic.hold(event.now),
            Self::Standard(_) | Self::Bbr(_) => {}
        }
    }

    /// A time-out: the window becomes one segment, and the threshold is set anew unless that was done when the losses
    /// that `is_repairing` speaks of were noticed.
    pub(super) fn on_timeout(&mut self, event: &Event, is_repairing: bool) {
        match self {
            Self::Standard(w) => {
                if !is_repairing {
                    w.halve_for_loss(event.flight());
                }
                w.cwnd = w.mss;
            }
            Self::Cubic(cubic) => {
                if !is_repairing {
                    cubic.reduce(event.flight());
                }
                cubic.on_timeout();
            }
            Self::Bbr(modelled) => {
                modelled.bbr.on_timeout();
                modelled.take_window();
            }
        }
    }

    /// Output begins after a silence.
    pub(super) fn on_idle(&mut self) {
        match self {
            Self::Standard(window) => window.restart_after_idle(),
            Self::Cubic(cubic) => cubic.on_idle(),
            Self::Bbr(modelled) => modelled.bbr.on_idle_restart(),
        }
    }
}
