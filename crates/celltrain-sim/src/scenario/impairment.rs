//! Impairments of a line: losses, errors, misinserted cells and jitter.

use celltrain_proto::units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Text;

pub use celltrain_proto::line::JitterLaw as Jitter;
pub use celltrain_proto::line::loss::Parameters as Loss;

/// Cells of other VCs that come in by mistake: errors of the header that its check does not detect (I.356).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Misinsertion {
    /// The mean number of misinserted cells per second, a Poisson process; each comes into one of the VCs that cross the
    /// link in its direction, at random. Allowed: above 0, up to 20 cells/s.
    pub rate: Text<Rate>,
}
