//! Congestion control by the law of a window and a method of loss repair.
//!
//! The law (RFC 5681 or, for example, CUBIC) defines how a loss reduces the window and how it grows again. The method
//! of repair (`newreno`, `sack`) defines when a loss is detected, and the window until it is repaired.

use super::episode::Episode;
use super::law::WindowLaw;
use super::{AckReaction, CongestionControl, Delivery, Event, Reaction, Window};
use crate::units::{Rate, Span, Time};

/// The state of a law and of the repair of its losses.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct ByLaw<L, R> {
    pub(super) window: Window,
    pub(super) law: L,
    pub(super) episode: Episode,
    /// At the last acknowledgment, data outstanding at the last loss or time-out were still unacknowledged.
    pub(super) is_repairing: bool,
    pub(super) repair: R,
}

/// A method of loss repair. Its default is the state outside recovery.
pub(in crate::tcp) trait LossRepair: Sized + Default {
    /// Whether losses are being repaired without a time-out.
    fn is_recovering(&self) -> bool;

    /// The window that the law has set, by which it paces: without the octets by which a repair inflates it.
    fn set_by_law(&self, window: &Window) -> Window {
        *window
    }

    /// The duplicate acknowledgment number `count` in a row has arrived.
    fn on_duplicate_ack<L: WindowLaw>(
        control: &mut ByLaw<L, Self>,
        count: u32,
        event: &Event,
    ) -> Reaction;

    /// `acked` octets of new data are acknowledged in recovery.
    fn on_ack<L: WindowLaw>(control: &mut ByLaw<L, Self>, acked: u64, event: &Event)
    -> AckReaction;
}

impl<L: WindowLaw, R: LossRepair> ByLaw<L, R> {
    pub(super) fn new(law: L, window: Window) -> Self {
        Self {
            window,
            law,
            episode: Episode::default(),
            is_repairing: false,
            repair: R::default(),
        }
    }

    /// A loss is detected, and its repair begins in the state `repair`.
    pub(super) fn begin_recovery(&mut self, event: &Event, repair: R) -> Reaction {
        self.law.on_loss(&mut self.window, event);
        self.episode.begin(event.snd_max);
        self.is_repairing = true;
        self.repair = repair;
        Reaction::FastRetransmit
    }
}

impl<L: WindowLaw, R: LossRepair> CongestionControl for ByLaw<L, R> {
    fn window(&self) -> &Window {
        &self.window
    }

    fn on_duplicate_ack(&mut self, count: u32, event: &Event) -> Reaction {
        R::on_duplicate_ack(self, count, event)
    }

    fn on_ack(&mut self, acked: u64, event: &Event) -> AckReaction {
        // Data that a repair allows to be acknowledged may have arrived long before.
        let event = &event.without_rtt_if(self.is_repairing);
        self.law.measure(&self.window, event);
        let reaction = if self.repair.is_recovering() {
            R::on_ack(self, acked, event)
        } else {
            let limit = self.episode.growth_limit(&self.window, event.snd_una);
            self.law.on_ack(&mut self.window, acked, limit, event);
            AckReaction::Advance
        };
        if self.is_repairing && !self.episode.is_open(event.snd_una) {
            self.is_repairing = false;
            self.law.on_repaired(&mut self.window);
        }
        reaction
    }

    fn on_timeout(&mut self, event: &Event) {
        let is_repairing = self.episode.is_open(event.snd_una);
        self.law.on_timeout(&mut self.window, event, is_repairing);
        self.episode.begin(event.snd_max);
        self.is_repairing = true;
        self.repair = R::default();
    }

    fn on_ecn(&mut self, event: &Event) {
        self.law.on_ecn(&mut self.window, event);
    }

    fn on_echo(&mut self, acked: u64, is_marked: bool, event: &Event) {
        self.law.on_echo(acked, is_marked, event);
    }

    fn on_delivery(&mut self, delivery: &Delivery) {
        self.law.on_delivery(&mut self.window, delivery);
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.law.on_handshake(now, rtt);
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.law.pacing_rate(&self.repair.set_by_law(&self.window))
    }

    fn pacing_quantum(&self) -> u64 {
        self.law.pacing_quantum()
    }

    fn limits_inflight(&self) -> bool {
        self.law.limits_inflight()
    }

    fn on_idle(&mut self) {
        self.law.on_idle(&mut self.window);
    }

    fn is_recovering(&self) -> bool {
        self.repair.is_recovering()
    }

    fn is_repairing(&self, snd_una: u64) -> bool {
        self.episode.is_open(snd_una)
    }

    fn end_slow_start(&mut self) {
        self.law.end_slow_start(&mut self.window);
    }
}
