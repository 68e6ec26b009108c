//! Flows: connections and packets, and their ends.

use celltrain_language::Text;
use celltrain_proto::ip::Dscp;
use celltrain_proto::units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::application::{Application, Sockets, Udp};
use super::direction::Direction;
use super::tcp::{Tcp, Written};

/// A TCP connection, or one for each VC of a group.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The VC, or group of VCs, that carries the data in one direction and the ACKs in the other.
    pub vc: String,
    /// Flows on each VC, which share its queues. They are numbered from 1 through all VCs, those of the first VC first:
    /// `NAME1` to `NAMEn`. Allowed: 1 to 1,000,000. Default: one, with the number of its VC in a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_vc: Option<u32>,
    /// Direction of the data: `"forward"` or `"backward"`.
    #[serde(default)]
    pub direction: Direction,
    /// The differentiated services code point of its packets in both directions, by which `queue = "cake"` chooses a tin.
    #[serde(default, skip_serializing_if = "Dscp::is_best_effort")]
    pub dscp: Dscp,
    /// When it starts to send: a given or a random instant.
    #[serde(default)]
    pub start: super::start::Start,
    /// How long it sends after its start; a greedy application then closes the connection. Not for files, which end by
    /// themselves. Default: the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<Text<Span>>,
    /// The TCP at both ends: a preset's name, or a table.
    #[serde(default)]
    #[schemars(with = "Written")]
    pub tcp: Tcp,
    /// How the connection ends after `duration`: `"close"` (a FIN after everything that was written), or `"abort"` (an
    /// immediate reset).
    #[serde(default, skip_serializing_if = "AtEnd::is_close")]
    pub at_end: AtEnd,
    /// What the application sends.
    #[serde(default)]
    pub application: Application,
    /// Socket buffers, and how fast the applications fill and empty them.
    #[serde(default)]
    pub sockets: Sockets,
    /// Data in the other direction of the same connection, from an application that always has something to send.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back: Option<Back>,
    /// Packets without TCP, instead of `tcp` and `application`; no acknowledgment slows them down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub udp: Option<Udp>,
}

/// Data in the other direction of a connection. Segments in each direction carry the acknowledgments of the other.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Back {
    /// When these data start; with `handshake`, not before the connection is open.
    pub start: super::start::Start,
    /// How long they are sent after their start; a FIN then closes this direction. Default: the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<Text<Span>>,
    /// Socket buffers of this direction, and how fast its applications fill and empty them.
    pub sockets: Sockets,
}

/// How a connection ends after its `duration`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AtEnd {
    /// By a FIN after everything that was written.
    #[default]
    Close,
    /// By an immediate reset.
    Abort,
}

impl AtEnd {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde hands over a reference"
    )]
    fn is_close(&self) -> bool {
        *self == Self::Close
    }
}
