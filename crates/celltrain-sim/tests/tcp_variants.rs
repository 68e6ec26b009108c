//! Every variant of TCP can be chosen in a scenario, and fills a line that loses cells now and then.

mod common;

use common::row::{Row, link};
use common::{run, value};

const SCENARIO: &str = include_str!("data/local-loop.toml");

#[test]
fn every_variant_delivers_over_a_line_that_overflows() {
    // From the schema, so that a variant that comes later is met here too.
    let schema: serde_json::Value =
        serde_json::from_str(&celltrain_sim::scenario::schema()).unwrap();
    let variants: Vec<&str> = schema["$defs"]["TcpVariant"]["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|variant| variant["const"].as_str().unwrap())
        .collect();
    assert!(variants.len() >= 10, "{variants:?}");
    for variant in variants {
        let text = SCENARIO
            .replace("service = \"abr\"", "service = \"ubr\"")
            .replace(
                ", rdf = \"1/4\", idle_forward_rm = false, turn_round_at = \"atu_r\"",
                "",
            )
            .replace(
                "control = { algorithm = \"binary\", threshold = \"256 cells\" }",
                "",
            )
            .replace(
                "[flows.upload.tcp]",
                // Linux 1999 is modelled without Nagle's rule only; a greedy sender has no use for it.
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
        assert!(
            value(&results, "links", "up", "cells_lost") > 0.0,
            "{variant} meets losses"
        );
    }
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
    // 10 Mbit/s, 40 ms of round trip: 118 kB with the cell tax. A loss-based window fills the 600 kB of buffer.
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
    // At most a bandwidth-delay product stands (2 BDP of window), and less on average.
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
