//! Codes of warnings: of what is valid, and hardly meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The code of a warning, by which a scenario silences it.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WarningCode {
    /// A variant of today runs on the slow timer of the 1990s.
    OldTimers,
    /// A buffer cannot hold one segment, so that each full one loses cells.
    BufferBelowSegment,
    /// TCP windows are below the bandwidth-delay product of their path.
    WindowBelowBdp,
    /// A VC carries nothing.
    VcUnused,
    /// Of a run: something had data to send, and delivered nothing.
    NothingDelivered,
    /// Of a run: a greedy connection delivered nothing new for long.
    Stalled,
}

impl WarningCode {
    /// As written in scenarios and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OldTimers => "old-timers",
            Self::BufferBelowSegment => "buffer-below-segment",
            Self::WindowBelowBdp => "window-below-bdp",
            Self::VcUnused => "vc-unused",
            Self::NothingDelivered => "nothing-delivered",
            Self::Stalled => "stalled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_written_as_it_is_read() {
        for code in [
            WarningCode::OldTimers,
            WarningCode::BufferBelowSegment,
            WarningCode::WindowBelowBdp,
            WarningCode::VcUnused,
            WarningCode::NothingDelivered,
            WarningCode::Stalled,
        ] {
            assert_eq!(serde_json::json!(code), code.as_str());
        }
    }
}
