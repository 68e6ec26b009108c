//! A queue as policies see it.

/// The state of a queue that a policy sees when a cell arrives, without that cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueView {
    /// Cells in the queue, the one in transmission included.
    pub queued: u32,
    /// The most cells that the queue may hold.
    pub buffer: u32,
    /// Cells in the queue from the arriving cell's VC; read only if
    /// [`Discard::needs_vc_counts`](super::Discard::needs_vc_counts).
    pub of_vc: u32,
    /// VCs with at least one cell in the queue; read only if
    /// [`Discard::needs_vc_counts`](super::Discard::needs_vc_counts).
    pub active_vcs: u32,
}
