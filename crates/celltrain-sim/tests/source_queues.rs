//! Whole networks with bounded queues at hosts, and queues of links by part of the measured interval.

mod common;

use common::row::{Row, link};
use common::{network, run, value};

/// Packets of `packet` octets from a to b, 1000 per second, shaped to 42.4 Mbit/s (100,000 cells/s), over a queue of 21.2
/// Mbit/s.
fn scenario(packet: u32, vc: &str) -> String {
    let shaped = r#"
        encapsulation = "vc-mux"
        forward = { service = "ubr", pcr = "42.4 Mbit/s" }
        "#;
    let traffic = r#"{ process = "pulses", peak = "1 Mbit/s", period = "1 ms", duty_cycle = 1 }"#;
    Row::of("a s b")
        .measure("duration = \"1 s\"\nparts = 2")
        .link(link("in", "0 s"))
        .ways(
            link("out", "1 ms").queue("21.2 Mbit/s", 1_000),
            link("back", "1 ms"),
        )
        .vc("v", &format!("{shaped}{vc}"))
        .flow(
            "f",
            "v",
            &format!("udp = {{ packet = \"{packet} bytes\", traffic = {traffic} }}"),
        )
        .toml()
}

/// A packet of 250 octets and the AAL5 trailer take six cells, and there is room for four.
#[test]
fn a_packet_that_lost_cells_at_its_host_is_not_delivered() {
    for (drop, sent) in [("cell", 4.0), ("segment", 0.0)] {
        let vc = format!("source_buffer = \"4 cells\"\nsource_drop = \"{drop}\"");
        let results = run(&scenario(250, &vc), 1);
        let vcs = |column| value(&results, "vcs", "v", column);
        let packets = vcs("pdus_sent");
        assert!(packets > 100.0);
        assert_eq!(vcs("source_cells_offered"), 6.0 * packets);
        assert_eq!(vcs("source_cells_dropped"), (6.0 - sent) * packets);
        assert!((vcs("cells_sent") - sent * packets).abs() <= 4.0);
        assert_eq!(vcs("source_queue_max_cells"), sent);
        assert_eq!(vcs("pdus_delivered"), 0.0);
    }
}

#[test]
fn a_host_with_room_for_a_packet_loses_none() {
    let results = run(&scenario(250, "source_buffer = \"6 cells\""), 1);
    let vcs = |column| value(&results, "vcs", "v", column);
    assert_eq!(vcs("source_cells_dropped"), 0.0);
    assert_eq!(vcs("source_queue_max_cells"), 6.0);
    assert!(vcs("pdus_sent") - vcs("pdus_delivered") <= 2.0);
}

#[test]
fn each_part_of_a_run_has_the_queue_of_its_own_time() {
    let results = run(&scenario(250, ""), 1);
    let parts = results.table("link_parts").expect("there are parts");
    assert_eq!(parts.numbers_of("from_s"), [0.0, 0.5]);
    assert_eq!(parts.numbers_of("to_s"), [0.5, 1.0]);
    assert_eq!(parts.numbers_of("controlled_queue_min_cells"), [0.0, 0.0]);
    let most = value(&results, "links", "out", "queue_max_cells");
    let maxima = parts.numbers_of("controlled_queue_max_cells");
    assert_eq!(maxima.iter().copied().fold(0.0, f64::max), most);
    let mean = value(&results, "links", "out", "queue_mean_cells");
    let means = parts.numbers_of("controlled_queue_mean_cells");
    assert!((means.iter().sum::<f64>() / 2.0 - mean).abs() < 1e-9);
}

#[test]
fn parts_and_buffers_have_bounds() {
    let no_parts = scenario(250, "").replace("parts = 2", "parts = 0");
    let error = network(&no_parts)
        .expect_err("zero parts are not allowed")
        .to_string();
    assert!(
        error.contains("expected 1 to 10000 parts, found 0"),
        "{error}"
    );
    let one_ps = scenario(250, "").replace("duration = \"1 s\"", "duration = \"1 ps\"");
    let error = network(&one_ps).expect_err("a part would be empty");
    assert!(
        error
            .to_string()
            .contains("1 ps has no 2 parts of a picosecond or more"),
        "{error}"
    );
    let error = network(&scenario(250, "source_buffer = \"0 cells\""));
    let error = error.expect_err("nothing could be sent").to_string();
    assert!(
        error.contains("expected 1 to 2147483648 cells, found 0"),
        "{error}"
    );
}
