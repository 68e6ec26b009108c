//! Hosts with Ethernets and the TCP of Linux 2.0, against values worked out by hand.

mod common;

use common::row::{Row, link};
use common::{network, run, value};

/// A server and a client with the keys `host`, and a line with these rates and 5 ms of delay in each direction; `flow`
/// may add a flow.
fn line(host: &str, rates: [&str; 2], measure: &str, flow: &str) -> String {
    let [down, up] = rates;
    Row::of("server client")
        .hosts(host)
        .measure(measure)
        .ways(
            link("down", "5 ms").queue(down, 5_000),
            link("up", "5 ms").queue(up, 5_000),
        )
        .vc("vc", r#"encapsulation = "bridged-llc""#)
        .flow("f", "vc", flow)
        .toml()
}

const FAST: [&str; 2] = ["10 Mbit/s", "10 Mbit/s"];
const ETHERNET: &str = "ethernet = \"10 Mbit/s\"";
const DATAGRAMS: &str =
    "udp = { packet = \"540 bytes\", traffic = { process = \"cbr\", rate = \"216 kbit/s\" } }";
/// 540 octets of IP are 578 on the Ethernet, and twelve cells with bridged LLC (24) and the trailer (8).
const FRAME: f64 = 578.0 * 8.0 / 10e6;
const CELLS: f64 = 12.0 * 424.0 / 10e6;

#[test]
fn a_packet_crosses_both_ethernets_whole_before_and_after_its_cells() {
    let measure = "duration = \"2 s\"";
    let delay = |host| {
        let results = run(&line(host, FAST, measure, DATAGRAMS), 1);
        value(&results, "flows", "f", "delay_mean_s")
    };
    assert!((delay("") - 5e-3 - CELLS).abs() < 1e-9);
    assert!((delay(ETHERNET) - 5e-3 - CELLS - 2.0 * FRAME).abs() < 1e-9);
}

#[test]
fn a_lan_of_802_3_adds_llc_and_snap_to_each_frame() {
    let delay = |host, flow: &str| {
        let results = run(&line(host, FAST, "duration = \"2 s\"", flow), 1);
        let pdus = value(&results, "vcs", "vc", "pdus_sent");
        let packets = value(&results, "flows", "f", "segments_sent");
        (
            value(&results, "flows", "f", "delay_mean_s"),
            pdus / packets,
        )
    };
    let host = "lan = { kind = \"ieee-802.3\", rate = \"10 Mbit/s\" }";
    let (found, parts) = delay(host, DATAGRAMS);
    let frame = 586.0 * 8.0 / 10e6;
    assert!((found - 5e-3 - CELLS - 2.0 * frame).abs() < 1e-9, "{found}");
    assert_eq!(parts, 1.0);
    // The MTU is 1492 octets: 1500 are cut where an Ethernet sends them whole.
    let long = DATAGRAMS.replace("540", "1500");
    assert_eq!(delay(host, &long).1, 2.0);
    assert_eq!(delay(ETHERNET, &long).1, 1.0);
    // `ethernet` is short for the LAN of that kind.
    let written = "lan = { kind = \"ethernet\", rate = \"10 Mbit/s\" }";
    assert_eq!(delay(written, &long), delay(ETHERNET, &long));
}

#[test]
fn a_packet_on_an_idle_ring_waits_for_the_token_and_takes_29_octets_more() {
    let host = "lan = { kind = \"token-ring\", rate = \"16 Mbit/s\" }";
    let results = run(&line(host, FAST, "duration = \"60 s\"", DATAGRAMS), 1);
    let delay = value(&results, "flows", "f", "delay_mean_s");
    // The ring of a host and its router has 24 + 2 bits: the token goes round in 1.625 us.
    let fixed = 5e-3 + CELLS + 2.0 * 569.0 * 8.0 / 16e6;
    assert!(
        (-1e-9..2.0 * 1.625e-6).contains(&(delay - fixed)),
        "{delay}"
    );
}

#[test]
fn the_router_of_a_ring_takes_its_turn() {
    // Three stations and the server send each other more than the ring carries.
    let text = r#"
        [measure]
        warm_up = "2 s"
        duration = "22 s"
        [hosts.p]
        count = 3
        lan = { kind = "token-ring", rate = "4 Mbit/s", holding_time = "0 s" }
        [hosts.server]
        [links.line]
        between = ["p", "server"]
        delay = "1 ms"
        rate = "10 Mbit/s"
        buffer = "100000 cells"
        [vcs.v]
        route = ["p", "server"]
        [flows.up]
        vc = "v"
        udp = { packet = "1500 bytes", traffic = { process = "cbr", rate = "2 Mbit/s" } }
        [flows.down]
        vc = "v"
        direction = "backward"
        udp = { packet = "1500 bytes", traffic = { process = "cbr", rate = "2 Mbit/s" } }
    "#;
    let results = run(text, 1);
    // Four stations with a frame of 3.058 ms each, the token of 6 us four times, and 7 us round the ring: a quarter each,
    // which the three flows that the router sends share.
    let round = 4.0 * (3.058e-3 + 6e-6) + 7e-6;
    let each = 1_472.0 * 8.0 / round;
    for up in ["up1", "up2", "up3"] {
        let found = value(&results, "flows", up, "throughput_bps");
        assert!((found / each - 1.0).abs() < 0.005, "{up}: {found}");
    }
    let down =
        ["down1", "down2", "down3"].map(|flow| value(&results, "flows", flow, "throughput_bps"));
    let sum: f64 = down.iter().sum();
    assert!((sum / each - 1.0).abs() < 0.005, "{down:?}");
}

#[test]
fn processing_adds_its_mean_at_each_end() {
    let host = "processing = { uniform = [\"100 us\", \"300 us\"] }";
    let results = run(&line(host, FAST, "duration = \"60 s\"", DATAGRAMS), 1);
    let delay = value(&results, "flows", "f", "delay_mean_s");
    // 3000 packets, each with two uniform times with a standard deviation of 58 us: the standard error is 1.5 us.
    assert!((delay - 5e-3 - CELLS - 400e-6).abs() < 6e-6, "{delay}");
}

#[test]
fn two_flows_of_a_host_share_its_ethernet() {
    let both = format!(
        "udp = {{ packet = \"1500 bytes\", traffic = {{ process = \"cbr\", rate = \"6 Mbit/s\" }} }}\n\
         [flows.g]\nvc = \"vc\"\n{}",
        "udp = { packet = \"1500 bytes\", traffic = { process = \"cbr\", rate = \"6 Mbit/s\" } }"
    );
    let wide = ["100 Mbit/s"; 2];
    let results = run(&line(ETHERNET, wide, "duration = \"10 s\"", &both), 1);
    // 1472 of the 1538 octets of a frame are UDP data.
    let sum: f64 = ["f", "g"]
        .map(|flow| value(&results, "flows", flow, "throughput_bps"))
        .iter()
        .sum();
    assert!(
        (sum / (10e6 * 1472.0 / 1538.0) - 1.0).abs() < 0.002,
        "{sum}"
    );
}

/// A host of 1999 that writes `write` octets at a time.
fn linux(write: u32) -> String {
    format!(
        r#"
        [flows.f.sockets]
        send_buffer = "9000 bytes"
        segment_memory = "1800 bytes"
        wake = {{ at = 0.4, after = "400 us" }}
        write = "{write} bytes"
        [flows.f.tcp]
        variant = "linux-1999"
        mss = "1460 bytes"
        window = "9000 bytes"
        nagle = false
        timer_granularity = "10 ms"
        rto = {{ timer = "jiffies" }}
        ack = "ticks"
        "#
    )
}

fn throughput(host: &str, rates: [&str; 2], flow: &str) -> f64 {
    let measure = "warm_up = \"2 s\"\nduration = \"12 s\"";
    let results = run(&line(host, rates, measure, flow), 1);
    value(&results, "flows", "f", "throughput_bps")
}

#[test]
fn six_full_segments_leave_in_each_20_ms_of_the_receiver_s_clock() {
    // The round trip is 10 ms of delay and about 2 ms for three segments, so each tick acknowledges three.
    let rate = throughput("", FAST, &linux(1_460));
    assert!(
        (rate / (6.0 * 1_460.0 * 8.0 / 20e-3) - 1.0).abs() < 0.01,
        "{rate}"
    );
}

#[test]
fn ten_small_segments_leave_in_each_30_ms_whatever_their_length_and_the_rate() {
    // An ACK of 2 cells takes 4.4 ms at 192 kbit/s: the ten writes occur in the second tick after they began.
    for (write, down) in [
        (64, "5 Mbit/s"),
        (128, "5 Mbit/s"),
        (256, "5 Mbit/s"),
        (128, "8 Mbit/s"),
    ] {
        let rate = throughput("", [down, "192 kbit/s"], &linux(write)) / f64::from(8 * write);
        assert!(
            (rate / (10.0 / 30e-3) - 1.0).abs() < 0.02,
            "{write}: {rate} writes a second"
        );
    }
}

#[test]
fn what_is_sent_ends_with_the_duration_of_the_flow() {
    let measure = "duration = \"4 s\"";
    let stream = format!("start = \"500 ms\"\nduration = \"1 s\"\n{DATAGRAMS}");
    let results = run(&line("", FAST, measure, &stream), 1);
    // One segment every 20 ms from 0.5 s to 1.5 s.
    assert_eq!(value(&results, "flows", "f", "segments_sent"), 50.0);
    let bulk = format!("duration = \"1 s\"\n{}", linux(1_460));
    for (from, least, most) in [(0.5, 1.0, 2e6), (1.5, 0.0, 0.0)] {
        let measure = format!("warm_up = \"{from} s\"\nduration = \"4 s\"");
        let results = run(&line("", FAST, &measure, &bulk), 1);
        let octets = value(&results, "flows", "f", "delivered_bytes");
        assert!((least..=most).contains(&octets), "from {from} s: {octets}");
    }
}

#[test]
fn packets_that_lose_a_cell_of_their_own_are_counted_and_no_others() {
    let loss = "delay = \"5 ms\"\n        loss = { process = \"bernoulli\", probability = 0.01 }";
    let text =
        line("", FAST, "duration = \"400 s\"", DATAGRAMS).replacen("delay = \"5 ms\"", loss, 1);
    let results = run(&text, 1);
    let of = |column| value(&results, "vcs", "vc", column);
    // One cell in a hundred, twelve cells per packet: 1 - 0.99^12 = 0.1136; for 20,000 packets the standard error is 2 %.
    let part = of("pdus_cut") / of("pdus_sent");
    assert!((part / 0.1136 - 1.0).abs() < 0.08, "{part}");
    // If a packet loses its last cell, the next one is corrupted, too, so more packets are missing than have lost a cell.
    assert!(of("pdus_sent") - of("pdus_delivered") > 1.05 * of("pdus_cut"));
}

#[test]
fn slips_are_named_with_what_was_expected() {
    let whole = line(ETHERNET, FAST, "duration = \"1 s\"", &linux(1_460));
    let cases = [
        (
            "ethernet = \"10 Mbit/s\"",
            "ethernet = \"10 Mbit/s\"\nlan = { kind = \"ethernet\", rate = \"1 Mbit/s\" }",
            "hosts.server.lan: `ethernet` is given, too; leave one of them out",
        ),
        (
            "ethernet = \"10 Mbit/s\"",
            "lan = { kind = \"ieee-802.3\", rate = \"0 bit/s\" }",
            "hosts.server.lan.rate: expected more than 0 bit/s",
        ),
        (
            "mss = \"1460 bytes\"",
            "mss = \"9000 bytes\"",
            "do not fit through the Ethernet of server",
        ),
        (
            "nagle = false",
            "",
            "flows.f.tcp.nagle: linux-1999 is modelled without Nagle's rule",
        ),
        (
            "variant = \"linux-1999\"",
            "",
            "flows.f.sockets.segment_memory: a BSD socket buffer counts octets",
        ),
        (
            "write = \"1460 bytes\"",
            "",
            "it counts each `write` against `send_buffer`",
        ),
        (
            "segment_memory = \"1800 bytes\"",
            "",
            "flows.f.sockets.wake: only a write that `segment_memory` blocks",
        ),
        (
            "segment_memory = \"1800 bytes\"",
            "segment_memory = \"90 kB\"",
            "expected 1 byte to 9000 bytes",
        ),
        (
            "send_buffer = \"9000 bytes\"",
            "send_buffer = \"1 GiB\"",
            "holds 2 x 1024 MiB / 1800 bytes = 1193046 segments; expected at most 1048576",
        ),
        (
            "at = 0.4",
            "at = 1.4",
            "flows.f.sockets.wake.at: expected a fraction from 0 to 1",
        ),
        (
            "ack = \"ticks\"",
            "ack_timer = \"2 s\"",
            "flows.f.tcp.ack_timer: expected 10 us to 1 s",
        ),
        (
            "vc = \"vc\"",
            "vc = \"vc\"\nduration = \"0 s\"",
            "flows.f.duration: expected a time above zero",
        ),
        (
            "ethernet = \"10 Mbit/s\"",
            "ethernet = \"0 bit/s\"",
            "hosts.server.ethernet: expected a rate above zero",
        ),
        (
            "ethernet = \"10 Mbit/s\"",
            "processing = { uniform = [\"2 ms\", \"1 ms\"] }",
            "hosts.server.processing.uniform: expected two rising times",
        ),
    ];
    for (right, wrong, message) in cases {
        let error = network(&whole.replacen(right, wrong, 1)).expect_err(wrong);
        assert!(error.to_string().contains(message), "{wrong}: {error}");
    }
}

#[test]
fn more_writes_than_can_be_done_at_one_instant_are_refused() {
    // 2 x 90 MB / 1800 octets = 100,000 segments, each of 1460 writes.
    let text = line(ETHERNET, FAST, "duration = \"1 s\"", &linux(1_460))
        .replace("send_buffer = \"9000 bytes\"", "send_buffer = \"90 MB\"");
    let error = network(&text.replace("write = \"1460 bytes\"", "write = \"1 bytes\""));
    let error = error.expect_err("146,000,000 writes").to_string();
    let message = "flows.f.sockets.write: the 100000 segments of the send buffer hold up to 146000000 writes of 1 bytes";
    assert!(error.contains(message), "{error}");
    assert!(network(&text).is_ok());
}

#[test]
fn senders_that_wait_for_room_at_one_host_take_turns() {
    // Two connections share a VC whose host holds one segment.
    let tcp = r#"tcp = { mss = "1460 bytes", host_queue_segments = 1 }"#;
    let text = Row::of("a s b")
        .lasting("4 s")
        .link(link("in", "1 ms"))
        .link(link("out", "1 ms"))
        .vc("v", r#"forward = { service = "ubr", pcr = "2 Mbit/s" }"#)
        .flow("one", "v", tcp)
        .flow("other", "v", tcp)
        .toml();
    let results = run(&text, 1);
    let of = |flow, column| value(&results, "flows", flow, column);
    assert!(of("one", "timeouts") + of("other", "timeouts") < 0.5);
    let [one, other] = ["one", "other"].map(|flow| of(flow, "delivered_bytes"));
    assert!((one / other - 1.0).abs() < 0.05, "{one} and {other} octets");
}
