//! LANs, routers and the VCs between them, against values worked out by hand.

mod common;

use celltrain_sim::measure::Results;
use common::{network, run, value};

/// Two stations on a LAN, a router behind it, a switch, and the same on the other side. `carrier` has further keys of the
/// tunnel VC, `rest` further sections.
fn two_lans(lan: &str, carrier: &str, rest: &str) -> String {
    format!(
        r#"
        [measure]
        duration = "1 s"
        [hosts]
        a = {{ count = 2 }}
        b = {{ count = 2 }}
        [lans]
        left = {{ {lan} }}
        right = {{ rate = "100 Mbit/s" }}
        [routers]
        r1 = {{}}
        r2 = {{}}
        [switches]
        s = {{}}
        [links.r1s]
        between = ["r1", "s"]
        delay = "1 ms"
        [links.sr2]
        between = ["s", "r2"]
        delay = "1 ms"
        [vcs.wan]
        route = ["r1", "s", "r2"]
        {carrier}
        [vcs.st]
        route = ["a", "left", "r1", "r2", "right", "b"]
        encapsulation = "vc-mux"
        forward = {{ service = "ubr", pcr = "100 Mbit/s" }}
        backward = {{ service = "ubr", pcr = "100 Mbit/s" }}
        {rest}
        "#
    )
}

/// The transmission time of a cell on a LAN of 100 Mbit/s.
const CELL: f64 = 424.0 / 100e6;

/// The traffic of each station, forward.
fn load(rate: &str) -> String {
    format!("[backgrounds.load]\nvc = \"st\"\ntraffic = {{ process = \"cbr\", rate = \"{rate}\" }}")
}

/// The value of `column` in the forward row of a VC.
fn forward(results: &Results, vc: &str, column: &str) -> f64 {
    value(results, "vcs", vc, column)
}

#[test]
fn both_ways_share_the_one_queue_of_a_lan() {
    let rest = format!(
        "{}\n[backgrounds.back]\nvc = \"st\"\ndirection = \"backward\"\ntraffic = {{ process = \"cbr\", rate = \"30 Mbit/s\" }}",
        load("30 Mbit/s")
    );
    let text = two_lans("rate = \"100 Mbit/s\"", "", &rest).replace(
        "right = { rate = \"100 Mbit/s\" }",
        "right = { rate = \"1 Gbit/s\" }",
    );
    let results = run(&text, 1);
    let of = |column| value(&results, "links", "left", column);
    // 120 Mbit/s on a LAN of 100 Mbit/s: the excess of 20 Mbit/s waits, and nothing is lost.
    assert!((of("utilization") - 1.0).abs() < 0.01);
    assert!((of("queue_max_cells") - 20e6 / 424.0).abs() < 500.0);
    assert_eq!(of("cells_lost"), 0.0);
}

#[test]
fn a_lan_with_a_buffer_loses_what_does_not_fit() {
    let lan = "rate = \"30 Mbit/s\", buffer = \"20 cells\"";
    let results = run(&two_lans(lan, "", &load("20 Mbit/s")), 1);
    let of = |column| value(&results, "links", "left", column);
    assert_eq!(of("queue_max_cells"), 20.0);
    assert!((of("cell_loss_ratio") - 0.25).abs() < 0.001);
}

#[test]
fn a_cell_alone_takes_the_times_of_its_lans_and_links() {
    let lan = "rate = \"100 Mbit/s\", delay = \"10 us\"";
    let results = run(&two_lans(lan, "", &load("10 kbit/s")), 1);
    let expected = CELL + 10e-6 + 2e-3 + CELL;
    // Both stations send at once: at either LAN one cell waits one cell time for the other.
    let delay = |vc| forward(&results, vc, "cell_delay_mean_s");
    assert!((delay("st1") - expected).abs() < 1e-9, "{}", delay("st1"));
    assert!((delay("st2") - expected - CELL).abs() < 1e-9);
}

#[test]
fn a_switch_adds_its_input_and_output_delays() {
    let text = two_lans("rate = \"100 Mbit/s\"", "", &load("10 kbit/s")).replace(
        "s = {}\n        [links.r1s]",
        "s = { input_delay = \"300 us\", output_delay = \"150 us\" }\n        [links.r1s]",
    );
    let delay = forward(&run(&text, 1), "st1", "cell_delay_mean_s");
    assert!((delay - 2.0 * CELL - 2e-3 - 450e-6).abs() < 1e-9, "{delay}");
    let network = network(&text).unwrap();
    let route = network.route(1);
    let names: Vec<&str> = route
        .nodes
        .iter()
        .map(|&node| network.nodes[node].name.as_str())
        .collect();
    assert_eq!(names, ["a1", "left", "r1", "s", "r2", "right", "b1"]);
    assert_eq!(route.delay.as_secs(), 2.45e-3);
    assert_eq!(route.propagation_delay.as_secs(), 2e-3);
}

#[test]
fn a_router_holds_back_what_the_vc_behind_it_cannot_carry_and_drops_what_finds_no_room() {
    let carrier =
        "source_buffer = \"100 cells\"\nforward = { service = \"ubr\", pcr = \"50 Mbit/s\" }";
    let results = run(
        &two_lans("rate = \"100 Mbit/s\"", carrier, &load("40 Mbit/s")),
        1,
    );
    let of = |column| forward(&results, "wan", column);
    assert_eq!(of("source_queue_max_cells"), 100.0);
    // 80 Mbit/s arrive, 30 Mbit/s too many.
    assert!((of("source_cells_offered") - 80e6 / 424.0).abs() < 2_000.0);
    let dropped = of("source_cells_dropped") / of("source_cells_offered");
    assert!((dropped - 0.375).abs() < 0.005, "{dropped}");
    // The stations' VCs lose them.
    let lost = forward(&results, "st1", "cells_lost") + forward(&results, "st2", "cells_lost");
    assert_eq!(lost, of("source_cells_dropped"));
    assert!((of("cells_sent") - 50e6 / 424.0).abs() < 500.0);
}

#[test]
fn a_vc_without_a_rate_of_its_own_takes_cells_on_at_once() {
    let results = run(
        &two_lans("rate = \"100 Mbit/s\"", "", &load("40 Mbit/s")),
        1,
    );
    assert_eq!(forward(&results, "wan", "source_cells_offered"), 0.0);
    assert_eq!(forward(&results, "st1", "cells_lost"), 0.0);
}

/// An ABR service of at most 20 Mbit/s that starts at 1 Mbit/s.
const ABR: &str = "{ service = \"abr\", pcr = \"20 Mbit/s\", icr = \"1 Mbit/s\", rif = 1, idle_forward_rm = false, \
                   backward_rm = \"out-of-rate\" }";

fn abr() -> String {
    format!("forward = {ABR}\nbackward = {ABR}")
}

#[test]
fn many_stations_share_one_abr_loop_between_routers() {
    let results = run(
        &two_lans("rate = \"100 Mbit/s\"", &abr(), &load("30 Mbit/s")),
        1,
    );
    let of = |column| forward(&results, "wan", column);
    // After a round trip at 1 Mbit/s it sends at 20 Mbit/s, with one RM cell in 32 cells.
    let cells = 20e6 / 424.0;
    assert!((of("cells_sent") - cells).abs() < 0.02 * cells);
    assert!((of("forward_rm_sent") / of("cells_sent") - 1.0 / 32.0).abs() < 1e-3);
    let back = value(&results, "vcs", "wan", "forward_rm_sent");
    assert!((back - of("forward_rm_sent")).abs() < 1.0);
    // The stations share the rest equally.
    let delivered = |vc| forward(&results, vc, "cells_delivered");
    assert!((delivered("st1") - delivered("st2")).abs() < 0.02 * delivered("st1"));
    let all = delivered("st1") + delivered("st2");
    assert!((all - cells * 31.0 / 32.0).abs() < 0.02 * cells);
}

#[test]
fn frames_of_stations_stay_apart_although_their_cells_mix() {
    let flows = "[flows.f]\nvc = \"st\"\ntcp = { window = \"30000 bytes\", mss = \"9140 bytes\" }";
    let results = run(&two_lans("rate = \"100 Mbit/s\"", &abr(), flows), 1);
    for vc in ["st1", "st2"] {
        assert!(forward(&results, vc, "pdus_delivered") > 20.0);
        assert_eq!(forward(&results, vc, "pdus_damaged"), 0.0);
    }
}

#[test]
fn a_switch_algorithm_sees_the_vc_that_carries_and_not_the_stations() {
    let text = two_lans("rate = \"100 Mbit/s\"", &abr(), &load("30 Mbit/s")).replace(
        "[links.sr2]\n        between = [\"s\", \"r2\"]\n        delay = \"1 ms\"",
        "[links.back]\nfrom = \"r2\"\nto = \"s\"\ndelay = \"1 ms\"\n\
         [links.port]\nfrom = \"s\"\nto = \"r2\"\ndelay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"5000 cells\"\n\
         scheduling = \"priority\"\n\
         control = { algorithm = \"erica\", interval = \"5 ms\", target_utilization = 0.9 }",
    );
    let text = text.replace(
        "duration = \"1 s\"",
        "warm_up = \"1 s\"\nduration = \"3 s\"",
    );
    let results = run(&text, 1);
    let of = |column| value(&results, "links", "port", column);
    assert_eq!(of("active_vcs_mean"), 1.0);
    assert!((of("utilization") - 0.9).abs() < 0.01);
    assert!((of("load_factor") - 1.0).abs() < 0.01);
    let acr = forward(&results, "wan", "acr_bps");
    assert!((acr - 9e6).abs() < 0.1e6, "{acr}");
}

#[test]
fn a_greedy_background_sends_as_fast_as_its_service_lets_it() {
    let greedy = "[backgrounds.greedy]\nvc = \"wan\"\nstart = \"500 ms\"\ntraffic = { process = \"greedy\" }";
    let text = two_lans("rate = \"100 Mbit/s\"", &abr(), greedy).replace(
        "route = [\"a\", \"left\", \"r1\", \"r2\", \"right\", \"b\"]",
        "route = [\"a\", \"left\", \"r1\", \"s\", \"r2\", \"right\", \"b\"]",
    );
    let results = run(&text, 1);
    let of = |column| forward(&results, "wan", column);
    let cells = 0.5 * 20e6 / 424.0;
    assert!((of("cells_sent") - cells).abs() < 0.02 * cells);
    assert!((of("forward_rm_sent") / of("cells_sent") - 1.0 / 32.0).abs() < 1e-3);
}

#[test]
fn of_a_vc_each_way_the_one_carries_that_leads_where_the_route_leads() {
    let text = two_lans("rate = \"100 Mbit/s\"", "", &load("1 Mbit/s")).replace(
        "[vcs.st]",
        "[vcs.back]\nroute = [\"r2\", \"s\", \"r1\"]\nforward = { service = \"ubr\", pcr = \"9 Mbit/s\" }\n[vcs.st]",
    );
    let network = network(&text).unwrap();
    let st = &network.vcs[2];
    assert_eq!(st.directions[0].carried()[0].by, 0);
    assert_eq!(st.directions[1].carried()[0].by, 1);
}

#[test]
fn think_times_and_files_are_measured_as_they_were_drawn() {
    let files = "[flows.f]\nvc = \"st\"\ntcp = { mss = \"1000 bytes\" }\n\
                 application = { kind = \"files\", size = \"5000 bytes\", sizes = \"fixed\", think = \"40 ms\", \
                 thinks = \"fixed\", first_think = \"100 ms\" }";
    let results = run(&two_lans("rate = \"100 Mbit/s\"", "", files), 1);
    let of = |column| value(&results, "flows", "f1", column);
    assert_eq!(of("transfer_mean_bytes"), 5_000.0);
    // The first think time is longer; each of the others follows a transfer.
    let thinks = of("transfers") + 1.0;
    let sum = of("think_mean_s") * thinks;
    let expected = 0.1 + 0.04 * of("transfers");
    let one_less = 0.1 + 0.04 * (of("transfers") - 1.0);
    let mean_less = of("think_mean_s") * of("transfers");
    assert!((sum - expected).abs() < 1e-6 || (mean_less - one_less).abs() < 1e-6);
}

#[test]
fn mistakes_in_routes_over_lans_and_routers_are_named() {
    let base = || two_lans("rate = \"100 Mbit/s\"", "", &load("1 Mbit/s"));
    let error = |text: String| network(&text).err().map(|error| error.to_string());
    let with_route = |route: &str| {
        error(base().replace("[\"a\", \"left\", \"r1\", \"r2\", \"right\", \"b\"]", route))
    };
    for (route, expected) in [
        (
            "[\"left\", \"r1\", \"r2\", \"right\", \"b\"]",
            "\"left\" is a LAN at the end",
        ),
        (
            "[\"a\", \"left\", \"right\", \"b\"]",
            "a LAN follows the LAN \"left\"; put a switch or router between",
        ),
        (
            "[\"r1\", \"r2\", \"right\", \"b\"]",
            "cannot start or end at the router where it is taken up",
        ),
    ] {
        let found = with_route(route).unwrap_or_default();
        assert!(found.contains(expected), "{route}: {found}");
    }
    for (from, to, expected) in [
        (
            "forward = { service = \"ubr\", pcr = \"100 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"100 Mbit/s\" }",
            "has no ABR loop of its own",
        ),
        (
            "[vcs.st]",
            "[vcs.too]\nroute = [\"r1\", \"s\", \"r2\"]\n[vcs.st]",
            "several VCs lead from \"r1\" to \"r2\"",
        ),
        (
            "vc = \"st\"",
            "vc = \"wan\"",
            "already carries other traffic",
        ),
        (
            "[backgrounds.load]",
            "[flows.f]\nvc = \"wan\"\n[backgrounds.load]",
            "ends at a router; packets need a host at each end",
        ),
        ("left = {", "r1s = {", "is taken by a link"),
    ] {
        let text = base();
        assert!(text.contains(from), "{from}");
        let found = error(text.replacen(from, to, 1)).unwrap_or_default();
        assert!(found.contains(expected), "{to}: {found}");
    }
}
