//! Vegas keeps alpha to beta segments in the queue.

use crate::line::{LINE, others};

#[test]
fn vegas_alone_keeps_alpha_to_beta_segments_in_the_queue_and_no_other_variant_does() {
    // The window stays once alpha <= diff <= beta, and grows by one segment below: it stops just above alpha.
    for (alpha, beta) in [(2.0, 4.0), (10.0, 12.0)] {
        let run = LINE.run(&format!(
            "{{ algorithm = \"vegas\", alpha = {alpha}, beta = {beta} }}"
        ));
        let queued = run.queued();
        assert!((alpha..=beta).contains(&queued), "{alpha} {queued}");
        assert!(run.utilization() > 0.99);
        assert!(run.of_flow("segments_retransmitted") < 1.0);
    }
    for other in others("vegas") {
        let queued = LINE.run(&other).queued();
        assert!(!(10.0..=12.0).contains(&queued), "{other} {queued}");
    }
}
