//! Links with units of transmission other than cells: frames of one length pass through both engines as cells do.

mod common;

use std::sync::atomic::AtomicBool;

use celltrain_proto::units::{Time, Unit};
use celltrain_sim::engine::{Engine, run_with};
use celltrain_sim::measure::Results;
use celltrain_sim::network::Network;
use common::{network, value};

/// The results of both engines, which must agree.
fn both(network: &Network) -> Results {
    let [cells, trains] = [Engine::Cells, Engine::Trains].map(|engine| {
        run_with(engine, network, 1, &AtomicBool::new(false)).expect("the run completes")
    });
    assert_eq!(cells.digest, trains.digest);
    trains
}

/// The network of a scenario with lines that carry `unit`.
fn carrying(text: &str, unit: Unit) -> Network {
    let mut network = network(text).unwrap_or_else(|error| panic!("{error}"));
    for link in &mut network.links {
        if let Some(line) = &mut link.line {
            line.unit = unit;
        }
    }
    network
}

/// Two processes of 400 units per second each, in bursts, over a line of 1 Mbit/s that carries 1000 units of 125 octets
/// per second.
const PULSES: &str = r#"
    [measure]
    duration = "20 s"
    [hosts]
    a = {}
    b = {}
    c = {}
    [switches]
    s = {}
    [links]
    in1 = { between = ["a", "s"], delay = "1 ms" }
    in2 = { between = ["b", "s"], delay = "1 ms" }
    out = { between = ["s", "c"], delay = "1 ms", rate = "1 Mbit/s", buffer = "100 cells" }
    [vcs]
    one = { route = ["a", "s", "c"] }
    two = { route = ["b", "s", "c"] }
    [backgrounds]
    x = { vc = "one", traffic = { process = "cbr", rate = "169.6 kbit/s" } }
    y = { vc = "two", traffic = { process = "cbr", rate = "169.6 kbit/s" } }
"#;

/// A line in each evaluation mode: FIFO, classes, shares, a rate that is drawn anew (and stays the same), and one by one.
const LINES: [(&str, &str); 5] = [
    ("\"1 Mbit/s\"", ""),
    ("\"1 Mbit/s\"", ", scheduling = \"priority\""),
    ("\"1 Mbit/s\"", ", scheduling = \"weighted-fair\""),
    (
        "{ process = \"uniform\", low = \"1 Mbit/s\", high = \"1 Mbit/s\", every = \"2500 us\" }",
        "",
    ),
    (
        "\"1 Mbit/s\"",
        ", queue_management = { algorithm = \"codel\", target = \"1 s\" }",
    ),
];

#[test]
fn a_line_takes_the_time_of_its_unit() {
    for (rate, keys) in LINES {
        let text = PULSES.replace("\"1 Mbit/s\", buffer", &format!("{rate}{keys}, buffer"));
        // 169.6 kbit/s of cells are 400 units per second. Both arrive at the same instant, so one waits 1 ms for the other.
        let results = both(&carrying(&text, Unit::octets(125)));
        let utilization = value(&results, "links", "out", "utilization");
        assert!(
            (utilization - 0.8).abs() < 1e-3,
            "{rate}{keys}: {utilization}"
        );
        // 800 units per second stay alternately 1 ms and 2 ms: 800/s x 1.5 ms = 1.2.
        let mean = value(&results, "links", "out", "queue_mean_cells");
        assert!((mean - 1.2).abs() < 1e-2, "{rate}{keys}: {mean}");
        let most = value(&results, "links", "out", "queue_max_cells");
        assert_eq!(most, 2.0, "{rate}{keys}");
    }
}

#[test]
fn both_engines_agree_on_frames_of_any_length() {
    for name in [
        "adsl",
        "epd",
        "greedy-tcp",
        "policing",
        "chain",
        "gfc",
        "credits",
        "virtual-path",
        "edge-router",
        "abr-policing",
    ] {
        let path = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        for octets in [1, 64, 125, 1500] {
            let mut network = carrying(&text, Unit::octets(octets));
            network.warm_up = network.warm_up.min(Time::from_ps(100_000_000_000));
            network.end = network.end.min(Time::from_ps(700_000_000_000));
            both(&network);
        }
    }
}
