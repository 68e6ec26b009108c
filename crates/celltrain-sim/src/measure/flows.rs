//! The table of flows.

use std::sync::Arc;

use celltrain_language::entry::{Entry, count, number, table, text};

use super::interval::{Interval, ratio};
use super::{FlowReading, Names, Table, Values};
use crate::network::Flow;

/// How a column is read.
pub(super) enum Reading {
    /// A property of the flow.
    Name(fn(&Interval<'_>) -> Names),
    /// The growth of a counter in the measured interval.
    Counted(fn(&FlowReading) -> u64),
    /// The growth of a sum divided by that of a count; NaN where nothing was counted.
    Mean(fn(&FlowReading) -> f64, fn(&FlowReading) -> u64),
    /// Computed from the whole interval, with a value for each row.
    Computed(fn(&Interval<'_>) -> Vec<f64>),
}

use Reading::{Computed, Counted, Mean, Name};

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text(
        "flow",
        "",
        "flow",
        "the flow; `NAME.back` is the other direction of NAME, a connection with data both ways",
        Name(names),
    ),
    text(
        "vc",
        "",
        "VC",
        "the VC that it uses",
        Name(|it| Names::new(&it.names.vcs, it.network.flows.iter().map(|flow| flow.vc))),
    ),
    text(
        "direction",
        "",
        "direction",
        "the direction of its data on the VC",
        Name(directions),
    ),
    text(
        "from",
        "",
        "from",
        "the node that sends the data",
        Name(|it| end(it, 0)),
    ),
    text(
        "to",
        "",
        "to",
        "the node that receives it",
        Name(|it| end(it, 1)),
    ),
    text(
        "variant",
        "",
        "variant",
        "the TCP variant; `udp` for packets without TCP",
        Name(variants),
    ),
    number(
        "throughput_bps",
        "bit/s",
        "throughput",
        "`delivered_bytes` x 8 / measured time",
        Computed(throughput),
    ),
    count(
        "delivered_bytes",
        "bytes",
        "delivered",
        "octets newly delivered in order to the application, headers excluded; duplicates, SYNs and FINs do not count",
        Counted(|flow| flow.delivered),
    ),
    count(
        "segments_sent",
        "1",
        "segments",
        "segments with data, including retransmissions and window probes; no SYN, and no FIN without data",
        Counted(|flow| flow.segments),
    ),
    count(
        "segments_retransmitted",
        "1",
        "retransmitted",
        "segments that begin with data sent before",
        Counted(|flow| flow.retransmitted),
    ),
    count(
        "timeouts",
        "1",
        "time-outs",
        "retransmission time-outs",
        Counted(|flow| flow.timeouts),
    ),
    count(
        "fast_retransmits",
        "1",
        "fast retransmits",
        "fast retransmits",
        Counted(|flow| flow.fast_retransmits),
    ),
    number(
        "rtt_mean_s",
        "s",
        "mean RTT",
        "mean time from a segment's first hand-over by TCP to the ACK that covers it, including waiting at the host",
        Mean(|flow| flow.rtt_sum_s, |flow| flow.rtt_samples),
    ),
    count(
        "rtt_samples",
        "1",
        "RTT samples",
        "segments in that mean",
        Counted(|flow| flow.rtt_samples),
    ),
    number(
        "delay_mean_s",
        "s",
        "mean delay",
        "mean one-way delay of packets with data, from hand-over to the sending host to the last cell at the receiving host",
        Mean(|flow| flow.delay_sum_s, |flow| flow.delays),
    ),
    count(
        "delay_samples",
        "1",
        "delay samples",
        "packets in that mean",
        Counted(|flow| flow.delays),
    ),
    count(
        "ecn_reductions",
        "1",
        "ECN reductions",
        "window reductions caused by congestion marks",
        Counted(|flow| flow.ecn_reductions),
    ),
    count(
        "transfers",
        "1",
        "transfers",
        "completed file transfers",
        Counted(|flow| flow.transfers),
    ),
    count(
        "transfers_failed",
        "1",
        "failed transfers",
        "file transfers given up",
        Counted(|flow| flow.transfers_failed),
    ),
    number(
        "transfer_mean_s",
        "s",
        "mean transfer",
        "mean duration of a completed transfer, from the opening of its connection to its release",
        Mean(|flow| flow.transfer_sum_s, |flow| flow.transfers),
    ),
    number(
        "transfer_mean_bytes",
        "bytes",
        "mean file",
        "mean length of the files of completed transfers",
        Mean(|flow| flow.transfer_octets as f64, |flow| flow.transfers),
    ),
    number(
        "think_mean_s",
        "s",
        "mean think time",
        "mean of the think times that ended",
        Mean(|flow| flow.think_sum_s, |flow| flow.thinks),
    ),
    count(
        "spurious_timeouts",
        "1",
        "spurious time-outs",
        "time-outs although the newest copy of the oldest segment had lost no cell. A copy that is discarded with the remains of the segment before it has lost none; cells that a queue drops after they have waited do not count as lost here",
        Counted(|flow| flow.spurious_timeouts),
    ),
    number(
        "longest_idle_s",
        "s",
        "longest idle",
        "longest time without new in-order data at the receiver, within the measured interval. None for packets without TCP",
        Computed(longest_idle),
    ),
    number(
        "rtt_once_mean_s",
        "s",
        "mean RTT, sent once",
        "mean of the `rtt_mean_s` times of segments that were sent once",
        Mean(|flow| flow.rtt_once_sum_s, |flow| flow.rtt_once_samples),
    ),
    number(
        "rtt_once_std_s",
        "s",
        "deviation of RTT",
        "standard deviation of these times",
        Computed(rtt_once_std),
    ),
    count(
        "rtt_once_samples",
        "1",
        "RTT samples, sent once",
        "segments in `rtt_once_mean_s`",
        Counted(|flow| flow.rtt_once_samples),
    ),
    number(
        "rtt_timed_mean_s",
        "s",
        "mean RTT, timed",
        "exact mean of the round trips that the retransmission timer used",
        Mean(|flow| flow.rtt_timed_sum_s, |flow| flow.rtt_timed_samples),
    ),
    count(
        "rtt_timed_samples",
        "1",
        "RTT samples, timed",
        "segments in that mean",
        Counted(|flow| flow.rtt_timed_samples),
    ),
    count(
        "tail_probes",
        "1",
        "tail probes",
        "probes sent to detect a loss at the end of a flight (TLP, RFC 8985 7)",
        Counted(|flow| flow.tail_probes),
    ),
    count(
        "reductions_undone",
        "1",
        "reductions undone",
        "window reductions undone because nothing had been lost (`undo`, `frto`)",
        Counted(|flow| flow.reductions_undone),
    ),
];

/// A row for each flow.
pub(super) fn flows(interval: &Interval<'_>) -> Table {
    table("flows", COLUMNS, |reading| match *reading {
        Name(names) => Values::Names(names(interval)),
        Counted(counter) => {
            let counts = counted(interval, counter);
            Values::Numbers(counts.collect())
        }
        Mean(sum, count) => Values::Numbers(means(interval, sum, count).collect()),
        Computed(values) => Values::Numbers(values(interval).into_iter().collect()),
    })
}

fn names(interval: &Interval<'_>) -> Names {
    let flows = interval.network.flows.iter();
    flows.map(|flow| flow.name.clone()).collect()
}

fn directions(interval: &Interval<'_>) -> Names {
    let flows = interval.network.flows.iter();
    let directions = flows.map(|flow| flow.direction.index());
    Names::new(&interval.names.directions, directions)
}

/// The nodes where flows start (0) or end (1).
fn end(interval: &Interval<'_>, end: usize) -> Names {
    let flows = interval.network.flows.iter();
    let ends = flows.map(|flow| interval.ends(flow.vc, flow.direction)[end]);
    Names::new(&interval.names.nodes, ends)
}

fn variants(interval: &Interval<'_>) -> Names {
    let variant = |flow: &Flow| match &flow.udp {
        Some(_) => "udp",
        None => flow.tcp.variant.keyword(),
    };
    let flows = interval.network.flows.iter();
    let variants: Arc<[String]> = flows.map(variant).map(str::to_owned).collect();
    Names::new(&variants, 0..variants.len())
}

/// By flow: the growth of a counter in the measured interval.
fn counted(interval: &Interval<'_>, counter: fn(&FlowReading) -> u64) -> impl Iterator<Item = f64> {
    let pairs = interval.before.flows.iter().zip(&interval.after.flows);
    pairs.map(move |(before, after)| (counter(after) - counter(before)) as f64)
}

/// By flow: the growth of a sum divided by that of a count.
fn means(
    interval: &Interval<'_>,
    sum: fn(&FlowReading) -> f64,
    count: fn(&FlowReading) -> u64,
) -> impl Iterator<Item = f64> {
    let pairs = interval.before.flows.iter().zip(&interval.after.flows);
    let sums = pairs.map(move |(before, after)| sum(after) - sum(before));
    sums.zip(counted(interval, count))
        .map(|(sum, count)| ratio(sum, count))
}

/// By flow: octets delivered in bit/s.
pub(super) fn throughput(interval: &Interval<'_>) -> Vec<f64> {
    let delivered = counted(interval, |flow| flow.delivered);
    delivered
        .map(|octets| octets * 8.0 / interval.seconds)
        .collect()
}

fn longest_idle(interval: &Interval<'_>) -> Vec<f64> {
    let flows = interval.network.flows.iter().zip(&interval.after.flows);
    let idle = |(flow, reading): (&Flow, &FlowReading)| {
        // Packets without TCP have no order.
        if flow.udp.is_some() {
            f64::NAN
        } else {
            reading.longest_idle_s
        }
    };
    flows.map(idle).collect()
}

fn rtt_once_std(interval: &Interval<'_>) -> Vec<f64> {
    let of = |sum| means(interval, sum, |flow| flow.rtt_once_samples);
    let squares = of(|flow| flow.rtt_once_sum_sq_s2);
    squares
        .zip(of(|flow| flow.rtt_once_sum_s))
        .map(|(square, mean)| deviation(square, mean))
        .collect()
}

/// The standard deviation of values with this mean and mean square.
fn deviation(mean_square: f64, mean: f64) -> f64 {
    // Rounding may make the difference negative; NaN stays NaN.
    let variance = mean_square - mean * mean;
    if variance < 0.0 { 0.0 } else { variance.sqrt() }
}
