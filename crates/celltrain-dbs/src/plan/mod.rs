//! The plan: a user's text, parsed strictly, in the same way as a scenario.
//!
//! The types define the language: TOML and JSON are read into them, and the JSON Schema is generated from them.
//! [`Plan::streams`] turns a plan into the orders for the daemons.

mod check;
mod ends;
mod expand;
mod files;
mod trace_file;

use std::net::{IpAddr, Ipv4Addr};

use celltrain_language::{Document, Named, Source, SourceError, Text, canonical};
use celltrain_proto::units::{Bytes, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use ends::Ends;
pub use expand::{Stream, StreamKind};
pub use files::Files;

/// A measurement: hosts, the flows between them, and how they are measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Intervals and repetitions.
    #[serde(default)]
    pub measure: Measure,
    /// The hosts, and how the controller reaches each.
    pub hosts: Named<Host>,
    /// Data flows between hosts.
    #[serde(default)]
    pub flows: Named<Flow>,
    /// Round-trip times while the flows run.
    #[serde(default)]
    pub probes: Named<Probe>,
}

/// Intervals and repetitions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// Throughput is measured at the receiver over intervals of this length.
    pub interval: Text<Span>,
    /// How often the kernel's state of each sending TCP connection is read.
    pub tcp_info: Text<Span>,
    /// The initial time that a flow's means exclude; the series include it.
    pub warm_up: Text<Span>,
    /// Maximum entries of the log of each write or read, at each end of each connection; 0: no log. The last quarter
    /// of them holds several operations each.
    pub log: u32,
    /// How often the plan is repeated; with at least two repetitions, means have confidence intervals.
    pub repetitions: u32,
    /// Pause between two repetitions.
    pub pause: Text<Span>,
}

impl Default for Measure {
    fn default() -> Self {
        Self {
            interval: Text(Span::from_ms(100)),
            tcp_info: Text(Span::from_ms(100)),
            warm_up: Text(Span::ZERO),
            log: 250_000,
            repetitions: 1,
            pause: Text(Span::from_secs(1)),
        }
    }
}

/// A host, and how its daemon is reached: at most one of `ssh`, `netns` and `tls`; without any of them a daemon is
/// started on this machine.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The address that data are sent from and to. Default: 127.0.0.1 for a daemon on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// Start the daemon with `ssh`: a host or `user@host`, as in ssh's own configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssh: Option<String>,
    /// With `ssh`: the path of the celltrain command there. Default: `celltrain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Start the daemon in this named network namespace of this machine; needs root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub netns: Option<String>,
    /// Connect to a listening daemon over TLS: `ADDRESS:PORT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<String>,
    /// With `tls`: the daemon's public key, 64 hexadecimal digits as `celltrain dbs key` prints them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl Host {
    /// The address that data are sent from and to.
    pub fn data_address(&self) -> IpAddr {
        self.address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
    }
}

/// The transport protocol.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// A TCP connection.
    #[default]
    Tcp,
    /// Datagrams: one per write.
    Udp,
}

/// Data from one host to another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The sending host or hosts.
    pub from: Ends,
    /// The receiving host or hosts.
    pub to: Ends,
    /// TCP or UDP.
    #[serde(default)]
    pub protocol: Protocol,
    /// When sending begins, from the common start.
    #[serde(default = "zero")]
    pub start: Text<Span>,
    /// How long it sends. With `bytes`: the maximum time that it may take.
    pub duration: Text<Span>,
    /// How much each connection sends, instead of sending until `duration` is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Text<Bytes>>,
    /// Octets per write; for UDP, the size of a datagram without its headers. Default: 128 KiB, for UDP 1200 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Text<Bytes>>,
    /// Octets that the receiver requests per read.
    #[serde(default = "default_read")]
    pub read: Text<Bytes>,
    /// When writes are made. Without it each write follows the previous one immediately.
    #[serde(default)]
    pub pattern: Pattern,
    /// The number of identical parallel connections of this flow.
    #[serde(default = "one")]
    pub connections: u32,
    /// Adds a second flow of the same kind in the reverse direction, on connections of its own: `NAME-back`.
    #[serde(default)]
    pub both_ways: bool,
    /// The port at the receiver; UDP uses one per connection, from this one upwards. Default: any that is free and
    /// allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Socket options, at both ends.
    #[serde(default)]
    pub socket: Socket,
}

/// When writes are made; at most one of `rate` (alone), `every`, `on` with `off`, `messages`, `trace` and `file`.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// Writes are spaced to this mean rate; with `on` and `off`, the rate within `on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Text<Rate>>,
    /// One write per interval of this length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Text<Span>>,
    /// Writes are made for this long, alternating with `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Text<Span>>,
    /// No writes are made for this long, alternating with `on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<Text<Span>>,
    /// These messages in order, repeated from the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Message>>,
    /// These amounts at these times from the flow's start, once: `[["0 ms", "512 bytes"], ...]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<(Text<Span>, Text<Bytes>)>>,
    /// The trace is in this CSV file, in the folder of the plan or below it: columns `bytes` and `interval_s`, the time
    /// until the next write. The canonical form of a plan contains the trace instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A message of a traffic pattern.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Its octets.
    pub message: Text<Bytes>,
    /// Octets per write. Default: those of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Text<Bytes>>,
    /// Minimum time from its first write to that of the next message.
    #[serde(default = "zero")]
    pub interval: Text<Span>,
    /// Minimum time from its last write to the first of the next message.
    #[serde(default = "zero")]
    pub wait: Text<Span>,
}

/// Socket options; those not given keep the host's defaults.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Socket {
    /// `SO_SNDBUF`. Linux doubles it for its own bookkeeping, and the results show the doubled value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_buffer: Option<Text<Bytes>>,
    /// `SO_RCVBUF`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_buffer: Option<Text<Bytes>>,
    /// `TCP_MAXSEG`: the maximum segment size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss: Option<Text<Bytes>>,
    /// `TCP_CONGESTION`, as in `net.ipv4.tcp_allowed_congestion_control` of the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion_control: Option<String>,
    /// Nagle's algorithm; `false` sets `TCP_NODELAY`. Default: on, as usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nagle: Option<bool>,
}

/// Round-trip times over UDP: small datagrams that are echoed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The host that sends the datagrams.
    pub from: String,
    /// The host that echoes them.
    pub to: String,
    /// Time between two datagrams.
    #[serde(default = "probe_every")]
    pub every: Text<Span>,
    /// Size of a datagram without its headers.
    #[serde(default = "probe_size")]
    pub size: Text<Bytes>,
    /// When it begins, from the common start.
    #[serde(default = "zero")]
    pub start: Text<Span>,
    /// How long datagrams are sent.
    pub duration: Text<Span>,
    /// The port of the echoing host. Default: any that is free and allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
}

fn zero() -> Text<Span> {
    Text(Span::ZERO)
}
fn one() -> u32 {
    1
}
fn default_read() -> Text<Bytes> {
    Text(Bytes(128 << 10))
}
fn probe_every() -> Text<Span> {
    Text(Span::from_ms(100))
}
fn probe_size() -> Text<Bytes> {
    Text(Bytes(64))
}

impl Document for Plan {}

impl Plan {
    /// Reads and checks a plan; `files` returns the text of the files that it refers to.
    pub fn read(source: &Source<'_>, files: Files<'_>) -> Result<Self, SourceError> {
        let mut plan: Self = source.read()?;
        plan.read_traces(files)
            .and_then(|()| plan.check())
            .map_err(|problem| source.locate(&problem))?;
        Ok(plan)
    }

    /// The canonical form: JSON with every default written out.
    pub fn to_json(&self) -> String {
        canonical::json(self)
    }

    /// Pause between two repetitions, in s.
    pub fn pause_s(&self) -> f64 {
        self.measure.pause.as_secs()
    }

    /// SHA-256 of the canonical form, as 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        canonical::hash(self)
    }
}

/// The JSON Schema of a plan, pretty-printed.
pub fn schema() -> String {
    canonical::schema::<Plan>()
}
