//! After a loss, Westwood+ keeps a window that fills the path at the measured bandwidth.

use crate::line::{Epoch, LINE, Line, Run, others};

/// A loss occurs at a window of 130 segments; 30 of them fill the path.
const SHORT_BUFFER: Line = Line {
    buffer: 100,
    measured_s: 40,
    ..LINE
};

/// Whether every loss set the threshold to what fills the path, within a twentieth; false without a loss.
fn leaves_the_path_full(run: &Run) -> bool {
    let epochs = run.epochs(0.5);
    let path = SHORT_BUFFER.path_segments();
    let is_path = |epoch: &Epoch| (epoch.threshold / path - 1.0).abs() < 0.05;
    !epochs.is_empty() && epochs.iter().all(is_path)
}

#[test]
fn westwood_alone_sets_its_threshold_to_bwe_times_rtt_min_at_a_loss_and_no_other_variant_does() {
    // The bandwidth is a segment per packet time, so BWE RTTmin is the minimum round trip in packet times.
    let run = SHORT_BUFFER.run("\"westwood\"");
    assert!(leaves_the_path_full(&run), "{:?}", run.epochs(0.5));
    assert!(run.utilization() > 0.98, "{}", run.utilization());
    for other in others("westwood") {
        let run = SHORT_BUFFER.run(&other);
        assert!(!leaves_the_path_full(&run), "{other}");
    }
}
