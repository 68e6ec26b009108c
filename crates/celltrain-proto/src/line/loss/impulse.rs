//! Impulse noise on a DSL line: an impulse destroys consecutive DMT symbols, and the Reed-Solomon code with its
//! interleaver corrects what it can.
//!
//! A codeword of N octets has R octets of parity, which correct R/2, and its octets are spread over S·D symbols. An impulse
//! of b symbols destroys N/(S·D) of its octets in each of the symbols that they share. So a codeword is lost if it shares
//! more than INP = S·D·R / (2 N) symbols with the impulse. If b is not above INP, nothing is lost. Otherwise the codewords
//! lost in a row carry the data of
//!
//! b + S·D - 1 - 2 · floor(INP)
//!
//! symbols, with S·D rounded up to whole symbols: those that share at least floor(INP) + 1 symbols with the impulse. All
//! cells of this time are lost, because each overlaps a lost codeword. Source: ITU-T G.992.3 7.7, G.997.1 (INP).

use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Span, Time};

/// The duration of a DMT symbol: 4000 carry data each second.
const SYMBOL: Span = Span::from_us(250);

choice! {
    /// When impulses come.
    pub enum ImpulseArrivals {
        /// At every multiple of `every`: repetitive electrical impulse noise (REIN), as from a power supply.
        #[default]
        Fixed,
        /// At random instants, `every` apart on average.
        Poisson,
    }
}

parameters! {
    /// The parameters of [`Impulse`]. The defaults of the code are those of a line without one.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct ImpulseParameters {
        /// `"fixed"`: at every multiple of `every`, such as 10 ms for a supply of 50 Hz; `"poisson"`: at random.
        pub arrivals: ImpulseArrivals = ImpulseArrivals::default();
        /// Time between two impulses, or its mean.
        pub every: Span, in Bounds::at_least(Span::from_ms(1));
        /// b: consecutive DMT symbols, of 250 us, that an impulse destroys.
        pub symbols: u32 = 1, in Bounds::within(1, 4_000);
        /// N: octets of a Reed-Solomon codeword.
        pub codeword: u32 = 255, in Bounds::within(1, 255);
        /// R: octets of parity in each codeword.
        pub parity: u32 = 0, in Bounds::within(0, 16);
        /// S: DMT symbols per codeword; below 1 if a symbol has several.
        pub codeword_symbols: f64 = 1.0, in Bounds::within(0.05, 16.0);
        /// D: interleaving depth.
        pub depth: u32 = 1, in Bounds::within(1, 64);
    }
    |it| crate::parameters::more_than("codeword", it.codeword, "`parity`", it.parity)
}

impl ImpulseParameters {
    /// INP: the longest impulse, in symbols, that the code corrects.
    pub fn protection(&self) -> f64 {
        let spread = self.codeword_symbols * f64::from(self.depth);
        0.5 * spread * f64::from(self.parity) / f64::from(self.codeword)
    }

    /// For how long the data of an impulse are lost.
    pub fn lost(&self) -> Span {
        let (protection, impulse) = (self.protection(), self.symbols);
        if f64::from(impulse) <= protection {
            return Span::ZERO;
        }
        let spread = libm::ceil(self.codeword_symbols * f64::from(self.depth)) as u32;
        SYMBOL * u64::from(impulse + spread - 1 - 2 * libm::floor(protection) as u32)
    }

    /// The long-run fraction of time in which data are lost.
    fn mean_loss(&self) -> f64 {
        let load = self.lost().as_secs() / self.every.as_secs();
        match self.arrivals {
            ImpulseArrivals::Fixed => load.min(1.0),
            ImpulseArrivals::Poisson => -libm::expm1(-load),
        }
    }
}

/// Losses by impulses.
#[derive(Clone, Debug)]
pub struct Impulse {
    parameters: ImpulseParameters,
    lost: Span,
    /// When the next impulse comes.
    next: Time,
    /// When the losses by those that have come end.
    until: Time,
    stream: Stream,
}

impl Impulse {
    /// Creates the process before its first cell.
    pub fn new(parameters: &ImpulseParameters, stream: Stream) -> Self {
        let mut process = Self {
            parameters: *parameters,
            lost: parameters.lost(),
            next: Time::ZERO,
            until: Time::ZERO,
            stream,
        };
        process.wait();
        process
    }

    /// Sets the time of the next impulse.
    fn wait(&mut self) {
        let every = self.parameters.every;
        let span = match self.parameters.arrivals {
            ImpulseArrivals::Fixed => every,
            ImpulseArrivals::Poisson => {
                Span::from_secs_f64(self.stream.exponential(every.as_secs()))
            }
        };
        self.next = self.next.saturating_add(span);
    }

    /// Passes over impulses whose losses have ended by `at`: however long no cell came, this takes no time.
    fn skip(&mut self, at: Time) {
        let start = Time::ZERO + (at - Time::ZERO).saturating_sub(self.lost);
        if self.next >= start {
            return;
        }
        match self.parameters.arrivals {
            ImpulseArrivals::Fixed => {
                let passed = (start - self.next).div_floor(self.parameters.every);
                self.next = self.next.saturating_add(self.parameters.every * passed);
            }
            // A Poisson process has no memory.
            ImpulseArrivals::Poisson => {
                self.next = start;
                self.wait();
            }
        }
    }

    #[inline]
    pub(super) fn loses(&mut self, at: Time) -> bool {
        self.skip(at);
        while self.next <= at {
            self.until = self.next.saturating_add(self.lost);
            self.wait();
        }
        at < self.until
    }

    pub(super) fn mean_loss(&self) -> f64 {
        self.parameters.mean_loss()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One impulse of `symbols` each 100 ms on a line without a code.
    fn fast(symbols: u32) -> ImpulseParameters {
        ImpulseParameters {
            arrivals: ImpulseArrivals::Fixed,
            every: Span::from_ms(100),
            symbols,
            codeword: 255,
            parity: 0,
            codeword_symbols: 1.0,
            depth: 1,
        }
    }

    /// The interleaved path of the reference: N = 145, R = 16, S = 1, D = 64.
    fn interleaved(symbols: u32) -> ImpulseParameters {
        ImpulseParameters {
            codeword: 145,
            parity: 16,
            depth: 64,
            ..fast(symbols)
        }
    }

    fn process(parameters: ImpulseParameters) -> Impulse {
        Impulse::new(&parameters, Stream::named(1, "links.down.loss"))
    }

    #[test]
    fn aal5_section_6_an_impulse_on_the_fast_path_takes_its_symbols() {
        assert_eq!(fast(1).lost(), Span::from_us(250));
        assert_eq!(fast(3).lost(), Span::from_us(750));
    }

    #[test]
    fn aal5_section_6_an_impulse_within_inp_has_no_effect_and_a_longer_one_is_spread() {
        // 64 · 16 / 290 = 3.53 symbols.
        assert!((interleaved(1).protection() - 3.531).abs() < 0.000_5);
        assert_eq!(interleaved(3).lost(), Span::ZERO);
        // Four symbols take 4 · 145/64 = 9 octets of a codeword, of which the code corrects 8. 4 + 64 - 1 - 6 codewords.
        assert_eq!(interleaved(4).lost(), Span::from_us(61 * 250));
    }

    #[test]
    fn cells_are_lost_from_the_impulse_to_the_end_of_its_codewords() {
        let mut line = process(fast(2));
        let lost = |line: &mut Impulse, us| line.loses(Time::ZERO + Span::from_us(us));
        for (us, is_lost) in [
            (0, false),
            (99_999, false),
            (100_000, true),
            (100_499, true),
            (100_500, false),
            // Nothing was sent at 200 and 300 ms.
            (400_499, true),
            (400_500, false),
        ] {
            assert_eq!(lost(&mut line, us), is_lost, "{us} us");
        }
    }

    #[test]
    fn impulses_that_overlap_lose_everything() {
        let mut line = process(ImpulseParameters {
            every: Span::from_ms(1),
            ..fast(8)
        });
        assert_eq!(line.mean_loss(), 1.0);
        let at = |us| Time::ZERO + Span::from_us(us);
        assert!(!line.loses(at(999)));
        assert!((1_000..20_000).all(|us| line.loses(at(us))));
    }

    #[test]
    fn random_impulses_have_their_mean() {
        // Losses of 30 ms every 100 ms: 1 - exp(-0.3) = 0.2592 of the time.
        let parameters = ImpulseParameters {
            arrivals: ImpulseArrivals::Poisson,
            ..fast(120)
        };
        let mut line = process(parameters);
        assert!((line.mean_loss() - 0.2592).abs() < 0.000_05);
        let cells = 1_000_000_u64;
        let lost = (0..cells).filter(|&ms| line.loses(Time::ZERO + Span::from_ms(ms)));
        let share = lost.count() as f64 / cells as f64;
        // 10,000 impulses: the standard error is below 0.3 %.
        assert!((share - 0.2592).abs() < 0.01, "{share}");
    }

    #[test]
    fn a_codeword_is_longer_than_its_parity() {
        let mut short = interleaved(1);
        short.codeword = 16;
        assert_eq!(short.check().unwrap_err().key, "codeword");
        assert_eq!(interleaved(1).check(), Ok(()));
        let hasty = ImpulseParameters {
            every: Span::from_us(999),
            ..fast(1)
        };
        assert_eq!(hasty.check().unwrap_err().key, "every");
    }

    proptest! {
        /// With one codeword per symbol, each of which has N/D octets in each of D symbols.
        #[test]
        fn lost_codewords_are_those_with_more_bad_octets_than_half_their_parity(
            symbols in 1..200_u32,
            depth in 1..65_u32,
            parity in 0..17_u32,
            codeword in 17..256_u32,
        ) {
            let it = ImpulseParameters { codeword, parity, depth, ..fast(symbols) };
            // Codeword number i has octets in symbols i to i + D - 1; the impulse destroys symbols 64 to 64 + b - 1.
            let shared = |i: u32| (i + depth).min(64 + symbols).saturating_sub(i.max(64));
            let is_lost = |&i: &u32| 2 * shared(i) * codeword > parity * depth;
            let lost = (0..64 + symbols).filter(is_lost).count() as u64;
            prop_assert_eq!(it.lost(), SYMBOL * lost);
        }
    }

    #[test]
    fn after_a_long_silence_impulses_come_as_before() {
        // 150 days with an impulse each millisecond would be 10^10 steps.
        let later = Time::ZERO + Span::from_secs(150 * 86_400);
        let mut fixed = Impulse::new(
            &ImpulseParameters {
                every: Span::from_ms(1),
                ..fast(1)
            },
            Stream::named(1, "impulse"),
        );
        // Lost for 250 us from each millisecond on.
        assert!(fixed.loses(later.saturating_add(Span::from_us(249))));
        assert!(!fixed.loses(later.saturating_add(Span::from_us(250))));
        let random = ImpulseParameters {
            arrivals: ImpulseArrivals::Poisson,
            every: Span::from_ms(1),
            ..fast(1)
        };
        let lost = (1..=10_000).filter(|&seconds| {
            let mut process = Impulse::new(&random, Stream::named(seconds, "impulse"));
            process.loses(later)
        });
        // 1 - exp(-1/4) = 22.12 %, with a standard deviation of 41.5.
        let lost = lost.count();
        assert!((2_212 - 170..2_212 + 170).contains(&lost), "{lost}");
    }
}
