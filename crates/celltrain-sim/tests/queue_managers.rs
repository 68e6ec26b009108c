//! Queue management and discard policies in whole networks, against what their papers claim.

mod common;

use celltrain_proto::{aqm, discard};
use celltrain_sim::measure::Results;
use common::row::{Row, link};
use common::{all_differ, run, value};

/// The rate of the line in Mbit/s.
const RATE: f64 = 10.0;

/// `n` greedy connections over a line of 10 Mbit/s with a propagation delay of 50 ms there and back, and a buffer of 8000
/// cells (339 ms). `queue` has further keys of its queue.
fn upload(n: usize, queue: &str) -> Results {
    run(&upload_text(n, queue), 1)
}

fn upload_text(n: usize, queue: &str) -> String {
    let line = link("line", "25 ms").queue(&format!("{RATE} Mbit/s"), 8_000);
    let flow = r#"
        start = { uniform = ["0 s", "1 s"] }
        tcp = { variant = "sack", mss = "1460 bytes", window = "400 kB", timer_granularity = "1 ms", ack = "each" }
        "#;
    Row::of("a s t b")
        .hosts(&format!("count = {n}"))
        .measured("20 s", "60 s")
        .link(link("in", "0 s"))
        .link(line.with(queue))
        .link(link("out", "0 s"))
        .vc("vc", r#"forward = { service = "ubr", pcr = "20 Mbit/s" }"#)
        .flow("f", "vc", flow)
        .toml()
}

/// Mean queueing delay at the line, in ms.
fn delay_ms(results: &Results) -> f64 {
    value(results, "links", "line", "queue_mean_cells") * 424.0 / (1e3 * RATE)
}

/// The utilization of the line.
fn utilization(results: &Results) -> f64 {
    value(results, "links", "line", "utilization")
}

#[test]
fn pi2_holds_its_target_delay_for_few_and_for_many_connections() {
    for (n, target) in [(4, 20.0), (20, 20.0), (20, 40.0)] {
        let queue =
            format!("queue_management = {{ algorithm = \"pi2\", target = \"{target} ms\" }}");
        let results = upload(n, &queue);
        let delay = delay_ms(&results);
        assert!(
            (delay / target - 1.0).abs() < 0.15,
            "{n} connections: {delay} ms"
        );
        assert!(utilization(&results) > 0.95);
    }
}

#[test]
fn blue_keeps_a_queue_from_overflowing_all_the_time() {
    // Without it the windows fill the buffer; BLUE finds the probability that just prevents this.
    let blue = upload(
        20,
        "queue_management = { algorithm = \"blue\", increment = 0.02, decrement = 0.002, length = \"1000 cells\" }",
    );
    let tail_drop = upload(20, "");
    assert!(delay_ms(&blue) < 0.5 * delay_ms(&tail_drop));
    assert!(utilization(&blue) > 0.9);
}

#[test]
fn ared_brings_the_mean_queue_half_way_between_its_thresholds_whatever_the_load() {
    let mean = |n, queue: &str| value(&upload(n, queue), "links", "line", "queue_mean_cells");
    let thresholds = "min = \"300 cells\", max = \"900 cells\"";
    let red = |n| {
        mean(
            n,
            &format!("discard = {{ policy = \"red\", gentle = true, {thresholds} }}"),
        )
    };
    let ared = |n| {
        mean(
            n,
            &format!("discard = {{ policy = \"ared\", {thresholds} }}"),
        )
    };
    for n in [4, 20] {
        // The middle is 600 cells; the band is from 540 to 660.
        let found = ared(n);
        assert!(
            (480.0..720.0).contains(&found),
            "{n} connections: {found} cells"
        );
    }
    assert!(
        red(20) - red(4) > ared(20) - ared(4),
        "RED follows the load"
    );
}

/// How long after the first loss the first segment is retransmitted, in s.
fn repair_s(queue: &str) -> f64 {
    let probe = r#"
        [probes.p]
        every = "1 ms"
        record = ["links.line.lost_cells_total", "flows.f1.segments_retransmitted"]
        "#;
    // From the first segment on, with a window that fills the buffer alone.
    let text = upload_text(1, queue)
        .replace("warm_up = \"20 s\"", "warm_up = \"0 s\"")
        .replace("400 kB", "4 MB");
    let results = run(&format!("{text}{probe}"), 1);
    let trace = &results.traces[0];
    let first = |column: &str| {
        let found = trace
            .numbers_of(column)
            .iter()
            .position(|&value| value > 0.0);
        1e-3 * found.expect("the buffer overflows") as f64
    };
    first("flows.f1.segments_retransmitted") - first("links.line.lost_cells_total")
}

#[test]
fn drop_from_front_tells_the_sender_a_queueing_delay_earlier() {
    let (tail, front) = (
        repair_s("discard = { policy = \"epd\", threshold = \"7968 cells\" }"),
        repair_s("discard = { policy = \"drop-front\" }"),
    );
    // The 7968 cells before the segment that EPD refuses take 338 ms.
    let earlier = tail - front;
    assert!((0.33..0.36).contains(&earlier), "{tail} and {front}");
    // A round trip of propagation, and three segments for three duplicate acknowledgments.
    assert!((0.05..0.06).contains(&front), "{front}");
}

#[test]
fn no_two_queues_do_the_same() {
    let low = ", min = \"300 cells\", max = \"900 cells\"";
    let threshold = ", threshold = \"1000 cells\"";
    let rows = [
        ("codel", ""),
        ("pie", ""),
        ("pi2", ""),
        ("blue", ", length = \"1000 cells\""),
        ("ppd", ""),
        ("epd", threshold),
        ("selective-drop", threshold),
        ("fair-buffer", threshold),
        ("red", low),
        ("dfba", ", low = \"300 cells\", threshold = \"900 cells\""),
        ("ared", low),
        ("drop-front", ""),
    ];
    let is_managed = |keyword| aqm::Parameters::NAMES.iter().any(|row| row.1 == keyword);
    let mut digests = vec![("tail drop", upload(12, "").digest)];
    digests.extend(rows.map(|(keyword, keys)| {
        let queue = if is_managed(keyword) {
            format!("queue_management = {{ algorithm = \"{keyword}\"{keys} }}")
        } else {
            format!("discard = {{ policy = \"{keyword}\"{keys} }}")
        };
        (keyword, upload(12, &queue).digest)
    }));
    let registries = [aqm::Parameters::NAMES, discard::Parameters::NAMES].concat();
    all_differ(&registries, &digests);
}
