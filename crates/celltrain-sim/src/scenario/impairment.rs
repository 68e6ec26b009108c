//! Impairments of a line: losses and jitter.

use celltrain_language::{Text, read_by_kind};
use celltrain_proto::units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use celltrain_proto::line::loss::Parameters as Loss;

/// Delay added to each cell, without reordering: a cell never overtakes another.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "process", rename_all = "kebab-case")]
pub enum Jitter {
    /// Uniform from zero to `max`.
    Uniform(UniformJitter),
    /// Exponential with mean `mean`, truncated at `max`.
    Exponential(ExponentialJitter),
}
read_by_kind!(Jitter, "process", { "uniform" => Uniform, "exponential" => Exponential });

/// Uniform jitter.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformJitter {
    /// Largest added delay.
    pub max: Text<Span>,
}

/// Exponential jitter.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExponentialJitter {
    /// Mean of the added delay before truncation.
    pub mean: Text<Span>,
    /// Largest added delay.
    pub max: Text<Span>,
}
