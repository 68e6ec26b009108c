//! Speed of the engine: million cell-hops each second on one core, on fixed workloads.
//!
//! A cell-hop is one cell that comes to one link with a rate (a queue and a line). Each workload is
//! run several times and the fastest run counts: noise of the machine only ever adds time. With
//! `--record` a line for each workload goes to `benches/history.jsonl`.

use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use celltrain_sim::engine;
use celltrain_sim::measure::Results;
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Source;

const WORKLOADS: [(&str, &str); 2] = [
    ("chain", include_str!("../workloads/chain.toml")),
    ("greedy-tcp", include_str!("../workloads/greedy-tcp.toml")),
];
const RUNS: usize = 5;
const HISTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/history.jsonl");

/// The speed of one workload.
struct Speed {
    workload: &'static str,
    cell_hops: f64,
    seconds: f64,
    simulated_seconds: f64,
}

fn main() -> std::io::Result<()> {
    let record = std::env::args().any(|argument| argument == "--record");
    println!("workload     million cell-hops   Mcell-hops/s   ns/cell-hop   simulated s/s");
    for (workload, text) in WORKLOADS {
        let speed = measure(workload, text);
        let per_s = speed.cell_hops / speed.seconds;
        println!(
            "{workload:<12} {:>17.1} {:>14.1} {:>13.1} {:>15.1}",
            speed.cell_hops / 1e6,
            per_s / 1e6,
            1e9 / per_s,
            speed.simulated_seconds / speed.seconds,
        );
        if record {
            append(&speed)?;
        }
    }
    Ok(())
}

fn measure(workload: &'static str, text: &str) -> Speed {
    let scenario = Source::toml(text, workload)
        .read()
        .expect("the workloads are valid");
    let network = Network::new(&scenario).expect("the workloads are valid");
    let runs = (0..RUNS).map(|_| {
        let start = Instant::now();
        let results =
            engine::run(&network, 1, &AtomicBool::new(false)).expect("nothing cancels it");
        (
            start.elapsed().as_secs_f64(),
            queue_hops(&network, &results),
        )
    });
    let (seconds, cell_hops) = runs
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .expect("there is a run");
    Speed {
        workload,
        cell_hops,
        seconds,
        simulated_seconds: network.end.as_secs(),
    }
}

/// Cells that came to links with a queue; pure delays do not count.
fn queue_hops(network: &Network, results: &Results) -> f64 {
    let links = results.table("links").expect("a run has a table of links");
    let offered = links.numbers_of("cells_offered");
    let queues = network
        .links
        .iter()
        .zip(offered)
        .filter(|(link, _)| link.line.is_some());
    queues.map(|(_, &cells)| cells).sum()
}

fn append(speed: &Speed) -> std::io::Result<()> {
    let line = serde_json::json!({
        "commit": output_of("git", &["describe", "--always", "--dirty"]),
        "cpu": cpu(),
        "workload": speed.workload,
        "cell_hops": speed.cell_hops,
        "seconds": speed.seconds,
        "mcell_hops_per_s": speed.cell_hops / speed.seconds / 1e6,
    });
    writeln!(
        OpenOptions::new().create(true).append(true).open(HISTORY)?,
        "{line}"
    )
}

fn output_of(command: &str, arguments: &[&str]) -> String {
    let output = Command::new(command).args(arguments).output();
    output
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default()
}

fn cpu() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    model
        .map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_owned())
        .unwrap_or_default()
}
