//! Data both ways in one connection, against values worked out by hand.

mod common;

use common::row::{Row, link};
use common::{run, value};

/// A line of 2 Mbit/s in each direction, with 10 ms of delay.
fn line(flow: &str) -> String {
    let tcp =
        r#"tcp = { mss = "1460 bytes", window = "30000 bytes", timer_granularity = "100 ms" }"#;
    Row::of("a b")
        .measured("2 s", "22 s")
        .link(link("line", "10 ms").queue("2 Mbit/s", 2_000))
        .vc("vc", "")
        .flow("f", "vc", &format!("{tcp}\n{flow}"))
        .toml()
}

#[test]
fn both_directions_fill_the_line_and_have_a_row_each() {
    let results = run(&line("back = {}"), 1);
    let flows = results.table("flows").expect("there are flows");
    assert_eq!(flows.numbers_of("throughput_bps").len(), 2);
    // Segments of 1500 octets take 32 cells: 1460 of 1696 octets are data.
    let most = 2e6 * 1_460.0 / (32.0 * 53.0);
    for name in ["f", "f.back"] {
        let carried = value(&results, "flows", name, "throughput_bps");
        assert!(
            carried > 0.98 * most && carried <= most,
            "{name}: {carried} of {most}"
        );
    }
}

#[test]
fn acknowledgments_travel_with_data() {
    // Without losses each window is acknowledged by data in the other direction.
    let pdus = |flow: &str| {
        let results = run(&line(flow), 1);
        let vcs = results.table("vcs").expect("there are VCs");
        let sent = vcs.numbers_of("pdus_sent");
        let data: f64 = results
            .table("flows")
            .unwrap()
            .numbers_of("segments_sent")
            .iter()
            .sum();
        sent.iter().sum::<f64>() - data
    };
    let (alone, both) = (pdus(""), pdus("back = {}"));
    assert!(alone > 1_000.0, "{alone}");
    assert!(
        20.0 * both < alone,
        "{both} pure acknowledgments, {alone} without data back"
    );
}

#[test]
fn a_few_data_back_need_no_packets_of_acknowledgments_alone() {
    // Replies of 100 octets, 20 per second, each acknowledge what has arrived.
    let flow = "back = { sockets = { write = \"100 bytes\", write_rate = \"16 kbit/s\" } }\n\
                sockets = { write = \"100 bytes\", write_rate = \"16 kbit/s\" }";
    let results = run(&line(flow), 1);
    for name in ["f", "f.back"] {
        let carried = value(&results, "flows", name, "throughput_bps");
        assert!((carried / 16e3 - 1.0).abs() < 0.02, "{name}: {carried}");
    }
}

#[test]
fn a_direction_that_has_ended_leaves_the_other_one_alone() {
    let flow = "duration = \"5 s\"\nback = { start = \"1 s\" }";
    let handshake = line(flow).replace("mss =", "handshake = true, mss =");
    for text in [line(flow), handshake] {
        let results = run(&text, 1);
        let [forth, back] =
            ["f", "f.back"].map(|name| value(&results, "flows", name, "delivered_bytes"));
        assert!(forth < 3.0 * 2e6 / 8.0, "{forth}");
        assert!(back > 15.0 * 2e6 / 8.0 * 0.8, "{back}");
    }
}

#[test]
fn data_back_wait_for_the_opening() {
    let text = line("start = \"10 s\"\nback = {}").replace("mss =", "handshake = true, mss =");
    let back = value(&run(&text, 1), "flows", "f.back", "delivered_bytes");
    let most = 12.0 * 2e6 / 8.0 * 1_460.0 / (32.0 * 53.0);
    assert!(back > 0.9 * most && back < most, "{back} of {most}");
}

#[test]
fn what_cannot_go_both_ways_is_refused_with_a_reason() {
    for (flow, message) in [
        (
            "back = {}\napplication = { kind = \"files\", size = \"10 kB\", think = \"1 s\" }",
            "flows.f.back: only a connection of a greedy application has data both ways",
        ),
        (
            "back = { sockets = { write = \"10 bytes\" } }",
            "flows.f.back.sockets.write: nothing bounds how much",
        ),
        (
            "back = { duration = \"0 s\" }",
            "flows.f.back.duration: expected a time above zero",
        ),
        (
            "back = { size = \"1 kB\" }",
            "flows.f.back.size: unknown key",
        ),
        (
            "at_end = \"abort\"",
            "flows.f.at_end: nothing ends the connection",
        ),
    ] {
        let error = common::network(&line(flow)).expect_err(flow).to_string();
        assert!(error.contains(message), "{error}");
    }
    let tcp = |key: &str| line("back = {}").replace("mss =", &format!("{key}, mss ="));
    for (key, message) in [
        (
            "ack_processing = { mean = \"1 ms\" }",
            "flows.f.back: acknowledgments that travel with data do not wait",
        ),
        (
            "receiver_mss = \"500 bytes\"",
            "flows.f.tcp.receiver_mss: it is negotiated when the connection opens",
        ),
        (
            "mss_option = false",
            "flows.f.tcp.mss_option: it is negotiated when the connection opens",
        ),
    ] {
        let error = common::network(&tcp(key)).expect_err(key).to_string();
        assert!(error.contains(message), "{error}");
    }
}
