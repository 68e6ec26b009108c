//! The window in recovery with selective acknowledgments: reduced once, then unchanged until all data outstanding then
//! are acknowledged. Meanwhile the scoreboard decides what is sent.
//!
//! Source: RFC 6675 5; RFC 5681 3.1.

use super::by_law::{ByLaw, LossRepair};
use super::law::WindowLaw;
use super::{AckReaction, DUPLICATES, Event, Reaction};

/// A law whose losses are repaired by selective acknowledgments.
pub(in crate::tcp) type Sack<L> = ByLaw<L, Selective>;

/// Whether recovery is under way.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Selective {
    recovering: bool,
}

impl LossRepair for Selective {
    fn is_recovering(&self) -> bool {
        self.recovering
    }

    fn on_duplicate_ack<L: WindowLaw>(
        control: &mut Sack<L>,
        count: u32,
        event: &Event,
    ) -> Reaction {
        if control.repair.recovering {
            return Reaction::Output;
        }
        if count < DUPLICATES || control.episode.is_open(event.snd_una) {
            return Reaction::None;
        }
        control.begin_recovery(event, Self { recovering: true })
    }

    fn on_ack<L: WindowLaw>(control: &mut Sack<L>, _: u64, event: &Event) -> AckReaction {
        control.repair.recovering = control.episode.is_open(event.snd_una);
        AckReaction::Advance
    }
}

impl<L: WindowLaw> Sack<L> {
    /// Undoes a spurious reduction.
    pub(super) fn undo(&mut self, before: Self) {
        self.episode = before.episode;
        self.repair = Selective::default();
        self.is_repairing = false;
        if self.law.keeps_its_model() {
            self.law.on_undone(&mut self.window);
        } else {
            self.law = before.law;
            self.window = before.window.no_smaller_than(self.window.cwnd);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::standard::Standard;
    use super::super::{CongestionControl, Window};
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
