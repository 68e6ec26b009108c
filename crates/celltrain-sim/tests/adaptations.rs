//! Packets in AAL3/4 and circuits in AAL1, against values worked out by hand.

mod common;

use common::row::{Row, link};
use common::{network, run, value};

/// A line with the keys `down`, and a flow on a VC with the keys `vc`.
fn line(vc: &str, down: &str, flow: &str, duration: &str) -> String {
    Row::of("a b")
        .lasting(duration)
        .ways(
            link("down", "5 ms").queue("10 Mbit/s", 5_000).with(down),
            link("up", "5 ms").queue("10 Mbit/s", 5_000),
        )
        .vc("vc", vc)
        .flow("f", "vc", flow)
        .toml()
}

const AAL34: &str = "aal = \"3/4\"";
/// 12 datagrams of 500 octets a second take 508 + 8 = 516 octets with LLC and SNAP: eleven cells of 48 octets in AAL5 (516
/// with its trailer, too), twelve of 44 in AAL3/4.
const DATAGRAMS: &str =
    "udp = { packet = \"500 bytes\", traffic = { process = \"cbr\", rate = \"4 Mbit/s\" } }";

#[test]
fn cells_of_aal34_carry_44_octets() {
    let delay = |vc| {
        let results = run(&line(vc, "", DATAGRAMS, "1 s"), 1);
        value(&results, "flows", "f", "delay_mean_s")
    };
    for (vc, cells) in [("", 11.0), (AAL34, 12.0)] {
        let expected = 5e-3 + cells * 424.0 / 10e6;
        assert!((delay(vc) - expected).abs() < 1e-9, "{vc}: {}", delay(vc));
    }
}

#[test]
fn a_lost_last_cell_loses_one_packet_of_aal34_and_two_of_aal5() {
    let lost = |vc, cells: i32| {
        let loss = "loss = { process = \"bernoulli\", probability = 0.02 }";
        let results = run(&line(vc, loss, DATAGRAMS, "60 s"), 1);
        let of = |column| value(&results, "flows", "f", column);
        let part = 1.0 - of("delivered_bytes") / 472.0 / of("segments_sent");
        // 60,000 packets: the standard error is 0.8 % of that.
        let expected = 1.0 - 0.98_f64.powi(cells);
        assert!(
            (part / expected - 1.0).abs() < 0.03,
            "{part}, not {expected}"
        );
    };
    // In AAL5 a packet needs its eleven cells, and the last one of the packet before it.
    lost("", 11 + 1);
    lost(AAL34, 12);
}

#[test]
fn a_circuit_of_aal1_takes_a_cell_for_each_47_octets() {
    let text = Row::of("a b")
        .lasting("1 s")
        .link(link("line", "1 ms").queue("10 Mbit/s", 100))
        .vc("vc", "")
        .background(
            "e1",
            "vc",
            "traffic = { process = \"aal1\", rate = \"2.048 Mbit/s\" }",
        )
        .toml();
    let results = run(&text, 1);
    // One every 183.59375 us from 0 on: 5446.8 a second.
    assert_eq!(value(&results, "links", "line", "cells_offered"), 5_447.0);
}

#[test]
fn mistakes_are_named_with_what_was_expected() {
    let epd = "discard = { policy = \"epd\", threshold = \"100 cells\" }";
    let codel = "queue_management = { algorithm = \"codel\" }";
    let frames = "aal = \"3/4\"\npolice = { pcr = \"1 Mbit/s\", frames = true }";
    let circuit = DATAGRAMS.replace("cbr", "aal1");
    let cases = [
        (
            line(
                "aal = \"3/4\"\nencapsulation = \"pppoa-llc\"",
                "",
                "",
                "1 s",
            ),
            "vcs.vc.encapsulation: \"pppoa-llc\" is defined for AAL5 only; with `aal = \"3/4\"` expected \"llc-snap\" or \"vc-mux\"",
        ),
        (
            line(AAL34, epd, "", "1 s"),
            "vcs.vc.aal: `links.down.discard` finds the ends of frames by the mark of AAL5",
        ),
        (
            line(AAL34, codel, "", "1 s"),
            "vcs.vc.aal: `links.down.queue_management` finds the ends",
        ),
        (
            line(frames, "", "", "1 s"),
            "vcs.vc.aal: `vcs.vc.police.frames` finds the ends",
        ),
        (
            line("", "", &circuit, "1 s"),
            "flows.f.udp.traffic.process: cells of AAL1 carry a circuit, not packets",
        ),
        (line("aal = \"4\"", "", "", "1 s"), "vcs.vc.aal: "),
    ];
    for (text, expected) in cases {
        let error = network(&text).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
    network(&line("", epd, "", "1 s")).expect("AAL5 marks the ends of frames");
}
