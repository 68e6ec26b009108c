//! What controller and daemon say to each other: JSON, one message a line.
//!
//! The controller speaks first and leads; a daemon answers. Lines are capped before they are read
//! ([`crate::frame`]), types are strict, and [`crate::session`] decides what may come when.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::datagram::Counts;
use crate::meter::Totals;
use crate::nonce::Nonce;
use crate::order::Order;
use crate::tcp_info::TcpInfo;

/// The version of the protocol. Ends of different versions do not talk.
pub const VERSION: u32 = 1;
/// Names the protocol in the first message.
pub const PROTOCOL: &str = "celltrain-dbs";

/// From the controller.
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
    /// Asks for the time; keeps the session alive. Numbers rise.
    Ping {
        /// Comes back.
        id: u64,
    },
    /// What to do in the next run.
    Prepare {
        /// Streams of which the daemon is an end.
        orders: Vec<Order>,
    },
    /// Where the other ends are. Orders without a peer are dropped.
    Connect {
        /// The other ends.
        peers: Vec<Peer>,
    },
    /// The common start of all streams.
    Start {
        /// By the daemon's clock.
        at_ns: u64,
    },
    /// End all streams now.
    Stop,
    /// The last message.
    Bye,
}

/// The other end of a stream.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// The stream.
    pub stream: u32,
    /// Its address.
    pub address: IpAddr,
    /// Its port, where it is the receiver.
    pub port: Option<u16>,
    /// The nonce that it made up.
    pub nonce: Nonce,
    /// Its clock minus this daemon's, in ns.
    pub clock_offset_ns: i64,
}

/// From a daemon.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FromDaemon {
    /// Answers `Hello`.
    Welcome(Box<Facts>),
    /// Answers `Ping`.
    Pong {
        /// Of the ping.
        id: u64,
        /// When the ping came.
        received_ns: u64,
        /// When this went.
        sent_ns: u64,
    },
    /// Answers `Prepare`.
    Prepared {
        /// Streams that are ready.
        ready: Vec<Ready>,
        /// Streams that are not.
        refused: Vec<Refusal>,
    },
    /// Answers `Connect`.
    Connected {
        /// Streams that cannot begin.
        failed: Vec<Refusal>,
    },
    /// What was measured since the last report.
    Measured {
        /// In the order in which it was measured.
        reports: Vec<Report>,
    },
    /// All streams have ended.
    Finished,
    /// The session is over, because of this.
    Refused {
        /// For people.
        why: String,
    },
}

/// What a host is.
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
    /// The kernel's congestion control where a flow names none.
    pub congestion_control: String,
    /// Names the clock: daemons with equal ones share it.
    pub clock: String,
}

/// A stream that is ready.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// The stream.
    pub stream: u32,
    /// The port that the receiver listens at.
    pub port: Option<u16>,
    /// The daemon's nonce for it.
    pub nonce: Nonce,
}

/// Why a stream cannot be.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The stream.
    pub stream: u32,
    /// For people.
    pub why: String,
}

/// What was measured of one connection. Times are ns from the common start, by the daemon's clock.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The stream.
    pub stream: u32,
    /// The connection, from 0.
    pub connection: u32,
    /// What was measured.
    pub what: What,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum What {
    /// Octets in an interval, at the receiver.
    Interval {
        /// From 0, counted from the start of the flow.
        index: u64,
        /// Octets.
        bytes: u64,
        /// Of UDP.
        datagrams: Option<IntervalDatagrams>,
    },
    /// The kernel's state of a sending connection.
    TcpInfo {
        /// When it was read.
        at_ns: u64,
        /// The state.
        info: TcpInfo,
    },
    /// A datagram of a probe came back, or did not.
    RoundTrip {
        /// When it was sent.
        at_ns: u64,
        /// How long it took; none if it did not come back.
        rtt_ns: Option<u64>,
    },
    /// The end of a sender.
    Sent {
        /// Octets handed to the kernel.
        bytes: u64,
        /// Writes, or datagrams.
        writes: u64,
        /// When the last one was done.
        last_ns: u64,
        /// Socket options as the kernel has them.
        socket: SocketFacts,
    },
    /// The end of a receiver.
    Received {
        /// Octets and times.
        totals: Totals,
        /// Of UDP.
        datagrams: Option<Counts>,
        /// Socket options as the kernel has them.
        socket: SocketFacts,
    },
    /// The connection ended before its time.
    Failed {
        /// For people.
        why: String,
    },
}

/// Datagrams in an interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntervalDatagrams {
    /// How many new ones.
    pub count: u64,
    /// Sum of their delays.
    pub delay_sum_ns: i64,
    /// Shortest delay.
    pub delay_least_ns: i64,
    /// Longest delay.
    pub delay_most_ns: i64,
    /// Jitter at the end of the interval.
    pub jitter_ns: f64,
    /// The highest number that has come up to its end, plus one.
    pub highest: u64,
}

/// Socket options as the kernel has them.
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
