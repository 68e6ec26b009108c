//! The behaviour of whole networks, against results worked out by hand.

mod common;

use std::sync::atomic::AtomicBool;

use celltrain_sim::engine::{Engine, run_with};
use common::row::{Row, link};
use common::{network, run, value};

/// One TCP connection a - s - t - b; the middle link has a queue.
fn line(rate: &str, middle: &str, services: &str, tcp: &str) -> String {
    Row::of("a s t b")
        .hosts("count = 2")
        .measured("5 s", "25 s")
        .link(link("in", "0 s"))
        .ways(
            link("up", "5 ms").queue(rate, 4_000).with(middle),
            link("down", "5 ms").queue("100 Mbit/s", 4_000),
        )
        .link(link("out", "0 s"))
        .vc("vc", &format!("encapsulation = \"vc-mux\"\n{services}"))
        .flow("tcp", "vc", "")
        .and(
            r#"[flows.tcp.tcp]
            mss = "9140 bytes"
            whole_segments = true
            ack = "each""#,
        )
        .and(tcp)
        .toml()
}

#[test]
fn a_window_and_a_round_trip_bound_tcp() {
    // Seven segments of 192 cells per round trip. The round trip is 10 ms of propagation, 192 cells at the PCR of 50
    // Mbit/s (1.628 ms), one more cell at 100 Mbit/s, and an ACK of one cell: 11.637 ms.
    let services = "forward = { service = \"ubr\", pcr = \"50 Mbit/s\" }";
    let results = run(&line("100 Mbit/s", "", services, ""), 1);
    let cell = 424.0 / 100e6;
    let round_trip = 0.010 + 191.0 * 424.0 / 50e6 + 2.0 * cell;
    let expected = 7.0 * 9140.0 * 8.0 / round_trip;
    for flow in ["tcp1", "tcp2"] {
        let throughput = value(&results, "flows", flow, "throughput_bps");
        assert!(
            (throughput / expected - 1.0).abs() < 0.02,
            "{throughput}, not {expected}"
        );
        assert_eq!(value(&results, "flows", flow, "timeouts"), 0.0);
    }
}

#[test]
fn a_greedy_connection_fills_a_slow_line_up_to_its_ideal() {
    // Of every 192 x 53 octets, 9140 are TCP's.
    let services = "forward = { service = \"ubr\", pcr = \"2 Mbit/s\" }";
    let results = run(&line("2 Mbit/s", "", services, ""), 1);
    let total: f64 = results
        .table("flows")
        .unwrap()
        .numbers_of("throughput_bps")
        .iter()
        .sum();
    let ideal = 2e6 * 9140.0 / (192.0 * 53.0);
    assert!((total / ideal - 1.0).abs() < 0.01, "{total}, not {ideal}");
    assert!((value(&results, "links", "up", "utilization") - 1.0).abs() < 1e-3);
}

#[test]
fn explicit_rate_gives_each_of_two_vcs_half_of_the_line() {
    for turn_around in ["", ", turn_around_at = \"s\""] {
        let services = format!(
            "forward = {{ service = \"abr\", pcr = \"10 Mbit/s\", rif = 1 {turn_around} }}\n\
             backward = {{ service = \"abr\", pcr = \"10 Mbit/s\" }}"
        );
        let middle = "control = { algorithm = \"fair-share\" }";
        let results = run(&line("4 Mbit/s", middle, &services, ""), 1);
        let table = results.table("vcs").unwrap();
        let acr = table.numbers_of("acr_bps");
        assert_eq!((acr[0], acr[2]), (2e6, 2e6), "{turn_around:?}");
        // Both start at PCR. With the local loop the first RM cells stop that immediately; with the end-to-end loop the
        // surplus of a round trip enters the queue and stays, because the fair shares add up to the line rate.
        let queue = value(&results, "links", "up", "queue_max_cells");
        assert_eq!(
            queue < 20.0,
            !turn_around.is_empty(),
            "{turn_around:?}: {queue}"
        );
        assert_eq!(value(&results, "links", "up", "active_vcs_mean"), 2.0);
        // Without a local loop the forward RM cells cross the line: one cell in 32.
        let expected = if turn_around.is_empty() {
            1.0
        } else {
            31.0 / 32.0
        };
        let utilization = value(&results, "links", "up", "utilization");
        assert!(
            (utilization / expected - 1.0).abs() < 0.002,
            "{utilization}, not {expected}"
        );
    }
}

#[test]
fn binary_marking_holds_the_queue_around_its_threshold() {
    for marking in ["backward-rm", "forward-rm", "efci"] {
        let services = "forward = { service = \"abr\", pcr = \"4 Mbit/s\" }\n\
             backward = { service = \"abr\", pcr = \"4 Mbit/s\" }";
        let middle = format!(
            "control = {{ algorithm = \"binary\", threshold = \"200 cells\", marking = \"{marking}\" }}"
        );
        let results = run(&line("4 Mbit/s", &middle, services, ""), 1);
        let queue = value(&results, "links", "up", "queue_mean_cells");
        // A mark in forward cells first waits in the queue that it reports on, so the loop is slower and the queue
        // oscillates more than with backward cells.
        let bounds = if marking == "backward-rm" {
            150.0..250.0
        } else {
            100.0..500.0
        };
        assert!(bounds.contains(&queue), "{marking}: {queue}");
        assert_eq!(
            value(&results, "links", "up", "cells_lost"),
            0.0,
            "{marking}"
        );
    }
}

#[test]
fn gfc_stops_the_hosts_when_it_can_tell_them() {
    let services = "forward = { service = \"ubr\", pcr = \"8 Mbit/s\" }";
    let without = run(&line("4 Mbit/s", "", services, ""), 1);
    let free = value(&without, "links", "up", "queue_max_cells");
    // ACKs, which carry the command, return about every 20 ms.
    let middle = "gfc = { high = \"200 cells\", low = \"100 cells\" }";
    let with = run(&line("4 Mbit/s", middle, services, ""), 1);
    let held = value(&with, "links", "up", "queue_max_cells");
    assert!(free > 2_000.0, "{free}");
    assert!((200.0..1_200.0).contains(&held), "{held}");
    assert!(value(&with, "links", "up", "utilization") > 0.9);
}

#[test]
fn a_lost_cell_costs_a_whole_packet() {
    let services = "forward = { service = \"ubr\", pcr = \"8 Mbit/s\" }";
    let text = line("4 Mbit/s", "", services, "").replacen("4000 cells", "300 cells", 1);
    let results = run(&text, 1);
    let sum = |column| {
        results
            .table("vcs")
            .unwrap()
            .numbers_of(column)
            .iter()
            .sum::<f64>()
    };
    assert!(sum("pdus_damaged") > 0.0);
    assert!(value(&results, "flows", "tcp1", "segments_retransmitted") > 0.0);
    // The cells of a damaged packet use the line for nothing.
    let goodput: f64 = results
        .table("flows")
        .unwrap()
        .numbers_of("throughput_bps")
        .iter()
        .sum();
    let carried = value(&results, "links", "up", "utilization") * 4e6 * 9140.0 / 10_176.0;
    assert!(goodput < 0.99 * carried, "{goodput} of {carried}");
}

#[test]
fn a_host_queue_of_one_segment_holds_tcp_back_without_losing_throughput() {
    let services = "forward = { service = \"ubr\", pcr = \"2 Mbit/s\" }";
    let text = line("8 Mbit/s", "", services, "host_queue_segments = 1");
    let text = format!(
        "{text}\n[probes.host]\nevery = \"10 ms\"\nrecord = [\"vcs.vc1.forward.host_queue_pdus\"]"
    );
    let results = run(&text, 1);
    let waiting = results
        .table("host")
        .unwrap()
        .numbers_of("vcs.vc1.forward.host_queue_pdus");
    assert_eq!(waiting.len(), 2_001);
    assert!(waiting.iter().all(|&pdus| pdus <= 1.0));
    let throughput = value(&results, "flows", "tcp1", "throughput_bps");
    let ideal = 2e6 * 9140.0 / 10_176.0;
    assert!(
        (throughput / ideal - 1.0).abs() < 0.01,
        "{throughput}, not {ideal}"
    );
}

/// Two links in series, the second with a quarter of the rate of the first; ABR from end to end.
fn two_loops(vc: &str) -> String {
    let abr = r#"{ service = "abr", pcr = "40 Mbit/s", icr = "1 Mbit/s", rif = 1 }"#;
    let erica = r#"{ algorithm = "erica", interval = "5 ms", target_utilization = 0.9 }"#;
    let one = link("one", "1 ms").queue("40 Mbit/s", 2_000);
    let two = link("two", "1 ms").queue("10 Mbit/s", 2_000);
    Row::of("a s t b")
        .measured("5 s", "10 s")
        .link(link("in", "20 ms"))
        .link(one.with(r#"control = { algorithm = "fair-share" }"#))
        .link(two.with(&format!("control = {erica}")))
        .vc("vc", &format!("{vc}\nforward = {abr}\nbackward = {abr}"))
        .flow(
            "u",
            "vc",
            r#"udp = { packet = "1500 bytes", traffic = { process = "cbr", rate = "30 Mbit/s" } }"#,
        )
        .toml()
}

#[test]
fn virtual_ends_hold_the_loop_before_at_the_rate_of_the_next_loop() {
    let segmented = run(&two_loops("virtual_ends = { at = [\"s\"] }"), 1);
    let acr = value(&segmented, "vcs", "vc", "acr_bps");
    // Nine tenths of 10 Mbit/s, which the second loop passes to the first.
    assert!((acr / 9e6 - 1.0).abs() < 0.05, "{acr}");
    assert_eq!(value(&segmented, "vcs", "vc", "cells_lost"), 0.0);
    let whole = run(&two_loops(""), 1);
    let acr = value(&whole, "vcs", "vc", "acr_bps");
    assert!((acr / 9e6 - 1.0).abs() < 0.05, "{acr}");
    // Each loop has its own RM cells: the source of loop 1 gets answers over 20 ms of delay, and never those of loop 2.
    let rm =
        |results: &celltrain_sim::measure::Results| value(results, "vcs", "vc", "forward_rm_sent");
    assert!((rm(&segmented) / rm(&whole) - 1.0).abs() < 0.05);
}

#[test]
fn a_starved_source_probes_ten_times_a_second_and_comes_back() {
    // In the first second of every two, UBR overloads the line; CI then takes the rate away completely (RDF = 1).
    let text = r#"
        [measure]
        warm_up = "2.5 s"
        duration = "2.95 s"
        [hosts]
        a = {}
        b = {}
        c = {}
        d = {}
        [switches]
        s = {}
        t = {}
        [links.ina]
        between = ["a", "s"]
        delay = "1 ms"
        [links.inc]
        between = ["c", "s"]
        delay = "0 s"
        [links.trunk]
        between = ["s", "t"]
        delay = "1 ms"
        rate = "1 Mbit/s"
        buffer = "50 cells"
        control = { algorithm = "binary", threshold = "10 cells" }
        [links.outb]
        between = ["t", "b"]
        delay = "1 ms"
        [links.outd]
        between = ["t", "d"]
        delay = "0 s"
        [vcs.ubr]
        route = ["c", "s", "t", "d"]
        [vcs.abr]
        route = ["a", "s", "t", "b"]
        forward = { service = "abr", pcr = "1 Mbit/s", starved = "out-of-rate", rdf = 1, rif = "1/64" }
        backward = { service = "abr", pcr = "1 Mbit/s" }
        [backgrounds.ubr]
        vc = "ubr"
        traffic = { process = "pulses", peak = "1.2 Mbit/s", period = "2 s" }
        [flows.u]
        vc = "abr"
        udp = { packet = "1500 bytes", traffic = { process = "cbr", rate = "8 Mbit/s" } }
    "#;
    // From 2.5 s on the source is starved: a forward RM cell every 100 ms, and nothing else.
    let starved = run(text, 1);
    let sent = |results: &celltrain_sim::measure::Results, column: &str| {
        results.table("vcs").expect("it exists").numbers_of(column)[2]
    };
    let probes = sent(&starved, "forward_rm_sent");
    assert!((4.0..=5.0).contains(&probes), "{probes}");
    assert_eq!(sent(&starved, "cells_sent"), probes);
    // A second later the line is free, and one of these RM cells has reported it.
    let free = run(
        &text.replace("2.5 s", "3.3 s").replace("2.95 s", "3.9 s"),
        1,
    );
    assert!(sent(&free, "cells_sent") * 424.0 / 0.6 > 0.1e6);
}

#[test]
fn what_nothing_limits_has_no_rate_in_tables_and_probes() {
    let text = Row::of("a s t b")
        .measured("1 s", "2 s")
        .link(link("in", "1 ms"))
        .link(link("line", "1 ms").queue("1 Mbit/s", 100))
        .link(link("out", "1 ms"))
        .vc("free", r#"forward = { service = "ubr" }"#)
        .vc(
            "limited",
            r#"forward = { service = "ubr", pcr = "424 kbit/s" }"#,
        )
        .flow("f", "free", "")
        .and(
            "[probes.p]\nevery = \"500 ms\"\nrecord = [\"vcs.free.forward.acr_bps\", \
             \"vcs.limited.forward.acr_bps\", \"links.in.rate_bps\", \"links.line.rate_bps\"]",
        )
        .toml();
    for engine in [Engine::Cells, Engine::Trains] {
        let network = network(&text).expect("the network is valid");
        let results = run_with(engine, &network, 1, &AtomicBool::new(false)).expect("it runs");
        assert!(value(&results, "vcs", "free", "acr_bps").is_nan());
        assert_eq!(value(&results, "vcs", "limited", "acr_bps"), 424e3);
        let samples = |column: &str| results.traces[0].numbers_of(column);
        for column in ["vcs.free.forward.acr_bps", "links.in.rate_bps"] {
            assert!(samples(column).iter().all(|it| it.is_nan()), "{column}");
        }
        assert_eq!(samples("vcs.limited.forward.acr_bps"), [424e3; 3]);
        assert_eq!(samples("links.line.rate_bps"), [1e6; 3]);
    }
}
