//! Traffic below TCP: cells on a VC, and the process of their arrivals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::direction::Direction;
use super::start::Start;

pub use celltrain_proto::traffic::Parameters as Traffic;

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
