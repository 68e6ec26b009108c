//! The parameters of an ADSL line.

use alloc::format;
use alloc::vec::Vec;

use super::Wire;
use super::line::{Adaptation, DmtLine, Retrain};
use super::loading::{Band, Channel, gap_db};
use super::noise::{Drift, Neighbour};
use crate::line::changes::VaryingRate;
use crate::line::rate_range::RateRange;
use crate::parameters::{Bounds, Problem, each, inside};
use crate::random::Stream;
use crate::units::{Decibels, Distance, Rate};

parameters! {
    /// The parameters of a [`DmtLine`].
    #[derive(Clone, PartialEq, Debug)]
    pub struct DmtParameters {
        /// Carriers; `"adsl-down"` (33 to 255), `"adsl-up"` (7 to 31), `"adsl2plus-down"` (33 to 511), `"adsl2plus-up"`
        /// (7 to 31).
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
        /// Octets of parity in each Reed-Solomon codeword: an even number.
        pub parity: u32 = 16, in Bounds::within(0, 16);
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

impl DmtParameters {
    fn related(&self) -> Result<(), Problem> {
        let wrong = |key: &'static str, message| {
            let key = key.into();
            Err(Problem { key, message })
        };
        if !self.parity.is_multiple_of(2) {
            return wrong(
                "parity",
                format!("expected an even number, found {}", self.parity),
            );
        }
        each("neighbours", &self.neighbours, Neighbour::check)?;
        inside("retrain", self.retrain.check())?;
        inside("drift", self.drift.map_or(Ok(()), |drift| drift.check()))?;
        if self.range().high == Rate::ZERO {
            let message = "the loop holds no bits: it is too long, or too noisy";
            return wrong("length", message.into());
        }
        Ok(())
    }

    fn channel(&self) -> Channel {
        let (km, noise) = (self.length.km(), self.noise_dbm_per_hz.0);
        Channel::new(self.band, self.wire, km, noise, self.disturbers)
    }
}

impl VaryingRate for DmtParameters {
    type Process = DmtLine;

    fn start(&self, stream: Stream) -> DmtLine {
        let (margin, gain) = (self.target_margin_db.0, self.coding_gain_db.0);
        let mut line = DmtLine::new(
            self.channel(),
            margin,
            gain,
            self.parity,
            self.retrain,
            stream,
        )
        .with_neighbours(&self.neighbours);
        if let Some(drift) = self.drift {
            line = line.with_drift(drift);
        }
        if let Some(adaptation) = self.adaptation {
            line = line.with_adaptation(adaptation);
        }
        line
    }

    /// Zero if intermittent noise can cause a retrain, and the rate at the lowest noise.
    fn range(&self) -> RateRange {
        let gap = gap_db(self.target_margin_db.0, self.coding_gain_db.0);
        let swing = self.drift.map_or(0.0, |drift| drift.amplitude_db.0.abs());
        let channel = self.channel();
        let bits = channel.bits(gap, -swing);
        let high = channel.band().net_rate(bits, self.parity);
        let changes = self.drift.is_some() || !self.neighbours.is_empty();
        RateRange {
            low: if changes { Rate::ZERO } else { high },
            high,
            changes_per_s: f64::from(u8::from(changes)),
        }
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
            neighbours: Vec::new(),
            drift: None,
            adaptation: None,
            retrain: Retrain::default(),
        }
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
        for (wrong, key) in [
            (odd, "parity"),
            (short, "neighbours.1.mean_off"),
            (hasty, "retrain.outage"),
            (swift, "drift.period"),
            (long, "length"),
        ] {
            assert_eq!(wrong.check().map_err(|it| it.key), Err(key.into()));
        }
    }
}
