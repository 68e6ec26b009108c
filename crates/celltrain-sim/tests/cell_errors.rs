//! Corrupted and misinserted cells over whole networks, against their probabilities.

mod common;

use celltrain_sim::measure::Results;
use common::row::{Row, link};
use common::{network, run, value};

/// 1,000 packets of ten cells per second for 20 s, over a line with these errors.
fn packets(errors: &str) -> Results {
    let octets = 48 * 10 - 8;
    let traffic = format!(
        "{{ process = \"pulses\", peak = \"{} bit/s\", period = \"1 ms\", duty_cycle = 1 }}",
        8 * octets * 1_000
    );
    let text = Row::of("a b")
        .lasting("20 s")
        .link(link("line", "1 ms").with(errors))
        .vc("v", "encapsulation = \"vc-mux\"")
        .flow(
            "f",
            "v",
            &format!("udp = {{ packet = \"{octets} bytes\", traffic = {traffic} }}"),
        )
        .toml();
    run(&text, 1)
}

fn errors(results: &Results, column: &str) -> f64 {
    value(results, "cell_errors", "line", column)
}

fn vc(results: &Results, column: &str) -> f64 {
    value(results, "vcs", "v", column)
}

/// All cells arrive, and a packet is good if none of its ten cells is corrupted.
#[test]
fn a_pdu_with_a_corrupted_cell_fails_its_crc() {
    let results = packets("errors = { process = \"bernoulli\", probability = 0.01 }");
    assert_eq!(
        vc(&results, "cells_lost") + vc(&results, "cells_errored"),
        0.0
    );
    let cells = errors(&results, "cells");
    assert_eq!(cells, vc(&results, "cells_delivered"));
    // 2,000 of 200,000 cells, with a standard deviation of 44.5.
    let corrupted = errors(&results, "cells_corrupted");
    assert!((corrupted - 2_000.0).abs() < 180.0, "{corrupted}");
    assert_eq!(errors(&results, "cell_error_ratio"), corrupted / cells);
    // 1 - 0.99^10 = 9.562 % of 20,000 packets, with a standard deviation of 41.6.
    let damaged = vc(&results, "pdus_damaged");
    assert!((damaged - 1_912.4).abs() < 170.0, "{damaged}");
    let ended = vc(&results, "pdus_delivered") + damaged;
    assert!((0.0..=1.0).contains(&(vc(&results, "pdus_sent") - ended)));
}

/// Where all cells of a burst are corrupted, as many cells damage fewer packets.
#[test]
fn bursts_of_errors_damage_fewer_pdus() {
    let bursts = "errors = { process = \"gilbert-elliott\", good_to_bad = 0.001, bad_to_good = 0.1, loss_bad = 1.0 }";
    let results = packets(bursts);
    // A hundredth of all cells are in bad times of ten cells each.
    let corrupted = errors(&results, "cells_corrupted");
    assert!((corrupted / 2_000.0 - 1.0).abs() < 0.3, "{corrupted}");
    let damaged = vc(&results, "pdus_damaged");
    assert!(damaged < 0.35 * corrupted, "{damaged} of {corrupted}");
}

/// Each misinserted cell damages the packet that it comes into; two in one packet are unlikely.
#[test]
fn a_misinserted_cell_damages_one_pdu() {
    let results = packets("misinsertion = { rate = \"20 cells/s\" }");
    // The link has two directions: each is a link of its own.
    let misinserted = errors(&results, "cells_misinserted");
    // 400 with a standard deviation of 20.
    assert!((misinserted - 400.0).abs() < 80.0, "{misinserted}");
    assert_eq!(
        errors(&results, "cell_misinsertion_rate"),
        misinserted / 20.0
    );
    assert_eq!(errors(&results, "cells_corrupted"), 0.0);
    let damaged = vc(&results, "pdus_damaged");
    assert!(
        damaged <= misinserted && damaged > 0.95 * misinserted,
        "{damaged}, {misinserted}"
    );
}

/// RM cells have a CRC of their own and are discarded by whoever reads it.
#[test]
fn an_rm_cell_with_errors_is_discarded() {
    let text = Row::of("a s b")
        .lasting("2 s")
        .link(link("in", "1 ms"))
        .ways(
            link("out", "1 ms").with("errors = { process = \"bernoulli\", probability = 0.1 }"),
            link("back", "1 ms"),
        )
        .vc(
            "v",
            "forward = { service = \"abr\", pcr = \"10 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"10 Mbit/s\" }",
        )
        .background("b", "v", "traffic = { process = \"greedy\" }")
        .toml();
    let results = run(&text, 1);
    let forward = vc(&results, "forward_rm_sent");
    let discarded = vc(&results, "cells_errored");
    assert!(forward > 1_000.0);
    assert!(
        (discarded / forward - 0.1).abs() < 0.03,
        "{discarded} of {forward}"
    );
    // Data cells go on.
    let sent = vc(&results, "cells_sent");
    let arrived = vc(&results, "cells_delivered");
    let under_way = sent - arrived - discarded;
    assert!((0.0..100.0).contains(&under_way), "{under_way}");
}

#[test]
fn a_network_without_errors_has_no_such_table() {
    assert!(packets("").table("cell_errors").is_none());
}

#[test]
fn the_rate_of_misinsertion_has_bounds() {
    for (rate, expected) in [
        ("0 cells/s", "above zero"),
        ("21 cells/s", "at most 20 cells/s"),
    ] {
        let text = Row::of("a b")
            .lasting("1 s")
            .link(link("line", "1 ms").with(&format!("misinsertion = {{ rate = \"{rate}\" }}")))
            .vc("v", "")
            .flow("f", "v", "")
            .toml();
        let error = network(&text).expect_err("refused").to_string();
        assert!(
            error.contains("links.line.misinsertion.rate") && error.contains(expected),
            "{error}"
        );
    }
}
