//! The table of connections.

use celltrain_language::Table;
use celltrain_language::entry::{count, count_or_none, number, text};

use super::connection::Connection;
use super::registry::Reading::{Maybe, Name, Number};
use super::registry::{
    Columns, OfStream, Rows, Run, connection, filled, flow, from, repetition, seconds, to,
};
use crate::datagram::{Counts, Delays};
use crate::message::SocketFacts;
use crate::order::Kind;
use crate::plan::{Stream, StreamKind};

/// A row is a connection of a flow.
pub(super) struct Flows;

impl Rows for Flows {
    type Row<'a> = &'a Connection<'a>;
}

impl OfStream for Flows {
    fn stream<'a>(row: &Self::Row<'a>) -> (&'a Stream, u32) {
        (row.stream, row.number + 1)
    }
}

/// The kernel's facts about the sending socket.
fn socket<'a>(connection: &Connection<'a>) -> Option<&'a SocketFacts> {
    connection.sent.map(|sent| sent.2)
}

fn counted(connection: &Connection<'_>, of: fn(&Counts) -> u64) -> Option<f64> {
    connection.counts().map(|counts| of(&counts) as f64)
}

/// A delay in s; none if the difference of the two clocks has no known bound.
fn delay(run: &Run<'_>, connection: &Connection<'_>, of: fn(&Delays) -> f64) -> Option<f64> {
    let stream = connection.stream;
    run.session.between(stream.from, stream.to)?;
    let delays = connection.counts()?.delays;
    (delays.count > 0).then(|| of(&delays) / 1e9)
}

/// All columns, in the order of the table.
pub(super) const COLUMNS: &Columns<Flows> = &[
    repetition(),
    flow(),
    from(),
    to(),
    text(
        "protocol",
        "",
        "protocol",
        "`tcp` or `udp`",
        Name(|_, it| {
            let is_tcp = it.stream.order.kind == Kind::Tcp;
            if is_tcp { "tcp" } else { "udp" }.to_owned()
        }),
    ),
    connection(),
    text(
        "state",
        "",
        "state",
        "`complete`, or `incomplete` if some values of the row are unknown",
        Name(|_, it| {
            let is_complete = it.is_complete();
            if is_complete {
                "complete"
            } else {
                "incomplete"
            }
            .to_owned()
        }),
    ),
    number(
        "start_s",
        "s",
        "start",
        "when it starts",
        Number(|_, it| seconds(it.stream.order.start_ns)),
    ),
    number(
        "measured_s",
        "s",
        "measured",
        "the measured time: from `start` + `warm_up` to `start` + `duration`, or with `bytes` to the last octet",
        Maybe(|_, it| it.measured_ns().map(seconds)),
    ),
    number(
        "throughput_bps",
        "bit/s",
        "throughput",
        "bits that the receiver read in the measured time, divided by that time",
        Maybe(|_, it| it.throughput_bps()),
    ),
    count_or_none(
        "sent_bytes",
        "bytes",
        "sent",
        "octets that the sender wrote",
        Maybe(|_, it| it.sent.map(|it| it.0 as f64)),
    ),
    count(
        "received_bytes",
        "bytes",
        "received",
        "octets that the receiver read: the sum of its intervals",
        Number(|_, it| it.interval_bytes as f64),
    ),
    count_or_none(
        "writes",
        "1",
        "writes",
        "writes of the sender; for UDP each is a datagram",
        Maybe(|_, it| it.sent.map(|it| it.1 as f64)),
    ),
    count_or_none(
        "retransmits",
        "1",
        "retransmitted",
        "TCP: segments retransmitted, at the last sample",
        Maybe(|_, it| it.infos.last().map(|it| f64::from(it.retransmits))),
    ),
    number(
        "rtt_mean_s",
        "s",
        "mean RTT",
        "TCP: mean of the kernel's smoothed round-trip time at the samples",
        Maybe(|_, it| it.rtt_mean_s()),
    ),
    number(
        "rtt_min_s",
        "s",
        "min RTT",
        "TCP: the kernel's shortest round-trip time, at the last sample",
        Maybe(|_, it| it.infos.last()?.min_rtt_us.map(|us| f64::from(us) / 1e6)),
    ),
    count_or_none(
        "datagrams_sent",
        "1",
        "datagrams sent",
        "UDP: datagrams sent",
        Maybe(|_, it| it.datagrams_sent()),
    ),
    count_or_none(
        "datagrams_lost",
        "1",
        "datagrams lost",
        "UDP: datagrams sent that did not arrive: the sum of its intervals; none if the wait for them was cut short",
        Maybe(|_, it| it.datagrams_lost()),
    ),
    number(
        "loss_ratio",
        "1",
        "loss ratio",
        "UDP: `datagrams_lost` divided by `datagrams_sent`",
        Maybe(|_, it| {
            let (sent, lost) = (it.datagrams_sent()?, it.datagrams_lost()?);
            (sent > 0.0).then(|| lost / sent)
        }),
    ),
    count_or_none(
        "duplicates",
        "1",
        "duplicates",
        "UDP: repeated arrivals of datagrams",
        Maybe(|_, it| counted(it, |it| it.duplicates)),
    ),
    count_or_none(
        "reordered",
        "1",
        "reordered",
        "UDP: datagrams that arrived after one that was sent later (RFC 4737)",
        Maybe(|_, it| counted(it, |it| it.reordered)),
    ),
    number(
        "delay_mean_s",
        "s",
        "mean delay",
        "UDP: mean one-way delay",
        Maybe(|run, it| delay(run, it, |it| it.sum as f64 / it.count as f64)),
    ),
    number(
        "delay_min_s",
        "s",
        "min delay",
        "UDP: shortest one-way delay",
        Maybe(|run, it| delay(run, it, |it| it.least as f64)),
    ),
    number(
        "delay_max_s",
        "s",
        "max delay",
        "UDP: longest one-way delay",
        Maybe(|run, it| delay(run, it, |it| it.most as f64)),
    ),
    number(
        "delay_bound_s",
        "s",
        "delay bound",
        "UDP: largest possible error of these delays, due to the clocks of both hosts",
        Maybe(|run, it| {
            it.counts()?;
            let offset = run.session.between(it.stream.from, it.stream.to);
            offset.map(|it| seconds(it.bound_ns))
        }),
    ),
    number(
        "jitter_s",
        "s",
        "jitter",
        "UDP: interarrival jitter (RFC 3550)",
        Maybe(|_, it| it.counts().map(|it| it.jitter_ns / 1e9)),
    ),
    count_or_none(
        "mss_bytes",
        "bytes",
        "MSS",
        "TCP: the sender's maximum segment size, as reported by its kernel",
        Maybe(|_, it| socket(it)?.mss.map(f64::from)),
    ),
    count_or_none(
        "send_buffer_bytes",
        "bytes",
        "send buffer",
        "the sender's buffer, as reported by its kernel",
        Maybe(|_, it| socket(it).map(|it| f64::from(it.send_buffer))),
    ),
    count_or_none(
        "receive_buffer_bytes",
        "bytes",
        "receive buffer",
        "the receiver's buffer, as reported by its kernel",
        Maybe(|_, it| it.received.map(|it| f64::from(it.2.receive_buffer))),
    ),
    text(
        "congestion_control",
        "",
        "congestion control",
        "TCP: the sender's algorithm, as its kernel names it",
        Name(|_, it| {
            let name = socket(it).and_then(|it| it.congestion_control.clone());
            name.unwrap_or_default()
        }),
    ),
];

/// A row for each connection of each flow.
pub(super) fn flows<'a>(run: &Run<'a>, connections: &'a [Connection<'a>]) -> Table {
    let connections = connections.iter();
    let rows: Vec<_> = connections
        .filter(|it| it.stream.kind == StreamKind::Flow)
        .collect();
    filled("flows", COLUMNS, run, &rows)
}
