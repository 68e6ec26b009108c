//! Codes of warnings about valid settings that are probably not intended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The code of a warning, by which a scenario silences it.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WarningCode {
    /// A modern variant uses the slow timer of the 1990s.
    OldTimers,
    /// A buffer cannot hold one segment, so every full segment loses cells.
    BufferBelowSegment,
    /// TCP windows are below the bandwidth-delay product of their path.
    WindowBelowBdp,
    /// A VC has no traffic.
    VcUnused,
    /// After a run: something had data to send but delivered nothing.
    NothingDelivered,
    /// After a run: a greedy connection delivered nothing new for a long time.
    Stalled,
}

impl WarningCode {
    /// The name in scenarios and results.
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
