//! VCs with the service of each direction, and the policing of their contracts.

use celltrain_language::{Fraction, Text, read_by_kind};
use celltrain_proto::admission::Demand;
use celltrain_proto::schedule::Class;
use celltrain_proto::units::{Bytes, Cells, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::abr::Abr;
use super::default::{fraction, hundred_us, no_time};
use super::direction::Direction;
use super::encapsulation::{Aal, Encapsulation};
use super::gfc::GfcGroup;
use super::shape::Shape;

/// A virtual channel connection, or a group of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vc {
    /// Host, switches, host; a link must lead from each to the next, and back. May include LANs and routers.
    pub route: Vec<String>,
    /// The adaptation layer of IP packets: `"5"`, or `"3/4"` (ITU-T I.363.3), with 44 octets a cell and 8 octets around each
    /// packet, padded to a multiple of 4. `"3/4"` needs `encapsulation` `"llc-snap"` or `"vc-mux"`, and no queue of its
    /// path may discard by frames, whose ends only AAL5 marks.
    #[serde(default, skip_serializing_if = "Aal::is_default")]
    pub aal: Aal,
    /// Encapsulation of IP packets: `"llc-snap"` (8 octets), `"vc-mux"` (none), `"pppoa-vc-mux"`, `"pppoa-llc"`,
    /// `"bridged-vc-mux"`, `"bridged-vc-mux-fcs"`, `"bridged-llc"`, `"bridged-llc-fcs"`, `"pppoe-vc-mux"`,
    /// `"pppoe-vc-mux-fcs"`, `"pppoe-llc"`, `"pppoe-llc-fcs"` (RFC 2684, 2364, 2516). `celltrain overhead` prints what
    /// they cost.
    #[serde(default)]
    pub encapsulation: Encapsulation,
    /// Longest IP packet on the VC, as on a link. Where it carries other VCs between routers, the limit is theirs. Allowed:
    /// 68 to 65,535. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Text<Bytes>>,
    /// The service from the first node to the last.
    #[serde(default)]
    pub forward: Service,
    /// The service from the last node to the first.
    #[serde(default)]
    pub backward: Service,
    /// Cells that can wait at each end, of segments or of VCs that this one carries. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_buffer: Option<Text<Cells>>,
    /// What is dropped when `source_buffer` is full: the cells that do not fit (the rest of the segment stays), or the
    /// whole `"segment"`.
    #[serde(default)]
    pub source_drop: SourceDrop,
    /// Weight where each VC has a queue, as with `scheduling = "weighted-fair"`, and share of the queue with
    /// `discard = { policy = "dfba" }`, relative to other VCs.
    #[serde(default = "fraction::one")]
    pub weight: Fraction,
    /// Switches that end the ABR loops of both directions and start new ones (VS/VD, TM 4.0 5.10.7).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub virtual_ends: Option<VirtualEnds>,
    /// Usage parameter control where the cells of a direction enter the network, or network parameter control within it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub police: Option<Police>,
    /// Shapers within the network, at most one for each direction and node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<Shape>,
    /// The group of the VC where generic flow control acts on it, `"a"` or `"b"`: its cells, RM cells included, leave the
    /// host only while the counter of the group is above zero. Without it the VC is uncontrolled, and only HALT stops it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gfc_group: Option<GfcGroup>,
}

/// What is dropped at an end of a VC whose buffer is full.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceDrop {
    /// The cells that do not fit; the rest of the segment stays.
    #[default]
    Cell,
    /// The whole segment.
    Segment,
}

/// The service category of one direction of a VC.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "service", rename_all = "kebab-case")]
pub enum Service {
    /// Unspecified bit rate.
    Ubr(Ubr),
    /// Available bit rate: the source obeys RM cells.
    Abr(Abr),
    /// Constant bit rate: the source is shaped to PCR, which the network guarantees.
    Cbr(Cbr),
    /// Variable bit rate, real time.
    RtVbr(Vbr),
    /// Variable bit rate, not real time.
    NrtVbr(Vbr),
}
read_by_kind!(Service, "service", {
    "ubr" => Ubr,
    "abr" => Abr,
    "cbr" => Cbr,
    "rt-vbr" => RtVbr,
    "nrt-vbr" => NrtVbr,
});

impl Service {
    /// The class of the service, in the order of priority.
    pub fn class(&self) -> Class {
        match self {
            Self::Ubr(_) => Class::Ubr,
            Self::Abr(_) => Class::Abr,
            Self::Cbr(_) => Class::Cbr,
            Self::RtVbr(_) => Class::RtVbr,
            Self::NrtVbr(_) => Class::NrtVbr,
        }
    }

    /// The peak cell rate, if there is one.
    pub fn pcr(&self) -> Option<Rate> {
        match self {
            Self::Ubr(ubr) => ubr.pcr.map(|pcr| pcr.0),
            Self::Abr(abr) => Some(abr.pcr.0),
            Self::Cbr(cbr) => Some(cbr.pcr.0),
            Self::RtVbr(vbr) | Self::NrtVbr(vbr) => Some(vbr.pcr.0),
        }
    }

    /// Whether cells never wait at the source because of the service.
    pub fn is_unshaped(&self) -> bool {
        matches!(self, Self::Ubr(ubr) if ubr.pcr.is_none())
    }

    /// What the network guarantees on every link: a mean rate of zero for nothing.
    pub fn demand(&self) -> Demand {
        match self {
            Self::Ubr(_) => Demand::constant(Rate::ZERO),
            Self::Abr(abr) => Demand::constant(abr.mcr.map_or(Rate::ZERO, |mcr| mcr.0)),
            Self::Cbr(cbr) => Demand::constant(cbr.pcr.0),
            Self::RtVbr(vbr) | Self::NrtVbr(vbr) => Demand {
                peak: vbr.pcr.0,
                mean: vbr.scr.map_or(vbr.pcr.0, |scr| scr.0),
                burst: vbr.mbs.0,
            },
        }
    }

    /// The rate that the network guarantees on every link.
    pub fn guaranteed(&self) -> Rate {
        self.demand().mean
    }
}

impl Default for Service {
    fn default() -> Self {
        Self::Ubr(Ubr::default())
    }
}

/// Unspecified bit rate.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ubr {
    /// Peak cell rate to which the source is shaped; without it cells leave immediately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pcr: Option<Text<Rate>>,
}

/// Virtual sources and destinations (VS/VD, TM 4.0 §5.10.7).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VirtualEnds {
    /// Switches of the route.
    pub at: Vec<String>,
    /// Queue length of a VC there up to which the rate of the loop upstream is not lowered.
    #[serde(default = "hundred_cells")]
    pub queue_target: Text<Cells>,
    /// Most cells in that queue. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Text<Cells>>,
}

/// Constant bit rate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cbr {
    /// Peak cell rate, guaranteed.
    pub pcr: Text<Rate>,
}

/// Variable bit rate: the source is shaped by leaky buckets to PCR, SCR and MBS.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vbr {
    /// Peak cell rate.
    pub pcr: Text<Rate>,
    /// Sustainable cell rate, guaranteed. Allowed: up to `pcr`. Default: `pcr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scr: Option<Text<Rate>>,
    /// Most cells that may leave at PCR in a burst.
    #[serde(default = "one_cell")]
    pub mbs: Text<Cells>,
}

/// Usage or network parameter control (TM 4.0 4.4, GCRA of I.371): cells beyond the contract are tagged or discarded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Police {
    /// The direction whose cells are policed.
    #[serde(default)]
    pub direction: Direction,
    /// The switch or router of the route that polices. Default: the first node after the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Peak cell rate.
    pub pcr: Text<Rate>,
    /// Cell delay variation tolerance.
    #[serde(default = "hundred_us")]
    pub cdvt: Text<Span>,
    /// Sustainable cell rate; adds a second bucket of `mbs` cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scr: Option<Text<Rate>>,
    /// Maximum burst size at PCR.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mbs: Option<Text<Cells>>,
    /// Cells that count against `scr`: `"all"` (VBR.1), or `"high-priority"`, those with CLP = 0 (VBR.2, VBR.3).
    #[serde(default)]
    pub sustained: SustainedOn,
    /// What happens to cells that do not conform: `"discard"`, or `"tag"` (CLP = 1).
    #[serde(default)]
    pub action: PoliceAction,
    /// Whether the verdict on the first cell of a frame applies to the whole frame.
    #[serde(default)]
    pub frames: bool,
    /// Polices an ABR source at the rate that the network allows it (dynamic GCRA) instead of a constant rate, with `cdvt`
    /// as `tau_1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dynamic: Option<DynamicGcra>,
}

/// The dynamic GCRA of TM 4.0 and I.371: the policer follows the RM cells that pass it on their way back to the source. It
/// takes the VC's parameters as the contract, with `pcr` as the peak. A change of the rate shows in the source's cells one
/// round trip between policer and source later; `tau_2` and `tau_3` bound this time. Out-of-rate forward RM cells are
/// policed by themselves, at 10 per second.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DynamicGcra {
    /// The longest round trip: a lower rate applies from then on. Allowed: `tau_3` to 10 s.
    pub tau_2: Text<Span>,
    /// The shortest round trip: a higher rate applies from then on.
    #[serde(default = "no_time")]
    pub tau_3: Text<Span>,
}

/// Which cells count against the sustainable rate.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SustainedOn {
    /// All of them (VBR.1).
    #[default]
    All,
    /// Those with CLP = 0 (VBR.2 and VBR.3).
    HighPriority,
}

/// What happens to cells that do not conform to their contract.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PoliceAction {
    /// They are discarded.
    #[default]
    Discard,
    /// They are tagged: CLP = 1.
    Tag,
}

fn hundred_cells() -> Text<Cells> {
    Text(Cells(100))
}
fn one_cell() -> Text<Cells> {
    Text(Cells(1))
}
