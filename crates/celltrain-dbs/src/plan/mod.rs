//! The plan: what a user writes, read strictly, in the manner of a scenario.
//!
//! The types own the language: TOML and JSON are read into them, and the JSON Schema is generated from
//! them. [`Plan::streams`] turns a plan into what each daemon is asked to do.

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
    /// Data from host to host.
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
    /// Throughput is measured at the receiver over each such interval.
    pub interval: Text<Span>,
    /// The kernel's state of each sending TCP connection is read so often.
    pub tcp_info: Text<Span>,
    /// Means of a flow leave out so much from its start; the series have it.
    pub warm_up: Text<Span>,
    /// How often the whole is run; means get confidence intervals from two on.
    pub repetitions: u32,
    /// Quiet time between two repetitions.
    pub pause: Text<Span>,
}

impl Default for Measure {
    fn default() -> Self {
        Self {
            interval: Text(Span::from_ms(100)),
            tcp_info: Text(Span::from_ms(100)),
            warm_up: Text(Span::ZERO),
            repetitions: 1,
            pause: Text(Span::from_secs(1)),
        }
    }
}

/// A host, and how its daemon is reached: at most one of `ssh`, `netns` and `tls`; without any of them a
/// daemon is started on this machine.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The address that data are sent from and to. Default: 127.0.0.1 for a daemon on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// Start the daemon by `ssh`: a host or `user@host`, as ssh's own configuration knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssh: Option<String>,
    /// With `ssh`: the path of celltrain's command there. Default: `celltrain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Start the daemon in this named network namespace of this machine; needs root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub netns: Option<String>,
    /// Connect to a waiting daemon by TLS: `ADDRESS:PORT`.
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

/// How data travel.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// A TCP connection.
    #[default]
    Tcp,
    /// Datagrams: one for each write.
    Udp,
}

/// Data from a host to another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Who sends.
    pub from: Ends,
    /// Who receives.
    pub to: Ends,
    /// TCP or UDP.
    #[serde(default)]
    pub protocol: Protocol,
    /// When it begins, from the common start.
    #[serde(default = "zero")]
    pub start: Text<Span>,
    /// How long it sends. With `bytes`: the longest time that it may take.
    pub duration: Text<Span>,
    /// How much each connection sends, instead of sending until `duration` is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Text<Bytes>>,
    /// Octets of one write; for UDP, of a datagram without its headers. Default: 128 KiB, for UDP 1200 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Text<Bytes>>,
    /// Octets that the receiver asks for in one read.
    #[serde(default = "default_read")]
    pub read: Text<Bytes>,
    /// When writes are made. Without it each follows the one before at once.
    #[serde(default)]
    pub pattern: Pattern,
    /// Parallel connections of this flow, all alike.
    #[serde(default = "one")]
    pub connections: u32,
    /// A second flow of the same kind the other way, on connections of its own: `NAME-back`.
    #[serde(default)]
    pub both_ways: bool,
    /// The port at the receiver; UDP uses as many as there are connections, from this one up. Default: any that
    /// is free and allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Options of the sockets, at both ends.
    #[serde(default)]
    pub socket: Socket,
}

/// When writes are made; at most one of `rate` (alone), `every`, `on` with `off`, `messages`, `trace` and `file`.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// Writes are spaced to this mean rate; with `on` and `off`: within `on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Text<Rate>>,
    /// One write in each such interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Text<Span>>,
    /// Writes are made for so long, then
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Text<Span>>,
    /// for so long there are none; and again from the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<Text<Span>>,
    /// These messages, one after the other, and again from the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Message>>,
    /// So much at each of these times from the flow's start, once: `[["0 ms", "512 bytes"], ...]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<(Text<Span>, Text<Bytes>)>>,
    /// The trace is in this CSV file, in the folder of the plan or below it: columns `bytes` and `interval_s`, the
    /// time until the next write. The canonical form of a plan has the trace in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A message of a traffic pattern.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Its octets.
    pub message: Text<Bytes>,
    /// Octets of one write. Default: those of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Text<Bytes>>,
    /// Least time from its first write to that of the next message.
    #[serde(default = "zero")]
    pub interval: Text<Span>,
    /// Least time from its last write to the first of the next message.
    #[serde(default = "zero")]
    pub wait: Text<Span>,
}

/// Options of sockets; what is not given stays as the host has it.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Socket {
    /// `SO_SNDBUF`. Linux doubles it for its own records, and says so in the results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_buffer: Option<Text<Bytes>>,
    /// `SO_RCVBUF`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_buffer: Option<Text<Bytes>>,
    /// `TCP_MAXSEG`: largest segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss: Option<Text<Bytes>>,
    /// `TCP_CONGESTION`, as in `net.ipv4.tcp_allowed_congestion_control` of the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion_control: Option<String>,
    /// Nagle's algorithm; `false` sets `TCP_NODELAY`. Default: on, as everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nagle: Option<bool>,
}

/// Round-trip times by UDP: small datagrams that come back.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Who asks.
    pub from: String,
    /// Who answers.
    pub to: String,
    /// Time between two datagrams.
    #[serde(default = "probe_every")]
    pub every: Text<Span>,
    /// Octets of a datagram without its headers.
    #[serde(default = "probe_size")]
    pub size: Text<Bytes>,
    /// When it begins, from the common start.
    #[serde(default = "zero")]
    pub start: Text<Span>,
    /// How long it asks.
    pub duration: Text<Span>,
    /// The port of the one who answers. Default: any that is free and allowed.
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
    /// Reads and checks a plan; `files` gives the text of those that it names.
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

    /// Quiet time between two repetitions, in s.
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
