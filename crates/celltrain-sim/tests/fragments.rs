//! IP packets in fragments (RFC 791), against values worked out by hand.

mod common;

use common::row::{Row, link};
use common::{network, run, value};

/// A line of 10 Mbit/s and 5 ms with the keys `down`, between hosts with the keys `host`.
fn line(host: &str, down: &str, flow: &str, duration: &str) -> String {
    Row::of("server client")
        .hosts(host)
        .lasting(duration)
        .ways(
            link("down", "5 ms").queue("10 Mbit/s", 5_000).with(down),
            link("up", "5 ms").queue("10 Mbit/s", 5_000),
        )
        .vc("vc", "encapsulation = \"bridged-llc\"")
        .flow("f", "vc", flow)
        .toml()
}

/// Writes of 2048 octets, each a packet of 2076. Over an MTU of 1500 they become fragments of 1500 and 596 octets, which
/// take 32 and 14 cells with bridged LLC (24) and the trailer (8).
fn writes(rate: &str) -> String {
    format!(
        "udp = {{ packet = \"2076 bytes\", traffic = {{ process = \"cbr\", rate = \"{rate}\" }} }}"
    )
}

const MTU: &str = "mtu = \"1500 bytes\"";
const CELL: f64 = 424.0 / 10e6;

#[test]
fn writes_of_2048_octets_leave_as_1500_and_596() {
    // 60.2 packets: one every 16.608 ms.
    let results = run(&line("", MTU, &writes("1 Mbit/s"), "1 s"), 1);
    let of = |column| value(&results, "flows", "f", column);
    assert_eq!(of("segments_sent"), 61.0);
    assert_eq!(value(&results, "vcs", "vc", "pdus_sent"), 122.0);
    assert_eq!(
        value(&results, "links", "down", "cells_offered"),
        61.0 * 46.0
    );
    assert!((of("delay_mean_s") - 5e-3 - 46.0 * CELL).abs() < 1e-9);
}

#[test]
fn a_packet_within_the_mtu_stays_whole() {
    let results = run(
        &line("", "mtu = \"2076 bytes\"", &writes("1 Mbit/s"), "1 s"),
        1,
    );
    assert_eq!(value(&results, "vcs", "vc", "pdus_sent"), 61.0);
    // 2076 + 24 + 8 = 2108 octets.
    assert_eq!(
        value(&results, "links", "down", "cells_offered"),
        61.0 * 44.0
    );
}

#[test]
fn an_ethernet_of_the_sender_cuts_packets_into_its_frames() {
    let host = "ethernet = \"10 Mbit/s\"";
    let results = run(&line(host, "", &writes("1 Mbit/s"), "1 s"), 1);
    // The first frame has 1538 octets. Its 32 cells are sent while the second frame of 634 octets is on the Ethernet, and
    // the 14 of that follow. At the far Ethernet the first frame begins when its last cell is there.
    let frames = (1_538.0 + 634.0) * 8.0 / 10e6;
    let expected = 1_538.0 * 8.0 / 10e6 + 32.0 * CELL + 5e-3 + frames;
    let delay = value(&results, "flows", "f", "delay_mean_s");
    assert!((delay - expected).abs() < 1e-9, "{delay}, not {expected}");
}

#[test]
fn the_ethernet_of_the_receiver_cuts_what_the_line_carries_whole() {
    let text = line("", "", &writes("1 Mbit/s"), "1 s").replacen(
        "[hosts.client]",
        "[hosts.client]\nethernet = \"10 Mbit/s\"",
        1,
    );
    let results = run(&text, 1);
    assert_eq!(value(&results, "vcs", "vc", "pdus_sent"), 61.0);
    let expected = 44.0 * CELL + 5e-3 + (1_538.0 + 634.0) * 8.0 / 10e6;
    let delay = value(&results, "flows", "f", "delay_mean_s");
    assert!((delay - expected).abs() < 1e-9, "{delay}, not {expected}");
}

#[test]
fn a_lost_fragment_loses_the_packet() {
    let loss = format!("{MTU}\nloss = {{ process = \"bernoulli\", probability = 0.005 }}");
    let results = run(&line("", &loss, &writes("6 Mbit/s"), "60 s"), 1);
    let of = |column| value(&results, "flows", "f", column);
    let packets = of("segments_sent");
    let part = 1.0 - of("delivered_bytes") / 2_048.0 / packets;
    // The 46 cells of both fragments, and the last cell of the packet before, whose loss merges it with the first fragment:
    // 1 - 0.995^47 = 0.2099. For 21,677 packets the standard error is 1.3 % of that.
    assert!((part / 0.2099 - 1.0).abs() < 0.05, "{part}");
    // Whole packets of 44 cells: 1 - 0.995^45 = 0.2019.
    let whole = run(
        &line("", &loss.replace(MTU, ""), &writes("6 Mbit/s"), "60 s"),
        1,
    );
    let octets = value(&whole, "flows", "f", "delivered_bytes");
    assert!(octets > of("delivered_bytes"));
}

#[test]
fn segments_that_may_be_cut_take_the_cells_of_their_fragments() {
    let tcp = "tcp = { mss = \"1460 bytes\", window = \"65535 bytes\", fragments = true }";
    let text = line("", "mtu = \"576 bytes\"", tcp, "22 s")
        .replace("warm_up = \"0 s\"", "warm_up = \"2 s\"")
        .replace("5 ms", "500 us");
    let results = run(&text, 1);
    // 1480 octets of data: 552 + 552 + 376. With headers, bridged LLC and trailer: 604, 604 and 428 octets.
    let cells = 13.0 + 13.0 + 9.0;
    let expected = 10e6 * 1_460.0 * 8.0 / (424.0 * cells);
    let throughput = value(&results, "flows", "f", "throughput_bps");
    assert!((throughput / expected - 1.0).abs() < 0.002, "{throughput}");
}

#[test]
fn a_segment_whose_fragment_is_lost_is_retransmitted() {
    let tcp = "tcp = { mss = \"1460 bytes\", fragments = true, preset = \"rfc\" }";
    let loss = "mtu = \"576 bytes\"\nloss = { process = \"bernoulli\", probability = 0.0005 }";
    let results = run(&line("", loss, tcp, "20 s"), 1);
    let of = |column| value(&results, "flows", "f", column);
    assert!(of("segments_retransmitted") > 20.0);
    // No segment was acknowledged that had not come complete.
    let sent = of("segments_sent") - of("segments_retransmitted");
    assert!(of("delivered_bytes") <= sent * 1_460.0);
    assert!(of("delivered_bytes") > 0.98 * sent * 1_460.0 - 65_535.0);
}

/// Stations on LANs behind routers, which a tunnel VC joins; `keys` of the left LAN, the routers and the tunnel VC.
fn lans(keys: [&str; 3]) -> String {
    let [lan, router, tunnel] = keys;
    format!(
        r#"
        [measure]
        duration = "1 s"
        [hosts]
        a = {{}}
        b = {{}}
        [lans]
        left = {{ rate = "100 Mbit/s", {lan} }}
        right = {{ rate = "100 Mbit/s" }}
        [routers]
        r1 = {{ {router} }}
        r2 = {{}}
        [links.wan]
        between = ["r1", "r2"]
        rate = "100 Mbit/s"
        buffer = "10000 cells"
        delay = "1 ms"
        [vcs.wan]
        route = ["r1", "r2"]
        {tunnel}
        [vcs.st]
        route = ["a", "left", "r1", "r2", "right", "b"]
        encapsulation = "vc-mux"
        [flows.f]
        vc = "st"
        udp = {{ packet = "2076 bytes", traffic = {{ process = "cbr", rate = "1 Mbit/s" }} }}
        "#
    )
}

#[test]
fn each_network_on_the_path_cuts_what_is_left_of_the_one_before() {
    let pdus = |keys| {
        let results = run(&lans(keys), 1);
        value(&results, "vcs", "st", "pdus_sent") / value(&results, "flows", "f", "segments_sent")
    };
    let mtu = "mtu = \"576 bytes\"";
    assert_eq!(pdus(["", "", ""]), 1.0);
    // 2056 octets of data in parts of 552.
    assert_eq!(pdus([mtu, "", ""]), 4.0);
    // 1480 and 576 first: 552 + 552 + 376, and 552 + 24.
    for inner in [
        ["mtu = \"1500 bytes\"", mtu, ""],
        ["mtu = \"1500 bytes\"", "", mtu],
    ] {
        assert_eq!(pdus(inner), 5.0);
    }
    // A larger MTU after a smaller one cuts nothing.
    assert_eq!(pdus([mtu, "mtu = \"1500 bytes\"", ""]), 4.0);
}

#[test]
fn mistakes_are_named_with_what_was_expected() {
    let cases = [
        (
            line("", "mtu = \"67 bytes\"", "", "1 s"),
            "links.down.mtu: expected 68 (which every network forwards whole) to 65535 bytes, found 67",
        ),
        (
            lans(["mtu = \"1 MB\"", "", ""]),
            "lans.left.mtu: expected 68",
        ),
        (
            lans(["", "mtu = \"1 bytes\"", ""]),
            "routers.r1.mtu: expected 68",
        ),
        (
            lans(["", "", "mtu = \"1 bytes\""]),
            "vcs.wan.mtu: expected 68",
        ),
        (
            line("", "mtu = \"576 bytes\"", "", "1 s"),
            "flows.f: its segments in packets of 9180 bytes do not fit through links.down, whose MTU is 576 bytes; give \
             `tcp.mss` at most 536 bytes, or `tcp.fragments = true`",
        ),
        (
            line(
                "ethernet = \"10 Mbit/s\"",
                "",
                "tcp = { mss = \"1461 bytes\" }",
                "1 s",
            ),
            "do not fit through the Ethernet of server, whose MTU is 1500 bytes",
        ),
        (
            lans(["", "", "mtu = \"1500 bytes\""]).replace("udp = { packet = \"2076 bytes\", traffic = { process = \"cbr\", rate = \"1 Mbit/s\" } }", ""),
            "do not fit through vcs.wan, whose MTU is 1500 bytes",
        ),
    ];
    for (text, expected) in cases {
        let error = network(&text).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
    // Acknowledgments pass the small MTU; data on the way back do not.
    let up = line("", "", "direction = \"backward\"", "1 s");
    let up = up.replacen("[links.down]", "[links.down]\nmtu = \"576 bytes\"", 1);
    network(&up).expect("only acknowledgments cross the link with an MTU");
}
