//! Shapers within the network.

mod common;

use common::row::{Row, link};
use common::{network, run, value};

/// Packets from `a` to `b`, shaped at `s` and policed at `t`; `vc` has both.
fn line(traffic: &str, vc: &str) -> String {
    Row::of("a s t b")
        .lasting("10 s")
        .link(link("in", "10 us"))
        .link(link("between", "1 ms"))
        .link(link("out", "10 us"))
        .vc("v", vc)
        .flow(
            "f",
            "v",
            &format!("udp = {{ packet = \"440 bytes\", traffic = {traffic} }}"),
        )
        .toml()
}

/// Packets of ten cells: 440 octets, 8 of the encapsulation and 8 of the trailer in 480.
const EACH_20_MS: &str = r#"{ process = "cbr", rate = "176 kbit/s" }"#;

fn sum(text: &str, table: &str, column: &str) -> f64 {
    value(&run(text, 1), table, "v", column)
}

#[test]
fn cells_that_come_together_leave_one_by_one() {
    // One cell each ms: the ten of a packet wait 0 to 9 ms.
    let text = line(
        EACH_20_MS,
        r#"shape = [{ at = "s", pcr = "1000 cells/s", buffer = "10 cells" }]"#,
    );
    let results = run(&text, 1);
    let of = |column| value(&results, "shapers", "v", column);
    assert_eq!(of("cells_offered"), 5_000.0);
    assert_eq!(of("cells_dropped"), 0.0);
    assert!(
        (of("delay_mean_s") - 4.5e-3).abs() < 1e-12,
        "{}",
        of("delay_mean_s")
    );
    // 500 packets, each with 10 cells for 4.5 ms, in 10 s.
    assert!((of("queue_mean_cells") - 2.25).abs() < 1e-9);
    assert_eq!(value(&results, "vcs", "v", "pdus_delivered"), 500.0);
}

#[test]
fn what_leaves_a_shaper_conforms_without_any_tolerance() {
    let police = r#"police = { at = "t", pcr = "1000 cells/s", cdvt = "0 s" }"#;
    let shape = r#"shape = [{ at = "s", pcr = "1000 cells/s", buffer = "10 cells" }]"#;
    let [shaped, not] = [format!("{police}\n{shape}"), police.to_owned()];
    assert_eq!(sum(&line(EACH_20_MS, &shaped), "vcs", "cells_policed"), 0.0);
    // All ten come together: nine of them do not conform.
    assert_eq!(
        sum(&line(EACH_20_MS, &not), "vcs", "cells_policed"),
        4_500.0
    );
}

#[test]
fn a_sustainable_rate_lets_a_burst_pass_and_spaces_the_rest() {
    // MBS = 4 cells leave 1 ms apart, those after them 2 ms apart: each cell is expected 2 ms after
    // the one before and may come (4 - 1) x 1 ms earlier. The waits are 0, 1, 2, 3, then 8 - 3 = 5, 7, 9, 11, 13, 15 ms: 66 ms together.
    let contract = r#"pcr = "1000 cells/s", scr = "500 cells/s", mbs = "4 cells""#;
    let shape = format!("shape = [{{ at = \"s\", {contract}, buffer = \"10 cells\" }}]");
    let each_40_ms = r#"{ process = "cbr", rate = "88 kbit/s" }"#;
    let mean = sum(&line(each_40_ms, &shape), "shapers", "delay_mean_s");
    assert!((mean - 6.6e-3).abs() < 1e-12, "{mean}");
    let police = format!("{shape}\npolice = {{ at = \"t\", {contract}, cdvt = \"0 s\" }}");
    assert_eq!(sum(&line(each_40_ms, &police), "vcs", "cells_policed"), 0.0);
}

#[test]
fn a_tolerance_lets_cells_leave_closer_together() {
    // The second of two cells may leave 0.4 ms earlier, and so may all after it: 0, 0.6, 1.6 ... 8.6 ms.
    let shape =
        r#"shape = [{ at = "s", pcr = "1000 cells/s", cdvt = "400 us", buffer = "10 cells" }]"#;
    let mean = sum(&line(EACH_20_MS, shape), "shapers", "delay_mean_s");
    assert!(
        (mean - (45.0 - 9.0 * 0.4) / 10.0 * 1e-3).abs() < 1e-12,
        "{mean}"
    );
}

#[test]
fn what_finds_a_full_shaper_is_lost() {
    // Twice the rate that leaves: half is dropped, except for what fills the buffer.
    let twice = r#"{ process = "cbr", rate = "704 kbit/s" }"#;
    let text = line(
        twice,
        r#"shape = [{ at = "s", pcr = "1000 cells/s", buffer = "60 cells" }]"#,
    );
    let results = run(&text, 1);
    let of = |column| value(&results, "shapers", "v", column);
    let (offered, dropped) = (of("cells_offered"), of("cells_dropped"));
    // Packets come each 5 ms.
    assert_eq!(offered, 20_000.0);
    assert!((dropped - 10_000.0).abs() <= 60.0, "{dropped}");
    assert_eq!(of("queue_max_cells"), 60.0);
    assert_eq!(value(&results, "vcs", "v", "cells_lost"), dropped);
    // Six cells have left when the second packet comes, and five more when each later one does: 5 k - 1 wait when packet k comes, from 0, and
    // ten more find room up to k = 10. Of every later packet the last cells are dropped, so it has no end.
    let ended = ["pdus_delivered", "pdus_damaged"].map(|it| value(&results, "vcs", "v", it));
    assert_eq!(ended, [11.0, 0.0]);
}

#[test]
fn each_member_of_a_group_has_a_shaper_of_its_own() {
    let text = Row::of("a s b")
        .hosts("count = 2")
        .lasting("1 s")
        .link(link("in", "10 us"))
        .link(link("out", "10 us"))
        .vc(
            "v",
            r#"shape = [{ at = "s", pcr = "1000 cells/s", buffer = "10 cells" }]"#,
        )
        .flow(
            "f",
            "v",
            &format!("udp = {{ packet = \"440 bytes\", traffic = {EACH_20_MS} }}"),
        )
        .toml();
    let results = run(&text, 1);
    for vc in ["v1", "v2"] {
        let mean = value(&results, "shapers", vc, "delay_mean_s");
        assert!((mean - 4.5e-3).abs() < 1e-12, "{vc}: {mean}");
    }
}

#[test]
fn an_abr_loop_passes_a_shaper_and_its_rm_cells_wait_there_too() {
    // The shaper passes 2 Mbit/s, and nothing tells the source, which sends 8 Mbit/s.
    let abr = r#"{ service = "abr", pcr = "8 Mbit/s", icr = "8 Mbit/s" }"#;
    let text = line(
        r#"{ process = "cbr", rate = "8 Mbit/s" }"#,
        &format!(
            "forward = {abr}\nbackward = {abr}\nsource_buffer = \"200 cells\"\n\
             shape = [{{ at = \"s\", pcr = \"2 Mbit/s\", buffer = \"100 cells\" }}]"
        ),
    );
    let results = run(&text, 1);
    let of = |column| value(&results, "vcs", "v", column);
    let delivered = of("cells_delivered") * 424.0 / 10.0;
    assert!((delivered / 2e6 - 1.0).abs() < 0.01, "{delivered}");
    let rm = of("forward_rm_sent");
    let shaped = value(&results, "shapers", "v", "cells_offered");
    // All cells of all kinds come to it, except the few that are on their way.
    assert!(
        of("cells_sent") - shaped <= 2.0 && rm > 1_000.0,
        "{rm} {shaped}"
    );
}

#[test]
fn mistakes_in_shapers_are_named() {
    let ok = r#"at = "s", pcr = "1 Mbit/s", buffer = "9 cells""#;
    for (vc, key, part) in [
        (
            r#"shape = [{ at = "x", pcr = "1 Mbit/s", buffer = "9 cells" }]"#.to_owned(),
            "shape.0.at",
            "\"x\" is no switch",
        ),
        (
            r#"shape = [{ at = "a", pcr = "1 Mbit/s", buffer = "9 cells" }]"#.to_owned(),
            "shape.0.at",
            "\"a\" is no switch",
        ),
        (
            r#"shape = [{ at = "s", pcr = "0 bit/s", buffer = "9 cells" }]"#.to_owned(),
            "shape.0.pcr",
            "above zero",
        ),
        (
            r#"shape = [{ at = "s", pcr = "1 Mbit/s", buffer = "0 cells" }]"#.to_owned(),
            "shape.0.buffer",
            "expected 1",
        ),
        (
            format!("shape = [{{ {ok}, scr = \"1 kbit/s\" }}]"),
            "shape.0",
            "together",
        ),
        (
            format!("shape = [{{ {ok}, scr = \"2 Mbit/s\", mbs = \"2 cells\" }}]"),
            "shape.0.scr",
            "at most pcr",
        ),
        (
            format!("shape = [{{ {ok} }}, {{ {ok} }}]"),
            "shape.1.at",
            "another shaper",
        ),
        (
            r#"police = { at = "u", pcr = "1 Mbit/s" }"#.to_owned(),
            "police.at",
            "\"u\" is no switch",
        ),
        (
            format!(
                "shape = [{{ {ok} }}]\nvirtual_ends = {{ at = [\"s\"] }}\n\
                 forward = {{ service = \"abr\", pcr = \"1 Mbit/s\" }}\n\
                 backward = {{ service = \"abr\", pcr = \"1 Mbit/s\" }}"
            ),
            "shape.0.at",
            "virtual end",
        ),
    ] {
        let message = network(&line(EACH_20_MS, &vc)).expect_err(&vc).to_string();
        assert!(message.contains(&format!("vcs.v.{key}")), "{message}");
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn the_queue_before_a_node_that_shapes_cannot_have_credits() {
    let text = line(
        EACH_20_MS,
        r#"shape = [{ at = "s", pcr = "1 Mbit/s", buffer = "9 cells" }]"#,
    );
    let credits = "delay = \"1 ms\"\nrate = \"9 Mbit/s\"\nbuffer = \"99 cells\"\nscheduling = \"weighted-fair\"\ncredit = {}";
    let text = text.replace("delay = \"1 ms\"", credits);
    let message = network(&text).expect_err("credits count cells").to_string();
    assert!(message.contains("shape"), "{message}");
}
