//! A queue as policies see it.

/// What a queue shows a policy when a cell arrives, the cell itself not counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueView {
    /// Cells in the queue, the one in transmission included.
    pub queued: u32,
    /// The most cells that the queue may hold.
    pub buffer: u32,
    /// Cells in the queue of the VC whose cell arrives; read only where [`Discard::needs_vc_counts`](super::Discard::needs_vc_counts).
    pub of_vc: u32,
    /// VCs that have at least one cell in the queue; read only where [`Discard::needs_vc_counts`](super::Discard::needs_vc_counts).
    pub active_vcs: u32,
}
