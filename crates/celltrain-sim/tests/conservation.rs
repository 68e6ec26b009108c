//! Cells in = out + lost + on their way, whatever the scenario. (Every run checks this hop by hop at its end; here runs
//! are also varied at random.)

mod common;

use common::row::{Row, link};
use common::{all_are_named, network, run};
use proptest::prelude::*;

const SCENARIO: &str = include_str!("data/local-loop.toml");

/// The example scenario with different controls, buffers, rates and windows.
fn varied(
    control: &str,
    service: &str,
    buffer: u32,
    every_ms: u32,
    window: u32,
    gfc: bool,
) -> String {
    let gfc = if gfc {
        "gfc = { high = \"30 cells\", low = \"10 cells\" }\n"
    } else {
        ""
    };
    SCENARIO
        .replace("warm_up = \"10 s\"", "warm_up = \"0 s\"")
        .replace("duration = \"70 s\"", "duration = \"9 s\"")
        .replace(
            "control = { algorithm = \"binary\", threshold = \"256 cells\" }",
            &format!("{control}\n{gfc}"),
        )
        .replacen("service = \"abr\"", &format!("service = {service}"), 1)
        .replacen(
            "buffer = \"1024 cells\"",
            &format!("buffer = \"{buffer} cells\""),
            1,
        )
        .replace("every = \"1 s\"", &format!("every = \"{every_ms} ms\""))
        .replace(
            "window = \"65535 bytes\"",
            &format!("window = \"{window} bytes\""),
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn cells_are_conserved(
        control in prop::sample::select(vec![
            "",
            "control = { algorithm = \"binary\", threshold = \"20 cells\" }",
            "control = { algorithm = \"binary\", threshold = \"20 cells\", marking = \"forward-rm\" }",
            "control = { algorithm = \"fair-share\" }",
        ]),
        end_to_end in any::<bool>(),
        buffer in 1_u32..600,
        every_ms in 1_u32..2_000,
        window in 9_140_u32..200_000,
        gfc in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut text = varied(control, "\"abr\"", buffer, every_ms, window, gfc);
        if end_to_end {
            text = text
                .replace(", turn_around_at = \"atu_r\"", "")
                .replace("backward = { service = \"ubr\"", "backward = { service = \"abr\"");
        }
        let results = run(&text, seed);
        let of = |column| common::value(&results, "links", "up", column);
        prop_assert!(of("cells_offered") > 0.0);
        let left = of("cells_offered") - of("cells_lost") - of("cells_sent");
        prop_assert!((0.0..=f64::from(buffer)).contains(&left), "{} cells left", left);
        prop_assert!(of("queue_max_cells") <= f64::from(buffer));
    }
}

#[test]
fn a_vc_that_nothing_bounds_is_refused() {
    let text = SCENARIO.replace(
        "[vcs.data]",
        "[links.cable]\nbetween = [\"P1\", \"R1\"]\ndelay = \"0 s\"\n[vcs.loop]\nroute = [\"P1\", \"R1\"]\n[vcs.data]",
    );
    let error = network(&text).unwrap_err().to_string();
    assert!(error.contains("nothing limits the rate"), "{error}");
}

/// A network with all features of queues and lines, in random combinations.
fn everything(queue: &str, line: &str, delay: &str, vcs: &str, flows: &str) -> String {
    Row::of("a s t b")
        .hosts("count = 3")
        .lasting("1 s")
        .ways(
            link("in", "1 ms").queue("20 Mbit/s", 3_000).with(line),
            link("home", "1 ms"),
        )
        .link(link("trunk", delay).queue("8 Mbit/s", 150).with(queue))
        .link(link("out", "1 ms"))
        .vc("v", vcs)
        .and(flows)
        .toml()
}

/// Keys of a queue, with each algorithm at least once.
const QUEUES: &[&str] = &[
    "",
    "scheduling = \"priority\"",
    "scheduling = \"weighted-fair\"",
    "scheduling = \"weighted-fair\"\ndiscard = { policy = \"fair-buffer\", threshold = \"90 cells\" }",
    "discard = { policy = \"epd\", threshold = \"100 cells\" }",
    "discard = { policy = \"ppd\" }\nclp_threshold = \"60 cells\"",
    "discard = { policy = \"red\", min = \"20 cells\", max = \"80 cells\" }",
    "discard = { policy = \"drop-front\" }",
    "queue_management = { algorithm = \"codel\", ecn = true }",
    "queue_management = { algorithm = \"pie\" }\nscheduling = \"priority\"",
    "control = { algorithm = \"erica\", interval = \"2 ms\" }\nscheduling = \"priority\"",
    "becn = { above = \"30 cells\" }",
    "scheduling = \"fifo\"\ndiscard = { policy = \"selective-drop\", threshold = \"80 cells\" }",
    "scheduling = \"deficit-round-robin\"\ndiscard = { policy = \"dfba\", low = \"20 cells\", threshold = \"80 cells\" }",
    "discard = { policy = \"ared\", min = \"20 cells\", max = \"80 cells\" }",
    "queue_management = { algorithm = \"pi2\", target = \"5 ms\", ecn = true }",
    "queue_management = { algorithm = \"blue\", increment = 0.02, freeze_time = \"10 ms\" }",
    "control = { algorithm = \"binary\", threshold = \"30 cells\" }",
    "control = { algorithm = \"erica-plus\", interval = \"2 ms\" }",
    "control = { algorithm = \"eprca\", qt = \"40 cells\", dqt = \"100 cells\" }",
    "control = { algorithm = \"mit\", interval = \"4 ms\" }",
    "control = { algorithm = \"fair-share\", interval = \"2 ms\" }",
    "control = { algorithm = \"erica-plus-smoothed\", t0 = \"1 ms\", a = 1.15, b = 1.05, qdlf = 0.5, x = 0.5, smoothing_interval = \"1 ms\", averaging_interval = \"4 ms\" }",
    "control = { algorithm = \"capc\", interval = \"2 ms\", cqt = \"30 cells\" }",
    "control = { algorithm = \"capc2\", interval = \"2 ms\", cqt = \"30 cells\", vcqt = \"60 cells\" }",
    "control = { algorithm = \"phantom\", interval = \"2 ms\" }",
    "control = { algorithm = \"mmrca\", interval = \"2 ms\", qt = \"30 cells\", dqt = \"90 cells\" }",
];

#[test]
fn every_algorithm_of_a_queue_is_run() {
    all_are_named(QUEUES);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn cells_are_conserved_whatever_queues_lines_and_flows_do(
        queue in prop::sample::select(QUEUES),
        line in prop::sample::select(vec![
            "",
            "scheduling = \"weighted-fair\"\ncredit = { n3 = \"40 cells\" }",
            "loss = { process = \"bernoulli\", probability = 0.01 }",
            "loss = { process = \"list\", probabilities = [{ at = \"0 s\", probability = 0.02 }, { at = \"10 ms\", probability = 0 }], repeat = \"50 ms\" }",
            "jitter = { process = \"uniform\", max = \"500 us\" }\nscheduling = \"weighted-fair\"\ncredit = { n2 = \"3 cells\", n3 = \"50 cells\" }\nloss = { process = \"gilbert-elliott\", good_to_bad = 0.001, bad_to_good = 0.2 }",
        ]),
        delay in prop::sample::select(vec![
            "2 ms",
            "{ process = \"list\", delays = [{ at = \"0 s\", delay = \"3 ms\" }, { at = \"300 ms\", delay = \"0 s\" }, { at = \"999 ms\", delay = \"40 ms\" }] }",
            "{ process = \"list\", delays = [{ at = \"0 s\", delay = \"1 ms\" }, { at = \"7 ms\", delay = \"9 ms\" }], repeat = \"10 ms\", interpolation = \"linear\" }",
        ]),
        vcs in prop::sample::select(vec![
            "",
            "police = { pcr = \"3 Mbit/s\", action = \"tag\", frames = true }",
            "police = { pcr = \"3 Mbit/s\" }\nforward = { service = \"nrt-vbr\", pcr = \"10 Mbit/s\", scr = \"2 Mbit/s\", mbs = \"60 cells\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }",
            "police = { pcr = \"9 Mbit/s\", cdvt = \"0 s\", dynamic = { tau_2 = \"2 ms\" } }\nforward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\", starved = \"out-of-rate\", rdf = 1, use_it_or_lose_it = true }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\", backward_rm = \"out-of-rate\" }",
            "virtual_ends = { at = [\"s\", \"t\"], buffer = \"500 cells\" }\nforward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\", older_backward_rm = \"out-of-rate\" }",
        ]),
        flows in prop::sample::select(vec![
            "[flows.f]\nvc = \"v\"\ntcp = { variant = \"sack\", mss = \"1460 bytes\", timer_granularity = \"10 ms\", ecn = true }",
            "[flows.f]\nvc = \"v\"\napplication = { kind = \"files\", size = \"20 kB\", think = \"20 ms\" }\ntcp = { mss = \"1460 bytes\", timer_granularity = \"10 ms\", timestamps = true }",
            "[flows.f]\nvc = \"v\"\ntcp = { variant = \"bbr\", mss = \"1460 bytes\", timer_granularity = \"10 ms\", handshake = true }\nsockets = { read_rate = \"1 Mbit/s\" }",
            "[flows.f]\nvc = \"v\"\nudp = { packet = \"1500 bytes\", traffic = { process = \"markov\", states = [{ rate = \"10 Mbit/s\", mean = \"20 ms\" }, { rate = \"0 bit/s\", mean = \"30 ms\" }] } }",
        ]),
        seed in any::<u64>(),
    ) {
        prop_assume!(!(line.contains("credit") && vcs.contains("virtual_ends")));
        prop_assume!(!(line.contains("credit") && queue.contains("becn") && vcs.contains("abr")));
        // The run itself checks each hop at its end.
        let results = run(&everything(queue, line, delay, vcs, flows), seed);
        let of = |column: &str| -> f64 {
            results.table("vcs").expect("it exists").numbers_of(column).iter().sum()
        };
        prop_assert!(of("cells_sent") > 0.0);
        prop_assert!(of("cells_delivered") > 0.0);
    }
}

#[test]
fn credits_and_cells_made_by_switches_exclude_each_other() {
    let abr = "forward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }";
    let text = everything(
        "",
        "scheduling = \"weighted-fair\"\ncredit = {}",
        "2 ms",
        &format!("virtual_ends = {{ at = [\"s\"] }}\n{abr}"),
        "",
    );
    let error = network(&text).expect_err("both").to_string();
    assert!(
        error.contains("link \"in1\"") && error.contains("virtual_ends"),
        "{error}"
    );
}

/// For each row of `vcs`, the sum of some columns.
fn sums(results: &celltrain_sim::measure::Results, columns: &[&str]) -> Vec<f64> {
    let vcs = results.table("vcs").expect("the table exists");
    let mut sums = vec![0.0; vcs.numbers_of("cells_sent").len()];
    for column in columns {
        for (sum, value) in sums.iter_mut().zip(vcs.numbers_of(column)) {
            *sum += value;
        }
    }
    sums
}

const UDP: &str = "[flows.f]\nvc = \"v\"\nudp = { packet = \"1500 bytes\", traffic = { process = \"cbr\", rate = \"2.5 Mbit/s\" } }";
const ABR: &str = "forward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }";

#[test]
fn rm_cells_that_switches_make_or_end_are_counted_where_they_begin_and_where_they_end() {
    let local_loop = SCENARIO.replace("warm_up = \"10 s\"", "warm_up = \"0 s\"");
    let ends = |at: &str| {
        everything(
            "",
            "",
            "2 ms",
            &format!("virtual_ends = {{ at = {at} }}\n{ABR}"),
            UDP,
        )
    };
    for text in [local_loop, ends("[\"s\"]"), ends("[\"s\", \"t\"]")] {
        let results = run(&text, 1);
        let sent = sums(&results, &["cells_sent"]);
        let ended = sums(
            &results,
            &[
                "cells_delivered",
                "cells_lost",
                "cells_errored",
                "cells_policed",
            ],
        );
        for (row, (sent, ended)) in sent.iter().zip(&ended).enumerate() {
            assert!(
                sent >= ended,
                "row {row}: {sent} sent, {ended} at an end\n{text}"
            );
            // Links with 9 ms of delay, or those of the other scenario, hold few cells.
            assert!(
                sent - ended < 2_000.0,
                "row {row}: {sent} sent, {ended} at an end"
            );
        }
    }
}

#[test]
fn a_cell_that_finds_virtual_ends_full_cuts_its_packet() {
    let vcs = format!(
        "virtual_ends = {{ at = [\"s\"], buffer = \"1 cells\" }}\n{}",
        ABR.replace("pcr", "icr = \"1 Mbit/s\", pcr")
    );
    let udp = UDP.replace("2.5 Mbit/s", "2 Mbit/s");
    let control = "control = { algorithm = \"erica\", interval = \"2 ms\" }";
    let results = run(&everything(control, "", "2 ms", &vcs, &udp), 1);
    let links = results.table("links").expect("the table exists");
    assert!(
        links
            .numbers_of("cells_lost")
            .iter()
            .all(|&lost| lost == 0.0)
    );
    let [lost, cut, sent, whole] = ["cells_lost", "pdus_cut", "pdus_sent", "pdus_delivered"]
        .map(|column| sums(&results, &[column])[0]);
    assert!(lost > 0.0, "the queue of the virtual ends overflows");
    // All but the few that are still on their way.
    assert!(
        (sent - whole - cut).abs() < 10.0,
        "{cut} cut of {sent}, {whole} whole"
    );
}

#[test]
fn a_probe_counts_cells_that_leave_a_link_without_a_rate() {
    let probe = "[probes.p]\nevery = \"1 s\"\nrecord = [\"links.out1.sent_cells\"]";
    let results = run(
        &everything("", "", "2 ms", "", &format!("{UDP}\n{probe}")),
        1,
    );
    let shown = results.traces[0].numbers_of("links.out1.sent_cells");
    let left = value_of_hop(&results, "out1", "v1", "data_sent");
    assert!(left > 0.0);
    assert_eq!(shown, [0.0, left]);
}

/// A value in `link_vcs`, from the first row of this link and VC.
fn value_of_hop(
    results: &celltrain_sim::measure::Results,
    link: &str,
    vc: &str,
    column: &str,
) -> f64 {
    let table = results.table("link_vcs").expect("the table exists");
    let names = |column: &str| match &table.column(column).expect("it exists").values {
        celltrain_sim::measure::Values::Names(names) => names.iter().map(str::to_owned).collect(),
        celltrain_sim::measure::Values::Numbers(_) => Vec::new(),
    };
    let (links, vcs): (Vec<String>, Vec<String>) = (names("link"), names("vc"));
    let row = (0..links.len()).find(|&row| links[row] == link && vcs[row] == vc);
    table.numbers_of(column)[row.expect("the row exists")]
}
