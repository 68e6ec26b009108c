//! The table of flows.

use std::sync::Arc;

use super::interval::{Interval, ratio};
use super::{FlowReading, Table};
use crate::network::Flow;

/// What each flow is.
fn flow_names(interval: &Interval<'_>) -> Table {
    let flows = &interval.network.flows;
    let end = |end: usize| {
        let ends = flows
            .iter()
            .map(|flow| interval.ends(flow.vc, flow.direction));
        ends.map(move |ends| ends[end])
    };
    let variant = |flow: &Flow| match &flow.udp {
        Some(_) => "udp",
        None => flow.tcp.variant.as_str(),
    };
    let variants: Arc<[String]> = flows.iter().map(variant).map(str::to_owned).collect();
    let flow_names: Arc<[String]> = flows.iter().map(|flow| flow.name.clone()).collect();
    let names = &interval.names;
    Table::new("flows")
        .names("flow", &flow_names, 0..flows.len())
        .names("vc", &names.vcs, flows.iter().map(|flow| flow.vc))
        .names(
            "direction",
            &names.directions,
            flows.iter().map(|flow| flow.direction.index()),
        )
        .names("from", &names.nodes, end(0))
        .names("to", &names.nodes, end(1))
        .names("variant", &variants, 0..flows.len())
}

/// A row for each flow.
pub(super) fn flows(interval: &Interval<'_>) -> Table {
    let pairs = || interval.before.flows.iter().zip(&interval.after.flows);
    let counts = |of: fn(&FlowReading) -> u64| {
        pairs()
            .map(move |(before, after)| (of(after) - of(before)) as f64)
            .collect::<Vec<_>>()
    };
    let counted = |of| counts(of).into_iter();
    let delivered = counts(|flow| flow.delivered);
    let rtt_samples = counts(|flow| flow.rtt_samples);
    let means = |sum: fn(&FlowReading) -> f64, counts: &[f64]| {
        let sums = pairs().map(|(before, after)| sum(after) - sum(before));
        let means = sums.zip(counts).map(|(sum, &count)| ratio(sum, count));
        means.collect::<Vec<_>>()
    };
    let rtt_means = means(|flow| flow.rtt_sum_s, &rtt_samples);
    let delays = counts(|flow| flow.delays);
    let delay_means = means(|flow| flow.delay_sum_s, &delays);
    let rtt_once_samples = counts(|flow| flow.rtt_once_samples);
    let rtt_once_means = means(|flow| flow.rtt_once_sum_s, &rtt_once_samples);
    let rtt_once_squares = means(|flow| flow.rtt_once_sum_sq_s2, &rtt_once_samples);
    let rtt_once_stds = rtt_once_squares
        .iter()
        .zip(&rtt_once_means)
        .map(|(square, mean)| deviation(*square, *mean))
        .collect::<Vec<_>>();
    let rtt_timed_samples = counts(|flow| flow.rtt_timed_samples);
    let rtt_timed_means = means(|flow| flow.rtt_timed_sum_s, &rtt_timed_samples);
    let transfers = counts(|flow| flow.transfers);
    let transfer_means = means(|flow| flow.transfer_sum_s, &transfers);
    let transfer_octets = means(|flow| flow.transfer_octets as f64, &transfers);
    let thinks = counts(|flow| flow.thinks);
    let think_means = means(|flow| flow.think_sum_s, &thinks);
    flow_names(interval)
        .numbers(
            "throughput_bps",
            "bit/s",
            delivered
                .iter()
                .map(|octets| octets * 8.0 / interval.seconds),
        )
        .numbers("delivered_bytes", "bytes", delivered.iter().copied())
        .numbers("segments_sent", "1", counted(|flow| flow.segments))
        .numbers(
            "segments_retransmitted",
            "1",
            counted(|flow| flow.retransmitted),
        )
        .numbers("timeouts", "1", counted(|flow| flow.timeouts))
        .numbers(
            "fast_retransmits",
            "1",
            counted(|flow| flow.fast_retransmits),
        )
        .numbers("rtt_mean_s", "s", rtt_means.into_iter())
        .numbers("rtt_samples", "1", rtt_samples.into_iter())
        .numbers("delay_mean_s", "s", delay_means.into_iter())
        .numbers("delay_samples", "1", delays.into_iter())
        .numbers("ecn_reductions", "1", counted(|flow| flow.ecn_reductions))
        .numbers("transfers", "1", transfers.into_iter())
        .numbers(
            "transfers_failed",
            "1",
            counted(|flow| flow.transfers_failed),
        )
        .numbers("transfer_mean_s", "s", transfer_means.into_iter())
        .numbers("transfer_mean_bytes", "bytes", transfer_octets.into_iter())
        .numbers("think_mean_s", "s", think_means.into_iter())
        .numbers(
            "spurious_timeouts",
            "1",
            counted(|flow| flow.spurious_timeouts),
        )
        .numbers(
            "longest_idle_s",
            "s",
            interval
                .network
                .flows
                .iter()
                .zip(&interval.after.flows)
                .map(|(flow, reading)| {
                    // Packets without TCP have no order.
                    if flow.udp.is_some() {
                        f64::NAN
                    } else {
                        reading.longest_idle_s
                    }
                }),
        )
        .numbers("rtt_once_mean_s", "s", rtt_once_means.into_iter())
        .numbers("rtt_once_std_s", "s", rtt_once_stds.into_iter())
        .numbers("rtt_once_samples", "1", rtt_once_samples.into_iter())
        .numbers("rtt_timed_mean_s", "s", rtt_timed_means.into_iter())
        .numbers("rtt_timed_samples", "1", rtt_timed_samples.into_iter())
        .numbers("tail_probes", "1", counted(|flow| flow.tail_probes))
        .numbers(
            "reductions_undone",
            "1",
            counted(|flow| flow.reductions_undone),
        )
}

/// The standard deviation of values with this mean and this mean of squares.
fn deviation(mean_square: f64, mean: f64) -> f64 {
    // Rounding may leave less than nothing; NaN stays.
    let variance = mean_square - mean * mean;
    if variance < 0.0 { 0.0 } else { variance.sqrt() }
}
