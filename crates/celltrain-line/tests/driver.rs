//! Packets through a network, on a clock that the test controls.

#![expect(clippy::unwrap_used, reason = "a failing test should say where")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use celltrain_line::driver::{Driver, Options, sampled};
use celltrain_line::packet::Departure;
use celltrain_line::prepare::Carrier;
use celltrain_proto::units::{Span, Time};
use celltrain_sim::engine;
use celltrain_sim::measure::Values;
use celltrain_sim::network::Network;
use celltrain_sim::scenario::{Direction, Source};

/// A cell takes 424 us; the propagation delay is 1 ms.
const LINE: &str = r#"
[measure]
duration = "10 s"
[hosts]
a = {}
b = {}
[links.up]
from = "a"
to = "b"
rate = "1 Mbit/s"
buffer = "100 cells"
delay = "1 ms"
[links.down]
from = "b"
to = "a"
rate = "10 Mbit/s"
buffer = "100 cells"
delay = "0 s"
[vcs.vc]
route = ["a", "b"]
encapsulation = "vc-mux"
"#;

fn network(text: &str) -> Network {
    let source = Source::toml(text, "test");
    Network::new(&source.read().unwrap()).unwrap()
}

fn carrier(text: &str) -> Carrier {
    Carrier::new(&network(text), None).unwrap()
}

const PLAIN: Options = Options {
    seed: 1,
    grid: None,
};

/// An IPv4 header with ECN bits, followed by zeros.
fn packet(octets: usize, ecn: u8) -> Arc<[u8]> {
    let mut packet = vec![0; octets];
    packet[0] = 0x45;
    packet[1] = ecn;
    packet.into()
}

/// Sends forward packets with these instants (in us) and lengths; returns those that have left by `end`.
fn departures(driver: &mut Driver<'_>, packets: &[(u64, usize)], end: Time) -> Vec<Departure> {
    for &(us, octets) in packets {
        let at = Time::ZERO + Span::from_us(us);
        driver
            .on_packet(at, Direction::Forward, packet(octets, 0))
            .unwrap();
    }
    driver.advance(end).unwrap();
    std::iter::from_fn(|| driver.poll_departure()).collect()
}

fn us(time: Time) -> f64 {
    time.as_secs() * 1e6
}

const LATER: Time = Time::from_ps(5_000_000_000_000);

#[test]
fn a_packet_leaves_when_its_last_cell_has_crossed_the_line() {
    let carrier = carrier(LINE);
    let mut driver = Driver::new(&carrier, PLAIN);
    // 40 octets and the trailer are one cell, 41 are two.
    let left = departures(&mut driver, &[(500, 40), (10_000, 41)], LATER);
    let due: Vec<_> = left.iter().map(|it| us(it.due)).collect();
    assert_eq!(due, [500.0 + 424.0 + 1_000.0, 10_000.0 + 848.0 + 1_000.0]);
}

#[test]
fn a_packet_waits_for_those_before_it() {
    let carrier = carrier(LINE);
    let mut driver = Driver::new(&carrier, PLAIN);
    // 1500 octets are 32 cells.
    let left = departures(&mut driver, &[(0, 1_500), (100, 1_500)], LATER);
    let due: Vec<_> = left.iter().map(|it| us(it.due)).collect();
    let one = 32.0 * 424.0;
    assert_eq!(due, [one + 1_000.0, 2.0 * one + 1_000.0]);
    let counts = driver.counts(Direction::Forward);
    // The second waits for the first: 32 cell times minus the 100 us by which it arrived later.
    assert!((counts.queueing.max_s() - (one - 100.0) * 1e-6).abs() < 20e-6);
    assert_eq!((counts.delivered, counts.delivered_octets), (2, 3_000));
}

#[test]
fn nothing_leaves_before_its_time() {
    let carrier = carrier(LINE);
    let mut driver = Driver::new(&carrier, PLAIN);
    let due = Time::ZERO + Span::from_us(1_424);
    assert!(departures(&mut driver, &[(0, 40)], due).is_empty());
    assert!(driver.next_deadline() <= due);
    driver.advance(due + Span::from_ps(1)).unwrap();
    assert_eq!(driver.poll_departure().map(|it| it.due), Some(due));
    assert!(driver.is_idle());
}

#[test]
fn a_packet_whose_end_finds_the_buffer_full_spoils_the_next_one_too() {
    let carrier = carrier(LINE);
    let mut driver = Driver::new(&carrier, PLAIN);
    // Packets of 32, 30 and 31 cells fit into 100 cells, the fourth only with 7 of its cells. The next packet is taken
    // for its end.
    let left = departures(
        &mut driver,
        &[
            (0, 1_500),
            (0, 1_400),
            (0, 1_450),
            (0, 1_500),
            (900_000, 40),
            (950_000, 41),
        ],
        LATER,
    );
    let octets: Vec<_> = left.iter().map(|it| it.packet.len()).collect();
    assert_eq!(octets, [1_500, 1_400, 1_450, 41]);
    let mut losses = Vec::new();
    driver.take_losses(&mut losses);
    assert_eq!(
        losses.iter().map(|it| it.octets).collect::<Vec<_>>(),
        [1_500, 40]
    );
    let causes: Vec<_> = losses.iter().map(|it| it.cause.name()).collect();
    assert_eq!(causes, ["queue-full", "joined"]);
    assert_eq!(driver.counts(Direction::Forward).lost_in_all(), 2);
}

#[test]
fn the_two_directions_are_two_lines() {
    let carrier = carrier(LINE);
    let mut driver = Driver::new(&carrier, PLAIN);
    for direction in [Direction::Forward, Direction::Backward] {
        let at = Time::from_ps(1);
        driver.on_packet(at, direction, packet(40, 0)).unwrap();
    }
    driver.advance(LATER).unwrap();
    let left: Vec<_> = std::iter::from_fn(|| driver.poll_departure()).collect();
    let due: Vec<_> = left
        .iter()
        .map(|it| (it.direction, us(it.due).round()))
        .collect();
    assert_eq!(
        due,
        [(Direction::Backward, 42.0), (Direction::Forward, 1_424.0)]
    );
}

#[test]
fn a_host_with_a_clock_lets_packets_go_at_its_ticks() {
    let carrier = carrier(LINE);
    let options = Options {
        grid: Some((Direction::Forward, Span::from_ms(10))),
        ..PLAIN
    };
    let mut driver = Driver::new(&carrier, options);
    let left = departures(&mut driver, &[(1, 40), (9_999, 40), (10_000, 40)], LATER);
    let due: Vec<_> = left.iter().map(|it| us(it.due)).collect();
    let first = 10_000.0 + 424.0 + 1_000.0;
    assert_eq!(due, [first, first + 424.0, first + 848.0]);
    assert_eq!(
        left.iter().map(|it| us(it.came)).collect::<Vec<_>>(),
        [1.0, 9_999.0, 10_000.0]
    );
}

#[test]
fn a_packet_crosses_the_ethernets_of_both_hosts_frame_by_frame() {
    let text = LINE
        .replace("a = {}", r#"a = { ethernet = "10 Mbit/s" }"#)
        .replace("b = {}", r#"b = { ethernet = "10 Mbit/s" }"#);
    let carrier = carrier(&text);
    assert_eq!(carrier.mtu(), 1_500);
    let mut driver = Driver::new(&carrier, PLAIN);
    let left = departures(&mut driver, &[(500, 40), (500, 40)], LATER);
    let due: Vec<_> = left.iter().map(|it| us(it.due)).collect();
    // The payload is padded to 46 octets; with 38 octets of overhead, a frame takes 67.2 us. It is shorter than a cell,
    // so the second packet finds the line busy.
    let first = 500.0 + 67.2 + 424.0 + 1_000.0 + 67.2;
    for (found, expected) in due.iter().zip([first, first + 424.0]) {
        assert!((found - expected).abs() < 1e-6, "{found} us");
    }
    // The second waits only for the line, until the first has left it.
    let counts = driver.counts(Direction::Forward);
    assert!((counts.queueing.max_s() - 424e-6).abs() < 10e-6);
}

#[test]
fn what_is_no_ip_packet_is_counted_and_not_carried() {
    let carrier = carrier(LINE);
    let mut driver = Driver::new(&carrier, PLAIN);
    for octets in [vec![], vec![0x45; 3], vec![0x10; 100]] {
        driver
            .on_packet(Time::ZERO, Direction::Forward, octets.into())
            .unwrap();
    }
    driver.advance(LATER).unwrap();
    assert_eq!(driver.poll_departure(), None);
    let counts = driver.counts(Direction::Forward);
    assert_eq!((counts.refused, counts.packets), (3, 0));
}

#[test]
fn packets_from_outside_fare_as_those_of_a_simulated_flow() {
    // A burst every 20 ms that exceeds what the line can serve: queues, losses and a varying rate.
    let varying = LINE.replace(
        r#"rate = "1 Mbit/s""#,
        r#"rate = { process = "uniform", low = "0.5 Mbit/s", high = "1.5 Mbit/s", every = "70 ms" }"#,
    );
    let flow = r#"
[flows.packets]
vc = "vc"
udp = { packet = "1000 bytes", traffic = { process = "cbr", rate = "1.2 Mbit/s" } }
"#;
    let simulated = network(&format!("{varying}{flow}"));
    let results = engine::run(&simulated, 7, &AtomicBool::new(false)).unwrap();
    let number = |name: &str| {
        let columns = &results.table("flows").unwrap().columns;
        let column = columns.iter().find(|it| it.name == name).unwrap();
        match &column.values {
            Values::Numbers(numbers) => numbers.iter().next().unwrap(),
            Values::Names(_) => panic!("{name} is a column of names"),
        }
    };

    let carrier = carrier(&varying);
    let mut driver = Driver::new(&carrier, Options { seed: 7, ..PLAIN });
    let gap = Span::from_secs_f64(8_000.0 / 1.2e6);
    let end = Time::ZERO + Span::from_secs(10);
    let mut at = Time::ZERO;
    while at < end {
        driver
            .on_packet(at, Direction::Forward, packet(1_000, 0))
            .unwrap();
        at += gap;
    }
    driver.advance(end).unwrap();
    let counts = driver.counts(Direction::Forward);
    assert!(counts.lost_in_all() > 100, "{:?}", counts.lost);
    assert_eq!((counts.delivered * 972) as f64, number("delivered_bytes"));
}

#[test]
fn a_rate_controlled_source_holds_packets_back() {
    let abr = LINE.replace(
        r#"encapsulation = "vc-mux""#,
        r#"encapsulation = "vc-mux"
[vcs.vc.forward]
service = "abr"
pcr = "106 kbit/s"
[vcs.vc.backward]
service = "abr"
pcr = "106 kbit/s"
"#,
    );
    let carrier = carrier(&abr);
    let mut driver = Driver::new(&carrier, PLAIN);
    let left = departures(&mut driver, &[(0, 1_500)], LATER);
    // 32 cells are sent 4 ms apart, after and between a few RM cells; then the last one crosses the line.
    let source_ms = (us(left[0].due) - 424.0 - 1_000.0) / 1e3;
    assert!((128.0..150.0).contains(&source_ms), "{source_ms} ms");
}

#[test]
fn queue_management_marks_the_packets_of_those_who_ask_for_it() {
    let text = LINE.replace(
        r#"buffer = "100 cells"
delay"#,
        r#"buffer = "2000 cells"
queue_management = { algorithm = "codel", ecn = true }
delay"#,
    );
    let carrier = carrier(&text);
    let mut driver = Driver::new(&carrier, PLAIN);
    for number in 0..200 {
        let at = Time::ZERO + Span::from_ms(10 * number);
        driver
            .on_packet(at, Direction::Forward, packet(1_500, 2))
            .unwrap();
    }
    driver.advance(LATER).unwrap();
    let left: Vec<_> = std::iter::from_fn(|| driver.poll_departure()).collect();
    let marked = left.iter().filter(|it| it.is_marked).count();
    assert!(
        marked > 0 && left.len() == 200,
        "{marked} of {}",
        left.len()
    );
    for departure in left {
        let ecn = departure.packet[1];
        assert_eq!(ecn, if departure.is_marked { 3 } else { 2 });
    }
}

#[test]
fn the_vc_is_to_be_named_where_there_are_several() {
    let two = format!("{LINE}[vcs.other]\nroute = [\"a\", \"b\"]\n");
    let two = network(&two);
    let error = Carrier::new(&two, None).unwrap_err();
    assert!(error.contains("vc, other"), "{error}");
    assert_eq!(Carrier::new(&two, Some("other")).unwrap().vc, 1);
    let error = Carrier::new(&two, Some("third")).unwrap_err();
    assert!(
        error.contains("\"third\"") && error.contains("vc, other"),
        "{error}"
    );
}

#[test]
fn a_vc_that_carries_a_background_carries_no_packets() {
    let taken = format!(
        "{LINE}[backgrounds.noise]\nvc = \"vc\"\ntraffic = {{ process = \"cbr\", rate = \"100 kbit/s\" }}\n"
    );
    let taken = network(&taken);
    assert!(Carrier::new(&taken, None).is_err());
    let error = Carrier::new(&taken, Some("vc")).unwrap_err();
    assert!(error.contains("backgrounds.noise"), "{error}");
}

#[test]
fn queues_are_sampled_at_multiples_of_the_span_whenever_the_line_wakes() {
    let carrier = carrier(LINE);
    let mut driver = Driver::new(&carrier, PLAIN);
    driver.sample(Span::from_ms(5));
    assert_eq!(
        sampled(&carrier),
        [
            "links.up.queue_cells",
            "links.down.queue_cells",
            "vcs.vc.forward.host_queue_cells",
            "vcs.vc.backward.host_queue_cells",
        ]
    );
    // 1500 octets are 32 cells of 424 us each; by 5, 10 and 15 ms, 11, 23 and all of them have left.
    driver
        .on_packet(Time::ZERO, Direction::Forward, packet(1500, 0))
        .unwrap();
    driver.advance(Time::ZERO + Span::from_ms(16)).unwrap();
    let mut samples = Vec::new();
    driver.take_samples(&mut samples);
    let seen: Vec<_> = samples.iter().map(|it| (us(it.at), it.cells[0])).collect();
    assert_eq!(seen[1..], [(5e3, 21.0), (10e3, 9.0), (15e3, 0.0)]);
    assert!(samples.iter().all(|it| it.cells[1] == 0.0));
    driver.take_samples(&mut samples);
    assert_eq!(samples.len(), 4);
}

#[test]
fn sampling_changes_nothing_of_what_leaves() {
    let carrier = carrier(LINE);
    let packets: Vec<_> = (0..40).map(|n| (n * 7_300, 40 + 36 * n as usize)).collect();
    let end = Time::ZERO + Span::from_ms(900);
    let mut plain = Driver::new(&carrier, PLAIN);
    let mut looked_at = Driver::new(&carrier, PLAIN);
    looked_at.sample(Span::from_us(130));
    assert_eq!(
        departures(&mut plain, &packets, end),
        departures(&mut looked_at, &packets, end)
    );
}

/// 10,000 octets a second of frames without overhead, in queues by flow.
const BY_FLOW: &str = r#"
[measure]
duration = "10 s"
[hosts]
a = {}
b = {}
[links.up]
from = "a"
to = "b"
rate = "80 kbit/s"
frames = "raw-ip"
queue = { discipline = "drr-plus-plus", quantum = "1000 bytes" }
buffer = "5 packets"
delay = "1 ms"
[links.down]
from = "b"
to = "a"
delay = "1 ms"
[vcs.vc]
route = ["a", "b"]
"#;

/// A packet of UDP from this port.
fn from_port(octets: usize, port: u8) -> Arc<[u8]> {
    let mut packet = packet(octets, 0).to_vec();
    packet[9] = 17;
    packet[21] = port;
    packet.into()
}

#[test]
fn packets_of_another_flow_overtake_and_only_the_longest_queue_loses() {
    let carrier = carrier(BY_FLOW);
    let mut driver = Driver::new(&carrier, PLAIN);
    // Five packets of 1000 octets, 100 ms each, come at once and fill the buffer; a short one of another flow follows.
    for _ in 0..5 {
        let packet = from_port(1_000, 1);
        driver
            .on_packet(Time::ZERO, Direction::Forward, packet)
            .unwrap();
    }
    let at = Time::ZERO + Span::from_ms(10);
    driver
        .on_packet(at, Direction::Forward, from_port(100, 2))
        .unwrap();
    driver.advance(LATER).unwrap();
    let left: Vec<_> = std::iter::from_fn(|| driver.poll_departure()).collect();
    let seen: Vec<_> = left
        .iter()
        .map(|it| (it.packet.len(), us(it.due)))
        .collect();
    // Six packets are one too many: half of the 4000 octets that wait are dropped, from the head. Then the short one goes.
    let expected = [(1_000, 101e3), (100, 111e3), (1_000, 211e3), (1_000, 311e3)];
    assert_eq!(seen, expected);
    let counts = driver.counts(Direction::Forward);
    assert_eq!(
        (counts.packets, counts.delivered, counts.lost_in_all()),
        (6, 4, 2)
    );
    assert_eq!(counts.inside(), 0);
    // A packet alone takes the time of its frame.
    assert!(counts.queueing.quantile_s(0.0) < 1e-6);
}

/// A packet of UDP from this port with this code point.
fn marked_as(octets: usize, port: u8, dscp: u8) -> Arc<[u8]> {
    let mut packet = from_port(octets, port).to_vec();
    packet[1] |= dscp << 2;
    packet.into()
}

#[test]
fn cake_reads_the_code_points_of_real_packets() {
    let queue = r#"{ discipline = "drr-plus-plus", quantum = "1000 bytes" }"#;
    let text = BY_FLOW
        .replace(queue, "\"cake\"")
        .replace("5 packets", "9 packets");
    let carrier = carrier(&text);
    let mut driver = Driver::new(&carrier, PLAIN);
    for _ in 0..3 {
        for packet in [marked_as(1_000, 1, 0), marked_as(999, 2, 46)] {
            driver
                .on_packet(Time::ZERO, Direction::Forward, packet)
                .unwrap();
        }
    }
    driver.advance(LATER).unwrap();
    let left = std::iter::from_fn(|| driver.poll_departure());
    let octets: Vec<usize> = left.map(|it| it.packet.len()).collect();
    // Expedited forwarding goes first up to a quarter of the rate: one of four packets. Then the rest is left.
    assert_eq!(octets, [1_000, 999, 1_000, 1_000, 999, 999]);
}

#[test]
fn one_managed_queue_marks_real_packets_and_reports_what_it_drops() {
    let queue = r#"{ discipline = "drr-plus-plus", quantum = "1000 bytes" }"#;
    for (ecn, expected) in [(2, (2, 0)), (0, (0, 2))] {
        let managed = r#"{ discipline = "codel", ecn = true, interval = "1 s" }"#;
        let text = BY_FLOW.replace(queue, managed);
        let keys = "buffer = \"99 packets\"\nmtu = \"1000 bytes\"";
        let text = text.replace("buffer = \"5 packets\"", keys);
        let carrier = carrier(&text);
        let mut driver = Driver::new(&carrier, PLAIN);
        for _ in 0..30 {
            driver
                .on_packet(Time::ZERO, Direction::Forward, packet(1_000, ecn))
                .unwrap();
        }
        driver.advance(LATER).unwrap();
        let counts = driver.counts(Direction::Forward);
        // One leaves each 100 ms, and from the second on they have waited for too long. That at 1.2 s is the first after an
        // interval of 1 s, and the next one is due at 2.2 s.
        assert_eq!((counts.marked, counts.lost_in_all()), expected);
        assert_eq!(counts.inside(), 0);
    }
}
