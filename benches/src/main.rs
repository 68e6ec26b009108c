//! Speed of the engine: million cell-hops each second on one core, on fixed workloads.
//!
//! A cell-hop is one cell that comes to one link with a rate (a queue and a line). Each workload is
//! run several times and the fastest run counts: noise of the machine only ever adds time.

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

fn main() {
    println!(
        "{:<12} {:>10} {:>12} {:>10} {:>14}",
        "workload", "cell-hops", "Mcell-hops/s", "ns/hop", "sim s per s"
    );
    for (name, text) in WORKLOADS {
        let scenario = Source::toml(text, name)
            .read()
            .expect("the workloads are valid");
        let network = Network::new(&scenario).expect("the workloads are valid");
        let mut best = f64::INFINITY;
        let mut hops = 0;
        for _ in 0..RUNS {
            let start = Instant::now();
            let results =
                engine::run(&network, 1, &AtomicBool::new(false)).expect("nothing cancels it");
            best = best.min(start.elapsed().as_secs_f64());
            hops = queue_hops(&network, &results);
        }
        let per_s = hops as f64 / best;
        println!(
            "{name:<12} {hops:>10} {:>12.1} {:>10.2} {:>14.1}",
            per_s / 1e6,
            1e9 / per_s,
            network.end.as_secs() / best,
        );
        println!(
            "{}",
            serde_json::json!({
                "workload": name,
                "cell_hops": hops,
                "seconds": best,
                "mcell_hops_per_s": per_s / 1e6,
            })
        );
    }
}

/// Cells that came to links with a queue; pure delays do not count.
fn queue_hops(network: &Network, results: &Results) -> u64 {
    let links = results.table("links").expect("a run has a table of links");
    let offered = links.numbers_of("cells_offered");
    let queues = network
        .links
        .iter()
        .zip(offered)
        .filter(|(link, _)| link.line.is_some());
    queues.map(|(_, &cells)| cells as u64).sum()
}
