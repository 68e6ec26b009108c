//! The lowest and highest rates, the smallest and largest sizes, and counters beyond 32 bits. The arithmetic of a debug
//! build is checked, so that an overflow is a panic here.

mod common;

use std::sync::atomic::AtomicBool;

use celltrain_sim::engine::{Engine, RunError, run_with};
use celltrain_sim::measure::Results;

fn run(engine: Engine, text: &str) -> Result<Results, RunError> {
    let network = common::network(text).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    run_with(engine, &network, 1, &AtomicBool::new(false))
}

/// Runs a network in both engines, which must agree, also in how they fail; returns the results.
fn agreed(text: &str) -> Option<Results> {
    let [cells, trains] = [Engine::Cells, Engine::Trains].map(|engine| run(engine, text));
    let digests = [&cells, &trains].map(|it| it.as_ref().map(|results| &results.digest));
    assert_eq!(digests[0], digests[1], "{text}");
    trains.ok()
}

/// A rate in bit/s, and how it is written: from the lowest to the highest that the language has. At the last two a cell
/// takes two picoseconds, and one.
const RATES: [(f64, &str); 7] = [
    (1.0, "1 bit/s"),
    (1.5, "1.5 bit/s"),
    (424.0, "424 bit/s"),
    (1e5, "100 kbit/s"),
    (1e9, "1 Gbit/s"),
    (212e12, "212000 Gbit/s"),
    (400e12, "400000 Gbit/s"),
];

/// The longest run, in s.
const LONGEST: f64 = 17_280_000.0;

#[test]
fn the_engines_agree_at_any_rate_and_size_of_packets() {
    for (bps, rate) in RATES {
        for octets in [28_u32, 29, 1_500, 65_535] {
            // Some thousand cells at half of the rate, if the run is long enough for them.
            let packets = (1e5 / f64::from(octets)).clamp(3.0, 300.0);
            let seconds = (packets * 8.0 * f64::from(octets) / bps).clamp(1e-9, LONGEST);
            let offered = (0.45 * bps).max(1.0);
            let text = format!(
                r#"
                measure = {{ duration = "{seconds:.12} s" }}
                hosts = {{ a = {{}}, b = {{}} }}
                links.l = {{ between = ["a", "b"], delay = "1 ns", rate = "{rate}", buffer = "1500 cells" }}
                vcs.v = {{ route = ["a", "b"] }}
                flows.f = {{ vc = "v", udp = {{ packet = "{octets} bytes", traffic = {{ process = "cbr", rate = "{offered:.6} bit/s" }} }} }}
                "#
            );
            agreed(&text);
        }
    }
}

#[test]
fn the_engines_agree_at_any_rate_of_tcp() {
    for (bps, rate) in RATES {
        for octets in [13_u32, 1_460, 65_495] {
            let segments = (1e5 / f64::from(octets)).clamp(3.0, 300.0);
            let seconds = (segments * 8.0 * f64::from(octets + 40) / bps).clamp(1e-6, LONGEST);
            let text = format!(
                r#"
                measure = {{ duration = "{seconds:.12} s" }}
                hosts = {{ a = {{}}, b = {{}} }}
                links.l = {{ between = ["a", "b"], delay = "1 ps", rate = "{rate}", buffer = "5000 cells" }}
                vcs.v = {{ route = ["a", "b"] }}
                flows.f = {{ vc = "v", tcp = {{ mss = "{octets} bytes", window = "65535 bytes" }} }}
                "#
            );
            agreed(&text);
        }
    }
}

#[test]
fn numbers_of_cells_wrap_and_counters_do_not() {
    let text = r#"
        measure = { duration = "20 s" }
        hosts = { a = {}, b = {} }
        links.l = { between = ["a", "b"], delay = "1 ms", rate = "1000 Gbit/s", buffer = "100 cells" }
        vcs.v = { route = ["a", "b"] }
        backgrounds.g = { vc = "v", traffic = { process = "cbr", rate = "848 Gbit/s" } }
    "#;
    // 2 billion cells each second: their numbers, of 32 bits, wrap nine times.
    let results = run(Engine::Trains, text).expect("nothing stands still");
    assert_eq!(common::value(&results, "vcs", "v", "cells_sent"), 40e9);
    // 1 ms and 424 ps later they arrive; the last 2,000,000 and one are on their way.
    let delivered = common::value(&results, "vcs", "v", "cells_delivered");
    assert!((delivered - (40e9 - 2e6)).abs() <= 1.0, "{delivered}");
    assert_eq!(common::value(&results, "links", "l", "cells_lost"), 0.0);
    let utilization = common::value(&results, "links", "l", "utilization");
    assert!((utilization - 0.848).abs() < 1e-9, "{utilization}");
}
