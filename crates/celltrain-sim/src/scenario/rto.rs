//! The retransmission time-out, as written.

use celltrain_language::Text;
use celltrain_proto::units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The retransmission time-out.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Rto {
    /// The clock in which round trips and the time-out are measured.
    pub timer: RtoTimer,
    /// The smallest time-out. Default: two ticks, `"1 s"` with `"rfc6298"` and `"rfc793"`, or `"200 ms"` with `"jiffies"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Text<Span>>,
    /// The smallest time-out in ticks, in place of `min`; only with a `timer` in ticks. Allowed: 1 to 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_ticks: Option<u16>,
    /// What `min` applies to in continuous time.
    pub floor: RtoFloor,
}

/// The clock in which round trips and the retransmission time-out are measured.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtoTimer {
    /// Ticks of the slow timer, as in the BSD sources.
    #[default]
    Ticks,
    /// Ticks of the slow timer, with the formulas of 1988 in real numbers: 3 s before the first sample; an RTO of n ticks
    /// lasts n to n + 1 ticks.
    RealTicks,
    /// Continuous time (RFC 6298); `timer_granularity` has no effect.
    Rfc6298,
    /// Continuous time with the formula of 1981: twice an average in which a sample has a weight of 0.1 (RFC 793), at least
    /// 1 s, and 3 s before the first sample. It does not measure how much round trips vary.
    Rfc793,
    /// Continuous time with round trips in ticks of the slow timer, at least one: Linux, with ticks of 10 ms. At least
    /// 200 ms, and 3 s before the first sample.
    Jiffies,
}

/// What the smallest retransmission time-out applies to in continuous time.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtoFloor {
    /// The time-out (RFC 6298).
    #[default]
    Rto,
    /// The variation term added to srtt (Linux).
    Variance,
}
