//! Whole networks with classes, fair queueing, discard and queue management, against values worked out by hand.

mod common;

use celltrain_proto::schedule;
use celltrain_sim::measure::Results;
use common::row::{Row, link};
use common::{all_differ, network, run, value};

/// Sources of cells a1, a2 ... over one link of 42.4 Mbit/s (100,000 cells/s) to b1, b2 ...; each source
/// has a VC of its own.
fn sources(keys: &str, vcs: &[(&str, &str)]) -> String {
    let row = Row::of("a s t b")
        .hosts(&format!("count = {}", vcs.len()))
        .measured("0.1 s", "1.1 s")
        .link(link("in", "0 s"))
        .ways(
            link("trunk", "1 ms").queue("42.4 Mbit/s", 200).with(keys),
            link("back", "1 ms"),
        )
        .link(link("out", "0 s"));
    let members = vcs.iter().enumerate().map(|(index, (vc, traffic))| {
        let number = index + 1;
        format!(
            r#"
            [vcs.v{number}]
            route = ["a{number}", "s", "t", "b{number}"]
            {vc}
            [backgrounds.v{number}]
            vc = "v{number}"
            start = "{index} us"
            traffic = {{ {traffic} }}
            "#
        )
    });
    row.and(&members.collect::<String>()).toml()
}

/// Cells of a VC delivered in the measured second, as a fraction of the line rate.
fn share(results: &Results, vc: &str) -> f64 {
    value(results, "vcs", vc, "cells_delivered") / 100_000.0
}

const CBR: &str = "forward = { service = \"cbr\", pcr = \"20 Mbit/s\" }";
const UBR: &str = "";
const HALF: &str = "process = \"cbr\", rate = \"21.2 Mbit/s\"";
const ALL: &str = "process = \"cbr\", rate = \"42.4 Mbit/s\"";

#[test]
fn cells_of_a_higher_class_lose_nothing_and_the_others_get_the_rest() {
    let poisson = |rate: &str| format!("process = \"poisson\", rate = \"{rate}\"");
    let (half, all) = (poisson("21.2 Mbit/s"), poisson("42.4 Mbit/s"));
    let vcs = [(CBR, half.as_str()), (UBR, all.as_str())];
    let fifo = run(&sources("", &vcs), 1);
    assert!(value(&fifo, "vcs", "v1", "cells_lost") > 1_000.0);
    let priority = run(&sources("scheduling = \"priority\"", &vcs), 1);
    assert_eq!(value(&priority, "vcs", "v1", "cells_lost"), 0.0);
    // 50,000 cells, with a standard error of 224.
    let share_of_cbr = share(&priority, "v1");
    assert!((share_of_cbr - 0.5).abs() < 0.01, "{share_of_cbr}");
    assert!((share_of_cbr + share(&priority, "v2") - 1.0).abs() < 1e-3);
}

#[test]
fn each_class_has_a_buffer_of_its_own() {
    let link =
        "scheduling = \"priority\"\nclass_buffers = { cbr = \"5 cells\", ubr = \"30 cells\" }";
    let results = run(&sources(link, &[(CBR, HALF), (UBR, ALL)]), 1);
    let most = value(&results, "links", "trunk", "queue_max_cells");
    // 30 of UBR and at most two of CBR: the one in transmission and one that arrived during it.
    assert!((30.0..=32.0).contains(&most), "{most}");
}

#[test]
fn a_class_without_room_for_a_cell_is_refused() {
    let link = "scheduling = \"priority\"\nclass_buffers = { cbr = \"0 cells\" }";
    let text = sources(link, &[(CBR, HALF)]);
    let error = network(&text).expect_err("no cell could pass").to_string();
    let expected = "class_buffers.cbr: expected 1 to 2147483648 cells, found 0";
    assert!(error.contains(expected), "{error}");
}

/// Schedulers that share a link by weights.
const FAIR: [&str; 3] = [
    "\"weighted-fair\"",
    "\"deficit-round-robin\"",
    "{ algorithm = \"deficit-round-robin\", quantum = 20 }",
];

#[test]
fn fair_queueing_serves_backlogged_vcs_by_their_weights() {
    for scheduling in FAIR {
        let link = format!("scheduling = {scheduling}\nbuffer = \"100000 cells\"");
        let text = sources(
            &link,
            &[("weight = 3", ALL), ("", ALL), ("weight = 0.5", ALL)],
        );
        let text = text.replacen("buffer = \"200 cells\"\n", "", 1);
        let results = run(&text, 1);
        for (vc, weight) in [("v1", 3.0), ("v2", 1.0), ("v3", 0.5)] {
            let share = share(&results, vc);
            let error = (share - weight / 4.5).abs();
            assert!(error < 1e-3, "{scheduling}, {vc}: {share}");
        }
    }
}

#[test]
fn no_two_schedulers_do_the_same() {
    let poisson = "process = \"poisson\", rate = \"20 Mbit/s\"";
    let vcs = [(CBR, poisson), ("weight = 3", poisson), (UBR, poisson)];
    let digest = |&(_, keyword, _): &(&str, &'static str, &str)| {
        let link = format!("scheduling = \"{keyword}\"");
        (keyword, run(&sources(&link, &vcs), 1).digest)
    };
    let names = schedule::Parameters::NAMES;
    all_differ(names, &names.iter().map(digest).collect::<Vec<_>>());
}

#[test]
fn a_quantum_below_one_cell_is_refused() {
    let link = "scheduling = { algorithm = \"deficit-round-robin\", quantum = 0.5 }";
    let error = network(&sources(link, &[(UBR, ALL)])).expect_err("a turn sends a cell");
    let expected = "links.trunk.scheduling.quantum: expected 1 to 1000000, found 0.5";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn fair_queueing_leaves_what_a_vc_does_not_use_to_the_others() {
    FAIR.into_iter().for_each(leaves_what_a_vc_does_not_use);
}

fn leaves_what_a_vc_does_not_use(scheduling: &str) {
    let tenth = "process = \"cbr\", rate = \"4.24 Mbit/s\"";
    let link = format!("scheduling = {scheduling}\nbuffer = \"100000 cells\"");
    let text = sources(&link, &[("", tenth), ("", ALL), ("", ALL)]).replacen(
        "buffer = \"200 cells\"\n",
        "",
        1,
    );
    let results = run(&text, 1);
    for (vc, expected) in [("v1", 0.1), ("v2", 0.45), ("v3", 0.45)] {
        let error = (share(&results, vc) - expected).abs();
        assert!(error < 1e-3, "{scheduling}, {vc}: {error}");
    }
}

#[test]
fn a_vc_whose_guaranteed_rate_does_not_fit_is_refused_by_name() {
    let greedy = "forward = { service = \"cbr\", pcr = \"23 Mbit/s\" }";
    let refused = network(&sources("", &[(CBR, HALF), (greedy, HALF)])).expect_err("43 > 42.4");
    let message = refused.to_string();
    for part in [
        "\"v2\" is not admitted",
        "23 Mbit/s",
        "22.4 Mbit/s",
        "\"trunk\"",
    ] {
        assert!(message.contains(part), "{message}");
    }
    let fits = "forward = { service = \"nrt-vbr\", pcr = \"40 Mbit/s\", scr = \"22.4 Mbit/s\", mbs = \"10 cells\" }";
    network(&sources("", &[(CBR, HALF), (fits, HALF)])).expect("20 + 22.4 = 42.4");
}

#[test]
fn errors_of_the_line_lose_the_part_of_the_cells_that_they_should() {
    let link = "loss = { process = \"bernoulli\", probability = 0.01 }";
    let results = run(&sources(link, &[("", ALL)]), 1);
    let lost = value(&results, "vcs", "v1", "cells_errored");
    // Of 100,000 cells; the standard error is 31.
    assert!((lost - 1_000.0).abs() < 130.0, "{lost}");
    let link = "loss = { process = \"gilbert-elliott\", good_to_bad = 0.001, bad_to_good = 0.1 }";
    let results = run(&sources(link, &[("", ALL)]), 1);
    let lost = value(&results, "vcs", "v1", "cells_errored");
    // A fraction of 1/101 lost in bursts of ten: about 99 bursts, with a standard error of 14 %.
    assert!((lost - 990.0).abs() < 420.0, "{lost}");
}

#[test]
fn jitter_delays_and_does_not_reorder() {
    let text = |jitter: &str| {
        format!(
            "{}\n[flows.u]\nvc = \"v1\"\nudp = {{ packet = \"1500 bytes\", traffic = {{ process = \"cbr\", rate = \"2 Mbit/s\" }} }}",
            sources(jitter, &[("", ALL)])
                .split("[backgrounds.v1]")
                .next()
                .expect("there is one")
        )
    };
    let plain = run(&text(""), 1);
    let jittered = run(
        &text("jitter = { process = \"uniform\", max = \"3 ms\" }"),
        1,
    );
    let delay = |results: &Results| value(results, "flows", "u", "delay_mean_s");
    // Nothing is damaged, although a cell out of order would damage a packet.
    assert_eq!(value(&jittered, "vcs", "v1", "pdus_damaged"), 0.0);
    // The packet is complete with its slowest cell: at most 3 ms * 32/33 later on average, and less because the first
    // cell left up to 0.31 ms before the last.
    let added = delay(&jittered) - delay(&plain);
    let most = 3e-3 * 32.0 / 33.0;
    assert!((most - 0.31e-3..most).contains(&added), "{added}");
}

#[test]
fn codel_holds_the_delay_of_a_window_near_its_target() {
    let text = |management: &str| {
        format!(
            "{}\n[flows.t]\nvc = \"v1\"\ntcp = {{ variant = \"sack\", mss = \"1460 bytes\", window = \"1 MB\", timer_granularity = \"100 ms\" }}",
            sources(management, &[("", ALL)])
                .split("[backgrounds.v1]")
                .next()
                .expect("there is one")
                .replace("200 cells", "4000 cells")
                .replace("duration = \"1.1 s\"", "duration = \"20 s\"")
                .replace("warm_up = \"0.1 s\"", "warm_up = \"5 s\"")
        )
    };
    let queue = |results: &Results| value(results, "links", "trunk", "queue_mean_cells");
    let tail = run(&text(""), 1);
    let codel = run(&text("queue_management = { algorithm = \"codel\" }"), 1);
    let pie = run(&text("queue_management = { algorithm = \"pie\" }"), 1);
    // 5 ms are 500 cells, 15 ms are 1500.
    assert!(queue(&tail) > 2_000.0, "{}", queue(&tail));
    // The window grows by octets: by one segment per round trip, with delayed acknowledgments or without. During that
    // time CoDel tolerates a queue for 100 ms.
    assert!(queue(&codel) < 650.0, "{}", queue(&codel));
    assert!(queue(&pie) < 1_800.0, "{}", queue(&pie));
    for results in [&codel, &pie] {
        let utilization = value(results, "links", "trunk", "utilization");
        assert!(utilization > 0.95, "{utilization}");
        assert!(value(results, "vcs", "v1", "cells_lost") > 0.0);
    }
}

#[test]
fn an_outage_stops_the_line_and_what_waited_goes_on_after_it() {
    let rate = "process = \"list\", repeat = \"0.2 s\", rates = [{ at = \"0 s\", rate = \"42.4 Mbit/s\" }, { at = \"0.1 s\", rate = \"0 bit/s\" }]";
    let text = sources("", &[("", "process = \"cbr\", rate = \"4.24 Mbit/s\"")]).replace(
        "rate = \"42.4 Mbit/s\"\nbuffer = \"200 cells\"",
        &format!("rate = {{ {rate} }}\nbuffer = \"2000 cells\""),
    );
    let results = run(&text, 1);
    // 10,000 cells/s wait for at most 0.1 s: 1000 cells wait, and none is lost.
    assert_eq!(value(&results, "links", "trunk", "cells_lost"), 0.0);
    let most = value(&results, "links", "trunk", "queue_max_cells");
    assert!((998.0..=1_001.0).contains(&most), "{most}");
    // The line is up half of the time.
    let mean = value(&results, "links", "trunk", "mean_rate_bps");
    assert!((mean - 21.2e6).abs() < 1.0, "{mean}");
}

#[test]
fn a_mahimahi_trace_gives_its_opportunities() {
    // Two opportunities of 32 cells in each 10 ms: 2.7136 Mbit/s.
    let rate = "process = \"mahimahi\", trace = \"5\\n10\\n\"";
    let text = sources("", &[("", ALL)]).replace(
        "rate = \"42.4 Mbit/s\"\nbuffer",
        &format!("rate = {{ {rate} }}\nbuffer"),
    );
    let results = run(&text, 1);
    let mean = value(&results, "links", "trunk", "mean_rate_bps");
    assert!((mean - 2.7136e6).abs() < 1.0, "{mean}");
    let utilization = value(&results, "links", "trunk", "utilization");
    assert!((utilization - 1.0).abs() < 1e-3, "{utilization}");
}

#[test]
fn vbr_sources_keep_to_their_contract() {
    let vbr = "forward = { service = \"rt-vbr\", pcr = \"21.2 Mbit/s\", scr = \"4.24 Mbit/s\", mbs = \"100 cells\" }\n\
               police = { pcr = \"21.2 Mbit/s\", cdvt = \"1 us\", scr = \"4.24 Mbit/s\", mbs = \"100 cells\" }";
    let text = sources("", &[(vbr, ALL)]);
    let base = text.split("[backgrounds.v1]").next().expect("there is one");
    let text = format!(
        "{base}\n[flows.u]\nvc = \"v1\"\nudp = {{ packet = \"1500 bytes\", traffic = {{ process = \"cbr\", rate = \"8 Mbit/s\" }} }}"
    );
    let results = run(&text, 1);
    assert_eq!(value(&results, "vcs", "v1", "cells_policed"), 0.0);
    // The source's queue grows, so it sends at SCR: 10,000 cells/s.
    let sent = value(&results, "vcs", "v1", "cells_sent");
    assert!((sent - 10_000.0).abs() < 2.0, "{sent}");
}

#[test]
fn an_algorithm_shares_what_higher_classes_leave() {
    // Half of the line is CBR; fair share gives the one ABR VC the other half.
    let abr = "forward = { service = \"abr\", pcr = \"42.4 Mbit/s\", icr = \"1 Mbit/s\", rif = 1 }\n\
               backward = { service = \"abr\", pcr = \"42.4 Mbit/s\" }";
    let text = sources(
        "scheduling = \"priority\"\ncontrol = { algorithm = \"fair-share\" }",
        &[(CBR, HALF), (abr, ALL)],
    );
    let base = text.split("[backgrounds.v2]").next().expect("there is one");
    let text = format!(
        "{base}\n[flows.u]\nvc = \"v2\"\nudp = {{ packet = \"1500 bytes\", traffic = {{ process = \"cbr\", rate = \"40 Mbit/s\" }} }}"
    );
    let results = run(&text, 1);
    let acr = value(&results, "vcs", "v2", "acr_bps");
    assert!((acr / 21.2e6 - 1.0).abs() < 0.02, "{acr}");
}

#[test]
fn an_adsl_loop_has_the_rate_that_its_carriers_hold() {
    // 3 km of 0.5 mm at a noise of -120 dBm/Hz: 1375 bits per symbol, 4.928 Mbit/s.
    let rate =
        "process = \"dmt\", band = \"adsl-down\", length = \"3 km\", noise_dbm_per_hz = -120";
    let text = sources("", &[("", ALL)]).replace(
        "rate = \"42.4 Mbit/s\"\nbuffer",
        &format!("rate = {{ {rate} }}\nbuffer"),
    );
    let results = run(&text, 1);
    let mean = value(&results, "links", "trunk", "mean_rate_bps");
    assert!((mean - 4.928e6).abs() < 1.0, "{mean}");
    let sent = value(&results, "links", "trunk", "cells_sent");
    assert!((sent - 4.928e6 / 424.0).abs() < 2.0, "{sent}");
    let too_long = text.replace("length = \"3 km\"", "length = \"30 km\"");
    let error = network(&too_long).expect_err("no bits").to_string();
    assert!(
        error.contains("links.trunk.rate.length") && error.contains("no bits"),
        "{error}"
    );
}
