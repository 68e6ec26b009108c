//! Early packet discard: no new frame while the queue is long.
//!
//! Source: SIGCOMM 1994. What it measures: the queue at a frame's first cell.

use super::view::QueueView;

/// Whether a frame that starts now is rejected.
pub(super) fn rejects(threshold: u32, view: &QueueView) -> bool {
    view.queued >= threshold
}
