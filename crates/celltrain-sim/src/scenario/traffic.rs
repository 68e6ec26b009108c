//! VCs with the service of each direction, and traffic below TCP.

use celltrain_proto::units::{Cells, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::encapsulation::Encapsulation;
use super::read::read_by_kind;
use super::start::Start;
use super::types::Direction;
use super::value::{Fraction, Text};

/// A virtual channel connection, or a group of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vc {
    /// Host, switches, host. Groups of hosts are taken side by side: one VC for each member.
    pub route: Vec<String>,
    /// How IP packets go into AAL5.
    #[serde(default)]
    pub encapsulation: Encapsulation,
    /// The service from the first node to the last.
    #[serde(default)]
    pub forward: Service,
    /// The service from the last node to the first.
    #[serde(default)]
    pub backward: Service,
}

/// The service category of one direction of a VC.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "service", rename_all = "kebab-case")]
pub enum Service {
    /// Unspecified bit rate.
    Ubr(Ubr),
    /// Available bit rate: the source obeys RM cells.
    Abr(Abr),
}
read_by_kind!(Service, "service", { "ubr" => Ubr, "abr" => Abr });

impl Default for Service {
    fn default() -> Self {
        Self::Ubr(Ubr::default())
    }
}

/// Unspecified bit rate.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ubr {
    /// Peak cell rate to which the source is shaped; without it cells leave at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pcr: Option<Text<Rate>>,
}

/// Available bit rate, with the parameters of TM 4.0 §5.10.3.3.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    #[serde(default = "one_sixteenth")]
    pub rif: Fraction,
    /// Rate decrease factor.
    #[serde(default = "one_sixteenth")]
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
    #[serde(default = "one_sixteenth")]
    pub cdf: Fraction,
    /// ACR decrease time factor.
    #[serde(default = "half_second")]
    pub adtf: Text<Span>,
    /// Whether a forward RM cell that is due leaves although nothing else waits.
    #[serde(default = "yes")]
    pub idle_forward_rm: bool,
    /// The node that turns forward RM cells round (a local loop); the destination without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_round_at: Option<String>,
}

fn one_sixteenth() -> Fraction {
    Fraction(1.0 / 16.0)
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
fn yes() -> bool {
    true
}

/// Cells below TCP on one direction of a VC, or of each VC of a group.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// The VC or group of VCs.
    pub vc: String,
    /// The direction of the cells.
    #[serde(default)]
    pub direction: Direction,
    /// When the first cell leaves.
    #[serde(default)]
    pub start: Start,
    /// The process of cell arrivals.
    pub traffic: Traffic,
}

/// A process of cell arrivals.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "process", rename_all = "kebab-case")]
pub enum Traffic {
    /// One cell every 424 bits / rate.
    Cbr(CellProcess),
    /// Independent exponential gaps.
    Poisson(CellProcess),
}
read_by_kind!(Traffic, "process", { "cbr" => Cbr, "poisson" => Poisson });

/// A cell process of one rate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellProcess {
    /// Mean rate.
    pub rate: Text<Rate>,
}
