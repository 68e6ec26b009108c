//! What a line does to cells on their way: losses and jitter.

use celltrain_language::{Fraction, Text, read_by_kind};
use celltrain_proto::units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::default::fraction;

/// Cells lost by errors of the line.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "process", rename_all = "kebab-case")]
pub enum Loss {
    /// Each cell by itself.
    Bernoulli(Bernoulli),
    /// In bursts: a chain of a good and a bad state, a step a cell.
    GilbertElliott(GilbertElliott),
}
read_by_kind!(Loss, "process", { "bernoulli" => Bernoulli, "gilbert-elliott" => GilbertElliott });

/// Independent losses.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bernoulli {
    /// The part of the cells that is lost.
    pub probability: Fraction,
}

/// Losses in bursts (Gilbert 1960, Elliott 1963).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Probability, a cell, that a good state becomes bad.
    pub good_to_bad: Fraction,
    /// Probability, a cell, that a bad state becomes good: bursts have a mean length of its reciprocal.
    pub bad_to_good: Fraction,
    /// The part of the cells that is lost in the good state.
    #[serde(default = "fraction::zero")]
    pub loss_good: Fraction,
    /// The part of the cells that is lost in the bad state.
    #[serde(default = "fraction::one")]
    pub loss_bad: Fraction,
}

/// Delay added to each cell, without reordering: a cell never overtakes another.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "process", rename_all = "kebab-case")]
pub enum Jitter {
    /// Uniform from nothing to `max`.
    Uniform(UniformJitter),
    /// Exponential with mean `mean`, cut off at `max`.
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
    /// Mean of the added delay before it is cut off.
    pub mean: Text<Span>,
    /// Largest added delay.
    pub max: Text<Span>,
}
