//! Groups of flows with several flows on each VC (`per_vc`).

mod common;

use std::sync::atomic::AtomicBool;

use celltrain_sim::engine::{Engine, run_with};
use celltrain_sim::measure::Results;
use common::{network, run};

/// Two hosts at each end of a queue, with a VC for each pair, and these flows.
fn pairs(flows: &str) -> String {
    format!(
        r#"
        [measure]
        duration = "300 ms"
        [hosts]
        a = {{ count = 2 }}
        b = {{ count = 2 }}
        [switches]
        s = {{}}
        [links]
        in = {{ between = ["a", "s"], delay = "10 us" }}
        out = {{ between = ["s", "b"], delay = "2 ms", rate = "5 Mbit/s", buffer = "300 cells" }}
        [vcs.v]
        route = ["a", "s", "b"]
        {flows}
        "#
    )
}

/// The values of some columns of all flows.
fn table(results: &Results, columns: &[&str]) -> Vec<Vec<f64>> {
    let flows = results.table("flows").expect("the table exists");
    columns.iter().map(|it| flows.numbers_of(it)).collect()
}

#[test]
fn flows_are_numbered_through_all_vcs_those_of_the_first_vc_first() {
    let network = network(&pairs("[flows.f]\nvc = \"v\"\nper_vc = 3")).unwrap();
    let flows: Vec<(&str, usize)> = { network.flows.iter() }
        .map(|flow| (flow.name.as_str(), flow.vc))
        .collect();
    assert_eq!(
        flows,
        [
            ("f1", 0),
            ("f2", 0),
            ("f3", 0),
            ("f4", 1),
            ("f5", 1),
            ("f6", 1)
        ]
    );
}

#[test]
fn a_group_of_one_flow_per_vc_is_the_group_without_the_key() {
    let of = |key: &str| run(&pairs(&format!("[flows.f]\nvc = \"v\"\n{key}")), 1).digest;
    assert_eq!(of("per_vc = 1"), of(""));
}

#[test]
fn flows_of_a_vc_are_those_of_entries_with_their_names_in_both_engines() {
    let tcp = "tcp = { mss = \"1460 bytes\", window = \"20000 bytes\" }\nback = {}";
    // A single VC, so that an entry is a single flow.
    let one = |flows: &str| pairs(flows).replace("{ count = 2 }", "{}");
    let entries = |name: &str| format!("[flows.{name}]\nvc = \"v\"\n{tcp}\n");
    let apart = one(&["f1", "f2", "f3"].map(entries).concat());
    let together = one(&format!("{}per_vc = 3", entries("f")));
    for engine in [Engine::Cells, Engine::Trains] {
        let [apart, together] = [&apart, &together].map(|text| {
            let network = network(text).unwrap();
            run_with(engine, &network, 1, &AtomicBool::new(false)).unwrap()
        });
        assert_eq!(apart.digest, together.digest);
        let groups = |results: &Results| results.table("fairness").unwrap().numbers_of("flows");
        assert!(groups(&apart).is_empty());
        assert_eq!(groups(&together), [3.0, 3.0], "f and f.back");
        let [delivered] = &table(&together, &["delivered_bytes"])[..] else {
            panic!("one column")
        };
        assert!(
            delivered.iter().all(|octets| *octets > 0.0),
            "{delivered:?}"
        );
    }
}

#[test]
fn no_flow_or_too_many_are_refused() {
    for (per_vc, message) in [
        (0, "flows.f.per_vc: expected 1 to 1000000, found 0"),
        (
            1_000_001,
            "flows.f.per_vc: expected 1 to 1000000, found 1000001",
        ),
    ] {
        let error = network(&pairs(&format!("[flows.f]\nvc = \"v\"\nper_vc = {per_vc}")));
        let error = error.unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let five = pairs("[flows.f]\nvc = \"v\"\nper_vc = 1000000").replace("count = 2", "count = 5");
    let error = network(&five).unwrap_err().to_string();
    assert!(
        error.contains("flows.f.per_vc: the network has more than 4000000 parts"),
        "{error}"
    );
}
