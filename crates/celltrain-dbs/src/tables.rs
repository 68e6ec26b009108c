//! The measurements of a repetition, as tables with units. Times are s from the common start.

mod builder;
mod series;

use celltrain_language::Table;

use crate::conductor::Conductor;
use crate::controller::{Controller, Repetition};
use crate::datagram::Counts;
use crate::message::{SocketFacts, What};
use crate::meter::Totals;
use crate::order::Kind;
use crate::plan::{Stream, StreamKind};
use crate::tcp_info::TcpInfo;
use builder::{Builder, seconds, signed_seconds};
use series::{intervals, latency, tcp_info};

/// All tables of one repetition: `hosts`, `flows`, `intervals`, `tcp_info`, `latency` and `missing`.
pub fn tables(controller: &Controller, number: u32, repetition: &Repetition) -> Vec<Table> {
    let conductor = &repetition.conductor;
    let connections = connections(controller.streams(), conductor);
    vec![
        hosts(controller, number, conductor),
        flows(controller, number, &connections, conductor),
        intervals(controller, number, conductor),
        tcp_info(controller, number, conductor),
        latency(controller, number, conductor),
        missing(controller, number, &connections, repetition),
    ]
}

/// Both ends of one connection of a stream.
struct Connection<'a> {
    stream: &'a Stream,
    number: u32,
    sent: Option<(u64, u64, &'a SocketFacts)>,
    received: Option<(Totals, Option<Counts>, &'a SocketFacts)>,
    interval_bytes: u64,
    failed: Vec<&'a str>,
    infos: Vec<&'a TcpInfo>,
}

impl Connection<'_> {
    fn is_complete(&self) -> bool {
        let needs_receiver = self.stream.kind == StreamKind::Flow;
        self.sent.is_some()
            && (self.received.is_some() || !needs_receiver)
            && self.failed.is_empty()
    }

    /// The measured time in ns: that of the flow without the warm-up, or up to the last octet if octets limit the flow.
    fn measured_ns(&self) -> Option<u64> {
        let order = &self.stream.order;
        let totals = self.received.as_ref()?.0;
        let all = match order.bytes {
            Some(_) => totals
                .last_ns?
                .checked_sub(order.start_ns)?
                .min(order.duration_ns),
            None => order.duration_ns,
        };
        all.checked_sub(order.warm_up_ns).filter(|&ns| ns > 0)
    }

    fn throughput_bps(&self) -> Option<f64> {
        let (totals, ..) = self.received.as_ref()?;
        if !self.failed.is_empty() {
            return None;
        }
        Some(totals.measured_bytes as f64 * 8.0 / seconds(self.measured_ns()?))
    }

    fn counts(&self) -> Option<Counts> {
        self.received.as_ref()?.1
    }

    /// Datagrams sent, and those of them that were lost.
    fn datagrams(&self) -> Option<(u64, u64)> {
        let (counts, sent) = (self.counts()?, self.sent?.1);
        Some((sent, sent.saturating_sub(counts.received)))
    }

    fn rtt_mean_s(&self) -> Option<f64> {
        let rtts: Vec<f64> = self
            .infos
            .iter()
            .filter(|it| it.rtt_us > 0)
            .map(|it| f64::from(it.rtt_us) / 1e6)
            .collect();
        (!rtts.is_empty()).then(|| rtts.iter().sum::<f64>() / rtts.len() as f64)
    }
}

fn connections<'a>(streams: &'a [Stream], conductor: &'a Conductor) -> Vec<Connection<'a>> {
    let mut all: Vec<Connection<'a>> = Vec::new();
    let mut first = Vec::new();
    for stream in streams {
        first.push(all.len());
        all.extend((0..stream.order.connections).map(|number| Connection {
            stream,
            number,
            sent: None,
            received: None,
            interval_bytes: 0,
            failed: Vec::new(),
            infos: Vec::new(),
        }));
    }
    for (_, report) in &conductor.reports {
        let stream = report.stream as usize;
        let Some(order) = streams
            .get(stream)
            .map(|it| &it.order)
            .filter(|it| report.connection < it.connections)
        else {
            continue;
        };
        debug_assert_eq!(order.stream, report.stream);
        let connection = &mut all[first[stream] + report.connection as usize];
        match &report.what {
            What::Sent {
                bytes,
                writes,
                socket,
                ..
            } => connection.sent = Some((*bytes, *writes, socket)),
            What::Received {
                totals,
                datagrams,
                socket,
            } => connection.received = Some((*totals, *datagrams, socket)),
            What::Interval { bytes, .. } => {
                connection.interval_bytes = connection.interval_bytes.saturating_add(*bytes);
            }
            What::TcpInfo { info, .. } => connection.infos.push(info),
            What::Failed { why } => connection.failed.push(why),
            What::RoundTrip { .. } => {}
        }
    }
    all
}

fn hosts(controller: &Controller, number: u32, conductor: &Conductor) -> Table {
    let rows: Vec<_> = controller.links.iter().zip(&conductor.hosts).collect();
    Builder::new("hosts", number, &rows)
        .name("host", |(link, _)| link.name.clone())
        .name("address", |(link, _)| link.address.to_string())
        .name("hostname", |(link, _)| link.facts.hostname.clone())
        .name("system", |(link, _)| link.facts.system.clone())
        .name("celltrain", |(link, _)| link.facts.celltrain.clone())
        .name("congestion_control", |(link, _)| {
            link.facts.congestion_control.clone()
        })
        .name("state", |(_, state)| {
            if state.lost.is_some() {
                "lost"
            } else {
                "complete"
            }
            .to_owned()
        })
        .maybe("clock_offset_s", "s", |(_, state)| {
            state.offset().map(|it| signed_seconds(it.ns))
        })
        .maybe("clock_bound_s", "s", |(_, state)| {
            state.offset().map(|it| seconds(it.bound_ns))
        })
        .maybe("control_rtt_s", "s", |(_, state)| {
            state.round_trip_ns().map(seconds)
        })
        .table
}

fn flows(
    controller: &Controller,
    number: u32,
    connections: &[Connection<'_>],
    conductor: &Conductor,
) -> Table {
    let rows: Vec<_> = connections
        .iter()
        .filter(|it| it.stream.kind == StreamKind::Flow)
        .collect();
    let order = |it: &&Connection<'_>| it.stream.order.clone();
    let socket = |it: &&Connection<'_>| it.sent.map(|sent| sent.2.clone());
    let count = |it: &&Connection<'_>, of: fn(&Counts) -> u64| it.counts().map(|it| of(&it) as f64);
    let delay = |it: &&Connection<'_>, of: fn(&Counts) -> f64| {
        // A delay between two clocks is only meaningful if the bound of their difference is known.
        conductor.between(it.stream.from, it.stream.to)?;
        it.counts()
            .filter(|it| it.delays.count > 0)
            .map(|it| of(&it) / 1e9)
    };
    Builder::new("flows", number, &rows)
        .name("flow", |it| it.stream.name.clone())
        .name("from", |it| controller.host(it.stream.from))
        .name("to", |it| controller.host(it.stream.to))
        .name("protocol", |it| {
            if it.stream.order.kind == Kind::Tcp {
                "tcp"
            } else {
                "udp"
            }
            .to_owned()
        })
        .count("connection", "1", |it| f64::from(it.number + 1))
        .name("state", |it| {
            if it.is_complete() {
                "complete"
            } else {
                "incomplete"
            }
            .to_owned()
        })
        .number("start_s", "s", |it| seconds(order(it).start_ns))
        .maybe("measured_s", "s", |it| it.measured_ns().map(seconds))
        .maybe("throughput_bps", "bit/s", |it| it.throughput_bps())
        .maybe_count("sent_bytes", "bytes", |it| it.sent.map(|it| it.0 as f64))
        .count("received_bytes", "bytes", |it| {
            it.received.map_or(it.interval_bytes, |it| it.0.bytes) as f64
        })
        .maybe_count("writes", "1", |it| it.sent.map(|it| it.1 as f64))
        .maybe_count("retransmits", "1", |it| {
            it.infos.last().map(|it| f64::from(it.retransmits))
        })
        .maybe("rtt_mean_s", "s", |it| it.rtt_mean_s())
        .maybe("rtt_min_s", "s", |it| {
            it.infos.last()?.min_rtt_us.map(|us| f64::from(us) / 1e6)
        })
        .maybe_count("datagrams_sent", "1", |it| {
            it.datagrams().map(|it| it.0 as f64)
        })
        .maybe_count("datagrams_lost", "1", |it| {
            it.datagrams().map(|it| it.1 as f64)
        })
        .maybe("loss_ratio", "1", |it| {
            it.datagrams()
                .filter(|it| it.0 > 0)
                .map(|it| it.1 as f64 / it.0 as f64)
        })
        .maybe_count("duplicates", "1", |it| count(it, |it| it.duplicates))
        .maybe_count("reordered", "1", |it| count(it, |it| it.reordered))
        .maybe("delay_mean_s", "s", |it| {
            delay(it, |it| it.delays.sum as f64 / it.delays.count as f64)
        })
        .maybe("delay_min_s", "s", |it| {
            delay(it, |it| it.delays.least as f64)
        })
        .maybe("delay_max_s", "s", |it| {
            delay(it, |it| it.delays.most as f64)
        })
        .maybe("delay_bound_s", "s", |it| {
            it.counts()?;
            conductor
                .between(it.stream.from, it.stream.to)
                .map(|it| seconds(it.bound_ns))
        })
        .maybe("jitter_s", "s", |it| {
            it.counts().map(|it| it.jitter_ns / 1e9)
        })
        .maybe_count("mss_bytes", "bytes", |it| socket(it)?.mss.map(f64::from))
        .maybe_count("send_buffer_bytes", "bytes", |it| {
            socket(it).map(|it| f64::from(it.send_buffer))
        })
        .maybe_count("receive_buffer_bytes", "bytes", |it| {
            it.received.map(|it| f64::from(it.2.receive_buffer))
        })
        .name("congestion_control", |it| {
            socket(it)
                .and_then(|it| it.congestion_control)
                .unwrap_or_default()
        })
        .table
}

/// What is missing from the other tables, and why.
fn missing(
    controller: &Controller,
    number: u32,
    connections: &[Connection<'_>],
    repetition: &Repetition,
) -> Table {
    let conductor = &repetition.conductor;
    let mut rows: Vec<(String, String, String)> = Vec::new();
    for (link, state) in controller.links.iter().zip(&conductor.hosts) {
        rows.extend(
            state
                .lost
                .iter()
                .map(|why| (link.name.clone(), String::new(), why.clone())),
        );
    }
    for (stream, at, why) in &conductor.failed {
        let name = controller
            .streams()
            .get(*stream as usize)
            .map_or_else(String::new, |it| it.name.clone());
        rows.push((controller.host(*at), name, why.clone()));
    }
    for connection in connections {
        let name = || match connection.stream.order.connections {
            1 => connection.stream.name.clone(),
            _ => format!("{} ({})", connection.stream.name, connection.number + 1),
        };
        for why in &connection.failed {
            rows.push((String::new(), name(), (*why).to_owned()));
        }
        let told = conductor
            .failed
            .iter()
            .any(|it| it.0 == connection.stream.order.stream);
        if connection.failed.is_empty() && !told && !connection.is_complete() {
            let why = match (connection.sent, connection.received) {
                _ if repetition.cancelled => "the run was interrupted",
                (None, None) => "it did not run: one of its hosts was lost",
                (None, _) => "the sender's totals are missing",
                (_, _) => "the receiver's totals are missing",
            };
            rows.push((String::new(), name(), why.to_owned()));
        }
    }
    Builder::new("missing", number, &rows)
        .name("host", |row| row.0.clone())
        .name("flow", |row| row.1.clone())
        .name("why", |row| row.2.clone())
        .table
}
