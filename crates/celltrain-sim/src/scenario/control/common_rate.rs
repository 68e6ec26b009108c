//! Algorithms that keep one rate for all VCs: EPRCA, CAPC, CAPC2, Phantom.

use celltrain_language::{Fraction, Text};
use celltrain_proto::units::{Cells, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::default::fraction;

/// EPRCA: a mean of the VCs' rates, applied by thresholds on the queue.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Eprca {
    /// Congested while the queue holds more cells than this.
    pub qt: Text<Cells>,
    /// Very congested while the queue holds more cells than this.
    pub dqt: Text<Cells>,
    /// Weight of a sample in the mean rate MACR.
    #[serde(default = "fraction::sixteenth")]
    pub av: Fraction,
    /// While not congested, a sample counts if it is above this part of MACR.
    #[serde(default = "fraction::seven_eighths")]
    pub vcs: Fraction,
    /// Down pressure factor: while congested, VCs above this part of MACR are slowed down.
    #[serde(default = "fraction::seven_eighths")]
    pub dpf: Fraction,
    /// Explicit reduction factor: the part of MACR that they get.
    #[serde(default = "fraction::fifteen_sixteenths")]
    pub erf: Fraction,
    /// Major reduction factor: the part of MACR that every VC gets while very congested.
    #[serde(default = "fraction::quarter")]
    pub mrf: Fraction,
    /// Whether VCs that are slowed down while congested also get CI.
    #[serde(default)]
    pub binary: bool,
    /// Which form of the mean.
    #[serde(default)]
    pub form: EprcaForm,
}

/// The form of EPRCA.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EprcaForm {
    /// A sample counts only if it moves the mean in the direction that the queue calls for.
    #[default]
    Selective,
    /// Every sample counts, and congested VCs get `dpf` of the mean.
    Plain,
}

/// CAPC: one advertised rate, steered by the load.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capc {
    /// Averaging interval of the input rate.
    pub interval: Text<Span>,
    /// The part of the line to use.
    #[serde(default = "fraction::nineteen_twentieths")]
    pub target_utilization: Fraction,
    /// How steeply the rate rises with what is left of the target.
    #[serde(default = "fraction::tenth")]
    pub rup: Fraction,
    /// How steeply the rate falls with the excess over the target.
    #[serde(default = "fraction::four_fifths")]
    pub rdn: Fraction,
    /// The rate rises by no larger factor at a time.
    #[serde(default = "fraction::one_and_a_half")]
    pub eru: Fraction,
    /// The rate falls by no smaller factor at a time.
    #[serde(default = "fraction::half")]
    pub erf: Fraction,
    /// CI in backward RM cells while the queue holds more cells than this.
    pub cqt: Text<Cells>,
}

/// CAPC2: CAPC that begins with equal shares, sets NI first, and reacts to a very long queue.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capc2 {
    /// Averaging interval of the input rate.
    pub interval: Text<Span>,
    /// The part of the line to use.
    #[serde(default = "fraction::nineteen_twentieths")]
    pub target_utilization: Fraction,
    /// How steeply the rate rises with what is left of the target.
    #[serde(default = "fraction::tenth")]
    pub rup: Fraction,
    /// How steeply the rate falls with the excess over the target.
    #[serde(default = "fraction::four_fifths")]
    pub rdn: Fraction,
    /// The rate rises by no larger factor at a time.
    #[serde(default = "fraction::one_and_a_half")]
    pub eru: Fraction,
    /// The rate falls by no smaller factor at a time, and by this one while very congested.
    #[serde(default = "fraction::half")]
    pub erf: Fraction,
    /// NI in backward RM cells while the queue holds more cells than this.
    pub cqt: Text<Cells>,
    /// CI in backward RM cells, and the rate cut each interval, while the queue holds more than this.
    pub vcqt: Text<Cells>,
}

/// Phantom: an imaginary VC takes the residual rate, and VCs may have a multiple of that.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phantom {
    /// Measurement interval of the input rate.
    pub interval: Text<Span>,
    /// The part of the line that is shared with the imaginary VC.
    #[serde(default = "fraction::nineteen_twentieths")]
    pub target_utilization: Fraction,
    /// How many times the rate of the imaginary VC each VC may have.
    #[serde(default = "fraction::five")]
    pub utilization_factor: Fraction,
    /// Weight of a residual rate above the mean one.
    #[serde(default = "fraction::sixteenth")]
    pub alpha_inc: Fraction,
    /// Weight of a residual rate below the mean one.
    #[serde(default = "fraction::quarter")]
    pub alpha_dec: Fraction,
    /// Weight of the newest deviation from the mean in the mean deviation.
    #[serde(default = "fraction::eighth")]
    pub h: Fraction,
}
