//! The outcomes of packets, on a clock that the test controls: each is delivered, lost to a cause, or still inside.

#![expect(clippy::unwrap_used, reason = "a failing test should say where")]

use std::collections::BTreeMap;
use std::sync::Arc;

use celltrain_line::driver::{Driver, Options};
use celltrain_line::prepare::Carrier;
use celltrain_proto::units::{Span, Time};
use celltrain_sim::network::Network;
use celltrain_sim::scenario::{Direction, Source};
use proptest::prelude::*;

#[path = "../../celltrain-sim/tests/common/row.rs"]
mod row;

use row::{Row, link};

const PLAIN: Options = Options {
    seed: 1,
    grid: None,
};

/// A forward line with these additional keys, and a VC with these; a cell takes 424 us.
fn carrier(line: &str, vc: &str) -> Carrier {
    let text = Row::of("a s b")
        .lasting("10 s")
        .link(link("in", "0 s"))
        .ways(
            link("up", "1 ms").queue("1 Mbit/s", 100).with(line),
            link("down", "1 ms"),
        )
        .vc("vc", &format!("encapsulation = \"vc-mux\"\n{vc}"))
        .toml();
    of_text(&text)
}

fn of_text(text: &str) -> Carrier {
    let source = Source::toml(text, "test");
    let network = Network::new(&source.read().unwrap()).unwrap();
    Carrier::new(&network, None).unwrap()
}

fn packet(octets: usize) -> Arc<[u8]> {
    let mut packet = vec![0; octets];
    packet[0] = 0x45;
    packet.into()
}

/// Sends packets with these instants (in ms) and lengths; returns the causes of the losses by `end_ms`.
fn lost_to(
    carrier: &Carrier,
    packets: &[(u64, usize)],
    end_ms: u64,
) -> BTreeMap<&'static str, u64> {
    let mut driver = Driver::new(carrier, PLAIN);
    for &(ms, octets) in packets {
        let at = Time::ZERO + Span::from_ms(ms);
        driver
            .on_packet(at, Direction::Forward, packet(octets))
            .unwrap();
    }
    let end = Time::ZERO + Span::from_ms(end_ms);
    driver.advance(end).unwrap();
    let counts = driver.counts(Direction::Forward);
    assert_eq!(
        counts.inside(),
        driver.inside(Direction::Forward).count() as u64
    );
    let lost = counts.lost.iter();
    lost.map(|(cause, &count)| (cause.name(), count)).collect()
}

#[test]
fn a_packet_that_finds_no_room_and_the_one_that_its_missing_end_spoils_are_told_apart() {
    // Four packets of 32 cells in 100 places: the fourth has room for four of its cells.
    let line = carrier("", "");
    let packets = [(0, 1_500), (0, 1_500), (0, 1_500), (0, 1_500), (900, 40)];
    let lost = lost_to(&line, &packets, 2_000);
    assert_eq!(lost, BTreeMap::from([("queue-full", 1), ("joined", 1)]));
}

#[test]
fn a_lost_packet_is_known_at_once_and_not_when_a_later_one_arrives() {
    let line = carrier("", "");
    let packets = [(0, 1_500), (0, 1_500), (0, 1_500), (0, 1_500)];
    assert_eq!(
        lost_to(&line, &packets, 1),
        BTreeMap::from([("queue-full", 1)])
    );
}

#[test]
fn early_discard_refuses_whole_packets_though_there_is_room() {
    let line = carrier(
        "discard = { policy = \"epd\", threshold = \"40 cells\" }",
        "",
    );
    // The first two find 0 and 32 cells, the third 64.
    let packets = [(0, 1_500), (0, 1_500), (0, 1_500), (900, 40)];
    let lost = lost_to(&line, &packets, 2_000);
    assert_eq!(lost, BTreeMap::from([("early-discard", 1)]));
}

#[test]
fn what_codel_drops_is_lost_to_queue_management() {
    let line = carrier("queue_management = { algorithm = \"codel\" }", "").network;
    let mut network = line;
    for link in &mut network.links {
        if let Some(line) = &mut link.line {
            line.buffer = 10_000;
        }
    }
    let line = Carrier { network, vc: 0 };
    // Twice what the line can carry, for a second.
    let packets: Vec<_> = (0..150).map(|number| (7 * number, 1_500)).collect();
    let lost = lost_to(&line, &packets, 5_000);
    assert!(lost["queue-management"] > 0, "{lost:?}");
    assert_eq!(lost.len(), 1, "{lost:?}");
}

#[test]
fn errors_of_the_line_are_told_from_drops_of_its_queue() {
    let line = carrier("loss = { process = \"bernoulli\", probability = 0.01 }", "");
    let packets: Vec<_> = (0..200).map(|number| (20 * number, 1_500)).collect();
    let lost = lost_to(&line, &packets, 5_000);
    // Each packet is lost with probability 1 - 0.99^32 = 0.28.
    assert!((30..80).contains(&lost["line-errors"]), "{lost:?}");
    assert!(!lost.contains_key("queue-full"), "{lost:?}");
}

#[test]
fn what_a_policer_takes_is_told() {
    let line = carrier(
        "",
        "police = { pcr = \"100 kbit/s\", cdvt = \"10 ms\", action = \"discard\" }",
    );
    let lost = lost_to(&line, &[(0, 1_500), (500, 1_500)], 2_000);
    assert!(lost["policer"] >= 1, "{lost:?}");
}

#[test]
fn what_the_host_has_no_room_for_is_told() {
    let host = "source_buffer = \"40 cells\"\nsource_drop = \"segment\"\n";
    let line = carrier(
        "",
        &format!("{host}forward = {{ service = \"ubr\", pcr = \"100 kbit/s\" }}"),
    );
    let lost = lost_to(&line, &[(0, 1_500), (0, 1_500)], 2_000);
    assert_eq!(lost, BTreeMap::from([("host-queue", 1)]));
}

/// A forward line with the delivery opportunities of a trace, and 1 ms of propagation.
fn with_trace(trace: &str) -> Carrier {
    let rate = format!("rate = {{ process = \"mahimahi\", trace = {trace:?} }}");
    let up = link("up", "1 ms").with(&rate);
    let text = Row::of("a b")
        .lasting("1 s")
        .ways(up.with("buffer = \"1000000 cells\""), link("down", "1 ms"))
        .vc("vc", "encapsulation = \"vc-mux\"")
        .toml();
    of_text(&text)
}

#[test]
fn a_mahimahi_trace_delivers_as_worked_out_by_hand() {
    // Opportunities at 2, 2 and 5 ms, then at 7, 7, 10, 12, 12, 15, 17, 17, 20, 22, 22 and 25 ms.
    let line = with_trace("2\n2\n5\n");
    let packets_us_octets_leaves_ms = [
        // Three wait: one opportunity each.
        (0, 1_500, 2),
        (0, 1_500, 2),
        (0, 1_500, 5),
        // Both opportunities at 7 ms were wasted, because nothing waited for them.
        (7_100, 1_500, 10),
        // 15 cells each: two share the opportunity at 15 ms and leave two cells of it for the third.
        (12_500, 700, 15),
        (12_500, 700, 15),
        (12_500, 700, 17),
        // 64 cells take both opportunities at 22 ms, after just missing that at 20 ms.
        (20_001, 3_000, 22),
    ];
    let mut driver = Driver::new(&line, PLAIN);
    for (us, octets, _) in packets_us_octets_leaves_ms {
        let at = Time::ZERO + Span::from_us(us);
        driver
            .on_packet(at, Direction::Forward, packet(octets))
            .unwrap();
    }
    driver.advance(Time::ZERO + Span::from_ms(40)).unwrap();
    for (number, (_, _, leaves_ms)) in packets_us_octets_leaves_ms.into_iter().enumerate() {
        let due = driver.poll_departure().unwrap().due;
        let arrives = Time::ZERO + Span::from_ms(leaves_ms + 1);
        // Packets that share an opportunity leave one after the other, just before it.
        let early = arrives.saturating_since(due);
        assert!(due <= arrives, "packet {number}: {due}");
        assert!(early <= Span::from_ps(200_000), "packet {number}: {due}");
    }
    assert_eq!(driver.poll_departure(), None);
}

#[test]
fn a_full_line_uses_every_opportunity_of_a_trace_for_ever() {
    let line = with_trace("1\n1\n1\n2\n7\n");
    let mut driver = Driver::new(&line, PLAIN);
    for _ in 0..6_000 {
        driver
            .on_packet(Time::ZERO, Direction::Forward, packet(1_500))
            .unwrap();
    }
    // A thousand passes, plus the propagation of the last packet.
    let end = Time::ZERO + Span::from_ms(7_001);
    driver.advance(end + Span::from_ps(1)).unwrap();
    assert_eq!(driver.counts(Direction::Forward).delivered, 5_000);
    assert!(
        (driver.state(Direction::Forward).rate_bps / (5.0 * 13_568.0 / 7e-3) - 1.0).abs() < 1e-3
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_packet_is_delivered_lost_or_inside(
        gaps_us in prop::collection::vec((0_u64..30_000, 20_usize..3_000), 1..120),
        line in prop::sample::select(vec![
            "",
            "discard = { policy = \"epd\", threshold = \"60 cells\" }",
            "discard = { policy = \"ppd\" }",
            "queue_management = { algorithm = \"codel\" }",
            "loss = { process = \"gilbert-elliott\", good_to_bad = 0.01, bad_to_good = 0.2 }",
        ]),
        police in any::<bool>(),
        rest_ms in 0_u64..500,
    ) {
        let police = if police {
            "police = { pcr = \"700 kbit/s\", cdvt = \"50 ms\", action = \"discard\" }"
        } else {
            ""
        };
        let line = carrier(line, police);
        let mut driver = Driver::new(&line, PLAIN);
        let mut now = Time::ZERO;
        for &(gap, octets) in &gaps_us {
            now += Span::from_us(gap);
            driver.on_packet(now, Direction::Forward, packet(octets)).unwrap();
        }
        driver.advance(now + Span::from_ms(rest_ms)).unwrap();
        let left = std::iter::from_fn(|| driver.poll_departure()).count();
        let mut losses = Vec::new();
        driver.take_losses(&mut losses);
        let inside = driver.inside(Direction::Forward).count();
        prop_assert_eq!(left + losses.len() + inside, gaps_us.len());
        let counts = driver.counts(Direction::Forward);
        prop_assert_eq!(counts.lost_in_all(), losses.len() as u64);
        prop_assert_eq!(counts.inside(), inside as u64);
    }
}
