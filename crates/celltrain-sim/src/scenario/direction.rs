//! The two directions of a VC.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A direction of a VC: `forward` is from the first node of its route to the last.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From the first node of the route to the last.
    #[default]
    Forward,
    /// From the last node of the route to the first.
    Backward,
}

impl Direction {
    /// 0 for forward, 1 for backward: an index into the two directions of a VC.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other direction.
    #[must_use]
    pub const fn reverse(self) -> Self {
        match self {
            Self::Forward => Self::Backward,
            Self::Backward => Self::Forward,
        }
    }

    /// The name in scenarios and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}
