//! The queue of a link: order of service, discard, active queue management, credits.

use celltrain_language::Text;
use celltrain_proto::schedule::Class;
use celltrain_proto::units::Cells;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use celltrain_proto::aqm::Parameters as QueueManagement;
pub use celltrain_proto::discard::Parameters as Discard;
pub use celltrain_proto::packet_queue::Parameters as PacketQueue;
pub use celltrain_proto::schedule::Parameters as Scheduling;

/// Cells that the queue of each class can hold, the one in transmission included; `buffer` applies to classes not named.
/// Only with `scheduling = "priority"`.
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
    /// The buffer of a class, if it has one of its own.
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

    /// The buffers of classes that have their own, with their keys.
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

/// Credit-based flow control on a link: no cell is sent unless there is room for it at the far end.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Credit {
    /// Cells of a VC that the node downstream forwards between two credit messages. Allowed: 1 to 2^20.
    #[serde(default = "ten_cells")]
    pub n2: Text<Cells>,
    /// Further cells of a VC, beyond `n2`, for which the far end reserves room. Allowed: 1 to 2^20. Default: as many as a
    /// round trip of the link holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n3: Option<Text<Cells>>,
}

fn ten_cells() -> Text<Cells> {
    Text(Cells(10))
}
