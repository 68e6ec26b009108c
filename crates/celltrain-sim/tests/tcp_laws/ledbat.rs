//! LEDBAT keeps its target delay.

use crate::line::{LINE, Line, others};

/// A longer warm-up, since there is no slow start.
const LATER: Line = Line {
    warm_up_s: 60,
    ..LINE
};

#[test]
fn ledbat_alone_keeps_the_queueing_delay_at_its_target_and_no_other_variant_does() {
    for target_ms in [25, 60, 100] {
        let run = LATER.run(&format!(
            "{{ algorithm = \"ledbat\", target = \"{target_ms} ms\" }}"
        ));
        let delay_ms = 1e3 * run.queueing_delay_s();
        assert!(
            (delay_ms / f64::from(target_ms) - 1.0).abs() < 0.05,
            "{target_ms} {delay_ms}"
        );
        assert!(run.utilization() > 0.99);
    }
    for other in others("ledbat") {
        let delay_ms = 1e3 * LATER.run(&other).queueing_delay_s();
        for target_ms in [25.0, 60.0, 100.0] {
            assert!(
                (delay_ms / target_ms - 1.0).abs() > 0.05,
                "{other} {delay_ms}"
            );
        }
    }
}
