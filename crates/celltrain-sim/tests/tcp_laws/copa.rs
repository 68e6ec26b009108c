//! Copa keeps 1 / delta segments in the queue.

use crate::line::{LINE, others};

#[test]
fn copa_alone_keeps_about_one_over_delta_segments_in_the_queue_and_no_other_variant_does() {
    // At the target rate 1 / delta segments wait; the queue varies between 0 and 2.5 / delta (section 2.2).
    let segments = |inverse: f64| (0.9 * inverse)..(1.5 * inverse);
    for inverse in [2.0, 10.0] {
        let delta = 1.0 / inverse;
        let run = LINE.run(&format!("{{ algorithm = \"copa\", delta = {delta} }}"));
        let queued = run.queued();
        assert!(segments(inverse).contains(&queued), "{delta} {queued}");
        assert!(run.utilization() > 0.9, "{}", run.utilization());
        assert!(run.of_flow("segments_retransmitted") < 1.0);
    }
    for other in others("copa") {
        let queued = LINE.run(&other).queued();
        assert!(!segments(10.0).contains(&queued), "{other} {queued}");
    }
}

#[test]
fn without_losses_copa_does_the_same_whatever_would_repair_them() {
    // What only selective acknowledgments allow is off, for a segment has the same length with and without it.
    let queue_and_utilization = |sack: bool| {
        let run = LINE.run(&format!(
            "\"copa\", sack = {sack}, rack = false, tail_loss_probe = false, dsack = false, frto = false"
        ));
        assert!(run.of_flow("segments_retransmitted") < 1.0);
        (run.queued(), run.utilization())
    };
    assert_eq!(queue_and_utilization(true), queue_and_utilization(false));
}
