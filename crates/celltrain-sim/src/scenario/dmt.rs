//! The rate of an ADSL line, computed from its loop, noise and margin.

use celltrain_language::{Distance, Text};
use celltrain_proto::line::dmt::{self, Band, Channel, DmtLine, gap_db};
use celltrain_proto::random::Stream;
use celltrain_proto::units::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rate_range::RateRange;

/// An ADSL line (ITU-T G.992): the bits on its carriers determine the rate, cell headers included.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dmt {
    /// Carriers; `"adsl-down"` (33 to 255), `"adsl-up"` (7 to 31), `"adsl2plus-down"` (33 to 511), `"adsl2plus-up"`
    /// (7 to 31).
    pub band: DmtBand,
    /// `"22-awg"` (0.63 mm), `"24-awg"` (0.5 mm), `"26-awg"` (0.4 mm).
    #[serde(default)]
    pub wire: Wire,
    /// Length of the loop. A loop too long to carry any bits is refused.
    pub length: Text<Distance>,
    /// Background noise in dBm/Hz. Allowed: -200 to 0.
    #[serde(default = "quiet")]
    pub noise_dbm_per_hz: f64,
    /// Other lines of the same kind in the binder, of 49, whose far-end crosstalk adds to the noise. Allowed: 0 to 49.
    #[serde(default)]
    pub disturbers: u32,
    /// The margin at which the line is loaded, in dB. Allowed: 0 to 31.
    #[serde(default = "six_db")]
    pub target_margin_db: f64,
    /// Gain of the code, in dB. Allowed: 0 to 12.
    #[serde(default = "three_db")]
    pub coding_gain_db: f64,
    /// Octets of parity in each Reed-Solomon codeword. Allowed: even numbers, 0 to 16.
    #[serde(default = "sixteen")]
    pub parity: u32,
    /// Intermittent noises: `rise_db` above the rest for `mean_on`, then absent for `mean_off` (exponential, at least 1
    /// s).
    #[serde(default)]
    pub neighbours: Vec<Neighbour>,
    /// A slow sinusoidal change of the noise: `amplitude_db` and `period` (at least 1 s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// Seamless rate adaptation: the bits are reallocated after the margin has been above `up_margin_db` (8) for
    /// `up_time` (`"10 s"`) or below `down_margin_db` (4) for `down_time` (`"10 s"`). Without it only a retrain changes
    /// the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<Adaptation>,
    /// After the margin has been below `min_margin_db` (0) for `after` (`"60 s"`), the line retrains: it is down for
    /// `outage` (`"30 s"`), then its bits are reallocated.
    #[serde(default)]
    pub retrain: Retrain,
}

/// The carriers of a direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub enum DmtBand {
    /// G.992.1 downstream, carriers 33 to 255.
    #[serde(rename = "adsl-down")]
    AdslDown,
    /// G.992.1 upstream, carriers 7 to 31.
    #[serde(rename = "adsl-up")]
    AdslUp,
    /// G.992.5 downstream, carriers 33 to 511.
    #[serde(rename = "adsl2plus-down")]
    Adsl2PlusDown,
    /// G.992.5 upstream, carriers 7 to 31.
    #[serde(rename = "adsl2plus-up")]
    Adsl2PlusUp,
}

/// The gauge of the wire.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub enum Wire {
    /// 0.63 mm.
    #[serde(rename = "22-awg")]
    Awg22,
    /// 0.5 mm.
    #[default]
    #[serde(rename = "24-awg")]
    Awg24,
    /// 0.4 mm.
    #[serde(rename = "26-awg")]
    Awg26,
}

/// An intermittent noise, such as a neighbour's modem.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Neighbour {
    /// By how much it raises the noise while present, in dB.
    pub rise_db: f64,
    /// Mean time for which it is present, exponential.
    pub mean_on: Text<Span>,
    /// Mean time for which it is absent, exponential.
    pub mean_off: Text<Span>,
}

/// A slow sinusoidal change of the noise.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// The amplitude in dB.
    pub amplitude_db: f64,
    /// The period.
    pub period: Text<Span>,
}

/// Seamless rate adaptation (G.992.3 10.2).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Adaptation {
    /// The rate rises after the margin has been above this for `up_time`, in dB.
    pub up_margin_db: f64,
    /// See `up_margin_db`.
    pub up_time: Text<Span>,
    /// The rate falls after the margin has been below this for `down_time`, in dB.
    pub down_margin_db: f64,
    /// See `down_margin_db`.
    pub down_time: Text<Span>,
}

impl Default for Adaptation {
    fn default() -> Self {
        Self {
            up_margin_db: 8.0,
            up_time: Text(Span::from_secs(10)),
            down_margin_db: 4.0,
            down_time: Text(Span::from_secs(10)),
        }
    }
}

/// When a line is retrained.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retrain {
    /// The margin below which the line does not work, in dB.
    pub min_margin_db: f64,
    /// How long the margin must stay below it.
    pub after: Text<Span>,
    /// How long the retrain takes, with the rate at zero.
    pub outage: Text<Span>,
}

impl Default for Retrain {
    fn default() -> Self {
        Self {
            min_margin_db: 0.0,
            after: Text(Span::from_secs(60)),
            outage: Text(Span::from_secs(30)),
        }
    }
}

fn quiet() -> f64 {
    -140.0
}
fn six_db() -> f64 {
    6.0
}
fn three_db() -> f64 {
    3.0
}
fn sixteen() -> u32 {
    16
}

impl Dmt {
    fn channel(&self) -> Channel {
        let band = match self.band {
            DmtBand::AdslDown => Band::Adsl1Down,
            DmtBand::AdslUp => Band::Adsl1Up,
            DmtBand::Adsl2PlusDown => Band::Adsl2PlusDown,
            DmtBand::Adsl2PlusUp => Band::Adsl2PlusUp,
        };
        let wire = match self.wire {
            Wire::Awg22 => dmt::Wire::Awg22,
            Wire::Awg24 => dmt::Wire::Awg24,
            Wire::Awg26 => dmt::Wire::Awg26,
        };
        let noise = self.noise_dbm_per_hz;
        Channel::new(band, wire, self.length.km(), noise, self.disturbers)
    }

    /// The course of the line over time, with the random numbers of `stream`.
    pub(super) fn line(&self, stream: Stream) -> DmtLine {
        let retrain = dmt::Retrain {
            min_margin_db: self.retrain.min_margin_db,
            after: self.retrain.after.0,
            outage: self.retrain.outage.0,
        };
        let neighbours: Vec<_> = self
            .neighbours
            .iter()
            .map(|it| dmt::Neighbour {
                rise_db: it.rise_db,
                mean_on: it.mean_on.0,
                mean_off: it.mean_off.0,
            })
            .collect();
        let (margin, gain) = (self.target_margin_db, self.coding_gain_db);
        let mut line = DmtLine::new(self.channel(), margin, gain, self.parity, retrain, stream)
            .with_neighbours(&neighbours);
        if let Some(drift) = &self.drift {
            line = line.with_drift(dmt::Drift {
                amplitude_db: drift.amplitude_db,
                period: drift.period.0,
            });
        }
        if let Some(it) = &self.adaptation {
            line = line.with_adaptation(dmt::Adaptation {
                up_margin_db: it.up_margin_db,
                up_time: it.up_time.0,
                down_margin_db: it.down_margin_db,
                down_time: it.down_time.0,
            });
        }
        line
    }

    /// The bounds of the rate: zero if intermittent noise can cause a retrain, and the rate at the lowest noise.
    pub(super) fn range(&self) -> RateRange {
        let gap = gap_db(self.target_margin_db, self.coding_gain_db);
        let swing = self.drift.map_or(0.0, |drift| drift.amplitude_db.abs());
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

    /// The first value that is not allowed: its key, and what is wrong.
    pub(crate) fn problem(&self) -> Option<(&'static str, String)> {
        let levels = [
            ("noise_dbm_per_hz", self.noise_dbm_per_hz, -200.0..=0.0),
            ("target_margin_db", self.target_margin_db, 0.0..=31.0),
            ("coding_gain_db", self.coding_gain_db, 0.0..=12.0),
        ];
        for (key, value, range) in levels {
            if !range.contains(&value) {
                let (low, high) = (range.start(), range.end());
                return Some((key, format!("expected {low} to {high}, found {value}")));
            }
        }
        if self.disturbers > 49 {
            let message = format!(
                "expected 0 to 49 other pairs of the binder, found {}",
                self.disturbers
            );
            return Some(("disturbers", message));
        }
        if self.parity > 16 || self.parity % 2 == 1 {
            let message = format!(
                "expected an even number of octets from 0 to 16, found {}",
                self.parity
            );
            return Some(("parity", message));
        }
        let rises = self.neighbours.iter().map(|it| it.rise_db);
        if let Some(rise) = rises.into_iter().find(|rise| !(0.0..=60.0).contains(rise)) {
            return Some((
                "neighbours",
                format!("expected a rise_db from 0 to 60, found {rise}"),
            ));
        }
        let short = Span::from_secs(1);
        if self.retrain.outage.0 < short {
            let outage = self.retrain.outage.0;
            return Some((
                "retrain",
                format!("expected an outage of at least 1 s, found {outage}"),
            ));
        }
        let means = self
            .neighbours
            .iter()
            .flat_map(|it| [it.mean_on, it.mean_off]);
        if let Some(mean) = means.into_iter().find(|mean| mean.0 < short) {
            return Some((
                "neighbours",
                format!("expected mean times of at least 1 s, found {}", mean.0),
            ));
        }
        if let Some(drift) = self.drift.filter(|drift| drift.period.0 < short) {
            return Some((
                "drift",
                format!(
                    "expected a period of at least 1 s, found {}",
                    drift.period.0
                ),
            ));
        }
        if self.range().high == Rate::ZERO {
            let message = "the loop holds no bits: it is too long, or too noisy";
            return Some(("length", message.to_owned()));
        }
        None
    }
}
