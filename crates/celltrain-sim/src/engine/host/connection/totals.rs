//! What a connection, or one after the other between the same ends, has counted.

/// What a connection has counted.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Totals {
    pub(in crate::engine) delivered: u64,
    pub(in crate::engine) segments: u64,
    pub(in crate::engine) retransmitted: u64,
    pub(in crate::engine) timeouts: u64,
    /// Those that came although the newest copy of the oldest segment had lost no cell.
    pub(in crate::engine) spurious_timeouts: u64,
    pub(in crate::engine) fast_retransmits: u64,
    pub(in crate::engine) ecn_reductions: u64,
    pub(in crate::engine) tail_probes: u64,
    pub(in crate::engine) reductions_undone: u64,
    pub(in crate::engine) rtt_samples: u64,
    pub(in crate::engine) rtt_sum_ps: u128,
    /// The same of segments that were sent once.
    pub(in crate::engine) rtt_once_samples: u64,
    pub(in crate::engine) rtt_once_sum_ps: u128,
    pub(in crate::engine) rtt_once_sum_sq_ps2: u128,
    /// The same of segments whose round trips the timer has learned.
    pub(in crate::engine) rtt_timed_samples: u64,
    pub(in crate::engine) rtt_timed_sum_ps: u128,
}

/// File transfers that have come to their end.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Transfers {
    /// Those whose FINs were both acknowledged, and the time that they took.
    pub(in crate::engine) done: u64,
    pub(in crate::engine) sum_ps: u128,
    /// Octets of their files.
    pub(in crate::engine) octets: u64,
    /// Those that TCP gave up.
    pub(in crate::engine) failed: u64,
    /// Think times that came to their end, and their sum.
    pub(in crate::engine) thinks: u64,
    pub(in crate::engine) think_sum_ps: u128,
}
