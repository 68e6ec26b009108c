//! Tables of measurements over time.

use celltrain_language::Table;

use super::builder::{Builder, seconds};
use crate::conductor::Conductor;
use crate::controller::Controller;
use crate::message::{IntervalDatagrams, What};
use crate::plan::Stream;

/// A value of a time series, with its connection.
struct Row<'a, T> {
    stream: &'a Stream,
    connection: u32,
    value: T,
}

fn rows<'a, T>(
    controller: &'a Controller,
    conductor: &'a Conductor,
    of: impl Fn(&'a What) -> Option<T>,
) -> Vec<Row<'a, T>> {
    let reports = conductor.reports.iter().filter_map(|(_, report)| {
        Some(Row {
            stream: controller.streams().get(report.stream as usize)?,
            connection: report.connection + 1,
            value: of(&report.what)?,
        })
    });
    let mut rows: Vec<_> = reports.collect();
    // Stable: the values of one connection keep their order.
    rows.sort_by_key(|row| (row.stream.order.stream, row.connection));
    rows
}

fn series<'a, 'b, T>(
    name: &str,
    controller: &Controller,
    number: u32,
    rows: &'b [Row<'a, T>],
) -> Builder<'b, Row<'a, T>> {
    Builder::new(name, number, rows)
        .name("flow", |row| row.stream.name.clone())
        .name("from", |row| controller.host(row.stream.from))
        .name("to", |row| controller.host(row.stream.to))
        .count("connection", "1", |row| f64::from(row.connection))
}

/// What arrived in an interval.
struct Interval {
    index: u64,
    bytes: u64,
    datagrams: Option<IntervalDatagrams>,
    /// Datagrams missing among those up to the highest number; negative if late ones arrived.
    lost: Option<f64>,
}

/// Counts the datagrams missing in each interval: the increase of the highest number, minus what arrived.
fn count_lost(rows: &mut [Row<'_, Interval>]) {
    let mut before = ((0, 0), 0);
    for row in rows {
        let connection = (row.stream.order.stream, row.connection);
        let Some(datagrams) = row.value.datagrams else {
            continue;
        };
        let from = if before.0 == connection { before.1 } else { 0 };
        let rise = datagrams.highest.saturating_sub(from);
        row.value.lost = Some(rise as f64 - datagrams.count as f64);
        before = (connection, datagrams.highest);
    }
}

pub(super) fn intervals(controller: &Controller, number: u32, conductor: &Conductor) -> Table {
    let mut rows = rows(controller, conductor, |what| match what {
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
    count_lost(&mut rows);
    let rows = rows;
    let bounds = |row: &Row<'_, Interval>| {
        let order = &row.stream.order;
        // A daemon may report any number: the arithmetic must not overflow.
        let begin = order
            .start_ns
            .saturating_add(row.value.index.saturating_mul(order.interval_ns));
        let end = begin.saturating_add(order.interval_ns);
        // The last interval within the flow's time may be shortened by its end; those after it hold late data.
        let is_last = (begin..end).contains(&order.end_ns()) && begin < order.end_ns();
        (begin, if is_last { order.end_ns() } else { end })
    };
    let datagrams = |row: &Row<'_, Interval>| row.value.datagrams.filter(|it| it.count > 0);
    let delay = |row: &Row<'_, Interval>, ns: f64| {
        conductor
            .between(row.stream.from, row.stream.to)
            .map(|_| ns / 1e9)
    };
    series("intervals", controller, number, &rows)
        .number("time_s", "s", |row| seconds(bounds(row).1))
        .count("received_bytes", "bytes", |row| row.value.bytes as f64)
        .number("throughput_bps", "bit/s", |row| {
            let (begin, end) = bounds(row);
            row.value.bytes as f64 * 8.0 / seconds(end.saturating_sub(begin).max(1))
        })
        .maybe_count("datagrams", "1", |row| {
            row.value.datagrams.map(|it| it.count as f64)
        })
        .maybe_count("datagrams_lost", "1", |row| row.value.lost)
        .maybe("delay_mean_s", "s", |row| {
            datagrams(row).and_then(|it| delay(row, it.delay_sum_ns as f64 / it.count as f64))
        })
        .maybe("delay_min_s", "s", |row| {
            datagrams(row).and_then(|it| delay(row, it.delay_least_ns as f64))
        })
        .maybe("delay_max_s", "s", |row| {
            datagrams(row).and_then(|it| delay(row, it.delay_most_ns as f64))
        })
        .maybe("jitter_s", "s", |row| {
            datagrams(row).map(|it| it.jitter_ns / 1e9)
        })
        .table
}

pub(super) fn tcp_info(controller: &Controller, number: u32, conductor: &Conductor) -> Table {
    let rows = rows(controller, conductor, |what| match what {
        What::TcpInfo { at_ns, info } => Some((*at_ns, *info)),
        _ => None,
    });
    let us = |us: u32| f64::from(us) / 1e6;
    series("tcp_info", controller, number, &rows)
        .number("time_s", "s", |row| seconds(row.value.0))
        .count("cwnd_segments", "1", |row| f64::from(row.value.1.cwnd))
        .count("cwnd_bytes", "bytes", |row| {
            f64::from(row.value.1.cwnd) * f64::from(row.value.1.mss)
        })
        .maybe_count("ssthresh_segments", "1", |row| {
            row.value.1.ssthresh.map(f64::from)
        })
        .number("rtt_s", "s", |row| us(row.value.1.rtt_us))
        .number("rttvar_s", "s", |row| us(row.value.1.rttvar_us))
        .number("rto_s", "s", |row| us(row.value.1.rto_us))
        .count("unacked_segments", "1", |row| {
            f64::from(row.value.1.unacked)
        })
        .count("retransmits", "1", |row| f64::from(row.value.1.retransmits))
        .maybe_count("sent_bytes", "bytes", |row| {
            row.value.1.bytes_sent.map(|it| it as f64)
        })
        .maybe_count("acked_bytes", "bytes", |row| {
            row.value.1.bytes_acked.map(|it| it as f64)
        })
        .maybe("delivery_rate_bps", "bit/s", |row| {
            row.value.1.delivery_rate.map(|it| it as f64 * 8.0)
        })
        .table
}

pub(super) fn latency(controller: &Controller, number: u32, conductor: &Conductor) -> Table {
    let mut rows = rows(controller, conductor, |what| match what {
        What::RoundTrip { at_ns, rtt_ns } => Some((*at_ns, *rtt_ns)),
        _ => None,
    });
    rows.sort_by_key(|row| (row.stream.order.stream, row.value.0));
    Builder::new("latency", number, &rows)
        .name("probe", |row| row.stream.name.clone())
        .name("from", |row| controller.host(row.stream.from))
        .name("to", |row| controller.host(row.stream.to))
        .number("time_s", "s", |row| seconds(row.value.0))
        .maybe("rtt_s", "s", |row| row.value.1.map(seconds))
        .table
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
        count_lost(&mut rows);
        let lost: Vec<_> = rows.iter().map(|row| row.value.lost).collect();
        assert_eq!(lost, [Some(2.0), Some(-1.0), Some(0.0), Some(0.0)]);
    }
}
