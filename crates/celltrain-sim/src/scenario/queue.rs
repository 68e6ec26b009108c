//! The queue of a link: order of service, discard, active queue management, credits.

use celltrain_proto::schedule::Class;
use celltrain_proto::units::Cells;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::default::{self, fraction};
use super::read::read_by_kind;
use super::value::{Fraction, Text};

pub use celltrain_proto::aqm::Parameters as QueueManagement;

/// In which order the cells of a queue are served.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// First come, first served.
    #[default]
    Fifo,
    /// CBR before rt-VBR before nrt-VBR before ABR before UBR, each with a queue of its own.
    Priority,
    /// A queue for each VC, served in proportion to the VCs' weights (virtual spacing).
    WeightedFair,
}

/// Cells that the queue of each class can hold, the one in transmission included; `buffer` where a class
/// is not named. Only with `scheduling = "priority"`.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ClassBuffers {
    /// Constant bit rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cbr: Option<Text<Cells>>,
    /// Variable bit rate, real time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rt_vbr: Option<Text<Cells>>,
    /// Variable bit rate, not real time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nrt_vbr: Option<Text<Cells>>,
    /// Available bit rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abr: Option<Text<Cells>>,
    /// Unspecified bit rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ubr: Option<Text<Cells>>,
}

impl ClassBuffers {
    /// The buffer of a class, where it has one of its own.
    pub fn of(&self, class: Class) -> Option<Cells> {
        let buffer = match class {
            Class::Cbr => self.cbr,
            Class::RtVbr => self.rt_vbr,
            Class::NrtVbr => self.nrt_vbr,
            Class::Abr => self.abr,
            Class::Ubr => self.ubr,
        };
        buffer.map(|buffer| buffer.0)
    }

    /// The buffers of classes that have one of their own, with the keys that name them.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, Cells)> + use<> {
        let all = [
            ("cbr", self.cbr),
            ("rt-vbr", self.rt_vbr),
            ("nrt-vbr", self.nrt_vbr),
            ("abr", self.abr),
            ("ubr", self.ubr),
        ];
        let named = |(key, buffer): (_, Option<Text<Cells>>)| Some((key, buffer?.0));
        all.into_iter().filter_map(named)
    }
}

/// Which cells of a filling queue are refused, beyond those that find it full.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "policy", rename_all = "kebab-case")]
pub enum Discard {
    /// Partial packet discard: the rest of a frame of which a cell was lost, but its last.
    #[serde(rename = "ppd")]
    PartialPacket(PartialPacket),
    /// Early packet discard: whole frames that start while the queue is at the threshold or above, and
    /// the rest of frames that lost a cell.
    #[serde(rename = "epd")]
    EarlyPacket(EarlyPacket),
    /// Frames of VCs with more than their share of the queue, above the threshold.
    SelectiveDrop(SelectiveDrop),
    /// Fair buffer allocation: the share shrinks as the queue fills.
    FairBuffer(SelectiveDrop),
    /// Random early detection, frame by frame.
    Red(Red),
}
read_by_kind!(Discard, "policy", {
    "ppd" => PartialPacket,
    "epd" => EarlyPacket,
    "selective-drop" => SelectiveDrop,
    "fair-buffer" => FairBuffer,
    "red" => Red,
});

/// Partial packet discard has no parameters.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartialPacket {}

/// Early packet discard.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EarlyPacket {
    /// Frames are refused whose first cell finds at least so many cells in the queue.
    pub threshold: Text<Cells>,
    /// Whether the rest of a frame that lost a cell is refused too.
    #[serde(default = "default::yes")]
    pub partial: bool,
}

/// Selective drop, and fair buffer allocation.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectiveDrop {
    /// Below it every frame is accepted.
    pub threshold: Text<Cells>,
    /// Z: how much of an equal share a VC may hold.
    #[serde(default = "fraction::four_fifths")]
    pub z: Fraction,
}

/// Random early detection.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Red {
    /// Mean queue below which nothing is dropped.
    pub min: Text<Cells>,
    /// Mean queue at which `max_probability` is reached.
    pub max: Text<Cells>,
    /// Probability at `max`.
    #[serde(default = "fraction::tenth")]
    pub max_probability: Fraction,
    /// Weight of a new frame's queue in the mean.
    #[serde(default = "fraction::two_thousandths")]
    pub weight: Fraction,
    /// Whether the probability rises on to 1 at twice `max`, instead of at once.
    #[serde(default)]
    pub gentle: bool,
}

/// Credit flow control on a link: no cell is sent without a place for it at the far end.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Credit {
    /// Cells of a VC that the far end forwards between two credit messages.
    #[serde(default = "ten_cells")]
    pub n2: Text<Cells>,
    /// Cells of a VC beyond `n2` for which the far end keeps room; what a round trip of the link holds if
    /// it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n3: Option<Text<Cells>>,
}

fn ten_cells() -> Text<Cells> {
    Text(Cells(10))
}
