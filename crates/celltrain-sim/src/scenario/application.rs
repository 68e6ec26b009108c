//! Applications of connections, and packets without a connection.

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
    /// It opens a connection, sends a file, closes the connection, thinks, and repeats.
    Files(Files),
    /// It keeps a connection open and sends short messages at random instants, as a user who types.
    Telnet(Telnet),
}
read_by_kind!(Application, "kind", { "greedy" => Greedy, "files" => Files, "telnet" => Telnet });

impl Default for Application {
    fn default() -> Self {
        Self::Greedy(Greedy::default())
    }
}

/// The socket buffers of a connection, and how fast the applications fill and empty them.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sockets {
    /// Octets that the sending end holds, sent or not, until they are acknowledged. The receiving end holds `tcp.window`.
    /// Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_buffer: Option<Text<Bytes>>,
    /// Length of a write, which waits until the buffer has room for it. A greedy application also needs `send_buffer` or
    /// `write_rate`. Allowed: up to `send_buffer`. Default: any, or 2048 with `write_rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Text<Bytes>>,
    /// Memory that each segment takes, out of twice the send buffer, whatever its length. With it each write has segments
    /// of its own, as in Linux, and blocks when their number fills the buffer; without it data are a stream of octets, as
    /// in BSD. Needs `variant = "linux-1999"`, `send_buffer` and `write`. Allowed: up to `send_buffer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_memory: Option<Text<Bytes>>,
    /// When a write that waits for segments continues: the time `after` the instant from which at most the fraction `at`
    /// of them is in use. Default: as soon as one is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake: Option<Wake>,
    /// Rate at which the application writes; without it, it writes as soon as there is room. Default: at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_rate: Option<Text<Rate>>,
    /// Length of a read; only with `read_rate`. Allowed: up to `tcp.window`. Default: 2048.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Text<Bytes>>,
    /// Rate at which the other end reads; a slow reader closes the window. Default: at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_rate: Option<Text<Rate>>,
}

impl Sockets {
    /// The octets of a write or a read if only its rate is given: a cluster of 4.4BSD.
    pub(crate) const DEFAULT_LENGTH: u64 = 2_048;

    /// The number of segments that the send buffer holds, if segments count against it.
    pub fn segments(&self) -> Option<u64> {
        let (memory, buffer) = (self.segment_memory?, self.send_buffer?);
        Some(2 * buffer.0.0 / memory.0.0)
    }
}

/// When a blocked write continues.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wake {
    /// The fraction of the segments that may still be in use.
    pub at: Fraction,
    /// How much later the write continues.
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
    /// Mean length of a file. Allowed: at least 1.
    pub size: Text<Bytes>,
    /// Distribution of the lengths: `"geometric"` or `"fixed"`.
    #[serde(default)]
    pub sizes: Sizes,
    /// Mean time between the end of a transfer and the next.
    pub think: Text<Span>,
    /// Distribution of the think times: `"exponential"` or `"fixed"`.
    #[serde(default)]
    pub thinks: Thinks,
    /// Time before the first transfer. Default: a think time like the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_think: Option<Text<Span>>,
}

/// A user who types: messages at instants that do not depend on the network, with Pareto gaps between them (Paxson and
/// Floyd 1995). The table `responses` has the time from each message to its acknowledgment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Telnet {
    /// Mean length of a message. Allowed: at least 1.
    pub size: Text<Bytes>,
    /// Distribution of the lengths: `"geometric"` or `"fixed"`.
    pub sizes: Sizes,
    /// Exponent of the Pareto distribution of the gaps: the fraction of gaps longer than x falls as x^-shape. Allowed:
    /// 0.1 to 10.
    pub shape: f64,
    /// The shortest gap. Allowed: at least 1 us.
    pub shortest_gap: Text<Span>,
    /// The longest gap, at which the distribution is truncated. Allowed: more than `shortest_gap`.
    pub longest_gap: Text<Span>,
}

impl Default for Telnet {
    fn default() -> Self {
        Self {
            size: Text(Bytes(1)),
            sizes: Sizes::Fixed,
            shape: 0.9,
            shortest_gap: Text(Span::from_ms(120)),
            longest_gap: Text(Span::from_secs(120)),
        }
    }
}

/// The distribution of the lengths of files or messages.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sizes {
    /// Geometric on 1, 2, 3 ... octets.
    #[default]
    Geometric,
    /// All equal.
    Fixed,
}

/// The distribution of think times.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Thinks {
    /// Exponential.
    #[default]
    Exponential,
    /// All equal.
    Fixed,
}

/// Packets that nothing acknowledges.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Udp {
    /// Length of each IP packet, including headers (28 octets). Allowed: 28 to 65,535.
    pub packet: Text<Bytes>,
    /// Arrival process; its rates count whole IP packets.
    pub traffic: Traffic,
}
