//! Expands a plan into streams between two hosts, and the orders of both ends.

use celltrain_language::Text;
use celltrain_proto::units::Span;
use indexmap::IndexMap;

use super::{Flow, Plan, Probe, Protocol, Socket};
use crate::order::{Kind, Order, Role, SocketOptions};
use crate::pattern::{self, Pattern};

const PS_PER_NS: u64 = 1_000;

/// A flow or probe between two hosts.
#[derive(Clone, PartialEq, Debug)]
pub struct Stream {
    /// The name of the flow or probe; `NAME-back` for the reverse direction of a flow that goes both ways.
    pub name: String,
    /// Flow or probe.
    pub kind: StreamKind,
    /// Index of the sending host.
    pub from: usize,
    /// Index of the receiving host.
    pub to: usize,
    /// The order of its ends; the role is that of the sender.
    pub order: Order,
}

/// The kind of a stream in the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamKind {
    /// A member of `flows`.
    Flow,
    /// A member of `probes`.
    Probe,
}

impl Stream {
    /// The order of one end.
    pub fn order(&self, role: Role) -> Order {
        Order {
            role,
            ..self.order.clone()
        }
    }

    /// Index of the host with this role.
    pub fn host(&self, role: Role) -> usize {
        match role {
            Role::Send => self.from,
            Role::Receive => self.to,
        }
    }
}

impl Plan {
    /// All streams, in the order of the plan; the number of a stream is its index.
    pub fn streams(&self) -> Vec<Stream> {
        let mut streams = Vec::new();
        for (name, flow) in &self.flows {
            for from in flow.from.names() {
                for to in flow.to.names() {
                    self.add(&mut streams, name, flow, [from, to]);
                    if flow.both_ways {
                        self.add(&mut streams, &format!("{name}-back"), flow, [to, from]);
                    }
                }
            }
        }
        for (name, probe) in &self.probes {
            let stream = streams.len() as u32;
            streams.push(Stream {
                name: name.clone(),
                kind: StreamKind::Probe,
                from: index(&self.hosts, &probe.from),
                to: index(&self.hosts, &probe.to),
                order: self.probe_order(stream, probe),
            });
        }
        streams
    }

    fn add(&self, streams: &mut Vec<Stream>, name: &str, flow: &Flow, [from, to]: [&str; 2]) {
        let stream = streams.len() as u32;
        streams.push(Stream {
            name: name.to_owned(),
            kind: StreamKind::Flow,
            from: index(&self.hosts, from),
            to: index(&self.hosts, to),
            order: self.flow_order(stream, flow),
        });
    }

    fn flow_order(&self, stream: u32, flow: &Flow) -> Order {
        let write = flow.write_octets();
        Order {
            stream,
            role: Role::Send,
            kind: match flow.protocol {
                Protocol::Tcp => Kind::Tcp,
                Protocol::Udp => Kind::Udp,
            },
            connections: flow.connections,
            port: flow.port,
            start_ns: ns(*flow.start),
            duration_ns: ns(*flow.duration),
            bytes: flow.bytes.map(|bytes| bytes.0.0),
            write,
            read: flow.read.0.0 as u32,
            pattern: flow.pattern.resolve(write),
            socket: flow.socket.resolve(),
            interval_ns: ns(*self.measure.interval),
            info_ns: ns(*self.measure.tcp_info),
            warm_up_ns: ns(*self.measure.warm_up),
            log: self.measure.log,
        }
    }

    fn probe_order(&self, stream: u32, probe: &Probe) -> Order {
        let size = probe.size.0.0 as u32;
        Order {
            stream,
            role: Role::Send,
            kind: Kind::Probe,
            connections: 1,
            port: probe.port,
            start_ns: ns(*probe.start),
            duration_ns: ns(*probe.duration),
            bytes: None,
            write: size,
            read: size,
            pattern: Pattern::Every(ns(*probe.every)),
            socket: SocketOptions::default(),
            interval_ns: ns(*self.measure.interval),
            info_ns: ns(*self.measure.tcp_info),
            warm_up_ns: 0,
            // The table of round trips has each datagram.
            log: 0,
        }
    }
}

impl Flow {
    /// Octets per write.
    pub(super) fn write_octets(&self) -> u32 {
        let default = match self.protocol {
            Protocol::Tcp => 128 << 10,
            Protocol::Udp => 1_200,
        };
        self.write.map_or(default, |write| write.0.0 as u32)
    }
}

impl super::Pattern {
    fn resolve(&self, write: u32) -> Pattern {
        let rate = self.rate.map(|rate| rate.as_bps() as u64);
        if let Some(messages) = &self.messages {
            let messages = messages.iter().map(|it| pattern::Message {
                bytes: it.message.0.0,
                write: it.write.map_or(write, |write| write.0.0 as u32),
                interval_ns: ns(*it.interval),
                wait_ns: ns(*it.wait),
            });
            Pattern::Messages(messages.collect())
        } else if let Some(trace) = &self.trace {
            let entries = trace.iter().map(|(at, size)| (ns(**at), size.0.0 as u32));
            Pattern::Trace(entries.collect())
        } else if let (Some(on), Some(off)) = (self.on, self.off) {
            Pattern::OnOff {
                on_ns: ns(*on),
                off_ns: ns(*off),
                rate,
            }
        } else if let Some(every) = self.every {
            Pattern::Every(ns(*every))
        } else {
            rate.map_or(Pattern::Greedy, Pattern::Rate)
        }
    }
}

impl Socket {
    fn resolve(&self) -> SocketOptions {
        let octets = |bytes: Text<_>| {
            let celltrain_proto::units::Bytes(octets) = bytes.0;
            octets as u32
        };
        SocketOptions {
            send_buffer: self.send_buffer.map(octets),
            receive_buffer: self.receive_buffer.map(octets),
            mss: self.mss.map(octets),
            congestion_control: self.congestion_control.clone(),
            nagle: self.nagle,
        }
    }
}

fn ns(span: Span) -> u64 {
    span.as_ps() / PS_PER_NS
}

/// The index of a host; plans are checked for undefined names.
fn index<T>(hosts: &IndexMap<String, T>, name: &str) -> usize {
    hosts
        .get_index_of(name)
        .expect("a checked plan names only hosts that it has")
}
