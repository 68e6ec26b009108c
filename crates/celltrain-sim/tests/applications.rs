//! Applications, sockets and hosts on top of a network, against values worked out by hand.

mod common;

use celltrain_sim::measure::Results;
use common::row::{Row, link};
use common::{network, run, value};

/// One connection over a line of 10 Mbit/s in each direction, with 5 ms of delay.
fn line(duration: &str, flow: &str) -> String {
    Row::of("a b")
        .lasting(duration)
        .link(link("line", "5 ms").queue("10 Mbit/s", 5_000))
        .vc("vc", r#"encapsulation = "vc-mux""#)
        .flow("f", "vc", flow)
        .toml()
}

/// The transmission time of a cell on the line.
const CELL: f64 = 424.0 / 10e6;

#[test]
fn a_file_takes_the_time_of_its_handshake_its_rounds_and_its_release() {
    // A file of one segment: a SYN (44 octets and the trailer take 2 cells) and its answer, a round trip; then data of
    // 1000 octets (22 cells) with the FIN, answered by an ACK of one cell, followed by a FIN.
    let flow = "application = { kind = \"files\", size = \"1000 bytes\", sizes = \"fixed\", think = \"1 s\", thinks = \"fixed\" }\n\
                tcp = { mss = \"1000 bytes\" }";
    let results = run(&line("10 s", flow), 1);
    let of = |column| value(&results, "flows", "f", column);
    let handshake = 2.0 * (5e-3 + 2.0 * CELL);
    let rest = 2.0 * 5e-3 + (22.0 + 2.0) * CELL;
    let time = of("transfer_mean_s");
    assert!((time - handshake - rest).abs() < 3.0 * CELL, "{time}");
    // One think time of 1 s before the first transfer, and one after each.
    assert_eq!(of("transfers"), 9.0);
    assert_eq!(of("delivered_bytes"), 9_000.0);
    assert_eq!(of("transfers_failed"), 0.0);
}

#[test]
fn files_have_their_mean_length_and_come_as_often_as_think_time_lets_them() {
    let flow = "application = { kind = \"files\", size = \"20000 bytes\", think = \"100 ms\" }\n\
                tcp = { mss = \"1460 bytes\", ack = \"each\" }";
    let results = run(&line("400 s", flow), 1);
    let of = |column| value(&results, "flows", "f", column);
    let files = of("transfers");
    let mean = of("delivered_bytes") / files;
    // Some 2000 files of geometric length: the standard error is 2.2 %.
    assert!((mean / 20_000.0 - 1.0).abs() < 0.09, "{mean}");
    let cycle = 400.0 / files;
    assert!(
        (cycle - 0.1 - of("transfer_mean_s")).abs() < 0.012,
        "{cycle}"
    );
}

#[test]
fn a_slow_reader_closes_the_window_and_sets_the_pace() {
    for rate in [0.2, 1.0] {
        let flow = format!(
            "sockets = {{ read = \"2000 bytes\", read_rate = \"{rate} Mbit/s\" }}\n\
             tcp = {{ mss = \"1000 bytes\", window = \"16000 bytes\", ack = \"bsd\" }}"
        );
        let results = run(&line("30 s", &flow), 1);
        let throughput = value(&results, "flows", "f", "throughput_bps");
        assert!(
            (throughput / (rate * 1e6) - 1.0).abs() < 0.03,
            "{rate}: {throughput}"
        );
        assert_eq!(value(&results, "flows", "f", "segments_retransmitted"), 0.0);
    }
}

#[test]
fn a_slow_writer_sets_the_pace_and_a_send_buffer_bounds_what_is_outstanding() {
    let flow = "sockets = { write = \"2000 bytes\", write_rate = \"1 Mbit/s\" }\n\
                tcp = { mss = \"1000 bytes\" }";
    let results = run(&line("20 s", flow), 1);
    let throughput = value(&results, "flows", "f", "throughput_bps");
    assert!((throughput / 1e6 - 1.0).abs() < 0.01, "{throughput}");
    // 4000 octets per round trip of 10 ms, four segments of 22 cells and an ACK of one cell.
    let flow = "sockets = { send_buffer = \"4000 bytes\" }\n\
                tcp = { mss = \"1000 bytes\", ack = \"each\", whole_segments = true }";
    let results = run(&line("20 s", flow), 1);
    let throughput = value(&results, "flows", "f", "throughput_bps");
    let bound = 32_000.0 / (10e-3 + 23.0 * CELL);
    assert!(
        (throughput / bound - 1.0).abs() < 0.02,
        "{throughput} {bound}"
    );
}

#[test]
fn processing_times_bound_the_rate_of_segments() {
    // A segment every 2 ms on average: 4 Mbit/s of 1000 octets.
    for law in ["fixed", "exponential"] {
        let flow = format!(
            "tcp = {{ mss = \"1000 bytes\", ack = \"each\", segment_processing = {{ mean = \"2 ms\", law = \"{law}\" }} }}"
        );
        let results = run(&line("40 s", &flow), 1);
        let throughput = value(&results, "flows", "f", "throughput_bps");
        // The mean of 20,000 exponential times has a standard error of 0.7 %.
        assert!(
            (throughput / 4e6 - 1.0).abs() < 0.025,
            "{law}: {throughput}"
        );
    }
    // At most an ACK every 2 ms, which covers what has arrived when it leaves.
    let flow =
        "tcp = { mss = \"1000 bytes\", ack = \"each\", ack_processing = { mean = \"2 ms\" } }";
    let results = run(&line("40 s", flow), 1);
    let acks = results
        .table("vcs")
        .expect("it exists")
        .numbers_of("pdus_sent")[1];
    assert!((acks / 20_000.0 - 1.0).abs() < 0.01, "{acks}");
    assert!(value(&results, "flows", "f", "throughput_bps") > 6e6);
}

#[test]
fn a_host_that_needs_no_time_sends_what_one_without_processing_does() {
    // A server that worked on segments that pacing holds back would start without end, at one instant or, with a
    // picosecond for each, nearly so. One that does not tell the sender that nothing can leave keeps it from probing:
    // where a segment of 1448 octets leaves a window of 12, the connection would end.
    for (tcp, least) in [
        ("variant = \"bbr\"", 1e6),
        ("variant = \"copa\"", 1e6),
        ("variant = \"cubic\", window = \"1460 bytes\"", 2e4),
    ] {
        let delivered = |processing: &str| {
            let flow = format!("tcp = {{ mss = \"1460 bytes\", {tcp}{processing} }}");
            value(
                &run(&line("5 s", &flow), 1),
                "flows",
                "f",
                "delivered_bytes",
            )
        };
        let plain = delivered("");
        assert!(plain > least, "{tcp}: {plain}");
        let none = delivered(", segment_processing = { mean = \"0 s\" }");
        assert_eq!(none, plain, "{tcp}");
        let short = delivered(", segment_processing = { mean = \"1 ps\" }");
        assert!((short / plain - 1.0).abs() < 0.01, "{tcp}: {short} {plain}");
    }
}

#[test]
fn ecn_reduces_the_window_without_a_loss() {
    let text = |ecn: bool| {
        line(
            "30 s",
            &format!("tcp = {{ variant = \"sack\", mss = \"1460 bytes\", window = \"200 kB\", ecn = {ecn} }}"),
        )
        .replace("buffer", "queue_management = { algorithm = \"codel\", ecn = true }\nbuffer")
    };
    let with = run(&text(true), 1);
    let of = |column| value(&with, "flows", "f", column);
    assert!(of("ecn_reductions") > 5.0);
    assert_eq!(of("segments_retransmitted"), 0.0);
    assert_eq!(value(&with, "vcs", "vc", "cells_lost"), 0.0);
    // Without ECT the same queue drops packets.
    let without = run(&text(false), 1);
    assert_eq!(value(&without, "flows", "f", "ecn_reductions"), 0.0);
    assert!(value(&without, "flows", "f", "segments_retransmitted") > 5.0);
}

#[test]
fn window_scaling_and_timestamps_are_negotiated_by_the_handshake() {
    // 10 Mbit/s with a round trip of 200 ms: 250 kB, far more than 65,535 octets.
    let text = |tcp: &str| {
        line("60 s", &format!("tcp = {{ variant = \"4.4bsd\", mss = \"1460 bytes\", window = \"400 kB\", handshake = true, {tcp} }}"))
            .replace("5 ms", "100 ms")
            .replace("5000 cells", "50000 cells")
    };
    let throughput = |tcp: &str| value(&run(&text(tcp), 1), "flows", "f", "throughput_bps");
    let unscaled = throughput("timestamps = false");
    let bound = 65_535.0 * 8.0 / 0.2;
    assert!(
        unscaled < bound && unscaled > 0.8 * bound,
        "{unscaled} {bound}"
    );
    let scaled = throughput("window_scale = 4, timestamps = true");
    assert!(scaled > 7.5e6, "{scaled}");
}

#[test]
fn packets_without_tcp_take_what_they_want() {
    let flow =
        "udp = { packet = \"1028 bytes\", traffic = { process = \"cbr\", rate = \"2 Mbit/s\" } }";
    let results = run(&line("10 s", flow), 1);
    let of = |column| value(&results, "flows", "f", column);
    // 1000 octets of data in each packet of 1028.
    assert!((of("throughput_bps") / (2e6 * 1_000.0 / 1_028.0) - 1.0).abs() < 2e-3);
    let cells = (1_028_f64 + 8.0).div_euclid(48.0) + 1.0;
    assert!(
        (of("delay_mean_s") - 5e-3 - cells * CELL).abs() < 1e-6,
        "{}",
        of("delay_mean_s")
    );
}

/// A connection over a link of 10 Mbit/s.
fn over_one_link(duration: &str, flow: &str) -> String {
    Row::of("a b")
        .lasting(duration)
        .link(link("l", "1 ms").queue("10 Mbit/s", 1_000))
        .vc("v", "")
        .flow("f", "v", flow)
        .toml()
}

#[test]
fn an_octet_sent_into_a_closed_window_is_a_segment_with_data() {
    // The application reads 2 octets per second with a window of one segment: most segments are probes.
    let text = over_one_link(
        "100 s",
        "tcp = { mss = \"100 bytes\", window = \"100 bytes\", timer_granularity = \"10 ms\" }\n\
         sockets = { read_rate = \"16 bit/s\", read = \"1 bytes\" }",
    );
    let results = run(&text, 1);
    let segments = value(&results, "flows", "f", "segments_sent");
    assert!(segments > 10.0);
    assert_eq!(segments, value(&results, "vcs", "v", "pdus_sent"));
}

#[test]
fn writes_without_time_between_them_are_one() {
    // 2 octets at a time, 2^39 writes at the first instant; and as many octets at once.
    let results = |sockets: &str| {
        let text = over_one_link(
            "1 s",
            &format!(
                "application = {{ kind = \"files\", size = \"1048576 MiB\", think = \"1 s\", first_think = \"1 ms\" }}\n{sockets}"
            ),
        );
        run(&text, 1)
    };
    let (small, whole) = (results("sockets = { write = \"2 bytes\" }"), results(""));
    let columns = ["delivered_bytes", "segments_sent", "segments_retransmitted"];
    let of = |results: &Results| columns.map(|column| value(results, "flows", "f", column));
    assert!(of(&small)[0] > 0.0);
    assert_eq!(of(&small), of(&whole));
}

#[test]
fn writes_of_an_octet_go_on_while_the_window_is_full() {
    // While the window is full, no number of writes sends anything: the largest number, to which nothing can be added.
    let text = over_one_link(
        "61 s",
        "tcp = { mss = \"1000 bytes\", window = \"1000 bytes\", timer_granularity = \"10 ms\" }\n\
         sockets = { write = \"1 bytes\", write_rate = \"800 bit/s\" }",
    )
    .replace("delay = \"1 ms\"", "delay = \"5 s\"");
    let results = run(&text, 1);
    let delivered = value(&results, "flows", "f", "delivered_bytes");
    // At least a window in each of five round trips of 10 s, and at most what was written 5 s before the end.
    assert!((5_000.0..=5_600.0).contains(&delivered), "{delivered}");
}

#[test]
fn a_fin_alone_is_no_segment_with_data() {
    // Everything written is acknowledged before the application closes: the same segments as without a close.
    let text = over_one_link(
        "3 s",
        "duration = \"2.05 s\"\n\
         tcp = { mss = \"1000 bytes\", timer_granularity = \"10 ms\", handshake = true }\n\
         sockets = { write = \"1000 bytes\", write_rate = \"80 kbit/s\" }",
    );
    let open = text
        .replace("duration = \"2.05 s\"\n", "")
        .replace("duration = \"3 s\"", "duration = \"2.05 s\"");
    let [closed, open] = [text, open].map(|text| {
        let results = run(&text, 1);
        ["segments_sent", "delivered_bytes"].map(|column| value(&results, "flows", "f", column))
    });
    assert!(open[1] >= 20_000.0);
    assert_eq!(closed, open);
}

#[test]
fn a_probe_shows_what_a_slow_reader_has_read_by_then() {
    // 2,500 octets per second, 500 at a time, from the arrival of the first segment on, after 2 ms and a few cell times.
    let flow = "tcp = { mss = \"1460 bytes\", window = \"8000 bytes\", timer_granularity = \"10 ms\" }\n\
         sockets = { read_rate = \"20 kbit/s\", read = \"500 bytes\" }\n\
         [probes.p]\nevery = \"100 ms\"\nrecord = [\"flows.f.delivered_bytes\"]";
    let shown = |every: &str| {
        let text = over_one_link("2 s", flow).replace("100 ms", every);
        run(&text, 1).traces[0].numbers_of("flows.f.delivered_bytes")
    };
    let [coarse, fine] = ["100 ms", "20 ms"].map(shown);
    let same_instants: Vec<f64> = fine.iter().copied().step_by(5).collect();
    assert_eq!(coarse, same_instants);
    for pair in fine.windows(11) {
        assert_eq!(
            pair[10] - pair[0],
            if pair[0] > 0.0 { 500.0 } else { pair[10] }
        );
    }
}

/// A line of 2 Mbit/s with a single flow, with these keys.
fn negotiating(tcp: &str, flow: &str) -> String {
    let tcp = format!(r#"tcp = {{ mss = "1460 bytes", handshake = true, {tcp} }}"#);
    Row::of("a b")
        .lasting("10 s")
        .link(link("line", "10 ms").queue("2 Mbit/s", 2_000))
        .vc("vc", "")
        .flow("f", "vc", &format!("{flow}\n{tcp}"))
        .toml()
}

#[test]
fn two_ends_of_different_segment_sizes_agree_on_the_smaller_one() {
    // Octets per segment; no segment may be lost.
    let size = |tcp: &str| {
        let results = run(&negotiating(tcp, ""), 1);
        let of = |column| value(&results, "flows", "f", column);
        assert_eq!(of("segments_retransmitted"), 0.0);
        of("delivered_bytes") / of("segments_sent")
    };
    for (tcp, expected) in [
        ("window = \"30000 bytes\"", 1_460.0),
        (
            "window = \"30000 bytes\", receiver_mss = \"512 bytes\"",
            512.0,
        ),
        (
            "window = \"30000 bytes\", receiver_mss = \"9140 bytes\"",
            1_460.0,
        ),
        ("window = \"30000 bytes\", mss_option = false", 536.0),
        (
            "window = \"30000 bytes\", receiver_mss = \"512 bytes\", timestamps = true",
            500.0,
        ),
    ] {
        let size = size(tcp);
        assert!((size / expected - 1.0).abs() < 0.05, "{tcp}: {size}");
    }
}

#[test]
fn an_abort_leaves_what_is_not_sent_and_a_close_does_not() {
    // A socket buffer of 40 kB is full at the end of the duration; the line has a round trip of 20 ms.
    let delivered = |end: &str| {
        let flow = format!(
            "duration = \"1 s\"\n{end}\nsockets = {{ send_buffer = \"40 kB\", write = \"1 kB\" }}"
        );
        let results = run(&negotiating("window = \"65535 bytes\"", &flow), 1);
        value(&results, "flows", "f", "delivered_bytes")
    };
    let (close, abort) = (
        delivered("at_end = \"close\""),
        delivered("at_end = \"abort\""),
    );
    assert!(close > abort, "{close} {abort}");
    assert!(abort > 100e3);
}

/// Transfers of a million octets, more than 16 send buffers of 60,000, over a queue of 400 cells.
fn transfers(tcp: &str) -> String {
    let flow = format!(
        "application = {{ kind = \"files\", size = \"1000000 bytes\", sizes = \"fixed\", think = \"1 s\" }}\n\
         sockets = {{ send_buffer = \"60000 bytes\" }}\n\
         tcp = {{ variant = \"4.4bsd\", mss = \"1000 bytes\", window = \"60000 bytes\"{tcp} }}"
    );
    line("120 s", &flow).replace("5000 cells", "400 cells")
}

#[test]
fn a_connection_that_begins_with_the_threshold_of_its_route_does_not_overflow_the_queue_again() {
    let lost = |tcp: &str| {
        let results = run(&transfers(tcp), 1);
        let of = |column| value(&results, "flows", "f", column);
        assert!(of("transfers") > 10.0);
        of("segments_retransmitted") / of("transfers")
    };
    let without = lost("");
    assert!(without > 5.0, "{without}");
    let with = lost(", route_cache = \"round-trip-and-threshold\"");
    assert!(with < without / 2.0, "{with} {without}");
    // Round trips alone do not limit the window.
    let round_trips = lost(", route_cache = \"round-trip\"");
    assert!(round_trips > without / 2.0, "{round_trips} {without}");
}

#[test]
fn what_routes_remember_needs_transfers_and_ticks() {
    let cases = [
        (
            transfers("").replace(
                "kind = \"files\", size = \"1000000 bytes\", sizes = \"fixed\", think = \"1 s\"",
                "kind = \"greedy\"",
            ),
            "no connection of this flow follows another",
        ),
        (
            transfers(", rto = { timer = \"rfc6298\" }"),
            "round trips are remembered in BSD's ticks",
        ),
    ];
    for (text, message) in cases {
        let text = text.replace(
            "variant = \"4.4bsd\"",
            "variant = \"4.4bsd\", route_cache = \"round-trip\"",
        );
        let error = network(&text).expect_err(message).to_string();
        assert!(
            error.contains("flows.f.tcp.route_cache") && error.contains(message),
            "{error}"
        );
    }
}
