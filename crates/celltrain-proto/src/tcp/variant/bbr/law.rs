//! BBR as the law of a window. There is no threshold: it is never reached.

use alloc::boxed::Box;

use super::{Bbr, State};
use crate::random::Stream;
use crate::tcp::variant::congestion_control::{Delivery, Event};
use crate::tcp::variant::facts::{ControlOptions, Facts, Repair, WindowRules};
use crate::tcp::variant::law::{MakeLaw, NoParameters, WindowLaw};
use crate::tcp::variant::window::Window;
use crate::units::{Rate, Span, Time};

/// BBR as a law of the sender's window.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct BbrLaw {
    bbr: Box<Bbr>,
}

impl MakeLaw for BbrLaw {
    type Parameters = NoParameters;
    const FACTS: Facts = Facts {
        repair: Repair::Selective,
        is_paced: true,
        has_own_slow_start: true,
        has_model: true,
        ..Facts::LAW
    };

    /// The seed chooses the phase at which the cycle of pacing gains begins.
    fn new(_: &NoParameters, options: &ControlOptions, window: &mut Window) -> Self {
        let stream = Stream::named(options.seed, "bbr");
        let make = match options.window_rules {
            WindowRules::Published => Bbr::new,
            WindowRules::Linux => Bbr::of_linux,
        };
        let bbr = make(window.mss as u32, window.cwnd, stream);
        window.ssthresh = u64::MAX;
        let law = Self { bbr: Box::new(bbr) };
        law.give_window(window);
        law
    }
}

impl BbrLaw {
    fn give_window(&self, window: &mut Window) {
        window.cwnd = self.bbr.cwnd().min(window.max);
    }
}

impl WindowLaw for BbrLaw {
    fn on_loss(&mut self, window: &mut Window, event: &Event) {
        self.bbr.enter_recovery(event.flight());
        self.give_window(window);
    }

    fn on_repaired(&mut self, window: &mut Window) {
        self.bbr.exit_recovery();
        self.give_window(window);
    }

    fn end_slow_start(&mut self, _: &mut Window) {}

    /// Version 1 does not look at marks.
    fn on_ecn(&mut self, _: &mut Window, _: &Event) {}

    fn on_ack(&mut self, _: &mut Window, _: u64, _: u64, _: &Event) {}

    fn on_timeout(&mut self, window: &mut Window, event: &Event, _: bool) {
        self.bbr.on_timeout(event.now);
        self.give_window(window);
    }

    fn on_idle(&mut self, _: &mut Window) {
        self.bbr.on_idle_restart();
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        if delivery.lost > 0 {
            self.bbr.on_loss(delivery.lost);
        }
        self.bbr.on_pacing(delivery.next_send);
        self.bbr
            .on_ack(delivery.now, &delivery.sample, delivery.inflight);
        self.give_window(window);
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.bbr.on_handshake(now, rtt);
    }

    fn pacing_rate(&self, _: &Window) -> Option<Rate> {
        Some(self.bbr.pacing_rate())
    }

    fn pacing_quantum(&self) -> u64 {
        self.bbr.pacing_quantum()
    }

    fn limits_inflight(&self) -> bool {
        self.bbr.state() == State::ProbeRtt
    }

    fn keeps_its_model(&self) -> bool {
        true
    }

    fn on_undone(&mut self, window: &mut Window) {
        self.bbr.on_undone();
        self.give_window(window);
    }
}
