//! What a daemon is asked to do for one stream of a plan. All times are ns, from the common start.

use serde::{Deserialize, Serialize};

use crate::pattern::Pattern;

/// Octets that open each datagram: see [`crate::datagram::Header`].
pub const SMALLEST_DATAGRAM: u32 = 28;
/// Most octets of an UDP datagram's payload over IPv4.
pub const LARGEST_DATAGRAM: u32 = 65_507;
/// Most octets of one write or read.
pub const LARGEST_WRITE: u32 = 4 << 20;

/// Which end of a stream a daemon is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It sends (or asks, of a probe).
    Send,
    /// It receives (or answers).
    Receive,
}

/// What travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// TCP connections.
    Tcp,
    /// Datagrams one way.
    Udp,
    /// Datagrams that come back.
    Probe,
}

/// One stream at one of its ends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The number of the stream, the same at both ends.
    pub stream: u32,
    /// Which end this is.
    pub role: Role,
    /// What travels.
    pub kind: Kind,
    /// Connections, all alike.
    pub connections: u32,
    /// Port at the receiver; the first of several for UDP. None: any.
    pub port: Option<u16>,
    /// When sending begins.
    pub start_ns: u64,
    /// How long it lasts at most.
    pub duration_ns: u64,
    /// Octets after which a connection has sent enough.
    pub bytes: Option<u64>,
    /// Octets of a write.
    pub write: u32,
    /// Octets asked for by a read.
    pub read: u32,
    /// When writes are made.
    pub pattern: Pattern,
    /// Options of sockets.
    pub socket: SocketOptions,
    /// Interval of throughput.
    pub interval_ns: u64,
    /// Interval of the kernel's state of TCP.
    pub info_ns: u64,
    /// What means leave out, from the start of sending.
    pub warm_up_ns: u64,
}

impl Order {
    /// When sending ends at the latest.
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.duration_ns)
    }
}

/// Options of sockets; what is not given stays as the host has it.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketOptions {
    /// `SO_SNDBUF`.
    pub send_buffer: Option<u32>,
    /// `SO_RCVBUF`.
    pub receive_buffer: Option<u32>,
    /// `TCP_MAXSEG`.
    pub mss: Option<u32>,
    /// `TCP_CONGESTION`.
    pub congestion_control: Option<String>,
    /// `TCP_NODELAY`, inverted.
    pub nagle: Option<bool>,
}
