//! Backward RM cells that a switch generates itself (TM 4.0 §5.10.6).

use celltrain_language::Text;
use celltrain_proto::abr;
use celltrain_proto::units::Cells;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// BECN: while the queue is congested, the switch in front of the link sends RM cells back to the sources of the ABR VCs
/// whose cells come to the queue, at most 10 per second and VC, with BN = 1 and out-of-rate.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Becn {
    /// The queue is congested while it holds more than this; with `scheduling = "priority"`, the queue of the class ABR.
    /// Allowed: less than the buffer.
    pub above: Text<Cells>,
    /// What the cells tell the source: `"decrease"` (CI = 1: it lowers its rate by RDF), or `"no-increase"` (NI = 1).
    #[serde(default)]
    pub mark: BecnMark,
}

/// What a backward RM cell of a switch tells the source.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BecnMark {
    /// CI = 1: to lower its rate by RDF.
    #[default]
    Decrease,
    /// NI = 1: not to raise it.
    NoIncrease,
}

impl BecnMark {
    /// The mark as the protocol knows it.
    pub fn mark(self) -> abr::BecnMark {
        match self {
            Self::Decrease => abr::BecnMark::Decrease,
            Self::NoIncrease => abr::BecnMark::NoIncrease,
        }
    }
}
