//! The ABR service, as written.

use celltrain_language::{Fraction, Text};
use celltrain_proto::units::{Cells, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::default::{self, fraction};

/// Available bit rate, with the parameters of TM 4.0 §5.10.3.3.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option that users set by name"
)]
pub struct Abr {
    /// Peak cell rate.
    pub pcr: Text<Rate>,
    /// Minimum cell rate, guaranteed. See also `starved`. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcr: Option<Text<Rate>>,
    /// Initial cell rate. Default: `pcr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icr: Option<Text<Rate>>,
    /// Rate increase factor: ACR rises by PCR x RIF.
    #[serde(default = "fraction::sixteenth")]
    pub rif: Fraction,
    /// Rate decrease factor: ACR falls by ACR x RDF.
    #[serde(default = "fraction::sixteenth")]
    pub rdf: Fraction,
    /// One forward RM cell every Nrm cells. Allowed: 2 to 256.
    #[serde(default = "thirty_two")]
    pub nrm: u32,
    /// Cells that must leave before Trm can make a forward RM cell due.
    #[serde(default = "two")]
    pub mrm: u32,
    /// Longest time between two forward RM cells of an active source.
    #[serde(default = "hundred_ms")]
    pub trm: Text<Span>,
    /// Transient buffer exposure; CRM is TBE / Nrm.
    #[serde(default = "largest_tbe")]
    pub tbe: Text<Cells>,
    /// Cut-off decrease factor.
    #[serde(default = "fraction::sixteenth")]
    pub cdf: Fraction,
    /// ACR decrease time factor.
    #[serde(default = "half_second")]
    pub adtf: Text<Span>,
    /// Whether a forward RM cell that is due leaves even if nothing else waits.
    #[serde(default = "default::yes")]
    pub idle_forward_rm: bool,
    /// Fixed round-trip time of the path: `icr` is lowered to `tbe` / `frtt`, as at connection set-up, but not below
    /// `mcr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frtt: Option<Text<Span>>,
    /// Source rule 13: a source that uses much less than ACR lowers it.
    #[serde(default)]
    pub use_it_or_lose_it: bool,
    /// Whether rates in RM cells take the 16-bit format, which rounds them.
    #[serde(default)]
    pub rm_quantise: bool,
    /// How a source recovers when the network leaves it no rate: with `"floor"` its ACR never falls below TCR, 10
    /// cells/s; with `"out-of-rate"` only forward RM cells leave below TCR, out-of-rate, 10 per second (rule 11).
    #[serde(default)]
    pub starved: Starved,
    /// How backward RM cells, which answer the other direction's forward RM cells, leave in this direction: `"in-rate"`
    /// (rule 3), `"priority"` (in-rate, before all data; not standard), `"out-of-rate"` (immediately, CLP = 1).
    #[serde(default)]
    pub backward_rm: BackwardRm,
    /// What happens to a backward RM cell that still waits when a newer one comes: `"overwrite"` (it is lost),
    /// `"overwrite-keep-ci"` (it is lost, but the newer one takes over its CI), `"out-of-rate"` (it leaves immediately,
    /// CLP = 1).
    #[serde(default)]
    pub older_backward_rm: OlderBackwardRm,
    /// Whether values outside the ranges of TM 4.0 are refused.
    #[serde(default)]
    pub standard_ranges: bool,
    /// Switch that turns forward RM cells around (a local loop); by default the destination does.
    // Scenarios may have its former name.
    #[serde(alias = "turn_round_at", skip_serializing_if = "Option::is_none")]
    pub turn_around_at: Option<String>,
}

/// How a source recovers when the network leaves it no rate.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Starved {
    /// ACR never falls below TCR, 10 cells/s.
    #[default]
    Floor,
    /// Below TCR only forward RM cells leave, out-of-rate, 10 per second (source rule 11).
    OutOfRate,
}

/// How backward RM cells leave.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackwardRm {
    /// In-rate, one for each forward RM cell while data wait (source rule 3).
    #[default]
    InRate,
    /// In-rate, before all data; not standard.
    Priority,
    /// Immediately with CLP = 1, in addition to ACR.
    OutOfRate,
}

/// What happens to a backward RM cell that still waits when a newer one comes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OlderBackwardRm {
    /// It is lost, and with it any CI that it carries.
    #[default]
    Overwrite,
    /// It is lost, but the newer one takes over its CI.
    OverwriteKeepCi,
    /// It leaves immediately with CLP = 1.
    OutOfRate,
}

fn thirty_two() -> u32 {
    32
}
fn two() -> u32 {
    2
}
fn hundred_ms() -> Text<Span> {
    Text(Span::from_ms(100))
}
fn largest_tbe() -> Text<Cells> {
    Text(Cells(16_777_215))
}
fn half_second() -> Text<Span> {
    Text(Span::from_ms(500))
}
