//! Shaping of VCs within the network.

use celltrain_language::Text;
use celltrain_proto::units::{Cells, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::default::no_time;
use super::direction::Direction;

/// A shaper of a VC at a node within the network: before its cells enter the next link they wait until they conform to a
/// contract (GCRA of I.371; TM 4.0 5.5), in the order in which they came.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// A switch or router of the route.
    pub at: String,
    /// The direction whose cells are shaped.
    #[serde(default)]
    pub direction: Direction,
    /// Peak cell rate.
    pub pcr: Text<Rate>,
    /// Cell delay variation tolerance: how much earlier than 1/PCR after the one before a cell may leave.
    #[serde(default = "no_time")]
    pub cdvt: Text<Span>,
    /// Sustainable cell rate; adds a second bucket of `mbs` cells. Allowed: up to `pcr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scr: Option<Text<Rate>>,
    /// Most cells that may leave at PCR in a burst. Allowed: at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mbs: Option<Text<Cells>>,
    /// Most cells that wait. A cell that finds it full is dropped. Allowed: 1 to 2^31.
    pub buffer: Text<Cells>,
}
