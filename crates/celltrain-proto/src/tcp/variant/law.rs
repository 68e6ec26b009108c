//! The law of a window: how a loss reduces it and how it grows again, independent of loss repair.
//!
//! A law is one file: a type that implements [`WindowLaw`], with its parameters, and a row of the registry. The
//! defaults of the trait are the standard's rules (RFC 5681).

use super::congestion_control::{Delivery, Event};
use super::facts::{ControlOptions, Facts};
use super::window::Window;
use crate::units::{Rate, Span, Time};

parameters! {
    /// A variant without parameters.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct NoParameters {}
}

/// Construction of a law, and its facts.
pub(in crate::tcp) trait MakeLaw: Sized {
    /// Its parameters.
    type Parameters;
    /// Its properties, for senders and scenarios.
    const FACTS: Facts = Facts::LAW;

    /// The law at the start of a connection with `window`.
    fn new(parameters: &Self::Parameters, options: &ControlOptions, window: &mut Window) -> Self;
}

/// The law of a window. The caller owns the window; times never decrease from one call to the next.
#[enum_dispatch::enum_dispatch]
#[expect(
    unused_variables,
    reason = "the defaults ignore their arguments, whose names are documentation"
)]
pub(in crate::tcp) trait WindowLaw {
    /// New data are acknowledged, possibly in recovery: for laws that measure. Called before [`WindowLaw::on_ack`].
    fn measure(&mut self, window: &Window, event: &Event) {}

    /// Sets the threshold after a loss: half of the window in use (RFC 5681 3.1).
    fn reduce(&mut self, window: &mut Window, event: &Event) {
        window.halve_for_loss(event.flight());
    }

    /// A loss: the window becomes the new threshold.
    fn on_loss(&mut self, window: &mut Window, event: &Event) {
        self.reduce(window, event);
        window.cwnd = window.ssthresh;
    }

    /// All data outstanding at a loss or time-out are acknowledged.
    fn on_repaired(&mut self, window: &mut Window) {}

    /// Slow start ends without a loss.
    fn end_slow_start(&mut self, window: &mut Window) {
        window.ssthresh = window.cwnd;
    }

    /// Marks: as for a loss, but the window may become one segment.
    fn on_ecn(&mut self, window: &mut Window, event: &Event) {
        window.halve_for_marks(event.flight());
    }

    /// `acked` octets are acknowledged with or without the echo of a mark, on a connection with ECN; `snd_una` does not yet
    /// include them. Called before [`WindowLaw::on_ecn`].
    fn on_echo(&mut self, acked: u64, is_marked: bool, event: &Event) {}

    /// `acked` octets of new data are acknowledged outside recovery; slow start grows by at most `limit`.
    fn on_ack(&mut self, window: &mut Window, acked: u64, limit: u64, event: &Event) {
        if event.is_cwnd_limited {
            window.grow_by_octets(acked, limit);
        }
    }

    /// A time-out: the window becomes one segment, and the threshold is reduced unless the loss that `is_repairing`
    /// refers to already reduced it.
    fn on_timeout(&mut self, window: &mut Window, event: &Event, is_repairing: bool) {
        restart(self, window, event, is_repairing);
    }

    /// Output resumes after an idle period.
    fn on_idle(&mut self, window: &mut Window) {
        window.restart_after_idle();
    }

    /// An acknowledgment gives a sample of the delivery rate. Only called if segments are paced.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {}

    /// The connection is open; its first segment took `rtt` for a round trip.
    fn on_handshake(&mut self, now: Time, rtt: Span) {}

    /// The pacing rate; none if segments are not paced.
    fn pacing_rate(&self, window: &Window) -> Option<Rate> {
        None
    }

    /// Octets that leave back to back when pacing allows the first of them; zero for one segment.
    fn pacing_quantum(&self) -> u64 {
        0
    }

    /// Whether the law currently limits the data in flight to measure the delay.
    fn limits_inflight(&self) -> bool {
        false
    }

    /// Whether undoing its last reduction keeps its model and window.
    fn keeps_its_model(&self) -> bool {
        false
    }

    /// The last reduction was spurious. Only called if the law keeps its model.
    fn on_undone(&mut self, window: &mut Window) {}
}

/// The standard's reaction to a time-out; see [`WindowLaw::on_timeout`].
pub(super) fn restart<L: WindowLaw + ?Sized>(
    law: &mut L,
    window: &mut Window,
    event: &Event,
    is_repairing: bool,
) {
    if !is_repairing {
        law.reduce(window, event);
    }
    window.cwnd = window.mss;
}

/// Marks, for a law that reduces its window for them exactly as for a loss.
pub(super) fn reduce_to_threshold(law: &mut impl WindowLaw, window: &mut Window, event: &Event) {
    law.reduce(window, event);
    window.cwnd = window.cwnd.min(window.ssthresh);
}
