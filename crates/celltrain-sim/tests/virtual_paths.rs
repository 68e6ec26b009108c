//! Virtual paths: bundles of VCs that are shaped, policed and switched as one.

mod common;

use celltrain_sim::measure::Values;
use common::row::{Row, link};
use common::{network, run, value};

/// Two VCs from `a1` and `a2` to `b1` and `b2` over the path from `s` to `u`, with a packet of ten cells each 40 ms, the
/// second VC 20 us later.
fn bundle(vp: &str, rest: &str) -> String {
    let flow = |start: &str| {
        format!(
            "start = \"{start}\"\nudp = {{ packet = \"440 bytes\", traffic = {{ process = \"cbr\", rate = \"88 kbit/s\" }} }}"
        )
    };
    let row = Row::of("a s t u b")
        .hosts("count = 2")
        .lasting("10 s")
        .link(link("in", "10 us"))
        .link(link("one", "1 ms"))
        .link(link("two", "1 ms"))
        .link(link("out", "10 us"))
        .and("[vcs.v]\nroute = [\"a1\", \"s\", \"t\", \"u\", \"b1\"]")
        .and("[vcs.w]\nroute = [\"a2\", \"s\", \"t\", \"u\", \"b2\"]")
        .flow("f", "v", &flow("0 s"))
        .flow("g", "w", &flow("20 us"))
        .and(&format!(
            "[vps.p]\nroute = [\"s\", \"t\", \"u\"]\nvcs = [\"v\", \"w\"]\n{vp}"
        ));
    row.and(rest).toml()
}

/// One cell each ms.
const CBR: &str = "forward = { service = \"cbr\", pcr = \"1000 cells/s\" }";

#[test]
fn the_cells_of_a_path_leave_its_shaper_first_come_first_served() {
    let text = bundle(&format!("{CBR}\nshape = {{ buffer = \"20 cells\" }}"), "");
    let results = run(&text, 1);
    let of = |column| value(&results, "shapers", "p", column);
    assert_eq!((of("cells_offered"), of("cells_dropped")), (5_000.0, 0.0));
    // The cells of v wait 0 to 9 ms, and those of w, which come 20 us later, 10 to 19 ms less 20 us.
    let mean = (45.0 + 145.0 - 10.0 * 0.02) / 20.0 * 1e-3;
    assert!(
        (of("delay_mean_s") - mean).abs() < 1e-12,
        "{}",
        of("delay_mean_s")
    );
    let delay = |vc| value(&results, "vcs", vc, "cell_delay_mean_s");
    assert!((delay("v") - (2.02e-3 + 4.5e-3)).abs() < 1e-9);
    assert!((delay("w") - (2.02e-3 + 14.48e-3)).abs() < 1e-9);
}

#[test]
fn one_gcra_polices_all_cells_of_a_path() {
    let police = "police = { cdvt = \"0 s\" }";
    let shaped = bundle(
        &format!("{CBR}\nshape = {{ buffer = \"20 cells\" }}\n{police}"),
        "",
    );
    let results = run(&shaped, 1);
    for vc in ["v", "w"] {
        assert_eq!(value(&results, "vcs", vc, "cells_policed"), 0.0);
    }
    // Without the shaper the first cell of v conforms; the others come within the millisecond after it.
    let results = run(&bundle(&format!("{CBR}\n{police}"), ""), 1);
    assert_eq!(value(&results, "vcs", "v", "cells_policed"), 2_250.0);
    assert_eq!(value(&results, "vcs", "w", "cells_policed"), 2_500.0);
    // Each VC by itself would conform with 10 cells at once; so does the path with as much tolerance for both.
    let results = run(
        &bundle(&format!("{CBR}\npolice = {{ cdvt = \"19 ms\" }}"), ""),
        1,
    );
    assert_eq!(value(&results, "vcs", "w", "cells_policed"), 0.0);
    let results = run(
        &bundle(&format!("{CBR}\npolice = {{ cdvt = \"18 ms\" }}"), ""),
        1,
    );
    assert_eq!(value(&results, "vcs", "v", "cells_policed"), 0.0);
    // Twenty cells within 20 us need 19 ms less 20 us: the last one does not conform.
    assert_eq!(value(&results, "vcs", "w", "cells_policed"), 250.0);
}

#[test]
fn a_path_is_policed_where_it_says() {
    let policed = |police: &str| {
        let text = bundle(&format!("{CBR}\npolice = {{ cdvt = \"0 s\"{police} }}"), "");
        let results = run(&text, 1);
        let table = results.table("link_vcs").expect("it always exists");
        let Some(Values::Names(links)) = table.column("link").map(|it| &it.values) else {
            panic!("a link is a name")
        };
        let sent = table.numbers_of("data_sent");
        let at = |link: &str| -> f64 {
            let rows = links.iter().zip(&sent).filter(|it| it.0.starts_with(link));
            rows.map(|it| it.1).sum()
        };
        (at("one"), at("two"), at("out"))
    };
    // 250 of 5,000 cells conform; each policer stands after a link.
    assert_eq!(policed(""), (5_000.0, 250.0, 250.0));
    assert_eq!(policed(", at = \"u\""), (5_000.0, 5_000.0, 250.0));
}

#[test]
fn the_service_of_a_path_gives_its_cells_their_priority() {
    // Packets of v and w against a greedy UBR source on the link between t and u.
    let rest = "[vcs.x]\nroute = [\"a1\", \"s\", \"t\", \"u\", \"b1\"]\nforward = { service = \"ubr\", pcr = \"30 Mbit/s\" }\n\
                [backgrounds.x]\nvc = \"x\"\ntraffic = { process = \"greedy\" }";
    let queue =
        "delay = \"1 ms\"\nrate = \"20 Mbit/s\"\nbuffer = \"100 cells\"\nscheduling = \"priority\"";
    let text = |vp: &str| {
        let text = bundle(vp, rest);
        let (before, after) = text.split_once("[links.two]").expect("the link exists");
        format!(
            "{before}[links.two]{}",
            after.replacen("delay = \"1 ms\"", queue, 1)
        )
    };
    let lost = |vp: &str| {
        let results = run(&text(vp), 1);
        value(&results, "vcs", "v", "cells_lost") + value(&results, "vcs", "w", "cells_lost")
    };
    assert_eq!(lost(CBR), 0.0);
    assert!(lost("forward = { service = \"ubr\", pcr = \"1000 cells/s\" }") > 1_000.0);
}

#[test]
fn a_path_may_run_against_its_vcs() {
    let vp = "route = [\"u\", \"t\", \"s\"]";
    let text = bundle(
        "backward = { service = \"cbr\", pcr = \"1000 cells/s\" }\nshape = { buffer = \"20 cells\" }",
        "",
    );
    let text = text.replace(
        "[vps.p]\nroute = [\"s\", \"t\", \"u\"]",
        &format!("[vps.p]\n{vp}"),
    );
    let results = run(&text, 1);
    assert_eq!(value(&results, "shapers", "p", "cells_offered"), 5_000.0);
}

#[test]
fn vcs_are_admitted_to_their_path_and_the_path_to_its_links() {
    let path = |pcr: &str, guaranteed: &str| {
        let text = bundle(
            &format!("forward = {{ service = \"cbr\", pcr = \"{pcr}\" }}"),
            "[admission]\non_refusal = \"run\"",
        );
        let service = format!("forward = {{ service = \"cbr\", pcr = \"{guaranteed}\" }}\n");
        let text = text.replace("[vcs.w]\n", &format!("{service}[vcs.w]\n{service}"));
        text.replacen(
            "[links.two]\n",
            "[links.two]\nrate = \"3 Mbit/s\"\nbuffer = \"99 cells\"\n",
            1,
        )
    };
    let reasons = |text: &str| {
        let results = run(text, 1);
        let table = results.table("admission").expect("it was asked for");
        match table.column("reason").map(|it| &it.values) {
            Some(Values::Names(names)) => names.iter().map(str::to_owned).collect::<Vec<_>>(),
            _ => panic!("a reason is a word"),
        }
    };
    assert_eq!(
        reasons(&path("2 Mbit/s", "1 Mbit/s")),
        ["admitted", "admitted"]
    );
    assert_eq!(
        reasons(&path("1.5 Mbit/s", "1 Mbit/s")),
        ["admitted", "bandwidth"]
    );
    assert_eq!(reasons(&path("4 Mbit/s", "1 Mbit/s")), ["path", "path"]);
    let stops = path("1.5 Mbit/s", "1 Mbit/s").replace("[admission]\non_refusal = \"run\"", "");
    let message = network(&stops).expect_err("2 > 1.5").to_string();
    assert!(message.contains("virtual path \"p\""), "{message}");
}

#[test]
fn mistakes_in_paths_are_named() {
    for (vp, key, part) in [
        (
            "forward = { service = \"abr\", pcr = \"1 Mbit/s\" }",
            "forward.service",
            "not \"abr\"",
        ),
        (
            "shape = { buffer = \"9 cells\" }",
            "shape",
            "neither direction",
        ),
        ("police = {}", "police", "no contract"),
        ("vpi = 0", "vpi", "1 to 255"),
    ] {
        let message = network(&bundle(vp, "")).expect_err(vp).to_string();
        assert!(message.contains(&format!("vps.p.{key}")), "{message}");
        assert!(message.contains(part), "{message}");
    }
    let replaced = |was: &str, becomes: &str| {
        let text = bundle(CBR, "").replace(was, becomes);
        network(&text).expect_err(becomes).to_string()
    };
    let route = "route = [\"s\", \"t\", \"u\"]\nvcs";
    for (becomes, part) in [
        (
            "route = [\"s\", \"u\"]\nvcs",
            "there is no link from \"s\" to \"u\"",
        ),
        ("route = [\"a1\", \"s\"]\nvcs", "the host \"a1\""),
        ("route = [\"s\", \"t\", \"s\"]\nvcs", "twice"),
        ("route = [\"s\"]\nvcs", "two nodes"),
    ] {
        let message = replaced(route, becomes);
        assert!(message.contains(part), "{message}");
    }
    let message = replaced("vcs = [\"v\", \"w\"]", "vcs = [\"v\", \"x\"]");
    assert!(message.contains("there is no VC \"x\""), "{message}");
    let message = replaced("vcs = [\"v\", \"w\"]", "vcs = [\"v\", \"v\"]");
    assert!(message.contains("belongs to another path"), "{message}");
    let shape = "\nshape = [{ at = \"s\", pcr = \"1 Mbit/s\", buffer = \"9 cells\" }]\n[vcs.w]";
    let text = bundle(&format!("{CBR}\nshape = {{ buffer = \"9 cells\" }}"), "")
        .replace("\n[vcs.w]", shape);
    let message = network(&text).expect_err("two shapers").to_string();
    assert!(message.contains("a shaper of its own"), "{message}");
}
