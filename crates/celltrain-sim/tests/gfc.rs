//! Generic flow control: what a command acts on, and how often the sources of a group send.

mod common;

use celltrain_sim::measure::Results;
use common::row::{Row, link};
use common::{network, run, value};

/// A host `p` with two VCs, `v` and `w`, over a queue with GFC to a host `r`. `p` sends 1 Mbit/s on each, together twice
/// the rate of the line; cells come back on `v` only, 500 a second.
struct Uplink {
    host: &'static str,
    gfc: &'static str,
    v: &'static str,
    w: &'static str,
}

impl Uplink {
    fn toml(&self) -> String {
        let gfc = format!("gfc = {{ {} }}", self.gfc);
        let up = link("up", "10 us").queue("1 Mbit/s", 400).with(&gfc);
        let down = link("down", "10 us").queue("8 Mbit/s", 400);
        let shaped = r#"forward = { service = "ubr", pcr = "1 Mbit/s" }"#;
        // 424 bits a cell.
        let back = r#"direction = "backward"
            traffic = { process = "cbr", rate = "212 kbit/s" }"#;
        Row::of("p s t r")
            .first_host(self.host)
            .measured("1 s", "11 s")
            .link(link("access", "10 us"))
            .ways(up, down)
            .link(link("out", "10 us"))
            .vc("v", &format!("{shaped}\n{}", self.v))
            .vc("w", &format!("{shaped}\n{}", self.w))
            .background("v", "v", r#"traffic = { process = "greedy" }"#)
            .background("w", "w", r#"traffic = { process = "greedy" }"#)
            .background("back", "v", back)
            .toml()
    }

    /// The cells per second of `v` and `w` that arrive, and the cells lost at the queue.
    fn outcome(&self) -> ([f64; 2], f64) {
        let results = run(&self.toml(), 1);
        let rate = |vc: &str| arrived(&results, vc) / 10.0;
        (
            ["v", "w"].map(rate),
            value(&results, "links", "up", "cells_lost"),
        )
    }
}

/// The cells that arrived at the end of a VC, forward.
fn arrived(results: &Results, vc: &str) -> f64 {
    value(results, "vcs", vc, "cells_delivered")
}

const HALT_ONLY: &str = r#"high = "200 cells", low = "100 cells""#;

#[test]
fn a_command_halts_only_the_vc_whose_cell_brings_it() {
    let (rates, lost) = Uplink {
        host: "",
        gfc: HALT_ONLY,
        v: "",
        w: "",
    }
    .outcome();
    // `w` gets no cells and so no commands: alone it fills the line, so the queue never falls below 100 cells again.
    let line = 1e6 / 424.0;
    assert!(rates[0] < 0.01 * line, "{rates:?}");
    assert!(rates[1] > 0.99 * line, "{rates:?}");
    assert_eq!(lost, 0.0);
}

#[test]
fn with_the_scope_of_a_host_it_halts_all_vcs_of_the_host() {
    let (rates, lost) = Uplink {
        host: "",
        gfc: r#"high = "200 cells", low = "100 cells", scope = "host""#,
        v: "",
        w: "",
    }
    .outcome();
    // Both send at the same times, so they share the line evenly, which is never idle.
    let half = 1e6 / 424.0 / 2.0;
    for rate in rates {
        assert!((rate / half - 1.0).abs() < 0.02, "{rates:?}");
    }
    assert_eq!(lost, 0.0);
}

#[test]
fn a_host_obeys_commands_in_the_cells_of_any_of_its_vcs() {
    let text = Uplink {
        host: "",
        gfc: r#"high = "200 cells", low = "100 cells", scope = "host""#,
        v: "",
        w: "",
    }
    .toml();
    // The cells that come to `p` are now those of a VC that neither crosses the queue nor carries a cell of `p`.
    let other = r#"
        [hosts.q]
        [links.side]
        between = ["q", "s"]
        delay = "10 us"
        [vcs.z]
        route = ["q", "s", "p"]
        [backgrounds.back]
        vc = "z"
        "#;
    let back = "[backgrounds.back]\nvc = \"v\"\ndirection = \"backward\"\n";
    assert!(text.contains(back), "{text}");
    let lost = |text: &str| value(&run(text, 1), "links", "up", "cells_lost");
    assert_eq!(lost(&text.replace(back, other)), 0.0);
    let deaf = other
        .replace("backgrounds.back", "backgrounds.none")
        .replace("vc = \"z\"", "vc = \"z\"\nstart = \"10 s\"");
    assert!(lost(&text.replace(back, &deaf)) > 10_000.0);
}

#[test]
fn uncontrolled_equipment_ignores_commands() {
    let (_, lost) = Uplink {
        host: r#"gfc = "uncontrolled""#,
        gfc: r#"high = "200 cells", low = "100 cells", scope = "host""#,
        v: "",
        w: "",
    }
    .outcome();
    // Half of what 2 Mbit/s bring.
    assert!(lost > 0.45 * 2e6 / 424.0 * 10.0, "{lost}");
}

#[test]
fn a_controlled_vc_sends_go_value_cells_for_each_set() {
    let (rates, _) = Uplink {
        host: "",
        gfc: r#"high = "200 cells", low = "100 cells", group_a = { set_below = "50 cells", go_value = 2 }"#,
        v: r#"gfc_group = "a""#,
        w: r#"gfc_group = "a""#,
    }
    .outcome();
    // 500 cells a second bring SET to `v`. None comes to `w`, which therefore remains uncontrolled, and its 2,358 cells a
    // second fill the line: the queue of `v` and `w` together soon exceeds 50 cells, after which `v` gets NULL.
    assert!(rates[0] < 1.0, "{rates:?}");
    let (rates, lost) = Uplink {
        host: "",
        gfc: r#"high = "200 cells", low = "100 cells", scope = "host", group_a = { set_below = "50 cells", go_value = 3 }"#,
        v: r#"gfc_group = "a""#,
        w: r#"gfc_group = "a""#,
    }
    .outcome();
    // 500 commands a second let three cells leave each; the two VCs take turns. The line carries 2,358 cells a second, so
    // the queue stays below 50 cells.
    for rate in rates {
        assert!((rate - 750.0).abs() <= 1.0, "{rates:?}");
    }
    assert_eq!(lost, 0.0);
}

#[test]
fn each_group_has_a_counter_of_its_own() {
    let (rates, _) = Uplink {
        host: "",
        gfc: r#"high = "200 cells", low = "100 cells", scope = "host",
            group_a = { set_below = "50 cells", go_value = 3 }, group_b = { set_below = "50 cells" }"#,
        v: r#"gfc_group = "b""#,
        w: r#"gfc_group = "a""#,
    }
    .outcome();
    assert!((rates[0] - 500.0).abs() <= 1.0, "{rates:?}");
    assert!((rates[1] - 1_500.0).abs() <= 1.0, "{rates:?}");
}

#[test]
fn an_uncontrolled_vc_needs_no_set() {
    let (rates, _) = Uplink {
        host: "",
        gfc: r#"high = "200 cells", low = "100 cells", scope = "host", group_a = { set_below = "50 cells" }"#,
        v: r#"gfc_group = "a""#,
        w: "",
    }
    .outcome();
    // `w` alone fills the line, so the queue does not fall below the 50 cells up to which `v` got SET.
    assert!(rates[0] < 10.0, "{rates:?}");
    assert!(rates[1] > 0.99 * 1e6 / 424.0, "{rates:?}");
}

#[test]
fn group_a_may_send_up_to_a_longer_queue_than_group_b() {
    let (rates, lost) = Uplink {
        host: "",
        gfc: r#"high = "200 cells", low = "100 cells", scope = "host",
            group_a = { set_below = "100 cells", go_value = 8 }, group_b = { set_below = "50 cells", go_value = 8 }"#,
        v: r#"gfc_group = "b""#,
        w: r#"gfc_group = "a""#,
    }
    .outcome();
    // Group A alone could send 4,000 cells a second; its VC sends 2,358, all that the line carries. So once the queue has
    // 50 cells, it does not fall below.
    assert!(rates[0] < 10.0, "{rates:?}");
    assert!(rates[1] > 0.99 * 1e6 / 424.0, "{rates:?}");
    assert_eq!(lost, 0.0);
}

/// A host whose forward RM cells its first switch turns around. Nothing else comes back from there.
fn local_loop(gfc: &str) -> Results {
    let up = link("up", "10 us")
        .queue("1 Mbit/s", 100_000)
        .with(&format!("gfc = {{ {gfc} }}"));
    let text = Row::of("p s r")
        .measured("1 s", "5 s")
        .link(link("access", "10 us"))
        .ways(up, link("down", "10 us"))
        .vc(
            "v",
            r#"forward = { service = "abr", pcr = "2 Mbit/s", turn_around_at = "s" }"#,
        )
        .background("v", "v", r#"traffic = { process = "greedy" }"#)
        .toml();
    run(&text, 1)
}

#[test]
fn rm_cells_that_the_first_switch_turns_around_carry_commands_too() {
    let held = local_loop(r#"high = "200 cells", low = "100 cells", timeout = "50 ms""#);
    let queue = value(&held, "links", "up", "queue_max_cells");
    // One cell in 32 is an RM cell. After HALT the host sends nothing, so no RM cell brings the end of HALT: it sends
    // again after 50 ms, in which the line serves 118 cells, until the next RM cell.
    assert!((200.0..300.0).contains(&queue), "{queue}");
    let free = local_loop(r#"high = "99999 cells", low = "99999 cells""#);
    assert!(value(&free, "links", "up", "queue_max_cells") > 5_000.0);
}

/// The message of the problem that these keys cause.
fn problem(uplink: &Uplink) -> String {
    network(&uplink.toml())
        .expect_err("it is refused")
        .to_string()
}

#[test]
fn what_cannot_work_is_refused_with_what_to_do() {
    let of = |gfc: &'static str, v: &'static str| {
        problem(&Uplink {
            host: "",
            gfc,
            v,
            w: "",
        })
    };
    let a = r#"high = "9 cells", low = "9 cells", group_a = { set_below = "0 cells" }"#;
    let zero =
        r#"high = "9 cells", low = "9 cells", group_a = { set_below = "1 cells", go_value = 0 }"#;
    let b = r#"high = "9 cells", low = "9 cells", group_b = { set_below = "1 cells" }"#;
    let longer = r#"high = "9 cells", low = "9 cells", group_a = { set_below = "1 cells" }, group_b = { set_below = "2 cells" }"#;
    for (text, part) in [
        (
            of(a, ""),
            "links.up.gfc.group_a.set_below: expected at least 1 cell",
        ),
        (
            of(zero, ""),
            "links.up.gfc.group_a.go_value: expected at least 1, found 0",
        ),
        (of(b, ""), "give the first one, `group_a`, too"),
        (
            of(longer, ""),
            "links.up.gfc.group_b.set_below: expected at most 1 cells, the threshold of `group_a`, found 2 cells",
        ),
        (
            of(r#"high = "9 cells", low = "9 cells", scope = "hosts""#, ""),
            "did you mean \"host\"?",
        ),
        (
            of(HALT_ONLY, r#"gfc_group = "b""#),
            "vcs.v.gfc_group: the VC is in group b, which gets no SET at links.up",
        ),
        (
            problem(&Uplink {
                host: r#"gfc = "uncontrolled""#,
                gfc: HALT_ONLY,
                v: "",
                w: r#"gfc_group = "a""#,
            }),
            "vcs.w.gfc_group: no GFC command acts on the VC",
        ),
    ] {
        assert!(text.contains(part), "{text}\nnot:\n{part}");
    }
}

#[test]
fn only_one_queue_commands_a_host_as_a_whole() {
    let text = |scope: &str| {
        let queue = |scope: &str| {
            format!(
                "rate = \"1 Mbit/s\"\nbuffer = \"9 cells\"\ngfc = {{ high = \"9 cells\", low = \"9 cells\"{scope} }}"
            )
        };
        let (one, other) = (queue(scope), queue(""));
        format!(
            r#"
            [measure]
            duration = "1 s"
            [hosts]
            p = {{}}
            r = {{}}
            q = {{}}
            [switches]
            s = {{}}
            [links.access]
            between = ["p", "s"]
            delay = "10 us"
            [links.one]
            from = "s"
            to = "r"
            delay = "10 us"
            {one}
            [links.other]
            from = "s"
            to = "q"
            delay = "10 us"
            {other}
            [links.one_back]
            from = "r"
            to = "s"
            delay = "10 us"
            [links.other_back]
            from = "q"
            to = "s"
            delay = "10 us"
            [vcs.v]
            route = ["p", "s", "r"]
            [vcs.w]
            route = ["p", "s", "q"]
            "#
        )
    };
    assert!(network(&text("")).is_ok());
    let error = network(&text(", scope = \"host\"")).expect_err("two queues");
    let expected = "links.one.gfc.scope: \"host\" lets one queue command all VCs of p";
    assert!(error.to_string().contains(expected), "{error}");
}
