//! NewReno: fast recovery that lasts until all data outstanding at its start are acknowledged.
//!
//! Only the first partial acknowledgment restarts the retransmission timer (the "impatient" variant). Not modelled: the
//! heuristics of section 4 that distinguish a lost segment at `recover` from duplicates caused by going back.
//!
//! Source: RFC 6582 3.2; RFC 5681 3.1; RFC 9438 4.6 for CUBIC.

use super::by_law::{ByLaw, LossRepair};
use super::law::WindowLaw;
use super::{AckReaction, DUPLICATES, Event, Reaction, Window};

/// A law whose losses are repaired by partial acknowledgments.
pub(in crate::tcp) type NewReno<L> = ByLaw<L, Partial>;

/// Whether fast recovery is under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::tcp) enum Partial {
    #[default]
    Open,
    /// Fast recovery, before the first partial acknowledgment or after it.
    Recovery { partial: bool },
}

impl LossRepair for Partial {
    fn is_recovering(&self) -> bool {
        *self != Self::Open
    }

    fn set_by_law(&self, window: &Window) -> Window {
        let mut set = *window;
        // Duplicates raise `cwnd` and partial acknowledgments lower it, so that as much stays in flight as the threshold
        // says, to which the law has reduced the window.
        if self.is_recovering() {
            set.cwnd = set.ssthresh;
        }
        set
    }

    fn on_duplicate_ack<L: WindowLaw>(
        control: &mut NewReno<L>,
        count: u32,
        event: &Event,
    ) -> Reaction {
        if control.repair.is_recovering() {
            let w = &mut control.window;
            w.cwnd += w.mss;
            return Reaction::Output;
        }
        if count != DUPLICATES || !control.episode.is_behind(event.snd_una) {
            return Reaction::None;
        }
        let reaction = control.begin_recovery(event, Self::Recovery { partial: false });
        let w = &mut control.window;
        w.cwnd = w.ssthresh + u64::from(DUPLICATES) * w.mss;
        reaction
    }

    fn on_ack<L: WindowLaw>(control: &mut NewReno<L>, acked: u64, event: &Event) -> AckReaction {
        let w = &mut control.window;
        if !control.episode.is_open(event.snd_una) {
            w.cwnd = w.ssthresh.min(event.flight().max(w.mss) + w.mss);
            control.repair = Self::Open;
            return AckReaction::Advance;
        }
        w.cwnd = w.cwnd.saturating_sub(acked);
        if acked >= w.mss {
            w.cwnd += w.mss;
        }
        w.cwnd = w.cwnd.max(w.mss);
        let first = control.repair == Self::Recovery { partial: false };
        control.repair = Self::Recovery { partial: true };
        AckReaction::Partial { first }
    }
}

impl<L: WindowLaw> NewReno<L> {
    /// Undoes a spurious reduction.
    pub(super) fn undo(&mut self, before: Self) {
        self.episode = before.episode;
        self.repair = before.repair;
        self.is_repairing = before.is_repairing;
        self.law = before.law;
        self.window = before.window.no_smaller_than(self.window.cwnd);
    }
}

#[cfg(test)]
mod tests {
    use super::super::copa::Copa;
    use super::super::law::MakeLaw;
    use super::super::standard::Standard;
    use super::super::{CongestionControl, ControlOptions, CopaParameters};
    use super::*;
    use crate::units::{Rate, Span};

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

    fn windows<L: WindowLaw>(n: &NewReno<L>) -> (u64, u64) {
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

    #[test]
    fn a_law_paces_whatever_repairs_its_losses_and_duplicates_do_not_raise_its_rate() {
        let parameters = CopaParameters {
            delta: 0.5,
            competes: false,
        };
        let mut window = Window::new(1_000, 65_535, 10_000);
        window.cwnd = 10 * MSS;
        let law = Copa::new(&parameters, &ControlOptions::default(), &mut window);
        let mut n = NewReno::new(law, window);
        let sample = Event {
            rtt: Some(Span::from_ms(100)),
            ..at(10, 20)
        };
        n.on_ack(MSS, &sample);
        // Twice 10 segments of 1000 octets in 100 ms.
        assert_eq!(n.pacing_rate(), Some(Rate::kbps(1_600)));
        for count in 1..=9 {
            n.on_duplicate_ack(count, &at(10, 20));
        }
        assert_eq!(windows(&n), (10 * MSS, 19 * MSS));
        assert_eq!(n.pacing_rate(), Some(Rate::kbps(1_600)));
    }
}
