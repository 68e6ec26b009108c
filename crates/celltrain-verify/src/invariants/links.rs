//! Invariants of each one-way link: its queue and its line.

use celltrain_proto::schedule::Queues;
use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_sim::network::{Line, UNLIMITED};
use celltrain_sim::scenario::{LineRate, OnRateChange};

use super::frames;
use super::invariant::Invariant;
use super::report::Report;
use super::tables::{Tables, is_near};

pub(super) const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "what a link counts is the sum over the VCs that cross it",
        check: sums,
    },
    Invariant {
        name: "cells that came to a queue have left, were dropped, or wait there",
        check: conservation,
    },
    Invariant {
        name: "a queue is never longer than its buffer, and its mean no longer than its maximum",
        check: queues,
    },
    Invariant {
        name: "a line sends no more than its rate allows, and its utilization is consistent",
        check: lines,
    },
    Invariant {
        name: "the mean rate of a line lies between its lowest and highest rate",
        check: rates,
    },
    Invariant {
        name: "the loss ratio is the cells lost divided by the cells offered",
        check: loss_ratios,
    },
    Invariant {
        name: "no more VCs are active than cross the link, except one, and only an algorithm counts them",
        check: active_vcs,
    },
    Invariant {
        name: "a link without a rate loses nothing in a queue, and has no values of queue or rate",
        check: pure_delays,
    },
];

/// Bits of a cell.
const CELL: f64 = 424.0;

fn sums(tables: &Tables, report: &mut Report) {
    let links = &tables.links;
    for what in ["offered", "lost", "sent"] {
        let mut sums = vec![0.0; tables.network.links.len()];
        for kind in ["data", "forward_rm", "backward_rm"] {
            let of_kind = tables.link_vcs.get(&format!("{kind}_{what}"));
            for (hop, cells) in tables.hops().zip(of_kind) {
                sums[hop.link] += cells;
            }
        }
        let column = format!("cells_{what}");
        for (row, value) in links.get(&column).into_iter().enumerate() {
            if tables.network.links[row].line.is_some() || what != "sent" {
                report.equal(
                    links.at(row, &column),
                    value,
                    sums[row],
                    "the sum over link_vcs",
                );
            }
        }
    }
}

fn conservation(tables: &Tables, report: &mut Report) {
    let links = &tables.links;
    let [offered, lost, sent, most] = [
        "cells_offered",
        "cells_lost",
        "cells_sent",
        "queue_max_cells",
    ]
    .map(|column| links.get(column));
    for (row, link) in tables.network.links.iter().enumerate() {
        if link.line.is_none() {
            continue;
        }
        let left = offered[row] - lost[row] - sent[row];
        // At either end of the measured interval, no more cells wait than the maximum.
        let least = if tables.is_from_start() {
            0.0
        } else {
            -most[row]
        };
        report.expect(
            links.at(row, "cells_offered"),
            offered[row],
            least <= left && left <= most[row],
            || {
                format!(
                    "those lost ({}), those sent ({}), and {least} to {} that wait",
                    lost[row], sent[row], most[row]
                )
            },
        );
    }
}

/// The most cells that the queue of a line holds.
fn room(line: &Line) -> f64 {
    if line.buffer == UNLIMITED {
        return f64::INFINITY;
    }
    let buffer = f64::from(line.buffer);
    if line.scheduling.queues() != Queues::PerClass {
        return buffer;
    }
    let of = &line.class_buffers;
    let classes = [of.cbr, of.rt_vbr, of.nrt_vbr, of.abr, of.ubr];
    let rooms = classes.map(|cells| cells.map_or(buffer, |cells| cells.0.0 as f64));
    rooms.iter().sum()
}

fn queues(tables: &Tables, report: &mut Report) {
    let links = &tables.links;
    let means = links.get("queue_mean_cells");
    for (row, most) in links.get("queue_max_cells").into_iter().enumerate() {
        let Some(line) = &tables.network.links[row].line else {
            continue;
        };
        report.at_most(
            links.at(row, "queue_max_cells"),
            most,
            room(line),
            "its buffer",
        );
        let mean = means[row];
        let holds = mean >= 0.0 && (mean <= most || is_near(mean, most));
        report.expect(links.at(row, "queue_mean_cells"), mean, holds, || {
            format!("from 0 to queue_max_cells ({most})")
        });
    }
}

/// Bits that a line may send beyond its rate: a cell or frame of `unit` bits that began before the interval, one of them per
/// change of rate if they keep the old rate, and 1 ps each for rounding.
fn excess(tables: &Tables, line: &Line, unit: f64, cells: f64) -> f64 {
    let begun = if tables.is_from_start() { 0.0 } else { unit };
    let keeps = line.on_rate_change == OnRateChange::FinishAtOldRate;
    let range = line.range;
    let kept = if keeps && matches!(line.rate, LineRate::Process(_)) {
        cells
    } else {
        0.0
    };
    let rounded = cells * 1e-12 * range.high.as_bps();
    begun + kept * unit + rounded
}

fn lines(tables: &Tables, report: &mut Report) {
    let links = &tables.links;
    let [sent, rates] = ["cells_sent", "mean_rate_bps"].map(|column| links.get(column));
    let octets = frames::octets_sent(tables);
    let longest = frames::sheet(tables).1;
    for (row, utilization) in links.get("utilization").into_iter().enumerate() {
        let Some(line) = &tables.network.links[row].line else {
            continue;
        };
        let bits = rates[row] * tables.measured_s();
        let gone = octets[row].map_or(sent[row] * CELL, |octets| 8.0 * octets);
        let unit = longest.iter().find(|it| it.link == row);
        let unit = unit.map_or(CELL, |it| 8.0 * it.longest);
        let expected = gone / bits;
        let at = links.at(row, "utilization");
        if bits > 0.0 {
            report.expect(at, utilization, is_near(utilization, expected), || {
                format!("{expected}: bits sent divided by bits at the mean rate")
            });
        }
        let most = bits + excess(tables, line, unit, sent[row]);
        let holds = gone <= most || is_near(gone, most);
        report.expect(links.at(row, "cells_sent"), sent[row], holds, || {
            format!("at most {most} bits: what the rate allows, not {gone}")
        });
    }
}

fn rates(tables: &Tables, report: &mut Report) {
    let links = &tables.links;
    for (row, rate) in links.get("mean_rate_bps").into_iter().enumerate() {
        let Some(line) = &tables.network.links[row].line else {
            continue;
        };
        let range = line.range;
        // A retrain takes the line down, and the range of its rate does not include that.
        let low = if line.rate.trains() {
            0.0
        } else {
            range.low.as_bps()
        };
        let high = range.high.as_bps();
        // The value is the difference of two integrals since the start of the run, each of which is rounded.
        let network = tables.network;
        let measured = (network.end - network.warm_up).as_secs();
        let rounded = 16.0 * f64::EPSILON * high * network.end.as_secs() / measured;
        let holds = (low <= rate + rounded || is_near(low, rate))
            && (rate <= high + rounded || is_near(high, rate));
        report.expect(links.at(row, "mean_rate_bps"), rate, holds, || {
            format!("from {low} to {high}")
        });
    }
}

fn loss_ratios(tables: &Tables, report: &mut Report) {
    let links = &tables.links;
    let [offered, lost] = ["cells_offered", "cells_lost"].map(|column| links.get(column));
    for (row, ratio) in links.get("cell_loss_ratio").into_iter().enumerate() {
        let expected = if offered[row] > 0.0 {
            lost[row] / offered[row]
        } else {
            f64::NAN
        };
        report.equal(
            links.at(row, "cell_loss_ratio"),
            ratio,
            expected,
            "cells_lost / cells_offered",
        );
    }
}

fn active_vcs(tables: &Tables, report: &mut Report) {
    let links = &tables.links;
    let mut crossing = vec![0.0; tables.network.links.len()];
    for hop in tables.hops() {
        crossing[hop.link] += 1.0;
    }
    let loads = links.get("load_factor");
    for (row, active) in links.get("active_vcs_mean").into_iter().enumerate() {
        let line = tables.network.links[row].line.as_ref();
        let control = line.and_then(|line| line.control.as_ref());
        let at = links.at(row, "active_vcs_mean");
        if control.is_none() {
            report.equal(at, active, f64::NAN, "there is no algorithm");
            report.equal(
                links.at(row, "load_factor"),
                loads[row],
                f64::NAN,
                "there is no algorithm",
            );
        } else if !active.is_nan() {
            // Algorithms divide by at least one VC (ERICA: N = max(1, active VCs)), and may weight a VC with more than
            // one.
            let weight = control.map_or(1.0, |it| it.build().weight_of_vc());
            let most = f64::max(1.0, crossing[row] * weight);
            // The mean over time of products with that weight is subject to rounding.
            let holds = active <= most || is_near(active, most);
            report.expect(at, active, holds, || {
                format!("at most {most}: VCs that cross it, and at least one")
            });
        }
    }
}

fn pure_delays(tables: &Tables, report: &mut Report) {
    let links = &tables.links;
    let shown = [
        "mean_rate_bps",
        "utilization",
        "cells_sent",
        "queue_mean_cells",
        "queue_max_cells",
    ];
    for (row, link) in tables.network.links.iter().enumerate() {
        if link.line.is_some() {
            continue;
        }
        report.equal(
            links.at(row, "cells_lost"),
            links.get("cells_lost")[row],
            0.0,
            "there is no queue",
        );
        for column in shown {
            report.equal(
                links.at(row, column),
                links.get(column)[row],
                f64::NAN,
                "there is no queue",
            );
        }
    }
}
