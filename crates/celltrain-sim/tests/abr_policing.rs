//! Policing of ABR sources at the rate that the network allows them (TM 4.0 §5.10.8, dynamic GCRA).

mod common;

use celltrain_sim::measure::Results;
use common::row::{Row, link};
use common::{network, run, value};

/// Two sources share 10 Mbit/s; a switch 2 ms away polices both.
fn shared(control: &str, police: &str) -> String {
    let abr =
        r#"{ service = "abr", pcr = "9 Mbit/s", icr = "1 Mbit/s", rif = "1/8", rdf = "1/8" }"#;
    Row::of("a s t b")
        .hosts("count = 2")
        .lasting("2 s")
        .link(link("access", "2 ms"))
        .ways(
            link("trunk", "5 ms")
                .queue("10 Mbit/s", 9_000)
                .with(control),
            link("back", "5 ms"),
        )
        .link(link("out", "1 ms"))
        .vc("v", &format!("forward = {abr}\nbackward = {abr}\n{police}"))
        .flow("f", "v", "tcp = { mss = \"1460 bytes\" }")
        .background(
            "load",
            "w",
            r#"traffic = { process = "on-off", peak = "8 Mbit/s", on = "50 ms", off = "70 ms" }"#,
        )
        .and(
            r#"
            [vcs.w]
            route = ["a1", "s", "t", "b1"]
            [probes.p]
            every = "1 ms"
            record = ["vcs.v1.forward.acr_bps"]
            "#,
        )
        .toml()
}

/// Rates that change all the time, by marks and by explicit rates.
const CONTROLS: [&str; 4] = [
    r#"control = { algorithm = "erica", interval = "3 ms" }"#,
    r#"control = { algorithm = "binary", threshold = "50 cells" }"#,
    r#"becn = { above = "50 cells" }"#,
    "control = { algorithm = \"eprca\", qt = \"40 cells\", dqt = \"100 cells\" }\nbecn = { above = \"50 cells\" }",
];

/// Nothing delays the cells of the sources, so what the RM cells allow shows exactly one round trip between source and
/// policer later, 4 ms, and no tolerance is needed.
#[test]
fn abr_section_11_a_source_that_obeys_loses_nothing() {
    for control in CONTROLS {
        let police = r#"police = { pcr = "9 Mbit/s", cdvt = "0 s", dynamic = { tau_2 = "4 ms", tau_3 = "4 ms" } }"#;
        let policed = run(&shared(control, police), 1);
        assert_eq!(
            policed.digest,
            run(&shared(control, ""), 1).digest,
            "{control}"
        );
        let rates = policed.traces[0].numbers_of("vcs.v1.forward.acr_bps");
        let changes = rates.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changes > 20, "{control}: {changes} changes of the rate");
    }
}

/// A policer that expects a change before it can show takes cells that were sent at the old rate for too early.
#[test]
fn abr_section_11_a_lower_rate_must_not_be_expected_before_it_can_show() {
    let police = r#"police = { pcr = "9 Mbit/s", cdvt = "0 s", dynamic = { tau_2 = "1 ms" } }"#;
    let results = run(&shared(CONTROLS[0], police), 1);
    assert!(policed(&results, "v1") > 0.0);
}

fn policed(results: &Results, vc: &str) -> f64 {
    value(results, "vcs", vc, "cells_policed")
}

/// Cells at 8 Mbit/s that ignore RM cells, on a VC with the parameters `abr`.
fn ignoring(abr: &str, queue: &str, police: &str) -> String {
    let abr = format!(r#"{{ service = "abr", pcr = "8 Mbit/s", {abr} }}"#);
    Row::of("a s t b")
        .lasting("1 s")
        .link(link("access", "1 ms"))
        .ways(
            link("trunk", "1 ms").queue("20 Mbit/s", 9_000).with(queue),
            link("back", "1 ms"),
        )
        .link(link("out", "0 s"))
        .vc(
            "v",
            &format!("forward = {abr}\nbackward = {abr}\npolice = {{ pcr = \"8 Mbit/s\", cdvt = \"0 s\", {police} }}"),
        )
        .background("load", "v", r#"traffic = { process = "cbr", rate = "8 Mbit/s" }"#)
        .toml()
}

/// Cells come every 53 us from 1 ms on, up to 1 s.
const CAME: f64 = 18_850.0;

/// A source without RM cells gets no feedback, so it may use ICR for ever: one cell in four, the first included.
#[test]
fn abr_section_11_a_source_that_ignores_its_rate_loses_what_exceeds_it() {
    let police = r#"dynamic = { tau_2 = "2 ms", tau_3 = "2 ms" }"#;
    let dropped = CAME - (CAME / 4.0).ceil();
    let results = run(&ignoring(r#"icr = "2 Mbit/s""#, "", police), 1);
    assert_eq!(policed(&results, "v"), dropped);
    let tags = format!("{police}, action = \"tag\"");
    let results = run(&ignoring(r#"icr = "2 Mbit/s""#, "", &tags), 1);
    assert_eq!(policed(&results, "v"), 0.0);
    assert_eq!(value(&results, "vcs", "v", "cells_tagged"), dropped);
}

/// Four cells come to the queue of 6 Mbit/s for three that leave, so cell 80 or 81 finds more than 20. The switch then tells
/// the source to halve its rate. From 2 ms later on, 38 cells, the policer passes every second one, which the queue can
/// serve: there is no further demand.
#[test]
fn abr_section_11_a_policer_enforces_what_a_switch_demands() {
    let police = r#"dynamic = { tau_2 = "2 ms", tau_3 = "2 ms" }"#;
    let queue = "becn = { above = \"20 cells\" }";
    let text = ignoring("rdf = \"1/2\"", queue, police).replace("20 Mbit/s", "6 Mbit/s");
    let passed = CAME - policed(&run(&text, 1), "v");
    let whole = 80.0 + 38.0;
    let expected = whole + (CAME - whole) / 2.0;
    assert!((passed - expected).abs() < 2.0, "{passed}, {expected}");
}

#[test]
fn what_dynamic_policing_needs_is_said() {
    let good = ignoring("", "", r#"dynamic = { tau_2 = "2 ms" }"#);
    let refused = |from: &str, to: &str, expected: &str| {
        assert!(good.contains(from), "{from}");
        let error = network(&good.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let dynamic = r#"dynamic = { tau_2 = "2 ms" }"#;
    refused(
        dynamic,
        r#"dynamic = { tau_2 = "2 ms", tau_3 = "3 ms" }"#,
        "vcs.v.police.dynamic.tau_2: expected tau_3, 3 ms, to 10 s, found 2 ms",
    );
    refused(
        dynamic,
        r#"dynamic = { tau_2 = "11 s" }"#,
        "vcs.v.police.dynamic.tau_2: expected tau_3, 0 ps, to 10 s, found 11 s",
    );
    refused(
        "route = [\"a\", \"s\", \"t\", \"b\"]",
        "route = [\"a\", \"b\"]\n[links.direct]\nbetween = [\"a\", \"b\"]\ndelay = \"1 ms\"\n[vcs.w]\nroute = [\"a\", \"b\"]",
        "vcs.w.police.dynamic: the policer follows the RM cells that pass it, but no switch is between",
    );
    // A LAN stands in the route, but it is no node that polices.
    refused(
        "route = [\"a\", \"s\", \"t\", \"b\"]",
        "route = [\"a\", \"lan\", \"b\"]\n[lans.lan]\nrate = \"10 Mbit/s\"\n[vcs.w]\nroute = [\"a\", \"lan\", \"b\"]",
        "vcs.w.police.dynamic: the policer follows the RM cells that pass it, but no switch is between",
    );
    refused(
        dynamic,
        &format!("{dynamic}, frames = true"),
        "vcs.v.police.frames: an ABR source is policed cell by cell at one rate",
    );
    refused(
        dynamic,
        &format!("{dynamic}, scr = \"1 Mbit/s\", mbs = \"3 cells\""),
        "vcs.v.police.scr: an ABR source is policed cell by cell at one rate",
    );
    refused(
        "forward = { service = \"abr\", pcr = \"8 Mbit/s\",  }",
        "forward = { service = \"ubr\" }",
        "vcs.v.police.dynamic: only an ABR source has a rate that RM cells change",
    );
    refused(
        "forward = { service = \"abr\", pcr = \"8 Mbit/s\",  }",
        "forward = { service = \"abr\", pcr = \"9 Mbit/s\", mcr = \"9 Mbit/s\" }",
        "vcs.v.police.pcr: expected at least mcr, 9 Mbit/s",
    );
}
