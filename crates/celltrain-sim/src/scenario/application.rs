//! What sends over a connection, and packets without one.

use celltrain_language::{Fraction, Text, read_by_kind};
use celltrain_proto::units::{Bytes, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::traffic::Traffic;

/// The application of a TCP connection.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Application {
    /// It always has something to send.
    Greedy(Greedy),
    /// It opens a connection, sends a file, closes it, thinks, and does so again.
    Files(Files),
}
read_by_kind!(Application, "kind", { "greedy" => Greedy, "files" => Files });

impl Default for Application {
    fn default() -> Self {
        Self::Greedy(Greedy::default())
    }
}

/// The socket buffers of a connection, and how fast the applications fill and empty them.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sockets {
    /// Octets that the sending end holds, sent or not, until they are acknowledged; without it no bound.
    /// The receiving end holds `tcp.window`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_buffer: Option<Text<Bytes>>,
    /// Octets of one write, blocked while less is free in the send buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Text<Bytes>>,
    /// Memory that a segment takes of twice the send buffer, whatever its length. With it each write has
    /// segments of its own, as in Linux, and is blocked when their number fills the buffer; without it data
    /// are a stream of octets, as in BSD. Needs `variant = "linux-1999"`, `send_buffer` and `write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_memory: Option<Text<Bytes>>,
    /// When a write that is blocked by `segment_memory` goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake: Option<Wake>,
    /// Rate at which it writes; without it a write follows as soon as there is room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_rate: Option<Text<Rate>>,
    /// Octets of one read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Text<Bytes>>,
    /// Rate at which the other end reads; without it at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_rate: Option<Text<Rate>>,
}

impl Sockets {
    /// Segments that the send buffer holds, where it is their memory that counts.
    pub fn segments(&self) -> Option<u64> {
        let (memory, buffer) = (self.segment_memory?, self.send_buffer?);
        Some(2 * buffer.0.0 / memory.0.0)
    }
}

/// When a blocked write goes on.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wake {
    /// The part of the segments that may still be in use.
    pub at: Fraction,
    /// How much later it goes on.
    pub after: Text<Span>,
}

/// An application that always has something to send.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Greedy {}

/// File transfers with think time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// Mean length of a file.
    pub size: Text<Bytes>,
    /// The distribution of the lengths.
    #[serde(default)]
    pub sizes: Sizes,
    /// Mean time between the end of a transfer and the next.
    pub think: Text<Span>,
    /// The distribution of the think times.
    #[serde(default)]
    pub thinks: Thinks,
    /// Time before the first transfer, where it is not a think time like the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_think: Option<Text<Span>>,
}

/// The distribution of file lengths.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sizes {
    /// Geometric on 1, 2, 3 ... octets.
    #[default]
    Geometric,
    /// All alike.
    Fixed,
}

/// The distribution of think times.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Thinks {
    /// Exponential.
    #[default]
    Exponential,
    /// All alike.
    Fixed,
}

/// Packets that nothing acknowledges.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Udp {
    /// Length of each IP packet, headers included.
    pub packet: Text<Bytes>,
    /// The process of their arrivals; its rates count whole IP packets.
    pub traffic: Traffic,
}
