//! Invariants hold in the tables of known scenarios, each applies to some of them, and each is violated by falsified
//! tables.

mod common;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use celltrain_proto::units::Time;
use celltrain_sim::measure::{Results, Values};
use celltrain_sim::network::Network;
use celltrain_verify::compare::{Method, evaluate};
use celltrain_verify::invariants;
use celltrain_verify::verdict::Verdict;
use common::{corpus, network};

fn run(network: &Network, seed: u64) -> Results {
    let results = evaluate(network, seed, Method::Trains, &AtomicBool::new(false));
    results.unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn invariants_hold_and_each_applies_somewhere() {
    let mut applied: BTreeMap<&str, usize> = BTreeMap::new();
    let mut violations = Vec::new();
    for known in corpus() {
        let network = network(&known.text);
        for warm_up in [network.warm_up, Time::ZERO] {
            let network = Network {
                warm_up,
                ..network.clone()
            };
            let results = run(&network, 1);
            for (name, verdict) in invariants::verdicts(&network, &results) {
                *applied.entry(name).or_default() += usize::from(verdict == Verdict::Holds);
            }
            for (name, violation) in invariants::violations(&network, &results) {
                violations.push(format!("{}: {name}: {violation}", known.name));
            }
        }
    }
    assert!(
        violations.is_empty(),
        "{} violations:\n{}",
        violations.len(),
        violations.join("\n")
    );
    for (name, count) in applied {
        assert!(count > 0, "applies nowhere: {name}");
    }
}

/// A scenario from the folder.
fn data(name: &str) -> Network {
    let mut all = corpus().into_iter();
    let known = all.find(|known| known.name == name).expect("it is there");
    network(&known.text)
}

/// The results with one number in a column changed.
fn doctored(results: &Results, [table, column]: [&str; 2], row: usize, number: f64) -> Results {
    let mut results = results.clone();
    let mut tables = results.tables.iter_mut().chain(&mut results.traces);
    let table = tables
        .find(|it| it.name == table)
        .expect("the table exists");
    let columns = &mut table.columns;
    let column = columns
        .iter_mut()
        .find(|it| it.name == column)
        .expect("the column exists");
    let Values::Numbers(numbers) = &column.values else {
        panic!("it holds numbers")
    };
    let numbers = numbers.iter().enumerate();
    let numbers = numbers.map(|(at, it)| if at == row { number } else { it });
    column.values = Values::Numbers(numbers.collect());
    results
}

/// For each invariant: a scenario, the value that is changed, and its new number. The value is in the first row of its
/// table or in the given row.
const DOCTORED: &[(&str, &str, [&str; 2], usize, f64)] = &[
    ("a count is", "files", ["flows", "timeouts"], 0, 0.5),
    (
        "a mean, a rate",
        "files",
        ["vcs", "cell_delay_mean_s"],
        0,
        -1e-3,
    ),
    (
        "tables have a row",
        "files",
        ["flows", "timeouts"],
        0,
        f64::NAN,
    ),
    (
        "the hops of cells",
        "files",
        ["link_vcs", "data_offered"],
        0,
        7.0,
    ),
    (
        "the throughput is",
        "loss-bursts",
        ["flows", "throughput_bps"],
        0,
        1e6,
    ),
    (
        "no more is delivered",
        "loss-bursts",
        ["flows", "delivered_bytes"],
        0,
        1e9,
    ),
    (
        "a segment with data is a PDU",
        "loss-bursts",
        ["flows", "segments_sent"],
        0,
        1.0,
    ),
    (
        "packets without TCP",
        "police-discard",
        ["flows", "delivered_bytes"],
        0,
        671.0,
    ),
    (
        "retransmitted segments are",
        "loss-bursts",
        ["flows", "segments_retransmitted"],
        0,
        1e9,
    ),
    (
        "a connection does nothing",
        "loss-bursts",
        ["flows", "ecn_reductions"],
        0,
        1.0,
    ),
    (
        "files of transfers",
        "files",
        ["flows", "transfers"],
        3,
        1e6,
    ),
    (
        "files and think times",
        "files",
        ["flows", "transfer_mean_bytes"],
        3,
        699.0,
    ),
    (
        "there is a mean",
        "loss-bursts",
        ["flows", "rtt_samples"],
        0,
        0.0,
    ),
    (
        "no round trip is shorter",
        "loss-bursts",
        ["flows", "rtt_mean_s"],
        0,
        6.1e-3,
    ),
    (
        "segments that were sent once",
        "loss-bursts",
        ["flows", "rtt_once_samples"],
        0,
        1e9,
    ),
    (
        "delays are of packets",
        "loss-bursts",
        ["flows", "delay_samples"],
        0,
        1e9,
    ),
    (
        "a stall lasts",
        "loss-bursts",
        ["flows", "longest_idle_s"],
        0,
        2.1,
    ),
    (
        "cells that arrived, were lost",
        "local-loop",
        ["vcs", "cells_delivered"],
        0,
        1e9,
    ),
    (
        "PDUs that arrived",
        "loss-bursts",
        ["vcs", "pdus_cut"],
        0,
        0.0,
    ),
    (
        "RM cells that a source",
        "virtual-ends",
        ["vcs", "forward_rm_sent"],
        0,
        1e9,
    ),
    (
        "each backward RM cell",
        "virtual-ends",
        ["vcs", "backward_rm_sent"],
        1,
        1e9,
    ),
    (
        "cells are lost, errored",
        "virtual-ends",
        ["vcs", "cells_tagged"],
        0,
        1.0,
    ),
    (
        "cells lost are those",
        "loss-bursts",
        ["vcs", "cells_lost"],
        0,
        1e6,
    ),
    (
        "cells take no less",
        "credits",
        ["vcs", "cell_delay_mean_s"],
        0,
        3e-3,
    ),
    (
        "what came to a source",
        "eprca",
        ["vcs", "source_cells_offered"],
        0,
        1e9,
    ),
    (
        "nothing is dropped at a source",
        "plain",
        ["vcs", "source_cells_dropped"],
        0,
        1.0,
    ),
    (
        "a source may send",
        "virtual-ends",
        ["vcs", "acr_bps"],
        0,
        20.1e6,
    ),
    (
        "cells that leave a source",
        "local-loop",
        ["link_vcs", "forward_rm_offered"],
        0,
        1.0,
    ),
    (
        "what a link counts",
        "local-loop",
        ["links", "cells_offered"],
        0,
        1.0,
    ),
    (
        "cells that came to a queue have",
        "loss-bursts",
        ["links", "cells_lost"],
        4,
        1e6,
    ),
    (
        "a queue is never longer",
        "loss-bursts",
        ["links", "queue_max_cells"],
        4,
        201.0,
    ),
    (
        "a line sends no more",
        "loss-bursts",
        ["links", "utilization"],
        4,
        1.01,
    ),
    (
        "the mean rate of a line",
        "markov-line",
        ["links", "mean_rate_bps"],
        4,
        9.1e6,
    ),
    (
        "the loss ratio",
        "loss-bursts",
        ["links", "cell_loss_ratio"],
        4,
        0.5,
    ),
    (
        "no more VCs are active",
        "virtual-ends",
        ["links", "active_vcs_mean"],
        4,
        5.0,
    ),
    (
        "a link without a rate loses",
        "loss-bursts",
        ["links", "cells_lost"],
        0,
        1.0,
    ),
    (
        "cells of a VC that came to a link",
        "local-loop",
        ["link_vcs", "data_sent"],
        1,
        1e9,
    ),
    (
        "no more cells of a VC come",
        "local-loop",
        ["link_vcs", "data_offered"],
        1,
        1e9,
    ),
    (
        "cells that reached the end",
        "plain",
        ["vcs", "cells_delivered"],
        0,
        1e9,
    ),
    (
        "a VC without ABR",
        "plain",
        ["link_vcs", "backward_rm_offered"],
        0,
        1.0,
    ),
    (
        "parts follow one another",
        "local-loop",
        ["link_parts", "to_s"],
        0,
        0.9,
    ),
    (
        "in each part the queue",
        "local-loop",
        ["link_parts", "controlled_queue_min_cells"],
        1,
        1e9,
    ),
    (
        "the longest and the mean queue",
        "local-loop",
        ["links", "queue_max_cells"],
        4,
        1.0,
    ),
    (
        "a line whose queue",
        "overload",
        ["links", "cells_sent"],
        2,
        3440.0,
    ),
    ("a probe has a row", "local-loop", ["p", "time_s"], 2, 0.0),
    (
        "what a probe counts",
        "local-loop",
        ["p", "links.trunk.arrived_cells"],
        0,
        1.0,
    ),
    (
        "a probe at the end",
        "overload",
        ["links", "cells_lost"],
        2,
        1.0,
    ),
    (
        "no probe shows a queue",
        "local-loop",
        ["p", "links.trunk.queue_cells"],
        3,
        121.0,
    ),
    (
        "cells that came to a probed queue",
        "local-loop",
        ["p", "links.trunk.sent_cells"],
        3,
        1e9,
    ),
    (
        "frames that left have",
        "frames",
        ["frames", "line_bytes"],
        1,
        1e9,
    ),
    (
        "octets of frames that came",
        "frames",
        ["frames", "offered_bytes"],
        1,
        1e9,
    ),
    (
        "the octets of frames fit",
        "frames",
        ["frames", "lost_bytes"],
        1,
        1.0,
    ),
    (
        "a queue of frames holds",
        "frames",
        ["frames", "queue_max_bytes"],
        2,
        6001.0,
    ),
    (
        "the rate of IP",
        "frames",
        ["frames", "ip_rate_bps"],
        0,
        1.0,
    ),
    (
        "the octets that a probe shows",
        "frames",
        ["p", "links.line.queue_bytes"],
        2,
        6001.0,
    ),
    (
        "events of a timer",
        "loss-bursts",
        ["flows", "timeouts"],
        0,
        1e9,
    ),
];

#[test]
fn each_invariant_is_violated_by_tables_that_break_it() {
    let (mut broken, mut wrong) = (Vec::new(), Vec::new());
    for &(beginning, scenario, place, row, number) in DOCTORED {
        let network = data(scenario);
        let results = run(&network, 1);
        let mut all = invariants::all();
        let invariant = all
            .find(|it| it.name.starts_with(beginning))
            .expect(beginning);
        let before = invariant.check(&network, &results).verdict();
        if before != Verdict::Holds {
            wrong.push(format!("{beginning}: {before} before"));
        }
        let mut doctored = doctored(&results, place, row, number);
        if number.is_nan() {
            // One row fewer.
            doctored.tables.iter_mut().for_each(|table| {
                if let Values::Numbers(numbers) = &table.columns[table.columns.len() - 1].values {
                    let rows = numbers.iter().count();
                    let numbers = numbers.iter().take(rows - 1).collect();
                    table.columns.last_mut().expect("it exists").values = Values::Numbers(numbers);
                }
            });
        }
        let verdict = invariant.check(&network, &doctored).verdict();
        if !matches!(verdict, Verdict::Violated(_)) {
            wrong.push(format!("{beginning}: {verdict}"));
        }
        broken.push(invariant.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for invariant in invariants::all() {
        assert!(
            broken.contains(&invariant.name),
            "not shown: {}",
            invariant.name
        );
    }
}
