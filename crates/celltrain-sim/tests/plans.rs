//! How each workload is evaluated: changes of a plan appear here as a readable diff.

use std::path::Path;

use celltrain_sim::engine::explain;
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Source;

/// Checks that the plan of a scenario equals the one in `data/plans`.
fn is_planned(file: &Path, plan: &str) {
    let text = std::fs::read_to_string(file).expect("the scenario is there");
    let scenario = Source::toml(&text, "test.toml")
        .read()
        .expect("it is valid");
    let network = Network::new(&scenario).expect("it is a network");
    assert_eq!(explain(&network).to_string(), plan);
}

macro_rules! plans {
    ($($name:ident => $file:literal,)+) => {
        $(
            #[test]
            fn $name() {
                let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
                let plan = include_str!(concat!("data/plans/", stringify!($name), ".txt"));
                is_planned(&root.join($file), plan);
            }
        )+
    };
}

plans! {
    chain => "benches/workloads/chain.toml",
    greedy_tcp => "benches/workloads/greedy-tcp.toml",
    abr_erica => "benches/workloads/abr-erica.toml",
    adsl => "benches/workloads/adsl.toml",
    lan => "benches/workloads/lan.toml",
    many => "benches/workloads/many.toml",
    many_10 => "benches/workloads/many-10.toml",
    lines => "benches/workloads/lines.toml",
    local_loop => "crates/celltrain-sim/tests/data/local-loop.toml",
    tunnel_beside_a_link => "crates/celltrain-sim/tests/data/engines/tunnel-beside-a-link.toml",
    credits => "examples/credits.toml",
    gfc => "examples/gfc.toml",
    gfc_groups => "examples/gfc-groups.toml",
    policing => "examples/policing.toml",
    abr_policing => "examples/abr-policing.toml",
}
