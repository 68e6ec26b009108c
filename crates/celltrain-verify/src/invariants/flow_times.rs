//! Invariants of connections: round trips, delays, and stalls.

use celltrain_sim::scenario::Application;

use super::invariant::Invariant;
use super::report::Report;
use super::tables::{Tables, is_near};

pub(super) const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "there is a mean if, and only if, something was counted",
        check: samples,
    },
    Invariant {
        name: "no round trip is shorter than the delay of the links there and back, and no packet's delay than that there",
        check: least_times,
    },
    Invariant {
        name: "segments that were sent once are among those with a measured round trip",
        check: once,
    },
    Invariant {
        name: "delays are of packets that arrived complete, in a run measured from its start",
        check: delays,
    },
    Invariant {
        name: "a stall lasts no longer than the measured interval, and exactly as long if nothing was delivered",
        check: standstills,
    },
];

/// Means, each with the count over which it is taken.
const MEANS: [[&str; 2]; 7] = [
    ["rtt_mean_s", "rtt_samples"],
    ["delay_mean_s", "delay_samples"],
    ["rtt_once_mean_s", "rtt_once_samples"],
    ["rtt_once_std_s", "rtt_once_samples"],
    ["rtt_timed_mean_s", "rtt_timed_samples"],
    ["transfer_mean_s", "transfers"],
    ["transfer_mean_bytes", "transfers"],
];

fn samples(tables: &Tables, report: &mut Report) {
    let flows = &tables.flows;
    for [mean, count] in MEANS {
        let counts = flows.get(count);
        for (row, value) in flows.get(mean).into_iter().enumerate() {
            let samples = counts[row];
            report.expect(
                flows.at(row, mean),
                value,
                value.is_nan() == (samples == 0.0),
                || format!("a number only where {count} ({samples}) is above 0"),
            );
        }
    }
}

fn least_times(tables: &Tables, report: &mut Report) {
    let flows = &tables.flows;
    let again = flows.get("segments_retransmitted");
    for (row, flow) in tables.network.flows.iter().enumerate() {
        let ahead = 2 * flow.vc + flow.direction.index();
        let there = tables.least_delay_s(ahead);
        let round = there + tables.least_delay_s(ahead ^ 1);
        for (column, least) in [
            ("rtt_mean_s", round),
            ("rtt_once_mean_s", round),
            ("rtt_timed_mean_s", round),
            ("delay_mean_s", there),
        ] {
            let mean = flows.get(column)[row];
            // BSD also times segments that repeat octets sent before in addition to new ones, and the ACK of the former
            // may come soon.
            let may_be_early =
                column == "rtt_timed_mean_s" && (again[row] > 0.0 || !tables.is_from_start());
            if !mean.is_nan() && !may_be_early {
                let holds = mean >= least || is_near(mean, least);
                report.expect(flows.at(row, column), mean, holds, || {
                    format!("at least {least}: the delay of the links")
                });
            }
        }
    }
}

fn once(tables: &Tables, report: &mut Report) {
    let flows = &tables.flows;
    let all = flows.get("rtt_samples");
    for (row, value) in flows.get("rtt_once_samples").into_iter().enumerate() {
        report.at_most(
            flows.at(row, "rtt_once_samples"),
            value,
            all[row],
            "rtt_samples",
        );
    }
}

fn delays(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let (flows, pdus) = (&tables.flows, tables.vcs.get("pdus_delivered"));
    let mut sums = vec![0.0; pdus.len()];
    let samples = flows.get("delay_samples");
    for (flow, samples) in tables.network.flows.iter().zip(&samples) {
        sums[2 * flow.vc + flow.direction.index()] += samples;
    }
    for (row, flow) in tables.network.flows.iter().enumerate() {
        let direction = 2 * flow.vc + flow.direction.index();
        report.expect(
            flows.at(row, "delay_samples"),
            samples[row],
            sums[direction] <= pdus[direction],
            || {
                format!(
                    "with the other flows of the VC ({} in all) at most its {} pdus_delivered",
                    sums[direction], pdus[direction]
                )
            },
        );
    }
}

fn standstills(tables: &Tables, report: &mut Report) {
    let flows = &tables.flows;
    let measured = tables.measured_s();
    let delivered = flows.get("delivered_bytes");
    for (row, value) in flows.get("longest_idle_s").into_iter().enumerate() {
        let flow = &tables.network.flows[row];
        let at = flows.at(row, "longest_idle_s");
        if flow.udp.is_some() {
            report.equal(at, value, f64::NAN, "packets without TCP have no order");
            continue;
        }
        report.at_most(at, value, measured, "the measured time");
        // A slow application reads data later than they arrive.
        let reads_at_once = flow.sockets.read_rate.is_none();
        let is_silent = delivered[row] == 0.0;
        if reads_at_once && is_silent && !matches!(flow.application, Application::Files(_)) {
            report.equal(
                at,
                value,
                measured,
                "the measured time, because nothing was delivered",
            );
        }
    }
}
