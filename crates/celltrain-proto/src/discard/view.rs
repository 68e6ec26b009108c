//! A queue as seen by discard policies.

/// The state of a queue that a policy sees when a cell arrives, without that cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueView {
    /// Cells in the queue, including the one in transmission.
    pub queued: u32,
    /// Maximum number of cells in the queue.
    pub buffer: u32,
    /// Cells in the queue from the arriving cell's VC; read only if
    /// [`Discard::needs_vc_counts`](super::Discard::needs_vc_counts).
    pub of_vc: u32,
    /// VCs with at least one cell in the queue; read only if
    /// [`Discard::needs_vc_counts`](super::Discard::needs_vc_counts).
    pub active_vcs: u32,
}
