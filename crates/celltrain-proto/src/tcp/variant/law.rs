//! By how much a loss reduces the window, and how it grows again, however losses are repaired.
//!
//! A law is one file: a type that implements [`WindowLaw`], with its parameters, and a row of the registry. What a
//! law does not say is the standard's (RFC 5681).

use super::congestion_control::Event;
use super::facts::{ControlOptions, Facts};
use super::window::Window;
use crate::tcp::delivery::RateSample;
use crate::units::{Rate, Time};

parameters! {
    /// A variant without parameters.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct NoParameters {}
}

/// How a law is made, and what its kind needs.
pub(in crate::tcp) trait MakeLaw: Sized {
    /// Its parameters.
    type Parameters;
    /// What the sender and scenarios need to know of it.
    const FACTS: Facts = Facts::LAW;

    /// The law at the start of a connection with `window`.
    fn new(parameters: &Self::Parameters, options: &ControlOptions, window: &mut Window) -> Self;
}

/// The law of a window. The window is the caller's; times never decrease from one call to the next.
#[enum_dispatch::enum_dispatch]
#[expect(
    unused_variables,
    reason = "the defaults ignore their arguments, whose names are documentation"
)]
pub(in crate::tcp) trait WindowLaw {
    /// New data are acknowledged, perhaps in a recovery: for laws that measure. Comes before [`WindowLaw::on_ack`].
    fn measure(&mut self, window: &Window, event: &Event) {}

    /// The threshold after a loss: half of the window in use (RFC 5681 3.1).
    fn reduce(&mut self, window: &mut Window, event: &Event) {
        window.halve_for_loss(event.flight());
    }

    /// A loss: the window becomes the new threshold.
    fn on_loss(&mut self, window: &mut Window, event: &Event) {
        self.reduce(window, event);
        window.cwnd = window.ssthresh;
    }

    /// All that was outstanding at a loss or a time-out is acknowledged.
    fn on_repaired(&mut self, window: &mut Window) {}

    /// Slow start ends without a loss.
    fn end_slow_start(&mut self, window: &mut Window) {
        window.ssthresh = window.cwnd;
    }

    /// Marks: as for a loss, but the window may become one segment.
    fn on_ecn(&mut self, window: &mut Window, event: &Event) {
        window.halve_for_marks(event.flight());
    }

    /// `acked` octets of new data are acknowledged, and nothing is being repaired; slow start grows by `limit` at most.
    fn on_ack(&mut self, window: &mut Window, acked: u64, limit: u64, event: &Event) {
        if event.is_cwnd_limited {
            window.grow_by_octets(acked, limit);
        }
    }

    /// A time-out: the window becomes one segment, and the threshold is set anew unless that was done when the losses
    /// that `is_repairing` speaks of were noticed.
    fn on_timeout(&mut self, window: &mut Window, event: &Event, is_repairing: bool) {
        if !is_repairing {
            self.reduce(window, event);
        }
        window.cwnd = window.mss;
    }

    /// Output begins after a silence.
    fn on_idle(&mut self, window: &mut Window) {
        window.restart_after_idle();
    }

    /// An acknowledgment shows how fast the network delivers, and that `lost` octets are lost. Only where segments are
    /// spaced.
    fn on_delivery(
        &mut self,
        window: &mut Window,
        now: Time,
        sample: &RateSample,
        lost: u64,
        inflight: u64,
    ) {
    }

    /// The rate at which segments leave; none if they are not spaced.
    fn pacing_rate(&self, window: &Window) -> Option<Rate> {
        None
    }

    /// Whether the network is kept from filling for a measurement of its delay.
    fn limits_inflight(&self) -> bool {
        false
    }

    /// Whether what it has learned stays when its last reduction is undone, and the window with it.
    fn keeps_its_model(&self) -> bool {
        false
    }
}
