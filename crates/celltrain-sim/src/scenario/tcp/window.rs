//! What determines cwnd besides the variant, as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The initial congestion window.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialWindow {
    /// One segment (1988).
    #[default]
    OneSegment,
    /// Two segments (RFC 2581).
    TwoSegments,
    /// Up to four segments (RFC 3390).
    Rfc3390,
    /// Ten segments (RFC 6928).
    Rfc6928,
}

/// What one ACK may add to cwnd in slow start.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SlowStartLimit {
    /// Two segments (RFC 3465).
    #[default]
    Rfc3465,
    /// Everything that it delivers, up to ssthresh (Linux).
    Unlimited,
}

/// The quantity that a loss reduces.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossWindow {
    /// The data outstanding (RFC 5681).
    #[default]
    FlightSize,
    /// cwnd, even if the application uses less of it (Linux).
    Cwnd,
}

/// The rules by which cwnd grows.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowRules {
    /// The published ones: RFC 5681, RFC 9438 for `"cubic"`, the draft for `"bbr"`.
    #[default]
    Published,
    /// Those of Linux. Congestion avoidance adds whole segments. CUBIC grows by at least 5 % in a round trip before its
    /// first loss and after a time-out, and to where its function is a minimum round trip later. BBR has even numbers of
    /// segments, two more in the phase that probes, and as many more as arrive at once; they leave in quanta. Where two
    /// intervals lose a fifth at one rate, BBR assumes a policer, and keeps to that rate for 48 round trips.
    Linux,
}

/// What ends the first slow start other than a loss.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HyStart {
    /// Nothing.
    #[default]
    Off,
    /// Round trips that grow by an eighth, 4 to 16 ms; then five rounds at a quarter of the growth, unless they become
    /// shorter again (RFC 9406).
    Rfc9406,
    /// Immediately at such round trips, or at a train of closely spaced acknowledgments that lasts half of the minimum
    /// round trip; also after a time-out. For `"cubic"` only, as in Linux: the slow start of all other variants ends as with
    /// `"off"`.
    Linux,
}
