//! The parameters of an ADSL line.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Wire;
use super::bit_maps::{Alternating, BitMaps, HIGHEST_SHARE};
use super::cable::sum_of;
use super::framing::Framing;
use super::hyperframe::{Clock, Receiver};
use super::isdn::{BitMapping, TcmIsdn};
use super::line::{Adaptation, DmtLine, Retrain};
use super::loading::{Band, Binder, Channel, gap_db};
use super::noise::{Drift, Neighbour};
use crate::line::rate::changes::VaryingRate;
use crate::line::rate::range::RateRange;
use crate::parameters::{Bounds, Problem, each, inside};
use crate::random::Stream;
use crate::units::{Decibels, Distance, Rate, Span};

parameters! {
    /// Interleaving of Reed-Solomon codewords (G.992.1 7.6).
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Interleaving {
        /// D: the depth, a power of two.
        pub depth: u32, in Bounds::within(1, 64);
        /// S: DMT symbols per codeword, a power of two.
        pub symbols: u32 = 1, in Bounds::within(1, 16);
    }
    |it| it.powers_of_two()
}

impl Interleaving {
    fn powers_of_two(self) -> Result<(), Problem> {
        for (key, value) in [("depth", self.depth), ("symbols", self.symbols)] {
            if !value.is_power_of_two() {
                let message = format!("expected a power of two, found {value}");
                return wrong(key, message);
            }
        }
        Ok(())
    }
}

fn wrong(key: &'static str, message: String) -> Result<(), Problem> {
    let key = key.into();
    Err(Problem { key, message })
}

parameters! {
    /// The parameters of a [`DmtLine`].
    #[derive(Clone, PartialEq, Debug)]
    pub struct DmtParameters {
        /// Carriers; `"adsl-down"` (33 to 255), `"adsl-up"` (7 to 31), `"adsl2plus-down"` (33 to 511), `"adsl2plus-up"`
        /// (7 to 31), and of G.lite `"g-lite-down"` (33 to 127) and `"g-lite-up"` (7 to 31), with at most 8 bits each.
        pub band: Band;
        /// `"22-awg"` (0.63 mm), `"24-awg"` (0.5 mm), `"26-awg"` (0.4 mm).
        pub wire: Wire = Wire::default();
        /// Length of the loop. A loop too long to carry any bits is refused.
        pub length: Distance;
        /// Background noise in dBm/Hz.
        pub noise_dbm_per_hz: Decibels = Decibels(-140.0), in Bounds::within(Decibels(-200.0), Decibels(0.0));
        /// Other lines of the same kind in the binder, of 49, whose far-end crosstalk adds to the noise.
        pub disturbers: u32 = 0, in Bounds::within(0, 49);
        /// The margin at which the line is loaded, in dB.
        pub target_margin_db: Decibels = Decibels(6.0), in Bounds::within(Decibels(0.0), Decibels(31.0));
        /// Gain of the code, in dB.
        pub coding_gain_db: Decibels = Decibels(3.0), in Bounds::within(Decibels(0.0), Decibels(12.0));
        /// R: octets of parity in each Reed-Solomon codeword, an even number; of G.lite 0, 4 or 8.
        pub parity: u32 = 16, in Bounds::within(0, 16);
        /// Interleaving: `depth` (D, 1, 2, 4 ... 64; of G.lite at most 16) and `symbols` (S, DMT symbols per codeword, 1, 2,
        /// 4, 8 or 16, of which `parity` is a multiple; 1). It adds 4 + (S - 1)/4 + S·D/4 ms to the delay of the link; of
        /// ADSL2+, where a symbol has as many codewords as it needs, S·D/4 ms. Without it no delay is added, and S is 1.
        pub interleaving: Option<Interleaving>;
        /// ISDN lines in the binder that send and receive in turn with a cycle of 2.5 ms (G.992.1 Annex C): `disturbers`
        /// (1 to 49) and `bit_maps`: `"dual"` (the rate alternates with the crosstalk), `"fext"` (data only while no near
        /// end sends) or `"single"` (a constant rate, for the noise of the near ends).
        pub tcm_isdn: Option<TcmIsdn>;
        /// Intermittent noises: `rise_db` above the rest for `mean_on`, then absent for `mean_off` (exponential, at
        /// least 1 s).
        pub neighbours: Vec<Neighbour> = Vec::new();
        /// A slow sinusoidal change of the noise: `amplitude_db` and `period` (at least 1 s).
        pub drift: Option<Drift>;
        /// Seamless rate adaptation: the bits are reallocated after the margin has been above `up_margin_db` (8) for
        /// `up_time` (`"10 s"`) or below `down_margin_db` (4) for `down_time` (`"10 s"`). Without it only a retrain
        /// changes the rate.
        pub adaptation: Option<Adaptation>;
        /// After the margin has been below `min_margin_db` (0) for `after` (`"60 s"`), the line retrains: it is down for
        /// `outage` (`"30 s"`), then its bits are reallocated.
        pub retrain: Retrain = Retrain::default();
    }
    |it| it.related()
}

/// A delay of interleaving that no standard reaches: 64 codewords of 16 symbols take 264 ms.
const LONGEST_INTERLEAVING: Span = Span::from_secs(1);

impl DmtParameters {
    fn related(&self) -> Result<(), Problem> {
        if !self.parity.is_multiple_of(2) {
            let message = format!("expected an even number, found {}", self.parity);
            return wrong("parity", message);
        }
        if self.band.is_lite() && ![0, 4, 8].contains(&self.parity) {
            let message = format!("expected 0, 4 or 8 for G.lite, found {}", self.parity);
            return wrong("parity", message);
        }
        inside("interleaving", self.check_interleaving())?;
        inside("tcm_isdn", self.tcm_isdn.map_or(Ok(()), |it| it.check()))?;
        each("neighbours", &self.neighbours, Neighbour::check)?;
        inside("retrain", self.retrain.check())?;
        inside("drift", self.drift.map_or(Ok(()), |drift| drift.check()))?;
        if self.range().high == Rate::ZERO {
            let message = "the loop holds no bits: it is too long, or too noisy";
            return wrong("length", message.into());
        }
        // Without a codeword per symbol there is no end to the delay.
        if self.delay() > LONGEST_INTERLEAVING {
            let message = "the loop holds too few bits at the start to interleave: shorten it, or leave this out";
            return wrong("interleaving", message.into());
        }
        Ok(())
    }

    fn check_interleaving(&self) -> Result<(), Problem> {
        let Some(it) = self.interleaving else {
            return Ok(());
        };
        it.check()?;
        if self.band.is_lite() && it.depth > 16 {
            let message = format!("expected at most 16 for G.lite, found {}", it.depth);
            return wrong("depth", message);
        }
        let is_adsl2plus = matches!(self.framing(), Framing::Codewords { .. });
        if is_adsl2plus && it.symbols > 1 {
            let message = format!(
                "expected 1, as a symbol of ADSL2+ has as many codewords as it needs, found {}",
                it.symbols
            );
            return wrong("symbols", message);
        }
        if !self.parity.is_multiple_of(it.symbols) {
            let message = format!(
                "expected a divisor of `parity`, {}, found {}",
                self.parity, it.symbols
            );
            return wrong("symbols", message);
        }
        Ok(())
    }

    fn framing(&self) -> Framing {
        let (symbols, depth) = self
            .interleaving
            .map_or((1, 1), |it| (it.symbols, it.depth));
        self.band.framing(self.parity, symbols, depth)
    }

    /// The carriers with background noise by frequency in Hz, in dBm/Hz.
    fn channel(&self, noise: impl Fn(f64) -> f64) -> Channel {
        let binder = Binder {
            near_end: 0,
            far_end: self.disturbers,
        };
        Channel::in_noise(self.band, self.wire, self.length.km(), binder, noise)
    }

    fn maps(&self) -> BitMaps {
        let background = self.noise_dbm_per_hz.0;
        let Some(isdn) = self.tcm_isdn else {
            return self.channel(|_| background).into();
        };
        let next = self.channel(|hz| sum_of(background, isdn.next(hz)));
        if isdn.bit_maps == BitMapping::Single {
            return next.into();
        }
        let (wire, km) = (self.wire, self.length.km());
        let fext = self.channel(|hz| sum_of(background, isdn.fext(wire, km, hz)));
        let is_dual = isdn.bit_maps == BitMapping::Dual;
        let receiver = if self.band.is_down() {
            Receiver::AtuR
        } else {
            Receiver::AtuC
        };
        Alternating::new(receiver, fext, is_dual.then_some(next)).into()
    }

    /// The bits per symbol that the framing uses with the noise raised by `rise` dB.
    fn loaded_bits(&self, maps: &BitMaps, rise: f64) -> u32 {
        let gap = gap_db(self.target_margin_db.0, self.coding_gain_db.0);
        self.framing().used_bits(maps.bits(gap, rise))
    }

    /// The mean rate over all symbols at the lowest noise.
    fn highest_mean(&self, maps: &BitMaps) -> Rate {
        let swing = self.drift.map_or(0.0, |drift| drift.amplitude_db.0.abs());
        self.framing().net_rate(self.loaded_bits(maps, -swing))
    }

    /// Whether the noise changes over time, apart from the cycle of ISDN.
    fn changes(&self) -> bool {
        self.drift.is_some() || !self.neighbours.is_empty()
    }
}

impl VaryingRate for DmtParameters {
    type Process = DmtLine;

    fn start(&self, stream: Stream) -> DmtLine {
        let (margin, gain) = (self.target_margin_db.0, self.coding_gain_db.0);
        let (maps, framing) = (self.maps(), self.framing());
        let mut line = DmtLine::new(maps, framing, margin, gain, self.retrain, stream)
            .with_neighbours(&self.neighbours);
        if let Some(drift) = self.drift {
            line = line.with_drift(drift);
        }
        if let Some(adaptation) = self.adaptation {
            line = line.with_adaptation(adaptation);
        }
        line
    }

    /// Zero if intermittent noise can cause a retrain, or symbols carry no data; and the rate at the lowest noise, in the
    /// symbols that carry most.
    fn range(&self) -> RateRange {
        let maps = self.maps();
        let mean = self.highest_mean(&maps);
        let changes = f64::from(u8::from(self.changes()));
        let Some(receiver) = maps.receiver() else {
            return RateRange {
                low: if self.changes() { Rate::ZERO } else { mean },
                high: mean,
                changes_per_s: changes,
            };
        };
        let share = if self.changes() {
            HIGHEST_SHARE
        } else {
            maps.shares(self.loaded_bits(&maps, 0.0)).highest()
        };
        RateRange {
            low: Rate::ZERO,
            high: Rate::bps(mean.as_bps() * share),
            changes_per_s: changes + Clock::changes_per_s(receiver),
        }
    }

    fn highest_lasting(&self) -> Rate {
        self.highest_mean(&self.maps())
    }

    /// That of interleaving, with the bits loaded at the start.
    fn delay(&self) -> Span {
        self.interleaving.map_or(Span::ZERO, |_| {
            self.framing().delay(self.loaded_bits(&self.maps(), 0.0))
        })
    }

    fn trains(&self) -> bool {
        true
    }

    fn is_random(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::units::Span;

    /// A loop of 3 km.
    fn parameters() -> DmtParameters {
        DmtParameters {
            band: Band::Adsl1Down,
            wire: Wire::Awg24,
            length: Distance::from_metres(3_000).expect("it is short"),
            noise_dbm_per_hz: Decibels(-140.0),
            disturbers: 0,
            target_margin_db: Decibels(6.0),
            coding_gain_db: Decibels(3.0),
            parity: 16,
            interleaving: None,
            tcm_isdn: None,
            neighbours: Vec::new(),
            drift: None,
            adaptation: None,
            retrain: Retrain::default(),
        }
    }

    fn isdn(bit_maps: BitMapping) -> DmtParameters {
        let disturbers = 10;
        DmtParameters {
            tcm_isdn: Some(TcmIsdn {
                disturbers,
                bit_maps,
            }),
            ..parameters()
        }
    }

    fn interleaved(depth: u32, symbols: u32) -> DmtParameters {
        DmtParameters {
            interleaving: Some(Interleaving { depth, symbols }),
            ..parameters()
        }
    }

    #[test]
    fn aal5_section_6_interleaving_adds_its_delay() {
        // 4 + (S - 1)/4 + S·D/4 ms.
        assert_eq!(parameters().delay(), Span::ZERO);
        assert_eq!(interleaved(1, 1).delay(), Span::from_us(4_250));
        assert_eq!(interleaved(64, 1).delay(), Span::from_ms(20));
        assert_eq!(interleaved(16, 4).delay(), Span::from_us(20_750));
    }

    /// A long loop whose noise drifts: it holds bits only when the noise is low.
    #[test]
    fn a_loop_that_holds_no_bits_at_the_start_interleaves_nothing() {
        let drifting = |metres| DmtParameters {
            band: Band::Adsl2PlusDown,
            length: Distance::from_metres(metres).expect("a length"),
            drift: Some(Drift {
                amplitude_db: Decibels(40.0),
                period: Span::from_secs(60),
            }),
            ..interleaved(8, 1)
        };
        let mut lines = (3_000..12_000).step_by(100).map(drifting);
        let line = lines
            .find(|line| line.delay() == Span::MAX && line.range().high > Rate::ZERO)
            .expect("such a loop exists");
        let problem = line.related().expect_err("its delay has no end");
        let text = format!("{problem:?}");
        assert!(text.contains("too few bits"), "{text}");
    }

    #[test]
    fn the_range_beside_isdn_has_the_rates_of_its_symbols() {
        use crate::line::rate::changes::RateChanges;
        for bit_maps in [BitMapping::Dual, BitMapping::Fext] {
            let line = isdn(bit_maps);
            let mut process = line.start(Stream::named(1, "line"));
            let mut rates = alloc::vec![process.first()];
            rates.extend((0..76).map(|_| process.change()));
            let highest = rates.iter().copied().reduce(Rate::max);
            assert_eq!(line.range().high, highest.unwrap());
            assert_eq!(line.range().low, Rate::ZERO);
            assert!(line.highest_lasting() < line.range().high);
        }
        let single = isdn(BitMapping::Single).range();
        assert_eq!((single.low, single.changes_per_s), (single.high, 0.0));
    }

    #[test]
    fn two_bit_maps_carry_more_than_one_and_no_isdn_leaves_most() {
        let [single, fext, dual] = [BitMapping::Single, BitMapping::Fext, BitMapping::Dual]
            .map(|it| isdn(it).highest_lasting());
        assert!(single < dual && fext < dual, "{single} {fext} {dual}");
        assert!(dual < parameters().highest_lasting());
    }

    #[test]
    fn a_wrong_value_is_named_and_a_loop_must_hold_bits() {
        let neighbour = |seconds| Neighbour {
            rise_db: Decibels(3.0),
            mean_on: Span::from_secs(1),
            mean_off: Span::from_secs(seconds),
        };
        assert_eq!(parameters().check(), Ok(()));
        let mut odd = parameters();
        odd.parity = 15;
        let mut short = parameters();
        short.neighbours = vec![neighbour(1), neighbour(0)];
        let mut hasty = parameters();
        hasty.retrain.outage = Span::from_ms(999);
        let mut swift = parameters();
        swift.drift = Some(Drift {
            amplitude_db: Decibels(1.0),
            period: Span::from_ms(999),
        });
        let mut long = parameters();
        long.length = Distance::from_metres(30_000).expect("it is representable");
        let lite = |parity, depth| DmtParameters {
            band: Band::LiteDown,
            parity,
            ..interleaved(depth, 1)
        };
        assert_eq!(lite(8, 16).check(), Ok(()));
        let plus = DmtParameters {
            band: Band::Adsl2PlusDown,
            ..interleaved(16, 2)
        };
        let coarse = DmtParameters {
            parity: 10,
            ..interleaved(16, 4)
        };
        let mut crowded = isdn(BitMapping::Dual);
        crowded.tcm_isdn = crowded.tcm_isdn.map(|it| TcmIsdn {
            disturbers: 50,
            ..it
        });
        for (wrong, key) in [
            (odd, "parity"),
            (short, "neighbours.1.mean_off"),
            (hasty, "retrain.outage"),
            (swift, "drift.period"),
            (long, "length"),
            (interleaved(48, 1), "interleaving.depth"),
            (interleaved(128, 1), "interleaving.depth"),
            (interleaved(16, 3), "interleaving.symbols"),
            (lite(16, 1), "parity"),
            (lite(8, 32), "interleaving.depth"),
            (plus, "interleaving.symbols"),
            (coarse, "interleaving.symbols"),
            (crowded, "tcm_isdn.disturbers"),
        ] {
            assert_eq!(wrong.check().map_err(|it| it.key), Err(key.into()));
        }
    }
}
