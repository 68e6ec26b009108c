//! Connection admission control: which VCs a network carries.

mod common;

use std::fmt::Write;

use celltrain_sim::measure::{Results, Table, Values};
use common::{network, run, value};

/// VCs with these services, from `aN` to `bN` over a trunk of 42.4 Mbit/s.
fn vcs(admission: &str, services: &[&str]) -> String {
    let mut text = format!(
        r#"
        measure = {{ duration = "200 ms" }}
        {admission}
        hosts = {{ a = {{ count = 9 }}, b = {{ count = 9 }} }}
        switches = {{ s = {{}}, t = {{}} }}
        [links]
        in = {{ between = ["a", "s"], delay = "1 us" }}
        trunk = {{ between = ["s", "t"], delay = "1 us", rate = "42.4 Mbit/s", buffer = "1000 cells" }}
        out = {{ between = ["t", "b"], delay = "1 us" }}
        "#
    );
    for (index, service) in services.iter().enumerate() {
        let number = index + 1;
        let _ = write!(
            text,
            r#"
            [vcs.v{number}]
            route = ["a{number}", "s", "t", "b{number}"]
            forward = {service}
            [flows.f{number}]
            vc = "v{number}"
            udp = {{ packet = "500 bytes", traffic = {{ process = "cbr", rate = "1 Mbit/s" }} }}
            "#
        );
    }
    text
}

const RUN: &str = "admission = { on_refusal = \"run\" }";

fn cbr(mbps: u32) -> String {
    format!("{{ service = \"cbr\", pcr = \"{mbps} Mbit/s\" }}")
}

/// All numbers of a column.
fn column(results: &Results, table: &str, column: &str) -> Vec<f64> {
    let table = results.table(table).expect("the table exists");
    table.numbers_of(column)
}

fn names(table: &Table, column: &str) -> Vec<String> {
    match table.column(column).map(|column| &column.values) {
        Some(Values::Names(names)) => names.iter().map(str::to_owned).collect(),
        other => panic!("{column}: {other:?}"),
    }
}

fn reasons(results: &Results) -> Vec<String> {
    names(
        results.table("admission").expect("it was asked for"),
        "reason",
    )
}

#[test]
fn a_refused_vc_carries_nothing_and_later_ones_may_still_fit() {
    let services = [cbr(20), cbr(23), cbr(22)];
    let text = vcs(RUN, &services.each_ref().map(String::as_str));
    let results = run(&text, 1);
    // 20 + 23 = 43 > 42.4, and 20 + 22 = 42.
    assert_eq!(reasons(&results), ["admitted", "bandwidth", "admitted"]);
    let table = results.table("admission").expect("it was asked for");
    assert_eq!(names(table, "refused_by"), ["", "trunk", ""]);
    assert_eq!(names(table, "direction"), ["", "forward", ""]);
    assert_eq!(table.numbers_of("is_admitted"), [1.0, 0.0, 1.0]);
    assert_eq!(table.numbers_of("needed_bps")[1], 23e6);
    assert!((table.numbers_of("left_bps")[1] - 22.4e6).abs() < 1.0);
    let delivered = column(&results, "flows", "delivered_bytes");
    assert!(delivered[0] > 0.0 && delivered[2] > 0.0, "{delivered:?}");
    assert_eq!(delivered[1], 0.0);
    assert_eq!(value(&results, "vcs", "v2", "cells_sent"), 0.0);
    // It crosses no link.
    let links = results.table("link_vcs").expect("it always exists");
    assert!(!names(links, "vc").contains(&"v2".to_owned()));
}

#[test]
fn other_vcs_fare_as_if_the_refused_one_were_not_written() {
    let with = run(&vcs(RUN, &[&cbr(30), &cbr(13)]), 1);
    let without = run(&vcs(RUN, &[&cbr(30)]), 1);
    for table in ["flows", "vcs", "links"] {
        let [with, without] = [&with, &without].map(|it| it.table(table).expect("it exists"));
        for column in &without.columns {
            let Values::Numbers(numbers) = &column.values else {
                continue;
            };
            let with = with.numbers_of(&column.name);
            for (one, other) in with.iter().zip(numbers.iter()) {
                assert!(
                    one.to_bits() == other.to_bits(),
                    "{} {one} {other}",
                    column.name
                );
            }
        }
    }
}

#[test]
fn a_refused_abr_vc_sends_no_rm_cell() {
    let abr = r#"{ service = "abr", pcr = "40 Mbit/s", mcr = "30 Mbit/s" }"#;
    let text = vcs(RUN, &[&cbr(20), abr]).replace(
        "forward = { service = \"abr\"",
        "backward = { service = \"abr\", pcr = \"40 Mbit/s\" }\n forward = { service = \"abr\"",
    );
    let results = run(&text, 1);
    assert_eq!(reasons(&results), ["admitted", "bandwidth"]);
    assert_eq!(value(&results, "vcs", "v2", "cells_sent"), 0.0);
}

#[test]
fn a_refused_vc_has_no_rate_in_tables_and_probes() {
    let services = [cbr(50), "{ service = \"ubr\" }".to_owned()];
    let probe = "[probes.p]\nevery = \"200 ms\"\n\
                 record = [\"vcs.v1.forward.acr_bps\", \"vcs.v1.backward.acr_bps\"]\n";
    let text = vcs(RUN, &services.each_ref().map(String::as_str)) + probe;
    let results = run(&text, 1);
    assert_eq!(column(&results, "vcs", "acr_bps")[..2], [0.0, 0.0]);
    for way in ["forward", "backward"] {
        let samples = results.traces[0].numbers_of(&format!("vcs.v1.{way}.acr_bps"));
        assert_eq!(samples, [0.0, 0.0], "{way}");
    }
}

#[test]
fn bandwidth_is_booked_in_both_directions_or_not_at_all() {
    // The second VC fits forward and not backward, so it leaves the forward direction to the third.
    let services = [cbr(20), cbr(20), cbr(22)];
    let mut text = vcs(RUN, &services.each_ref().map(String::as_str));
    for (vc, backward) in [("[vcs.v1]", cbr(30)), ("[vcs.v2]", cbr(20))] {
        text = text.replace(vc, &format!("{vc}\nbackward = {backward}"));
    }
    let results = run(&text, 1);
    assert_eq!(reasons(&results), ["admitted", "bandwidth", "admitted"]);
    let table = results.table("admission").expect("it was asked for");
    assert_eq!(names(table, "direction")[1], "backward");
    assert_eq!(names(table, "refused_by")[1], "trunk.back");
}

#[test]
fn vcs_of_a_refused_tunnel_vc_are_refused() {
    let text = r#"
        measure = { duration = "100 ms" }
        admission = { on_refusal = "run" }
        hosts = { a = {}, b = {} }
        switches = { s = {} }
        routers = { r = {}, q = {} }
        [links]
        in = { between = ["a", "r"], delay = "1 us" }
        one = { between = ["r", "s"], delay = "1 us", rate = "10 Mbit/s", buffer = "100 cells" }
        two = { between = ["s", "q"], delay = "1 us", rate = "20 Mbit/s", buffer = "100 cells" }
        out = { between = ["q", "b"], delay = "1 us" }
        [vcs]
        station = { route = ["a", "r", "q", "b"] }
        wan = { route = ["r", "s", "q"], forward = { service = "cbr", pcr = "11 Mbit/s" } }
        [flows.f]
        vc = "station"
        tcp = { mss = "1460 bytes" }
    "#;
    let results = run(text, 1);
    assert_eq!(reasons(&results), ["tunnel", "bandwidth"]);
    let table = results.table("admission").expect("it was asked for");
    assert_eq!(names(table, "refused_by"), ["wan", "one"]);
    assert_eq!(value(&results, "flows", "f", "delivered_bytes"), 0.0);
}

#[test]
fn effective_bandwidth_lies_between_sustainable_and_peak_rate() {
    let rule = r#"admission = { rule = "effective-bandwidth", loss_ratio = 4.539992976248485e-5, on_refusal = "run" }"#;
    // As in celltrain-proto/src/admission/tests.rs: ln(1 / loss) = 10. With a buffer of 0.424 Mbit and bursts of 1,000 cells,
    // 0.424 Mbit, a quarter of the time: y = 3.18, x / y = 2 / 15, so that
    // R (13/15 + sqrt(169/225 + 2/15)) / 2 = R x 0.9036 at R = 10 Mbit/s. Four fit 42.4 Mbit/s, not five.
    let vbr =
        r#"{ service = "nrt-vbr", pcr = "10 Mbit/s", scr = "2.5 Mbit/s", mbs = "1000 cells" }"#;
    let results = run(&vcs(rule, &[vbr; 6]), 1);
    let expected = ["admitted"; 4].into_iter().chain(["bandwidth"; 2]);
    assert!(reasons(&results).into_iter().eq(expected));
    let table = results.table("admission").expect("it was asked for");
    let needed = table.numbers_of("needed_bps")[4];
    assert!((needed / 9.0356e6 - 1.0).abs() < 1e-4, "{needed}");
}

#[test]
fn without_a_wish_to_run_a_refused_vc_is_an_error_that_says_how() {
    let rule = r#"admission = { rule = "effective-bandwidth" }"#;
    let vbr = r#"{ service = "nrt-vbr", pcr = "40 Mbit/s", scr = "2 Mbit/s", mbs = "5000 cells" }"#;
    let refused = network(&vcs(rule, &[vbr; 2])).expect_err("it is nearly the peak rate");
    let message = refused.to_string();
    for part in [
        "\"v2\"",
        "effective bandwidth forward",
        "on_refusal = \"run\"",
    ] {
        assert!(message.contains(part), "{message}");
    }
    // Their guaranteed rates fit.
    network(&vcs("", &[vbr; 2])).expect("4 Mbit/s of 42.4");
}

#[test]
fn a_loss_ratio_is_a_small_fraction_and_needs_its_rule() {
    for (admission, part) in [
        (
            r#"{ rule = "effective-bandwidth", loss_ratio = 0 }"#,
            "above 0",
        ),
        (
            r#"{ rule = "effective-bandwidth", loss_ratio = 0.2 }"#,
            "up to 0.1",
        ),
        ("{ loss_ratio = 1e-6 }", "effective-bandwidth"),
    ] {
        let text = vcs(&format!("admission = {admission}"), &[&cbr(1)]);
        let message = network(&text).expect_err("it is not allowed").to_string();
        assert!(message.contains("admission.loss_ratio"), "{message}");
        assert!(message.contains(part), "{message}");
    }
}
