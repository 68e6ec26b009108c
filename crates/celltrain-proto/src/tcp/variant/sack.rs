//! The window in recovery with selective acknowledgments: reduced once, then unchanged until all data outstanding then
//! are acknowledged. Meanwhile the scoreboard decides what is sent.
//!
//! Source: RFC 6675 5; RFC 5681 3.1.

use super::episode::Episode;
use super::law::WindowLaw;
use super::{AckReaction, CongestionControl, DUPLICATES, Event, Reaction, Window};
use crate::tcp::delivery::RateSample;
use crate::units::{Rate, Time};

/// The state of congestion control with selective acknowledgments.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Sack<L> {
    window: Window,
    law: L,
    episode: Episode,
    recovering: bool,
    /// The law has not yet been told of the end of the episode.
    repairing: bool,
}

impl<L: WindowLaw> Sack<L> {
    pub(super) fn new(law: L, window: Window) -> Self {
        Self {
            window,
            law,
            episode: Episode::default(),
            recovering: false,
            repairing: false,
        }
    }

    /// Undoes a spurious reduction.
    pub(super) fn undo(&mut self, before: Self) {
        self.episode = before.episode;
        self.recovering = false;
        self.repairing = false;
        if self.law.keeps_its_model() {
            self.law.on_repaired(&mut self.window);
        } else {
            self.law = before.law;
            self.window = before.window.no_smaller_than(self.window.cwnd);
        }
    }
}

impl<L: WindowLaw> CongestionControl for Sack<L> {
    fn window(&self) -> &Window {
        &self.window
    }

    fn on_duplicate_ack(&mut self, count: u32, event: &Event) -> Reaction {
        if self.recovering {
            return Reaction::Output;
        }
        if count < DUPLICATES || self.episode.is_open(event.snd_una) {
            return Reaction::None;
        }
        self.law.on_loss(&mut self.window, event);
        self.episode.begin(event.snd_max);
        self.recovering = true;
        self.repairing = true;
        Reaction::FastRetransmit
    }

    fn on_ack(&mut self, acked: u64, event: &Event) -> AckReaction {
        let is_repaired = !self.episode.is_open(event.snd_una);
        // Data that a repair allows to be acknowledged may have arrived long before.
        let event = &event.without_rtt_if(self.repairing);
        self.law.measure(&self.window, event);
        if !self.recovering {
            let limit = self.episode.growth_limit(&self.window, event.snd_una);
            self.law.on_ack(&mut self.window, acked, limit, event);
        } else if is_repaired {
            self.recovering = false;
        }
        if self.repairing && is_repaired {
            self.repairing = false;
            self.law.on_repaired(&mut self.window);
        }
        AckReaction::Advance
    }

    fn on_timeout(&mut self, event: &Event) {
        let is_repairing = self.episode.is_open(event.snd_una);
        self.law.on_timeout(&mut self.window, event, is_repairing);
        self.episode.begin(event.snd_max);
        self.recovering = false;
        self.repairing = true;
    }

    fn on_ecn(&mut self, event: &Event) {
        self.law.on_ecn(&mut self.window, event);
    }

    fn on_delivery(&mut self, now: Time, sample: &RateSample, lost: u64, inflight: u64) {
        self.law
            .on_delivery(&mut self.window, now, sample, lost, inflight);
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.law.pacing_rate(&self.window)
    }

    fn limits_inflight(&self) -> bool {
        self.law.limits_inflight()
    }

    fn on_idle(&mut self) {
        self.law.on_idle(&mut self.window);
    }

    fn is_recovering(&self) -> bool {
        self.recovering
    }

    fn is_repairing(&self, snd_una: u64) -> bool {
        self.episode.is_open(snd_una)
    }

    fn end_slow_start(&mut self) {
        self.law.end_slow_start(&mut self.window);
    }
}

#[cfg(test)]
mod tests {
    use super::super::standard::Standard;
    use super::*;

    const MSS: u64 = 1_000;

    fn at(una: u64, max: u64) -> Event {
        Event {
            snd_una: una * MSS,
            snd_max: max * MSS,
            snd_wnd: 1_000_000,
            ..Event::default()
        }
    }

    #[test]
    fn the_window_is_halved_once_and_stays_until_all_is_acknowledged() {
        let mut window = Window::new(1_000, 65_535, 65_535);
        window.cwnd = 10 * MSS;
        let mut s = Sack::new(Standard::<true>::default(), window);
        assert_eq!(s.on_duplicate_ack(2, &at(10, 20)), Reaction::None);
        assert_eq!(s.on_duplicate_ack(3, &at(10, 20)), Reaction::FastRetransmit);
        assert_eq!(s.on_duplicate_ack(4, &at(10, 20)), Reaction::Output);
        s.on_ack(5 * MSS, &at(15, 22));
        assert_eq!((s.window().ssthresh, s.window().cwnd), (5 * MSS, 5 * MSS));
        assert!(s.is_recovering());
        s.on_ack(5 * MSS, &at(20, 22));
        assert!(!s.is_recovering());
        assert_eq!(s.window().cwnd, 5 * MSS);
    }

    #[test]
    fn after_a_time_out_no_recovery_starts_below_the_recovery_point() {
        let mut s = Sack::new(
            Standard::<true>::default(),
            Window::new(1_000, 65_535, 65_535),
        );
        s.on_timeout(&at(10, 20));
        assert_eq!(s.on_duplicate_ack(3, &at(15, 20)), Reaction::None);
        assert_eq!(s.on_duplicate_ack(3, &at(20, 24)), Reaction::FastRetransmit);
    }
}
