//! The messages between controller and daemon: JSON, one message per line.
//!
//! The controller speaks first and directs; a daemon answers. The length of lines is limited before they are parsed
//! ([`crate::frame`]), types are strict, and [`crate::session`] decides which messages are allowed when.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::datagram::Counts;
use crate::log;
use crate::meter::Totals;
use crate::nonce::Nonce;
use crate::order::Order;
use crate::tcp_info::TcpInfo;

/// The protocol version. Ends with different versions do not communicate.
pub const VERSION: u32 = 3;
/// The name of the protocol in the first message.
pub const PROTOCOL: &str = "celltrain-dbs";

/// Messages from the controller.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ToDaemon {
    /// The first message.
    Hello {
        /// [`PROTOCOL`].
        protocol: String,
        /// [`VERSION`].
        version: u32,
    },
    /// Requests the time and keeps the session alive. Numbers increase.
    Ping {
        /// Returned in the answer.
        id: u64,
    },
    /// The orders of the next run.
    Prepare {
        /// Streams with one end at the daemon.
        orders: Vec<Order>,
    },
    /// The addresses of the other ends. Orders without a peer are dropped.
    Connect {
        /// The other ends.
        peers: Vec<Peer>,
    },
    /// The common start of all streams.
    Start {
        /// On the daemon's clock.
        at_ns: u64,
    },
    /// Ends all streams now.
    Stop,
    /// Requests the logs of the run that has ended: they are not sent while any host measures.
    Collect,
    /// The last message.
    Bye,
}

/// The other end of a stream.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// The number of the stream.
    pub stream: u32,
    /// Its address.
    pub address: IpAddr,
    /// Its port, if it is the receiver.
    pub port: Option<u16>,
    /// The nonce that it generated.
    pub nonce: Nonce,
    /// Its clock minus this daemon's, in ns.
    pub clock_offset_ns: i64,
}

/// Messages from a daemon.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FromDaemon {
    /// Answers `Hello`.
    Welcome(Box<Facts>),
    /// Answers `Ping`.
    Pong {
        /// The number of the ping.
        id: u64,
        /// When the ping was received.
        received_ns: u64,
        /// When this answer was sent.
        sent_ns: u64,
    },
    /// Answers `Prepare`.
    Prepared {
        /// Streams that are ready.
        ready: Vec<Ready>,
        /// Streams that are not ready.
        refused: Vec<Refusal>,
    },
    /// Answers `Connect`.
    Connected {
        /// Streams that cannot start.
        failed: Vec<Refusal>,
    },
    /// The measurements since the last report.
    Measured {
        /// In the order of measurement.
        reports: Vec<Report>,
    },
    /// All streams have ended.
    Finished,
    /// Part of a log. The parts of a connection follow each other in order.
    Log(log::Part),
    /// Answers `Collect`, after all parts.
    Collected,
    /// The session is over for this reason.
    Refused {
        /// A human-readable reason.
        why: String,
    },
}

/// Facts about a host.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Facts {
    /// [`VERSION`] of the daemon.
    pub version: u32,
    /// Version of celltrain.
    pub celltrain: String,
    /// Name of the host.
    pub hostname: String,
    /// Operating system, release and machine.
    pub system: String,
    /// The kernel's congestion control for flows that do not select one.
    pub congestion_control: String,
    /// The identity of the clock: daemons with equal ones share a clock.
    pub clock: String,
}

/// A stream that is ready.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// The number of the stream.
    pub stream: u32,
    /// The port that the receiver listens on.
    pub port: Option<u16>,
    /// The daemon's nonce for the stream.
    pub nonce: Nonce,
}

/// Why a stream cannot be run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The number of the stream.
    pub stream: u32,
    /// A human-readable reason.
    pub why: String,
}

/// One measurement of one connection. Times are ns from the common start, on the daemon's clock.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The number of the stream.
    pub stream: u32,
    /// The number of the connection, from 0.
    pub connection: u32,
    /// The measurement.
    pub what: What,
}

/// The kinds of measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum What {
    /// Octets in an interval, at the receiver.
    Interval {
        /// Number of the interval, from 0 at the start of the flow.
        index: u64,
        /// Octets.
        bytes: u64,
        /// For UDP.
        datagrams: Option<IntervalDatagrams>,
    },
    /// The kernel's state of a sending connection.
    TcpInfo {
        /// When it was read.
        at_ns: u64,
        /// The state.
        info: TcpInfo,
    },
    /// A datagram of a probe was echoed, or was not.
    RoundTrip {
        /// When it was sent.
        at_ns: u64,
        /// Its round-trip time; `None` if it was not echoed.
        rtt_ns: Option<u64>,
    },
    /// The totals of a sender.
    Sent {
        /// Octets passed to the kernel.
        bytes: u64,
        /// Writes, or datagrams.
        writes: u64,
        /// When the last one was completed.
        last_ns: u64,
        /// Socket options as the kernel set them.
        socket: SocketFacts,
    },
    /// The totals of a receiver.
    Received {
        /// Octets and times.
        totals: Totals,
        /// For UDP.
        datagrams: Option<Counts>,
        /// Socket options as the kernel set them.
        socket: SocketFacts,
    },
    /// What the log of this end holds.
    Logged(log::Facts),
    /// The connection ended prematurely.
    Failed {
        /// A human-readable reason.
        why: String,
    },
}

/// Datagrams in an interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntervalDatagrams {
    /// The number of new datagrams.
    pub count: u64,
    /// Sum of their delays.
    pub delay_sum_ns: i64,
    /// Minimum delay.
    pub delay_least_ns: i64,
    /// Maximum delay.
    pub delay_most_ns: i64,
    /// Jitter at the end of the interval.
    pub jitter_ns: f64,
    /// The highest number that had arrived by its end, plus one.
    pub highest: u64,
}

/// Socket options as the kernel set them.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketFacts {
    /// `SO_SNDBUF`.
    pub send_buffer: u32,
    /// `SO_RCVBUF`.
    pub receive_buffer: u32,
    /// `TCP_MAXSEG`.
    pub mss: Option<u32>,
    /// `TCP_CONGESTION`.
    pub congestion_control: Option<String>,
}
