//! Which cells carry what a switch algorithm says.

use celltrain_proto::switch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which cells carry the switch's verdict.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Marking {
    /// Backward RM cells, as they pass the switch against the data.
    #[default]
    BackwardRm,
    /// Forward RM cells, as they arrive at the queue.
    ForwardRm,
}

impl From<Marking> for switch::Marking {
    fn from(marking: Marking) -> Self {
        match marking {
            Marking::BackwardRm => Self::BackwardRm,
            Marking::ForwardRm => Self::ForwardRm,
        }
    }
}
