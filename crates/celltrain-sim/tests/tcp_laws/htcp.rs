//! H-TCP grows by alpha, a function of the time since the last loss.

use crate::line::{Epoch, Line, Run, others};

/// 600 segments fill the path of 200 ms; after a loss the window has seconds to grow.
const FAST: Line = Line {
    rate_bps: 40e6,
    delay_s: 0.1,
    buffer: 400,
    warm_up_s: 40,
    measured_s: 40,
};

/// Growth of the window in segments from one to three seconds after a loss, as measured and as alpha predicts.
fn growths(run: &Run) -> Vec<[f64; 2]> {
    let growth = |epoch: &Epoch| {
        let beta = epoch.threshold / epoch.before;
        let alpha =
            |t: f64, _| 2.0 * (1.0 - beta) * (1.0 + 10.0 * (t - 1.0) + (t - 1.0).powi(2) / 4.0);
        let [start, end] = [1.0, 3.0].map(|at| epoch.window_after(at));
        [end - start, FAST.grown(start, [1.0, 3.0], alpha) - start]
    };
    run.epochs(3.5).iter().map(growth).collect()
}

#[test]
fn h_tcp_alone_grows_by_alpha_of_the_time_since_a_loss_and_no_other_variant_does() {
    let is_near = |[found, expected]: [f64; 2]| (found / expected - 1.0).abs() < 0.1;
    let found = growths(&FAST.run("\"htcp\""));
    assert!(!found.is_empty());
    assert!(found.iter().all(|&it| is_near(it)), "{found:?}");
    for other in others("htcp") {
        let found = growths(&FAST.run(&other));
        assert!(!found.iter().any(|&it| is_near(it)), "{other} {found:?}");
    }
}

#[test]
fn h_tcp_alone_leaves_the_ratio_of_round_trips_at_a_loss() {
    // The queue is full at a loss, and empty at the start: 0.6 of 1000 segments and a few.
    let run = FAST.run("\"htcp\"");
    let path = FAST.path_segments();
    let expected = path / (path + f64::from(FAST.buffer));
    let epochs = run.epochs(0.5);
    // At the first loss there is no throughput to compare with.
    assert!(epochs.len() > 2);
    for epoch in epochs {
        let beta = epoch.threshold / epoch.before;
        assert!((beta - expected).abs() < 0.03, "{beta} {expected}");
    }
}
