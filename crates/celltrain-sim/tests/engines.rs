//! Both engines give the same results, cell for cell.

mod common;

use std::sync::atomic::AtomicBool;

use celltrain_sim::engine::{Engine, run_with};
use celltrain_sim::measure::{Results, Values};

fn both(text: &str, seed: u64) -> [Results; 2] {
    let network = common::network(text).expect("the scenario describes a network");
    [Engine::Cells, Engine::Trains].map(|engine| {
        run_with(engine, &network, seed, &AtomicBool::new(false)).expect("the run succeeds")
    })
}

/// The first value in which the results differ.
fn difference([cells, trains]: &[Results; 2]) -> Option<String> {
    if cells.digest == trains.digest {
        return None;
    }
    let tables = |results: &Results| [&results.tables[..], &results.traces].concat();
    for (one, other) in tables(cells).iter().zip(&tables(trains)) {
        for (a, b) in one.columns.iter().zip(&other.columns) {
            match (&a.values, &b.values) {
                (Values::Numbers(xs), Values::Numbers(ys)) => {
                    let pairs = xs.iter().zip(ys).enumerate();
                    let differ = |&(_, (x, y)): &(usize, (&f64, &f64))| {
                        x.to_bits() != y.to_bits() && !(x.is_nan() && y.is_nan())
                    };
                    if let Some((row, (x, y))) = pairs.into_iter().find(differ) {
                        return Some(format!(
                            "{} row {row} {}: {x} cell by cell, {y} in trains",
                            one.name, a.name
                        ));
                    }
                    if xs.len() != ys.len() {
                        return Some(format!("{} {}: other lengths", one.name, a.name));
                    }
                }
                (x, y) => assert_eq!(format!("{x:?}"), format!("{y:?}")),
            }
        }
    }
    Some("the digests differ".to_owned())
}

#[test]
fn the_local_loop() {
    let results = both(include_str!("data/local-loop.toml"), 1);
    assert_eq!(difference(&results), None);
}

#[test]
fn the_examples() {
    for (name, text) in [
        ("adsl", include_str!("../../../examples/adsl.toml")),
        ("chain", include_str!("../../../examples/chain.toml")),
        (
            "greedy-tcp",
            include_str!("../../../examples/greedy-tcp.toml"),
        ),
        ("epd", include_str!("../../../examples/epd.toml")),
        ("ppd", include_str!("../../../examples/ppd.toml")),
        ("gfc", include_str!("../../../examples/gfc.toml")),
        ("credits", include_str!("../../../examples/credits.toml")),
        ("policing", include_str!("../../../examples/policing.toml")),
    ] {
        let results = both(text, 1);
        println!(
            "{name}: {} cell-hops, events {:?}",
            results[0].cell_hops,
            [&results[0], &results[1]].map(|it| it.events)
        );
        assert_eq!(difference(&results), None, "{name}");
    }
}

#[test]
fn small() {
    let text = include_str!("../../../examples/greedy-tcp.toml")
        .replace("count = 25", "count = 1")
        .replace("warm_up = \"2 s\"", "warm_up = \"0 s\"")
        .replace("duration = \"32 s\"", "duration = \"1 s\"")
        + "\n[probes.p]\nevery=\"10 ms\"\nrecord=[\"links.trunk.arrived_cells\",\"links.trunk.queue_cells\",\"flows.tcp1.cwnd_bytes\",\"flows.tcp1.delivered_bytes\"]";
    let results = both(&text, 1);
    for r in &results {
        for t in &r.traces {
            for row in 0..20 {
                println!(
                    "{:?}",
                    t.columns
                        .iter()
                        .map(|c| match &c.values {
                            Values::Numbers(x) => x[row],
                            _ => 0.0,
                        })
                        .collect::<Vec<_>>()
                );
            }
            println!();
        }
    }
    assert_eq!(difference(&results), None);
}
