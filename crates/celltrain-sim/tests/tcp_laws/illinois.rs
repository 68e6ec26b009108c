//! Illinois grows by alpha, a function of the queueing delay.

use crate::line::{Epoch, LINE, Line, Run, others};

/// 30 segments fill the path, and 60 the queue: half of both leaves a queue.
const LONG_BUFFER: Line = Line {
    buffer: 60,
    measured_s: 60,
    ..LINE
};

/// alpha of the paper's section 2, with a queue that can hold `largest` seconds.
fn alpha(delay: f64, largest: f64) -> f64 {
    let d1 = 0.01 * largest;
    let k1 = (largest - d1) * 0.3 * 10.0 / (10.0 - 0.3);
    let k2 = (largest - d1) * 0.3 / (10.0 - 0.3) - d1;
    if delay <= d1 { 10.0 } else { k1 / (k2 + delay) }
}

/// Growth of the window in segments in the second and third second after a loss, in the next two and the next three
/// seconds, as measured and as alpha predicts.
fn growths(run: &Run) -> Vec<[[f64; 2]; 3]> {
    let empty = LONG_BUFFER.round_trip_s(0.0);
    let largest = LONG_BUFFER.packet_s() * f64::from(LONG_BUFFER.buffer);
    let alpha = |_, window| alpha(LONG_BUFFER.round_trip_s(window) - empty, largest);
    let growth = |epoch: &Epoch| {
        [[1.0, 3.0], [3.0, 5.0], [5.0, 8.0]].map(|span| {
            let [start, end] = span.map(|at| epoch.window_after(at));
            [end - start, LONG_BUFFER.grown(start, span, alpha) - start]
        })
    };
    run.epochs(8.5).iter().map(growth).collect()
}

#[test]
fn illinois_alone_grows_by_alpha_of_the_queueing_delay_and_no_other_variant_does() {
    let is_near = |growths: [[f64; 2]; 3]| {
        let near = |[found, expected]: [f64; 2]| (found / expected - 1.0).abs() < 0.05;
        growths.into_iter().all(near)
    };
    let found = growths(&LONG_BUFFER.run("\"illinois\""));
    assert!(!found.is_empty());
    assert!(found.iter().all(|&it| is_near(it)), "{found:?}");
    for other in others("illinois") {
        let found = growths(&LONG_BUFFER.run(&other));
        assert!(!found.iter().any(|&it| is_near(it)), "{other} {found:?}");
    }
}
