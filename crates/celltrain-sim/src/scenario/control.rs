//! What a switch does at a queue: algorithms for ABR, and GFC.

mod common_rate;
mod erica;
mod marking;

use celltrain_language::{Fraction, Text, read_by_kind};
use celltrain_proto::units::{Cells, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use common_rate::{Capc, Capc2, Eprca, EprcaForm, Phantom};
pub use erica::{
    CcrSource, Erica, EricaAllocation, EricaPlus, LoadAveraging, PriorityTaken, QueueControl,
    QueueSampling, Remembers, Verdicts,
};
pub use marking::Marking;

/// The switch algorithm of a queue.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "algorithm", rename_all = "kebab-case")]
pub enum Control {
    /// Congestion indication while the queue is above a threshold.
    Binary(Binary),
    /// Simple explicit rate: line rate / number of active VCs.
    FairShare(FairShare),
    /// ERICA+ with a target queue and smoothed capacity.
    EricaPlusSmoothed(EricaPlusSmoothed),
    /// ERICA: explicit rate by load measurement, for a target utilization.
    Erica(Erica),
    /// ERICA with a target queueing delay.
    EricaPlus(EricaPlus),
    /// A mean of the VCs' rates, applied by thresholds on the queue.
    Eprca(Eprca),
    /// One advertised rate, steered by the load.
    Capc(Capc),
    /// CAPC with equal shares at the start and two thresholds.
    Capc2(Capc2),
    /// A multiple of the residual rate.
    Phantom(Phantom),
}
read_by_kind!(Control, "algorithm", {
    "binary" => Binary,
    "fair-share" => FairShare,
    "erica-plus-smoothed" => EricaPlusSmoothed,
    "erica" => Erica,
    "erica-plus" => EricaPlus,
    "eprca" => Eprca,
    "capc" => Capc,
    "capc2" => Capc2,
    "phantom" => Phantom,
});

/// Which cells carry congestion indication.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BinaryMarking {
    /// CI in backward RM cells, as they pass the switch against the data.
    #[default]
    BackwardRm,
    /// CI in forward RM cells, as they arrive at the queue.
    ForwardRm,
    /// EFCI in data cells, as they leave the queue.
    Efci,
}

/// Congestion indication while the queue is above a threshold.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Binary {
    /// Congestion begins when the queue holds more cells than this.
    pub threshold: Text<Cells>,
    /// Congestion ends when it holds no more than this; `threshold` without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<Text<Cells>>,
    /// RM cells get NI while the queue holds more than this (relative rate).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ni_threshold: Option<Text<Cells>>,
    /// Which cells carry it.
    #[serde(default)]
    pub marking: BinaryMarking,
}

/// ER = line rate / number of VCs active in the last interval.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FairShare {
    /// Length of the interval in which active VCs are counted.
    #[serde(default = "ten_ms")]
    pub interval: Text<Span>,
    /// Which cells carry it.
    #[serde(default)]
    pub marking: Marking,
}

fn ten_ms() -> Text<Span> {
    Text(Span::from_ms(10))
}

/// ERICA+ with a target queue and smoothed capacity.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EricaPlusSmoothed {
    /// Target queueing delay at the smoothed capacity.
    pub t0: Text<Span>,
    /// Steepness of the queue control above the target queue; more than 1.
    pub a: Fraction,
    /// Gain at an empty queue; at least 1.
    pub b: Fraction,
    /// Queue drain limit factor: the queue control never falls below it.
    pub qdlf: Fraction,
    /// Weight of a new sample of the capacity; 1 switches smoothing off.
    pub x: Fraction,
    /// Time between two samples of the capacity.
    pub smoothing_interval: Text<Span>,
    /// Interval in which input rate and active VCs are measured.
    pub averaging_interval: Text<Span>,
    /// Which cells carry it.
    #[serde(default)]
    pub marking: Marking,
}

/// GFC: stop and go on the access links of the hosts that feed a queue.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gfc {
    /// HALT begins when the queue exceeds this.
    pub high: Text<Cells>,
    /// HALT ends when the queue is below this.
    pub low: Text<Cells>,
    /// A host sends again by itself after this time without a HALT.
    #[serde(default = "five_s")]
    pub timeout: Text<Span>,
}

fn five_s() -> Text<Span> {
    Text(Span::from_secs(5))
}
