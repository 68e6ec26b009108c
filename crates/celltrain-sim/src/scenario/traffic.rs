//! Traffic below TCP: processes of cell or packet arrivals.

use celltrain_language::{Fraction, Text, read_by_kind};
use celltrain_proto::traffic::Replay as Trace;
use celltrain_proto::units::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::default::fraction;
use super::direction::Direction;
use super::start::Start;

/// Cells below TCP on one direction of a VC, or on each VC of a group.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// The VC or group of VCs.
    pub vc: String,
    /// The direction of the cells.
    #[serde(default)]
    pub direction: Direction,
    /// When the first cell leaves.
    #[serde(default)]
    pub start: Start,
    /// The process of cell arrivals.
    pub traffic: Traffic,
}

/// A process of arrivals.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "process", rename_all = "kebab-case")]
pub enum Traffic {
    /// Constant rate.
    Cbr(ConstantTraffic),
    /// Poisson: independent exponential gaps.
    Poisson(ConstantTraffic),
    /// Bursts at a peak rate and silences, each of random or fixed length.
    OnOff(OnOff),
    /// A Markov chain with a rate in each state.
    Markov(MarkovTraffic),
    /// Pulses of a fixed period and duty cycle.
    Pulses(Pulses),
    /// Arrivals at given instants.
    Replay(Replay),
    /// There is always something to send, as fast as the service allows.
    Greedy(GreedyTraffic),
}
read_by_kind!(Traffic, "process", {
    "cbr" => Cbr,
    "poisson" => Poisson,
    "on-off" => OnOff,
    "markov" => Markov,
    "pulses" => Pulses,
    "replay" => Replay,
    "greedy" => Greedy,
});

/// A greedy source has no parameters.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GreedyTraffic {}

/// A process with one rate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantTraffic {
    /// Mean rate.
    pub rate: Text<Rate>,
}

/// Bursts and silences.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    /// Rate in a burst.
    pub peak: Text<Rate>,
    /// Mean length of a burst.
    pub on: Text<Span>,
    /// Mean length of a silence.
    pub off: Text<Span>,
    /// The distribution of the lengths.
    #[serde(default)]
    pub lengths: Lengths,
}

/// The distribution of time intervals around their mean.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lengths {
    /// Exponential; the initial state is drawn from the stationary distribution.
    #[default]
    Exponential,
    /// All equal; a burst comes first.
    Fixed,
}

/// A Markov chain with a rate in each state.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkovTraffic {
    /// The states; each leads to any of the others with equal probability. The initial state is drawn in proportion to
    /// the time spent in each.
    pub states: Vec<MarkovState>,
    /// Whether cells arrive as a Poisson process with the state's rate, rather than evenly spaced.
    #[serde(default)]
    pub poisson: bool,
}

/// A state of the chain.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkovState {
    /// Rate in the state.
    pub rate: Text<Rate>,
    /// Mean time in the state, exponential.
    pub mean: Text<Span>,
}

/// Pulses: on for a fraction of each period.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pulses {
    /// Rate in a pulse.
    pub peak: Text<Rate>,
    /// From the start of one pulse to the start of the next.
    pub period: Text<Span>,
    /// The fraction of the period that the pulse takes.
    #[serde(default = "fraction::half")]
    pub duty_cycle: Fraction,
}

/// Arrivals at given instants, after the start of the process.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The trace: a line for each arrival, with its time in s and, if several cells or packets arrive, their number. To
    /// read it from a file, use `file = "..."`.
    pub trace: String,
    /// The trace repeats after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Text<Span>>,
}

impl Traffic {
    /// The highest sustained rate, in arrivals of `bits` bits each; for a trace, the mean. `None` if it is greedy.
    pub fn peak(&self, bits: u64) -> Option<Rate> {
        Some(match self {
            Self::Greedy(_) => return None,
            Self::Cbr(it) | Self::Poisson(it) => it.rate.0,
            Self::OnOff(it) => it.peak.0,
            Self::Markov(it) => {
                let rates = it.states.iter().map(|state| state.rate.0);
                rates.reduce(Rate::max).unwrap_or_default()
            }
            // Each pulse begins with an arrival, however short it is.
            Self::Pulses(it) => {
                let first = Rate::bps(bits as f64 / it.period.0.as_secs());
                it.peak.0.max(first)
            }
            Self::Replay(it) => {
                let repeat = it.repeat.map(|repeat| repeat.0);
                let load = Trace::parse(&it.trace, repeat).map(|trace| trace.load());
                load.map_or(Rate::ZERO, |(count, length)| {
                    Rate::bps(count as f64 * bits as f64 / length.as_secs().max(1e-3))
                })
            }
        })
    }

    /// The mean number of state changes per second.
    pub fn changes_per_s(&self) -> f64 {
        match self {
            Self::OnOff(it) => 2.0 / (it.on.0.as_secs() + it.off.0.as_secs()),
            Self::Markov(it) => {
                let means = it.states.iter().map(|state| state.mean.0.as_secs());
                it.states.len() as f64 / means.sum::<f64>()
            }
            _ => 0.0,
        }
    }
}
