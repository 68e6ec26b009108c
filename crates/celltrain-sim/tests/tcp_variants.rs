//! Every TCP variant can be chosen in a scenario, and fills a line with occasional cell losses.

mod common;

use common::row::{Row, link};
use common::{run, value};

const SCENARIO: &str = include_str!("data/local-loop.toml");

#[test]
fn every_variant_delivers_over_a_line_that_overflows() {
    // Taken from the schema, so that later variants are tested, too.
    let schema: serde_json::Value =
        serde_json::from_str(&celltrain_sim::scenario::schema()).unwrap();
    let variants: Vec<&str> = schema["$defs"]["TcpVariant"]["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|variant| variant["const"].as_str())
        .collect();
    assert!(variants.len() >= 10, "{variants:?}");
    let mut with_losses = 0;
    for variant in variants {
        let text = SCENARIO
            .replace("service = \"abr\"", "service = \"ubr\"")
            .replace(
                ", rdf = \"1/4\", idle_forward_rm = false, turn_around_at = \"atu_r\"",
                "",
            )
            .replace(
                "control = { algorithm = \"binary\", threshold = \"256 cells\" }",
                "",
            )
            .replace(
                "[flows.upload.tcp]",
                // Linux 1999 is modelled only without Nagle's algorithm, which a greedy sender does not need.
                &format!("[flows.upload.tcp]\nvariant = \"{variant}\"\nnagle = false"),
            );
        let results = run(&text, 1);
        let carried: f64 = results
            .table("flows")
            .unwrap()
            .numbers_of("throughput_bps")
            .iter()
            .sum();
        assert!(
            carried > 0.3 * value(&results, "links", "up", "mean_rate_bps"),
            "{variant}: {carried}"
        );
        if value(&results, "links", "up", "cells_lost") > 0.0 {
            with_losses += 1;
        }
    }
    // Some keep the queue short by its delay.
    assert!(with_losses >= 10, "{with_losses} meet losses");
}

#[test]
fn the_continuous_timer_can_be_chosen() {
    let text = SCENARIO.replace(
        "[flows.upload.tcp]",
        "[flows.upload.tcp]\nvariant = \"newreno\"\nrto = { timer = \"rfc6298\", min = \"200 ms\" }",
    );
    assert!(value(&run(&text, 1), "flows", "upload1", "throughput_bps") > 1e5);
}

#[test]
fn bbr_fills_a_line_and_leaves_its_buffer_nearly_empty() {
    // 10 Mbit/s with a round trip of 40 ms: 118 kB with the cell tax. A loss-based window fills the 600 kB of buffer.
    let text = |variant: &str| {
        let tcp = format!(
            r#"tcp = {{ variant = "{variant}", mss = "1460 bytes", window = "1 MB", timer_granularity = "100 ms" }}"#
        );
        Row::of("a b")
            .measured("10 s", "40 s")
            .link(link("line", "20 ms").queue("10 Mbit/s", 12_000))
            .vc("vc", "")
            .flow("f", "vc", &tcp)
            .toml()
    };
    let (bbr, cubic) = (run(&text("bbr"), 1), run(&text("cubic"), 1));
    let of = |results, column| value(results, "links", "line", column);
    assert!(
        of(&bbr, "utilization") > 0.95,
        "{}",
        of(&bbr, "utilization")
    );
    // At most a bandwidth-delay product waits (the window is 2 BDP), and less on average.
    let bdp = 10e6 * 0.04 / 424.0;
    assert!(
        of(&bbr, "queue_mean_cells") < bdp,
        "{}",
        of(&bbr, "queue_mean_cells")
    );
    assert!(of(&cubic, "queue_mean_cells") > 3.0 * of(&bbr, "queue_mean_cells"));
}

#[test]
fn systems_of_4_4bsd_acknowledge_every_third_segment_with_timestamps_and_reno_every_second() {
    let ratio = |variant: &str, timestamps: bool| {
        let tcp = format!(
            r#"tcp = {{ variant = "{variant}", mss = "1460 bytes", ack = "bsd", timestamps = {timestamps} }}"#
        );
        let text = Row::of("a b")
            .measured("2 s", "10 s")
            .link(link("line", "1 ms").queue("10 Mbit/s", 12_000))
            .vc("vc", "")
            .flow("f", "vc", &tcp)
            .toml();
        let results = run(&text, 1);
        let pdus = results.table("vcs").unwrap().numbers_of("pdus_sent");
        (pdus[0] / pdus[1]).round() as u32
    };
    assert_eq!(ratio("4.3bsd-reno", true), 2);
    assert_eq!(ratio("4.4bsd", true), 3);
    assert_eq!(ratio("4.4bsd-lite2", true), 3);
    assert_eq!(ratio("4.4bsd", false), 2);
}

#[test]
fn no_two_variants_do_the_same_on_a_line_that_overflows_and_on_one_that_marks() {
    let schema: serde_json::Value =
        serde_json::from_str(&celltrain_sim::scenario::schema()).unwrap();
    let variants = schema["$defs"]["TcpVariant"]["oneOf"].as_array().unwrap();
    let on = |variant: &str, queue: &str| {
        let text = format!(
            r#"
            [measure]
            duration = "30 s"
            [hosts]
            a = {{}}
            b = {{}}
            [links.line]
            between = ["a", "b"]
            delay = "20 ms"
            rate = "10 Mbit/s"
            buffer = "1000 cells"
            loss = {{ process = "bernoulli", probability = 1e-5 }}
            {queue}
            [vcs.vc]
            route = ["a", "b"]
            [flows.f]
            vc = "vc"
            tcp = {{ preset = "plain", variant = "{variant}", mss = "1460 bytes", timestamps = true, nagle = false }}
            "#
        );
        let results = run(&text, 1);
        ["segments_sent", "segments_retransmitted", "rtt_mean_s"]
            .map(|column| value(&results, "flows", "f", column).to_bits())
    };
    let marking = r#"queue_management = { algorithm = "codel", ecn = true }"#;
    let did = |variant: &str| [on(variant, ""), on(variant, marking)];
    let mut seen = std::collections::BTreeMap::new();
    for variant in variants.iter().filter_map(|it| it["const"].as_str()) {
        if let Some(other) = seen.insert(did(variant), variant) {
            panic!("{variant} does what {other} does");
        }
    }
}
