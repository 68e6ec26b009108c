//! NewReno: fast recovery that lasts until all data outstanding at its start are acknowledged.
//!
//! Only the first partial acknowledgment restarts the retransmission timer (the "impatient" variant). Not modelled: the
//! heuristics of section 4 that distinguish a lost segment at `recover` from duplicates caused by going back.
//!
//! The law (RFC 5681 or, for example, CUBIC) defines how a loss reduces the window and how it grows again.
//!
//! Source: RFC 6582 3.2; RFC 5681 3.1; RFC 9438 4.6 for CUBIC.

use super::episode::Episode;
use super::law::WindowLaw;
use super::{AckReaction, CongestionControl, DUPLICATES, Event, Reaction, Window};

/// The state of NewReno.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct NewReno<L> {
    window: Window,
    law: L,
    episode: Episode,
    phase: Phase,
    /// At the last acknowledgment, data outstanding at the last loss or time-out were still unacknowledged.
    is_repairing: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Open,
    /// Fast recovery, before the first partial acknowledgment or after it.
    Recovery {
        partial: bool,
    },
}

impl<L: WindowLaw> NewReno<L> {
    pub(super) fn new(law: L, window: Window) -> Self {
        Self {
            window,
            law,
            episode: Episode::default(),
            phase: Phase::Open,
            is_repairing: false,
        }
    }

    /// Undoes a spurious reduction.
    pub(super) fn undo(&mut self, before: Self) {
        self.episode = before.episode;
        self.phase = before.phase;
        self.is_repairing = before.is_repairing;
        self.law = before.law;
        self.window = before.window.no_smaller_than(self.window.cwnd);
    }
}

impl<L: WindowLaw> CongestionControl for NewReno<L> {
    fn window(&self) -> &Window {
        &self.window
    }

    fn on_duplicate_ack(&mut self, count: u32, event: &Event) -> Reaction {
        if self.phase != Phase::Open {
            let w = &mut self.window;
            w.cwnd += w.mss;
            return Reaction::Output;
        }
        if count != DUPLICATES || !self.episode.is_behind(event.snd_una) {
            return Reaction::None;
        }
        self.law.on_loss(&mut self.window, event);
        let w = &mut self.window;
        w.cwnd = w.ssthresh + u64::from(DUPLICATES) * w.mss;
        self.episode.begin(event.snd_max);
        self.is_repairing = true;
        self.phase = Phase::Recovery { partial: false };
        Reaction::FastRetransmit
    }

    fn on_ack(&mut self, acked: u64, event: &Event) -> AckReaction {
        // Data that a repair allows to be acknowledged may have arrived long before.
        let event = &event.without_rtt_if(self.is_repairing);
        self.law.measure(&self.window, event);
        self.is_repairing &= self.episode.is_open(event.snd_una);
        let Phase::Recovery { partial } = self.phase else {
            let limit = self.episode.growth_limit(&self.window, event.snd_una);
            self.law.on_ack(&mut self.window, acked, limit, event);
            return AckReaction::Advance;
        };
        let w = &mut self.window;
        if !self.episode.is_open(event.snd_una) {
            w.cwnd = w.ssthresh.min(event.flight().max(w.mss) + w.mss);
            self.phase = Phase::Open;
            return AckReaction::Advance;
        }
        w.cwnd = w.cwnd.saturating_sub(acked);
        if acked >= w.mss {
            w.cwnd += w.mss;
        }
        w.cwnd = w.cwnd.max(w.mss);
        self.phase = Phase::Recovery { partial: true };
        AckReaction::Partial { first: !partial }
    }

    fn on_timeout(&mut self, event: &Event) {
        let is_repairing = self.episode.is_open(event.snd_una);
        self.law.on_timeout(&mut self.window, event, is_repairing);
        self.episode.begin(event.snd_max);
        self.is_repairing = true;
        self.phase = Phase::Open;
    }

    fn on_ecn(&mut self, event: &Event) {
        self.law.on_ecn(&mut self.window, event);
    }

    fn on_idle(&mut self) {
        self.law.on_idle(&mut self.window);
    }

    fn is_recovering(&self) -> bool {
        self.phase != Phase::Open
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

    /// Acknowledged and sent data in segments; the offered window limits nothing.
    fn at(una: u64, max: u64) -> Event {
        Event {
            snd_una: una * MSS,
            snd_max: max * MSS,
            snd_wnd: 1_000_000,
            ..Event::default()
        }
    }

    /// In recovery, with the ten segments from 10 on outstanding and a window of ten.
    fn recovering() -> NewReno<Standard<false>> {
        let mut window = Window::new(1_000, 65_535, 65_535);
        window.cwnd = 10 * MSS;
        let mut n = NewReno::new(Standard::<false>::default(), window);
        assert_eq!(n.on_duplicate_ack(1, &at(10, 20)), Reaction::None);
        assert_eq!(n.on_duplicate_ack(2, &at(10, 20)), Reaction::None);
        assert_eq!(n.on_duplicate_ack(3, &at(10, 20)), Reaction::FastRetransmit);
        n
    }

    fn windows(n: &NewReno<Standard<false>>) -> (u64, u64) {
        (n.window().ssthresh, n.window().cwnd)
    }

    #[test]
    fn the_third_duplicate_halves_what_is_outstanding_and_adds_three_segments() {
        let mut n = recovering();
        assert_eq!(windows(&n), (5 * MSS, 8 * MSS));
        assert_eq!(n.on_duplicate_ack(4, &at(10, 20)), Reaction::Output);
        assert_eq!(windows(&n), (5 * MSS, 9 * MSS));
    }

    #[test]
    fn a_partial_acknowledgment_deflates_by_what_it_acknowledges_and_adds_a_segment_back() {
        let mut n = recovering();
        let first = n.on_ack(3 * MSS, &at(13, 20));
        assert_eq!(first, AckReaction::Partial { first: true });
        assert_eq!(windows(&n), (5 * MSS, 6 * MSS)); // 8 - 3 + 1
        let second = n.on_ack(500, &at(14, 20)); // less than a segment: nothing back
        assert_eq!(second, AckReaction::Partial { first: false });
        assert_eq!(windows(&n), (5 * MSS, 5_500));
        // Even the first duplicate after it inflates the window.
        assert_eq!(n.on_duplicate_ack(1, &at(14, 20)), Reaction::Output);
    }

    #[test]
    fn a_full_acknowledgment_leaves_at_most_the_threshold_and_no_burst() {
        for (sent, cwnd) in [(20, 2), (22, 3), (30, 5)] {
            let mut n = recovering();
            assert_eq!(n.on_ack(10 * MSS, &at(20, sent)), AckReaction::Advance);
            assert_eq!(windows(&n), (5 * MSS, cwnd * MSS), "{sent}");
            assert!(!n.is_recovering());
        }
    }

    #[test]
    fn duplicates_that_do_not_go_beyond_recover_start_no_recovery() {
        let mut n = recovering();
        n.on_timeout(&at(10, 20));
        assert_eq!(windows(&n), (5 * MSS, MSS));
        for (una, reaction) in [
            (12, Reaction::None),
            (20, Reaction::None),
            (21, Reaction::FastRetransmit),
        ] {
            assert_eq!(n.on_duplicate_ack(3, &at(una, 24)), reaction, "{una}");
        }
    }
}
