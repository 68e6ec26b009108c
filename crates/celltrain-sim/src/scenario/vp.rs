//! Virtual paths: bundles of VCs that are shaped, policed and switched as one.

use celltrain_language::Text;
use celltrain_proto::units::{Cells, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::default::{hundred_us, no_time};
use super::direction::Direction;
use super::service::{PoliceAction, Service, SustainedOn};

/// A virtual path connection (I.371; TM 4.0): on the links of its route the cells of its VCs are those of one connection.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vp {
    /// At least two switches or routers; a link must lead from each to the next, and back.
    pub route: Vec<String>,
    /// Its VCs: entries of `vcs`, each with all members of its group. Their routes pass its nodes, one after the other, in
    /// this order or in the reverse one.
    pub vcs: Vec<String>,
    /// Its VPI on all its links, in captures. Allowed: 1 to 255. Default: numbered from 1, in the order of paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vpi: Option<u8>,
    /// The service from its first node to its last, which is its contract: any but `"abr"`.
    #[serde(default)]
    pub forward: Service,
    /// The service from its last node to its first.
    #[serde(default)]
    pub backward: Service,
    /// Shapes each direction with a `pcr` to its contract where it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapedPath>,
    /// Polices a direction with a `pcr` by its contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub police: Option<PolicedPath>,
}

/// The shapers of a virtual path. The cells of its VCs wait in one queue, first come, first served.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShapedPath {
    /// Cell delay variation tolerance: how much earlier than 1/PCR after the one before a cell may leave.
    #[serde(default = "no_time")]
    pub cdvt: Text<Span>,
    /// Most cells that wait. A cell that finds it full is dropped. Allowed: 1 to 2^31.
    pub buffer: Text<Cells>,
}

/// The policing of a virtual path: one GCRA for the cells of all its VCs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicedPath {
    /// The direction whose cells are policed.
    #[serde(default)]
    pub direction: Direction,
    /// The node of its route that polices, other than the one where the direction starts. Default: the second one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Cell delay variation tolerance.
    #[serde(default = "hundred_us")]
    pub cdvt: Text<Span>,
    /// Cells that count against the sustainable rate: `"all"` (VBR.1), or `"high-priority"`, those with CLP = 0 (VBR.2,
    /// VBR.3).
    #[serde(default)]
    pub sustained: SustainedOn,
    /// What happens to cells that do not conform: `"discard"`, or `"tag"` (CLP = 1).
    #[serde(default)]
    pub action: PoliceAction,
}
