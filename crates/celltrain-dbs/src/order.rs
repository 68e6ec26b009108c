//! What a daemon is asked to do for one stream of a plan. All times are ns from the common start.

use serde::{Deserialize, Serialize};

use crate::pattern::Pattern;

/// Octets of the datagram header: see [`crate::datagram::Header`].
pub const SMALLEST_DATAGRAM: u32 = 28;
/// Maximum payload of a UDP datagram over IPv4, in octets.
pub const LARGEST_DATAGRAM: u32 = 65_507;
/// Maximum number of octets in one write or read.
pub const LARGEST_WRITE: u32 = 4 << 20;

/// Which end of a stream a daemon is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It sends (or, for a probe, asks).
    Send,
    /// It receives (or answers).
    Receive,
}

/// The kind of traffic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// TCP connections.
    Tcp,
    /// One-way datagrams.
    Udp,
    /// Echoed datagrams.
    Probe,
}

/// One stream at one of its ends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The number of the stream, the same at both ends.
    pub stream: u32,
    /// The role of this end.
    pub role: Role,
    /// The kind of traffic.
    pub kind: Kind,
    /// The number of identical connections.
    pub connections: u32,
    /// Port at the receiver; the first of several for UDP. `None`: any.
    pub port: Option<u16>,
    /// When sending begins.
    pub start_ns: u64,
    /// Maximum duration.
    pub duration_ns: u64,
    /// Octets that each connection sends, if limited.
    pub bytes: Option<u64>,
    /// Octets per write.
    pub write: u32,
    /// Octets requested per read.
    pub read: u32,
    /// When writes are made.
    pub pattern: Pattern,
    /// Options of sockets.
    pub socket: SocketOptions,
    /// The interval for throughput.
    pub interval_ns: u64,
    /// The interval for reading the kernel's TCP state.
    pub info_ns: u64,
    /// The initial time that means exclude.
    pub warm_up_ns: u64,
    /// Maximum entries of the log of each connection; 0: no log.
    pub log: u32,
}

impl Order {
    /// The latest end of sending.
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.duration_ns)
    }
}

/// Socket options; those not given keep the host's defaults.
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
