//! Backward RM cells that switches generate themselves (TM 4.0 §5.10.6), in closed form.

mod common;

use celltrain_sim::measure::Results;
use common::row::{Row, link};
use common::{network, run, value};

/// An ABR source of 10 Mbit/s, 1 ms from a switch with a queue for 5 Mbit/s; the rest of the path takes 10 ms.
fn scenario(queue: &str, vc: &str, source: &str) -> String {
    let abr = format!(r#"{{ service = "abr", pcr = "10 Mbit/s", {source} }}"#);
    Row::of("a s t b")
        .lasting("1 s")
        .link(link("access", "1 ms"))
        .ways(
            link("trunk", "5 ms").queue("5 Mbit/s", 9_000).with(queue),
            link("back", "5 ms"),
        )
        .link(link("out", "5 ms"))
        .vc("v", &format!("forward = {abr}\nbackward = {abr}\n{vc}"))
        .background("load", "v", r#"traffic = { process = "greedy" }"#)
        .and("[probes.p]\nevery = \"0.1 ms\"\nrecord = [\"vcs.v.forward.acr_bps\"]")
        .toml()
}

/// ACR at sample number `tenths`, in tenths of a millisecond.
fn acr(results: &Results, tenths: usize) -> f64 {
    let trace = results.traces.iter().find(|trace| trace.name == "p");
    let trace = trace.expect("the probe has a table");
    trace.numbers_of("vcs.v.forward.acr_bps")[tenths]
}

/// RM cells that switches made for the forward source, if none was lost: the backward direction carries no data.
fn made(results: &Results) -> f64 {
    let vcs = results.table("vcs").expect("the table exists");
    let of = |column: &str| vcs.numbers_of(column)[1];
    of("cells_sent") - of("forward_rm_sent") - of("backward_rm_sent")
}

/// A cell time is 42.4 us at the source and 84.8 us on the trunk. The cell that comes k cell times after the first finds
/// ceil(k / 2) cells, so the first that finds 11 comes after 21 of them. The source hears of it 2 ms + 21 x 42.4 us =
/// 2.8904 ms after its first cell. By EFCI it hears at least a round trip beyond the switch later: 20 ms.
#[test]
fn switch_rule_2_the_source_hears_of_congestion_without_the_path_beyond_the_switch() {
    let source = "rif = \"1/32768\", rdf = \"1/2\"";
    let becn = scenario(r#"becn = { above = "10 cells" }"#, "", source);
    let results = run(&becn, 1);
    assert!(acr(&results, 28) >= 10e6, "{}", acr(&results, 28));
    assert_eq!(acr(&results, 29), 5e6);
    let efci = r#"control = { algorithm = "binary", threshold = "10 cells", marking = "efci" }"#;
    let results = run(&scenario(efci, "", source), 1);
    assert!(acr(&results, 228) >= 10e6);
    // The cell that EFCI marks waits after 10 others, and CI for the next of the RM cells that are 32 cells apart.
    assert!(acr(&results, 228 + 45) < 6e6);
}

#[test]
fn switch_rule_2_a_source_gets_at_most_ten_cells_a_second() {
    // It may always send at PCR, so the queue stays congested from 1.89 ms on.
    let results = run(
        &scenario(
            r#"becn = { above = "10 cells" }"#,
            "",
            "mcr = \"5 Mbit/s\", icr = \"10 Mbit/s\", rdf = \"1/32768\"",
        ),
        1,
    );
    assert_eq!(made(&results), 10.0);
    let vcs = results.table("vcs").expect("the table exists");
    let on_the_way = vcs.numbers_of("cells_sent")[1] - vcs.numbers_of("cells_delivered")[1];
    // The RM cells that the destination returned in the last 11 ms.
    assert!(on_the_way < 6.0, "{on_the_way}");
}

#[test]
fn switch_rule_2_ni_keeps_the_rate() {
    let becn = r#"becn = { above = "10 cells", mark = "no-increase" }"#;
    let results = run(
        &scenario(becn, "", "icr = \"9 Mbit/s\", rif = \"1/32768\""),
        1,
    );
    assert!(made(&results) > 5.0);
    assert!((0..1_000).all(|tenths| acr(&results, tenths) >= 9e6));
}

/// The virtual source is at the switch itself: it falls to MCR, a tenth of the trunk's rate, in the event in which a cell
/// finds 11 others. This cell is the last of the burst, the twelfth in the queue.
#[test]
fn switch_rule_2_a_virtual_source_hears_at_once() {
    let text = scenario(
        r#"becn = { above = "10 cells" }"#,
        "virtual_ends = { at = [\"s\"] }",
        "mcr = \"500 kbit/s\", rif = \"1/32768\", rdf = 1",
    );
    let results = run(&text, 1);
    assert_eq!(value(&results, "links", "trunk", "queue_max_cells"), 12.0);
    let without = text.replace("becn = {", "# becn = {");
    assert!(value(&run(&without, 1), "links", "trunk", "queue_max_cells") > 1_000.0);
}

#[test]
fn a_queue_that_is_never_congested_makes_no_difference() {
    let source = "icr = \"4 Mbit/s\", rif = \"1/32768\", mcr = \"4 Mbit/s\", rdf = 1";
    let text = scenario(r#"becn = { above = "8999 cells" }"#, "", source);
    let without = text.replace("becn = {", "# becn = {");
    assert_eq!(run(&text, 1).digest, run(&without, 1).digest);
}

/// Data that pass a local loop belong to no ABR loop beyond it.
#[test]
fn beyond_a_local_loop_switches_make_none() {
    let queue = |name: &str| {
        link(name, "1 ms")
            .queue("5 Mbit/s", 9_000)
            .with(r#"becn = { above = "10 cells" }"#)
    };
    let made = |middle, last| {
        let text = Row::of("a s t b")
            .lasting("1 s")
            .link(link("access", "1 ms"))
            .link(middle)
            .link(last)
            .vc(
                "v",
                r#"forward = { service = "abr", pcr = "10 Mbit/s", rdf = "1/32768", turn_around_at = "s" }"#,
            )
            .background("load", "v", r#"traffic = { process = "greedy" }"#)
            .toml();
        let results = run(&text, 1);
        let vcs = results.table("vcs").expect("the table exists");
        // All others are forward RM cells that the loop has returned.
        vcs.numbers_of("cells_sent")[1] - vcs.numbers_of("forward_rm_sent")[0]
    };
    // The last RM cell is still on its way to the loop.
    assert!(made(queue("trunk"), link("out", "1 ms")) >= 9.0);
    assert!(made(link("trunk", "1 ms"), queue("out")) <= 0.0);
}

#[test]
fn a_queue_that_cannot_exceed_the_threshold_is_refused() {
    let text = scenario(r#"becn = { above = "9000 cells" }"#, "", "rdf = 1");
    let error = network(&text).unwrap_err().to_string();
    let expected =
        "links.trunk.becn.above: expected less than the buffer, 9000 cells, found 9000 cells";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_queue_that_grants_credits_and_one_that_makes_cells_exclude_each_other() {
    let text = scenario(r#"becn = { above = "10 cells" }"#, "", "rdf = 1").replace(
        "delay = \"1 ms\"",
        "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"9 cells\"\nscheduling = \"weighted-fair\"\ncredit = {}",
    );
    let error = network(&text).unwrap_err().to_string();
    let expected = "the link \"access\", but switches make RM cells of their own for \"v\"";
    assert!(error.contains(expected), "{error}");
}

/// The source is that of the VC between the routers, though the cells that meet the queue are those of another VC.
#[test]
fn a_tunnel_vc_hears_for_the_cells_that_it_carries() {
    let abr = "{ service = \"abr\", pcr = \"10 Mbit/s\", mcr = \"4 Mbit/s\", rif = \"1/32768\", rdf = 1 }";
    let text = |becn: &str| {
        format!(
            r#"
            [measure]
            duration = "1 s"
            [hosts]
            a = {{}}
            b = {{}}
            [routers]
            r1 = {{}}
            r2 = {{}}
            [switches]
            s = {{}}
            [links]
            in = {{ between = ["a", "r1"], delay = "0 s" }}
            access = {{ between = ["r1", "s"], delay = "1 ms" }}
            back = {{ from = "r2", to = "s", delay = "5 ms" }}
            out = {{ between = ["r2", "b"], delay = "0 s" }}
            [links.trunk]
            from = "s"
            to = "r2"
            delay = "5 ms"
            rate = "5 Mbit/s"
            buffer = "9000 cells"
            {becn}
            [vcs.wan]
            route = ["r1", "s", "r2"]
            forward = {abr}
            backward = {abr}
            [vcs.st]
            route = ["a", "r1", "r2", "b"]
            forward = {{ service = "ubr", pcr = "20 Mbit/s" }}
            [backgrounds.load]
            vc = "st"
            traffic = {{ process = "cbr", rate = "20 Mbit/s" }}
            "#
        )
    };
    let rate = |becn| value(&run(&text(becn), 1), "vcs", "wan", "acr_bps");
    assert!(rate("") >= 10e6);
    assert!(rate("becn = { above = \"10 cells\" }") < 4.1e6);
}
