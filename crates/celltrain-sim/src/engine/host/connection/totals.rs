//! The counts of a connection, or of a series of connections between the same ends.

/// The counts of a connection.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Totals {
    pub(in crate::engine) delivered: u64,
    pub(in crate::engine) segments: u64,
    pub(in crate::engine) retransmitted: u64,
    pub(in crate::engine) timeouts: u64,
    /// Time-outs that occurred although the newest copy of the oldest segment had lost no cell.
    pub(in crate::engine) spurious_timeouts: u64,
    pub(in crate::engine) fast_retransmits: u64,
    pub(in crate::engine) ecn_reductions: u64,
    pub(in crate::engine) tail_probes: u64,
    pub(in crate::engine) reductions_undone: u64,
    pub(in crate::engine) rtt_samples: u64,
    pub(in crate::engine) rtt_sum_ps: u128,
    /// Round trips of segments that were sent once.
    pub(in crate::engine) rtt_once_samples: u64,
    pub(in crate::engine) rtt_once_sum_ps: u128,
    pub(in crate::engine) rtt_once_sum_sq_ps2: u128,
    /// Round trips that the retransmission timer has used.
    pub(in crate::engine) rtt_timed_samples: u64,
    pub(in crate::engine) rtt_timed_sum_ps: u128,
}

/// Completed file transfers.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Transfers {
    /// Transfers whose FINs were both acknowledged, and their total duration.
    pub(in crate::engine) done: u64,
    pub(in crate::engine) sum_ps: u128,
    /// The octets of their files.
    pub(in crate::engine) octets: u64,
    /// Transfers that TCP gave up.
    pub(in crate::engine) failed: u64,
    /// Completed think times, and their sum.
    pub(in crate::engine) thinks: u64,
    pub(in crate::engine) think_sum_ps: u128,
}
