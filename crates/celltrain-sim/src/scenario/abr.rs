//! The ABR service, as written, and the parameters of a source that it gives.

use celltrain_proto::abr::{self, Parameters};
use celltrain_proto::units::{Cells, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::default::{self, fraction};
use super::value::{Fraction, Text};

/// Available bit rate, with the parameters of TM 4.0 §5.10.3.3.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch that users set by its name"
)]
pub struct Abr {
    /// Peak cell rate.
    pub pcr: Text<Rate>,
    /// Minimum cell rate; 0 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcr: Option<Text<Rate>>,
    /// Initial cell rate; PCR without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icr: Option<Text<Rate>>,
    /// Rate increase factor.
    #[serde(default = "fraction::sixteenth")]
    pub rif: Fraction,
    /// Rate decrease factor.
    #[serde(default = "fraction::sixteenth")]
    pub rdf: Fraction,
    /// One forward RM cell every Nrm cells.
    #[serde(default = "thirty_two")]
    pub nrm: u32,
    /// Cells that must leave before Trm can make a forward RM cell due.
    #[serde(default = "two")]
    pub mrm: u32,
    /// Longest time between two forward RM cells of an active source.
    #[serde(default = "hundred_ms")]
    pub trm: Text<Span>,
    /// Transient buffer exposure.
    #[serde(default = "largest_tbe")]
    pub tbe: Text<Cells>,
    /// Cut-off decrease factor.
    #[serde(default = "fraction::sixteenth")]
    pub cdf: Fraction,
    /// ACR decrease time factor.
    #[serde(default = "half_second")]
    pub adtf: Text<Span>,
    /// Whether a forward RM cell that is due leaves although nothing else waits.
    #[serde(default = "default::yes")]
    pub idle_forward_rm: bool,
    /// Fixed round-trip time of the path, unloaded: ICR is lowered to TBE / FRTT, as at set-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frtt: Option<Text<Span>>,
    /// Source rule 13: a source that uses much less than ACR lowers it.
    #[serde(default)]
    pub use_it_or_lose_it: bool,
    /// Whether rates in RM cells take the 16-bit format, which rounds them.
    #[serde(default)]
    pub rm_quantise: bool,
    /// How a source recovers when the network leaves it no rate.
    #[serde(default)]
    pub starved: Starved,
    /// How backward RM cells, the answers to the other direction, leave in this one.
    #[serde(default)]
    pub backward_rm: BackwardRm,
    /// What becomes of a backward RM cell that still waits when a newer one comes.
    #[serde(default)]
    pub older_backward_rm: OlderBackwardRm,
    /// Whether values outside of TM 4.0's ranges are refused.
    #[serde(default)]
    pub standard_ranges: bool,
    /// The node that turns forward RM cells round (a local loop); the destination without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_round_at: Option<String>,
}

impl Abr {
    /// The parameters of a source end system.
    pub fn parameters(&self) -> Parameters {
        let pcr = self.pcr.0;
        let parameters = Parameters {
            mcr: self.mcr.map_or(Rate::ZERO, |mcr| mcr.0),
            icr: self.icr.map_or(pcr, |icr| icr.0),
            rif: self.rif.0,
            rdf: self.rdf.0,
            nrm: self.nrm,
            mrm: self.mrm,
            trm: self.trm.0,
            adtf: self.adtf.0,
            tbe: self.tbe.0,
            cdf: self.cdf.0,
            idle_forward_rm: self.idle_forward_rm,
            use_it_or_lose_it: self.use_it_or_lose_it,
            rm_quantise: self.rm_quantise,
            starved: match self.starved {
                Starved::Floor => abr::Starved::Floor,
                Starved::OutOfRate => abr::Starved::OutOfRate,
            },
            backward_rm: match self.backward_rm {
                BackwardRm::InRate => abr::BackwardRm::InRate,
                BackwardRm::Priority => abr::BackwardRm::Priority,
                BackwardRm::OutOfRate => abr::BackwardRm::OutOfRate,
            },
            older_backward_rm: match self.older_backward_rm {
                OlderBackwardRm::Overwrite => abr::OlderBackwardRm::Overwrite,
                OlderBackwardRm::OverwriteKeepCi => abr::OlderBackwardRm::OverwriteKeepCi,
                OlderBackwardRm::OutOfRate => abr::OlderBackwardRm::OutOfRate,
            },
            ..Parameters::new(pcr)
        };
        match self.frtt {
            Some(frtt) => parameters.negotiated(frtt.0),
            None => parameters,
        }
    }
}

/// How a source recovers when the network leaves it no rate.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Starved {
    /// ACR never falls below TCR, 10 cells/s.
    #[default]
    Floor,
    /// Below TCR only forward RM cells leave, out-of-rate, 10 a second (source rule 11).
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
    /// At once with CLP = 1, outside of ACR.
    OutOfRate,
}

/// What becomes of a backward RM cell that still waits when a newer one comes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OlderBackwardRm {
    /// It is lost, and with it the CI that it may carry.
    #[default]
    Overwrite,
    /// It is lost, but the newer one takes over its CI.
    OverwriteKeepCi,
    /// It leaves at once with CLP = 1.
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
