//! DCTCP at a queue that marks beyond a threshold.

use crate::common::{run, value};
use crate::line::others;

/// Octets of a full frame on the line, and of the data in it.
const FRAME: f64 = 1_538.0;
const MSS: f64 = 1_448.0;
const RATE_BPS: f64 = 100e6;
const RTT_S: f64 = 0.02;
/// The threshold, in frames.
const K: f64 = 60.0;

/// The window every millisecond of 10 s, in segments; the throughput, the mean queue in frames, and the segments sent again.
fn windows(variant: &str) -> (Vec<f64>, f64, f64, f64) {
    let threshold = K * FRAME;
    let text = format!(
        r#"
        measure = {{ warm_up = "20 s", duration = "30 s" }}
        hosts = {{ a = {{}}, b = {{}} }}
        [links]
        line = {{ from = "a", to = "b", delay = "10 ms", rate = "100 Mbit/s", frames = "ethernet", buffer = "2000 packets", queue = {{ discipline = "red", min = "{threshold} bytes", max = "{} bytes", weight = 1.0, ecn = true }} }}
        back = {{ from = "b", to = "a", delay = "10 ms" }}
        [vcs]
        vc.route = ["a", "b"]
        [flows]
        f = {{ vc = "vc", tcp = {{ preset = "linux", variant = {variant}, ecn = true, nagle = false, window = "8 MiB" }} }}
        [probes.p]
        every = "1 ms"
        record = ["flows.f.cwnd_bytes"]
        "#,
        threshold + 1.0
    );
    let results = run(&text, 1);
    let cwnd = results.traces[0].numbers_of("flows.f.cwnd_bytes");
    (
        cwnd.into_iter().map(|it| it / MSS).collect(),
        value(&results, "flows", "f", "throughput_bps"),
        value(&results, "frames", "line", "queue_mean_bytes") / FRAME,
        value(&results, "flows", "f", "segments_retransmitted"),
    )
}

fn range(windows: &[f64]) -> (f64, f64) {
    let least = windows.iter().copied().fold(f64::MAX, f64::min);
    (least, windows.iter().copied().fold(0.0, f64::max))
}

#[test]
fn the_window_of_dctcp_swings_as_its_paper_says_and_that_of_no_other_variant() {
    // Alizadeh et al. 2010, 3.3: with one connection alpha is the root of 2 / W, and the window swings by W alpha / 2. The paper
    // takes all of the data of a round trip for marked, and counts no delayed acknowledgments: hence the bounds.
    let critical = RATE_BPS * RTT_S / (8.0 * FRAME) + K;
    let swing = critical * (2.0 / critical).sqrt() / 2.0;
    let swings = |windows: &[f64]| {
        let (least, most) = range(windows);
        let is_as_wide = (0.6..1.6).contains(&((most - least) / swing));
        is_as_wide && (most - critical).abs() < 0.05 * critical
    };
    let (windows_of, throughput, queue, resent) = windows("\"dctcp\"");
    assert!(
        swings(&windows_of),
        "{:?} {critical} {swing}",
        range(&windows_of)
    );
    // The queue is never empty, and seldom beyond its threshold.
    assert!((throughput / (RATE_BPS * MSS / FRAME) - 1.0).abs() < 1e-3);
    assert!(queue < K && queue > K - swing, "{queue}");
    assert_eq!(resent, 0.0);
    for other in others("dctcp") {
        let (windows_of, ..) = windows(&other);
        assert!(!swings(&windows_of), "{other} {:?}", range(&windows_of));
    }
}
