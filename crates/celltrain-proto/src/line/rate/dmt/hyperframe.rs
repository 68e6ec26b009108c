//! The hyperframe of a line beside TCM-ISDN: which symbols see near-end and which far-end crosstalk.
//!
//! ISDN by time compression (TCM, G.961 Appendix III) sends and receives in turn, with a cycle of 2.5 ms (400 Hz) that all
//! lines of a binder share. A receiver hears the far ends in one half of the cycle, the near ends in the other. A DMT
//! symbol on the line lasts 272 samples of 1.104 MHz, the cycle 2760: the cycle is no whole number of symbols, and only
//! after 345 symbols, or 34 cycles, do both start together again. These 85 ms are the hyperframe, of five superframes of
//! 68 data symbols and a synchronisation symbol.
//!
//! From one cycle to the next the symbols move by 2760 - 10 · 272 = 40 samples, so by a symbol in 272/40 = 6.8 cycles, or
//! 17 ms. A cycle has four whole symbols with far-end crosstalk only, and now and then three: the number changes ten times
//! in a hyperframe, so every 8.5 ms on average. Source: ITU-T G.992.1 Annex C.

use crate::units::{Span, Time};

/// Symbols of a hyperframe.
pub(super) const SYMBOLS: u32 = 345;
/// Data symbols of a hyperframe with far-end crosstalk only, and the other ones.
pub(super) const FEXT_SYMBOLS: u32 = 126;
pub(super) const NEXT_SYMBOLS: u32 = 214;
const HYPERFRAME: Span = Span::from_ms(85);
/// Symbols of a superframe; the last one synchronises.
const SUPERFRAME: u32 = 69;
/// Samples of a symbol and of a cycle, at 1.104 MHz.
const SYMBOL_SAMPLES: u32 = 272;
const CYCLE_SAMPLES: u32 = 2_760;

/// What a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    /// Only far-end crosstalk of TCM-ISDN.
    Fext,
    /// Near-end crosstalk of TCM-ISDN, in a part of the symbol or in all of it.
    Next,
    /// The synchronisation symbol, without data.
    Sync,
}

/// The end at which a line is received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receiver {
    /// The network's, as upstream.
    AtuC,
    /// The customer's, as downstream.
    AtuR,
}

impl Receiver {
    /// Whether symbol number `number` of a hyperframe sees no near end.
    ///
    /// Downstream it ends before sample 1243 of the cycle, or starts after sample 1243 + 1461; upstream it lies between
    /// samples 1315 and 1315 + 1293.
    fn hears_far_ends_only(self, number: u32) -> bool {
        let first = SYMBOL_SAMPLES * number % CYCLE_SAMPLES;
        let last = first + SYMBOL_SAMPLES - 1;
        match self {
            Self::AtuR => last < 1_243 || first > 1_243 + 1_461,
            Self::AtuC => first > 1_315 && last < 1_315 + 1_293,
        }
    }

    /// What symbol number `number` of a hyperframe is.
    fn symbol(self, number: u32) -> Symbol {
        if number % SUPERFRAME == SUPERFRAME - 1 {
            Symbol::Sync
        } else if self.hears_far_ends_only(number) {
            Symbol::Fext
        } else {
            Symbol::Next
        }
    }
}

/// The symbols over time, in runs of equal ones; the first hyperframe starts at 0.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    receiver: Receiver,
    /// When the present hyperframe started.
    start: Time,
    /// The first symbol of the present run.
    current: u32,
    /// The first symbol of the next run; [`SYMBOLS`] at the end of the hyperframe.
    next: u32,
}

impl Clock {
    pub(super) fn new(receiver: Receiver) -> Self {
        let mut clock = Self {
            receiver,
            start: Time::ZERO,
            current: 0,
            next: 0,
        };
        clock.find_next();
        clock
    }

    /// The most changes per second.
    pub(super) fn changes_per_s(receiver: Receiver) -> f64 {
        let changes = (1..SYMBOLS).filter(|&it| receiver.symbol(it - 1) != receiver.symbol(it));
        (changes.count() + 1) as f64 / HYPERFRAME.as_secs()
    }

    fn find_next(&mut self) {
        let present = self.symbol();
        let is_other = |&number: &u32| self.receiver.symbol(number) != present;
        self.next = (self.current + 1..SYMBOLS)
            .find(is_other)
            .unwrap_or(SYMBOLS);
    }

    /// What the present symbols are.
    pub(super) fn symbol(&self) -> Symbol {
        self.receiver.symbol(self.current)
    }

    /// When the next run starts.
    pub(super) fn next_change(&self) -> Time {
        let since = HYPERFRAME.as_ps() * u64::from(self.next) / u64::from(SYMBOLS);
        self.start.saturating_add(Span::from_ps(since))
    }

    /// Starts the next run.
    pub(super) fn advance(&mut self) {
        if self.next == SYMBOLS {
            self.start = self.start.saturating_add(HYPERFRAME);
            self.current = 0;
        } else {
            self.current = self.next;
        }
        self.find_next();
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    const BOTH: [Receiver; 2] = [Receiver::AtuC, Receiver::AtuR];

    fn count(receiver: Receiver, kind: Symbol) -> u32 {
        (0..SYMBOLS)
            .filter(|&it| receiver.symbol(it) == kind)
            .count() as u32
    }

    /// The number of symbols in each cycle that see no near end, of whatever kind they are.
    fn per_cycle(receiver: Receiver) -> Vec<u32> {
        // Downstream the far ends send from shortly before the end of a cycle on: a symbol that starts in its last 55
        // samples belongs to the next one.
        let early = match receiver {
            Receiver::AtuR => 55,
            Receiver::AtuC => 0,
        };
        let mut cycles = alloc::vec![0; 34];
        for number in (0..SYMBOLS).filter(|&it| receiver.hears_far_ends_only(it)) {
            cycles[((SYMBOL_SAMPLES * number + early) / CYCLE_SAMPLES % 34) as usize] += 1;
        }
        cycles
    }

    #[test]
    fn aal5_section_9_a_hyperframe_is_34_cycles_of_400_hz() {
        assert_eq!(SYMBOL_SAMPLES * SYMBOLS, 34 * CYCLE_SAMPLES);
        assert_eq!(HYPERFRAME, Span::from_us(2_500) * 34);
        assert_eq!(FEXT_SYMBOLS + NEXT_SYMBOLS + 5, SYMBOLS);
    }

    #[test]
    fn aal5_section_9_symbols_of_each_kind() {
        for receiver in BOTH {
            assert_eq!(count(receiver, Symbol::Fext), FEXT_SYMBOLS);
            assert_eq!(count(receiver, Symbol::Next), NEXT_SYMBOLS);
            assert_eq!(count(receiver, Symbol::Sync), 5);
        }
    }

    #[test]
    fn the_first_symbols_lie_where_the_cycle_says() {
        // Symbols start at samples 0, 272, 544, 816, 1088 ... The fourth ends at 1087, the fifth at 1359. Upstream the
        // first to start after 1315 is the sixth, at 1360; the ninth ends at 2447, the tenth at 2719.
        let kinds = |receiver: Receiver| -> Vec<bool> {
            (0..10)
                .map(|it| receiver.symbol(it) == Symbol::Fext)
                .collect()
        };
        let down = [
            true, true, true, true, false, false, false, false, false, false,
        ];
        assert_eq!(kinds(Receiver::AtuR), down);
        let up = [
            false, false, false, false, false, true, true, true, true, false,
        ];
        assert_eq!(kinds(Receiver::AtuC), up);
    }

    #[test]
    fn aal5_section_9_the_far_end_symbols_of_a_cycle_change_ten_times_in_a_hyperframe() {
        for receiver in BOTH {
            let cycles = per_cycle(receiver);
            assert!(cycles.iter().all(|&it| it == 3 || it == 4), "{cycles:?}");
            // 128 symbols, two of which synchronise: eight cycles have three.
            assert_eq!(cycles.iter().filter(|&&it| it == 3).count(), 4 * 34 - 128);
            let next = cycles.iter().cycle().skip(1);
            let changes = cycles.iter().zip(next).filter(|(one, other)| one != other);
            assert_eq!(changes.count(), 10);
        }
    }

    #[test]
    fn a_clock_passes_the_runs_of_a_hyperframe_and_starts_again() {
        for receiver in BOTH {
            let mut clock = Clock::new(receiver);
            let (mut now, mut far) = (Time::ZERO, Span::ZERO);
            let mut runs = 0;
            let end = Time::ZERO + HYPERFRAME * 3;
            while now < end {
                let next = clock.next_change();
                assert!(next > now);
                if clock.symbol() == Symbol::Fext {
                    far += next - now;
                }
                now = next;
                clock.advance();
                runs += 1;
            }
            assert_eq!(now, end);
            assert!((f64::from(runs) / 0.255 - Clock::changes_per_s(receiver)).abs() < 1e-9);
            // 126 of 345 symbols; each run is rounded to 1 ps at both ends.
            let expected = 0.255 * 126.0 / 345.0;
            assert!((far.as_secs() - expected).abs() < 1e-9, "{far}");
        }
    }
}
