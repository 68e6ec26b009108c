//! Tables of measurements over time.

use std::collections::HashMap;
use std::marker::PhantomData;

use celltrain_language::Table;
use celltrain_language::entry::{count, count_or_none, number, text};

use super::connection::Connection;
use super::registry::Reading::{Maybe, Name, Number};
use super::registry::{
    Columns, OfStream, Rows, Run, connection, filled, flow, from, repetition, seconds, to,
};
use crate::message::{IntervalDatagrams, What};
use crate::plan::Stream;
use crate::tcp_info::TcpInfo;

/// A value that a connection reported.
pub(super) struct Row<'a, T> {
    stream: &'a Stream,
    connection: u32,
    value: T,
}

/// A row is a report of a connection.
pub(super) struct Series<T>(PhantomData<T>);

impl<T> Rows for Series<T> {
    type Row<'a> = Row<'a, T>;
}

impl<T> OfStream for Series<T> {
    fn stream<'a>(row: &Self::Row<'a>) -> (&'a Stream, u32) {
        (row.stream, row.connection)
    }
}

/// A row for each report from which `of` extracts a value, in the order of the connections.
fn rows<'a, T>(run: &Run<'a>, of: impl Fn(&'a What) -> Option<T>) -> Vec<Row<'a, T>> {
    let reports = run.session.reports.iter().filter_map(|(_, report)| {
        Some(Row {
            stream: run.controller.streams().get(report.stream as usize)?,
            connection: report.connection + 1,
            value: of(&report.what)?,
        })
    });
    let mut rows: Vec<_> = reports.collect();
    // Stable: the values of one connection keep their order.
    rows.sort_by_key(|row| (row.stream.order.stream, row.connection));
    rows
}

/// The data that arrived in an interval.
pub(super) struct Interval {
    index: u64,
    bytes: u64,
    datagrams: Option<IntervalDatagrams>,
    /// Datagrams missing among those up to the highest number; negative if late ones arrived.
    lost: Option<f64>,
}

/// Counts the datagrams missing in each interval: the increase of the highest number, minus what arrived. In the last
/// interval of a connection the highest number rises to that of the last datagram `sent`, if this is known: then the sum
/// is the number of datagrams sent that did not arrive.
fn count_lost(rows: &mut [Row<'_, Interval>], sent: impl Fn((u32, u32)) -> Option<f64>) {
    let of = |row: &Row<'_, Interval>| (row.stream.order.stream, row.connection);
    for rows in rows.chunk_by_mut(|one, other| of(one) == of(other)) {
        let sent = sent(of(&rows[0]));
        let (mut before, last) = (0.0, rows.len() - 1);
        for (at, row) in rows.iter_mut().enumerate() {
            let Some(datagrams) = row.value.datagrams else {
                continue;
            };
            let highest = datagrams.highest as f64;
            let highest = sent.filter(|_| at == last).unwrap_or(highest);
            row.value.lost = Some(highest - before - datagrams.count as f64);
            before = highest;
        }
    }
}

/// Start and end of an interval, in ns from the common start.
fn bounds(row: &Row<'_, Interval>) -> (u64, u64) {
    let order = &row.stream.order;
    // A daemon may report any number, so the arithmetic must not overflow.
    let begin = order
        .start_ns
        .saturating_add(row.value.index.saturating_mul(order.interval_ns));
    let end = begin.saturating_add(order.interval_ns);
    // The end of the flow may cut its last interval short; later intervals hold late data.
    let is_last = (begin..end).contains(&order.end_ns()) && begin < order.end_ns();
    (begin, if is_last { order.end_ns() } else { end })
}

fn datagrams(row: &Row<'_, Interval>) -> Option<IntervalDatagrams> {
    row.value.datagrams.filter(|it| it.count > 0)
}

/// A delay in s; none if the two clocks cannot be compared.
fn delay(run: &Run<'_>, row: &Row<'_, Interval>, ns: fn(&IntervalDatagrams) -> f64) -> Option<f64> {
    run.session.between(row.stream.from, row.stream.to)?;
    datagrams(row).map(|it| ns(&it) / 1e9)
}

/// Columns of the table of intervals, in its order.
pub(super) const INTERVALS: &Columns<Series<Interval>> = &[
    repetition(),
    flow(),
    from(),
    to(),
    connection(),
    number(
        "time_s",
        "s",
        "time",
        "end of the interval",
        Number(|_, row| seconds(bounds(row).1)),
    ),
    count(
        "received_bytes",
        "bytes",
        "received",
        "octets that the receiver read in the interval",
        Number(|_, row| row.value.bytes as f64),
    ),
    number(
        "throughput_bps",
        "bit/s",
        "throughput",
        "these octets in bits, divided by the length of the interval",
        Number(|_, row| {
            let (begin, end) = bounds(row);
            row.value.bytes as f64 * 8.0 / seconds(end.saturating_sub(begin).max(1))
        }),
    ),
    count_or_none(
        "datagrams",
        "1",
        "datagrams",
        "UDP: datagrams that arrived in the interval",
        Maybe(|_, row| row.value.datagrams.map(|it| it.count as f64)),
    ),
    count_or_none(
        "datagrams_lost",
        "1",
        "datagrams lost",
        "UDP: rise of the highest number in the interval, minus the datagrams that arrived; negative if late ones did. In the last row of a connection, also those sent after the highest number that arrived",
        Maybe(|_, row| row.value.lost),
    ),
    number(
        "delay_mean_s",
        "s",
        "mean delay",
        "UDP: mean one-way delay",
        Maybe(|run, row| delay(run, row, |it| it.delay_sum_ns as f64 / it.count as f64)),
    ),
    number(
        "delay_min_s",
        "s",
        "min delay",
        "UDP: shortest one-way delay",
        Maybe(|run, row| delay(run, row, |it| it.delay_least_ns as f64)),
    ),
    number(
        "delay_max_s",
        "s",
        "max delay",
        "UDP: longest one-way delay",
        Maybe(|run, row| delay(run, row, |it| it.delay_most_ns as f64)),
    ),
    number(
        "jitter_s",
        "s",
        "jitter",
        "UDP: interarrival jitter (RFC 3550) at the end of the interval",
        Maybe(|_, row| datagrams(row).map(|it| it.jitter_ns / 1e9)),
    ),
];

/// A row for each connection and interval.
pub(super) fn intervals(run: &Run<'_>, connections: &[Connection<'_>]) -> Table {
    let mut rows = rows(run, |what| match what {
        What::Interval {
            index,
            bytes,
            datagrams,
        } => Some(Interval {
            index: *index,
            bytes: *bytes,
            datagrams: *datagrams,
            lost: None,
        }),
        _ => None,
    });
    let sent: HashMap<_, _> = connections
        .iter()
        .filter(|it| it.datagrams_lost().is_some())
        .map(|it| ((it.stream.order.stream, it.number + 1), it.datagrams_sent()))
        .collect();
    count_lost(&mut rows, |connection| *sent.get(&connection)?);
    filled("intervals", INTERVALS, run, &rows)
}

/// A kernel sample of a connection: its time, in ns from the common start, and its content.
pub(super) type Sample = (u64, TcpInfo);

fn us(us: u32) -> f64 {
    f64::from(us) / 1e6
}

/// Columns of the table of the kernel's state of TCP, in its order.
pub(super) const TCP_INFO: &Columns<Series<Sample>> = &[
    repetition(),
    flow(),
    from(),
    to(),
    connection(),
    number(
        "time_s",
        "s",
        "time",
        "when the sample was taken",
        Number(|_, row| seconds(row.value.0)),
    ),
    count(
        "cwnd_segments",
        "1",
        "cwnd",
        "congestion window in segments",
        Number(|_, row| f64::from(row.value.1.cwnd)),
    ),
    count(
        "cwnd_bytes",
        "bytes",
        "cwnd in octets",
        "congestion window: `cwnd_segments` times the sender's maximum segment size",
        Number(|_, row| f64::from(row.value.1.cwnd) * f64::from(row.value.1.mss)),
    ),
    count_or_none(
        "ssthresh_segments",
        "1",
        "ssthresh",
        "slow-start threshold in segments; none while it is infinite",
        Maybe(|_, row| row.value.1.ssthresh.map(f64::from)),
    ),
    number(
        "rtt_s",
        "s",
        "RTT",
        "smoothed round-trip time",
        Number(|_, row| us(row.value.1.rtt_us)),
    ),
    number(
        "rttvar_s",
        "s",
        "RTTVAR",
        "variation of the round-trip time",
        Number(|_, row| us(row.value.1.rttvar_us)),
    ),
    number(
        "rto_s",
        "s",
        "RTO",
        "retransmission timeout",
        Number(|_, row| us(row.value.1.rto_us)),
    ),
    count(
        "unacked_segments",
        "1",
        "unacknowledged",
        "segments sent and not acknowledged",
        Number(|_, row| f64::from(row.value.1.unacked)),
    ),
    count(
        "retransmits",
        "1",
        "retransmitted",
        "segments retransmitted so far",
        Number(|_, row| f64::from(row.value.1.retransmits)),
    ),
    count_or_none(
        "sent_bytes",
        "bytes",
        "sent",
        "octets sent so far, each counted once, including the 28 octets of the connection's greeting",
        Maybe(|_, row| row.value.1.bytes_sent.map(|it| it as f64)),
    ),
    count_or_none(
        "acked_bytes",
        "bytes",
        "acknowledged",
        "octets acknowledged so far, including the greeting, with SYN and FIN as one each",
        Maybe(|_, row| row.value.1.bytes_acked.map(|it| it as f64)),
    ),
    number(
        "delivery_rate_bps",
        "bit/s",
        "delivery rate",
        "the kernel's estimate of the rate at which data arrive",
        Maybe(|_, row| row.value.1.delivery_rate.map(|it| it as f64 * 8.0)),
    ),
];

/// A row for each connection and sample.
pub(super) fn tcp_info(run: &Run<'_>) -> Table {
    let rows = rows(run, |what| match what {
        What::TcpInfo { at_ns, info } => Some((*at_ns, *info)),
        _ => None,
    });
    filled("tcp_info", TCP_INFO, run, &rows)
}

/// A datagram of a probe: when it was sent, in ns from the common start, and its round trip in ns, if it came back.
pub(super) type RoundTrip = (u64, Option<u64>);

/// Columns of the table of round trips, in its order.
pub(super) const LATENCY: &Columns<Series<RoundTrip>> = &[
    repetition(),
    text(
        "probe",
        "",
        "probe",
        "the probe",
        Name(|_, row| row.stream.name.clone()),
    ),
    from(),
    to(),
    number(
        "time_s",
        "s",
        "time",
        "when the datagram was sent",
        Number(|_, row| seconds(row.value.0)),
    ),
    number(
        "rtt_s",
        "s",
        "RTT",
        "its round trip; none if it did not come back",
        Maybe(|_, row| row.value.1.map(seconds)),
    ),
];

/// A row for each datagram of each probe.
pub(super) fn latency(run: &Run<'_>) -> Table {
    let mut rows = rows(run, |what| match what {
        What::RoundTrip { at_ns, rtt_ns } => Some((*at_ns, *rtt_ns)),
        _ => None,
    });
    rows.sort_by_key(|row| (row.stream.order.stream, row.value.0));
    filled("latency", LATENCY, run, &rows)
}

#[cfg(test)]
mod tests {
    use celltrain_language::Source;

    use super::*;
    use crate::plan::Plan;

    const PLAN: &str = r#"
        [hosts]
        a = {}
        b = {}
        [flows.voice]
        from = "a"
        to = "b"
        protocol = "udp"
        duration = "1 s"
        pattern = { every = "20 ms" }
    "#;

    #[test]
    fn a_late_datagram_is_lost_in_its_interval_and_comes_back_in_a_later_one() {
        let plan = Plan::read(&Source::toml(PLAN, "plan"), &|_| Err(String::new())).unwrap();
        let streams = plan.streams();
        let row = |connection, highest, count| Row {
            stream: &streams[0],
            connection,
            value: Interval {
                index: 0,
                bytes: 0,
                datagrams: Some(IntervalDatagrams {
                    count,
                    delay_sum_ns: 0,
                    delay_least_ns: 0,
                    delay_most_ns: 0,
                    jitter_ns: 0.0,
                    highest,
                }),
                lost: None,
            },
        };
        // Numbers 0 to 4 without 2 and 3, then 5 and the late 3, then none; another connection starts from zero.
        let mut rows = [row(1, 5, 3), row(1, 6, 2), row(1, 6, 0), row(2, 4, 4)];
        count_lost(&mut rows, |_| None);
        let lost: Vec<_> = rows.iter().map(|row| row.value.lost).collect();
        assert_eq!(lost, [Some(2.0), Some(-1.0), Some(0.0), Some(0.0)]);
        // Of the first connection, 9 were sent: 6 to 8 are lost too.
        count_lost(&mut rows, |it| (it.1 == 1).then_some(9.0));
        let lost: Vec<_> = rows.iter().map(|row| row.value.lost).collect();
        assert_eq!(lost, [Some(2.0), Some(-1.0), Some(3.0), Some(0.0)]);
    }
}
