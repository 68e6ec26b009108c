//! What a run measured: readings at the ends of the measured interval, and tables made of them.

mod digest;
mod results;
mod table;

pub use results::Results;
pub use table::{Column, Table, Values};

/// Kinds of cells that are counted apart: data, forward RM, backward RM.
pub const KINDS: usize = 3;

/// Readings of all counters at one instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// By link.
    pub links: Vec<LinkReading>,
    /// By hop: one for each link that each direction of a VC crosses.
    pub hops: Vec<HopReading>,
    /// By direction: 2 x VC + (0 forward, 1 backward).
    pub sources: Vec<SourceReading>,
    /// By direction.
    pub sinks: Vec<SinkReading>,
    /// By connection.
    pub flows: Vec<FlowReading>,
}

/// Of a link and its queue.
#[derive(Clone, Copy, Debug)]
pub struct LinkReading {
    /// Cells that left since the start of the run.
    pub departed: u64,
    /// Integral of the queue since the start, in cell picoseconds.
    pub queue_area_ps: i128,
    /// Integral of the line rate since the start, in bits.
    pub capacity_bits: f64,
    /// Largest queue since the last reading, in cells.
    pub queue_max: u32,
    /// Mean number of active VCs since the last reading, where an algorithm counts them.
    pub active_vcs: Option<f64>,
    /// Load factor since the last reading, where an algorithm has a target.
    pub load_factor: Option<f64>,
}

/// Of a link's queue, or of that which its switch algorithm looks at, in a part of the measured interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QueuePart {
    /// Fewest cells.
    pub min: u32,
    /// Mean over time.
    pub mean: f64,
    /// Most cells.
    pub max: u32,
}

/// Of one direction of a VC at one link, by kind of cell.
#[derive(Clone, Copy, Debug)]
pub struct HopReading {
    /// The link.
    pub link: usize,
    /// The direction: 2 x VC + (0 forward, 1 backward).
    pub direction: usize,
    /// Cells that came to the queue since the start, dropped ones included.
    pub offered: [u64; KINDS],
    /// Cells dropped since the start.
    pub lost: [u64; KINDS],
    /// Cells lost on the line since the start.
    pub errored: [u64; KINDS],
    /// Cells discarded by the policer behind the link since the start.
    pub policed: [u64; KINDS],
    /// Cells tagged there.
    pub tagged: u64,
    /// Data cells that found the queue of virtual ends there full, or that of the VC that was to carry them on.
    pub lost_behind: u64,
    /// Data cells dropped after they had waited, since the start.
    pub dropped_unseen: u64,
    /// Cells in the queue now.
    pub queued: [u64; KINDS],
}

/// Of a source, since the start of the run.
#[derive(Clone, Copy, Debug)]
pub struct SourceReading {
    /// Cells of all kinds.
    pub cells: u64,
    /// Forward RM cells.
    pub forward_rm: u64,
    /// Backward RM cells.
    pub backward_rm: u64,
    /// Backward RM cells that a newer one replaced before they left.
    pub backward_rm_overwritten: u64,
    /// PDUs handed over.
    pub pdus: u64,
    /// Those of which a cell was lost, at the host or on the way.
    pub damaged: u64,
    /// Their cells.
    pub offered: u64,
    /// Cells of them that found no room at the host.
    pub dropped: u64,
    /// Most cells of them that waited since the last reading.
    pub waiting_max: u64,
    /// Rate at which it may send now, in bit/s.
    pub rate_bps: f64,
    /// Data cells that arrived at the end of the direction, or were lost.
    pub data_ended: u64,
    /// Time that all data cells together have been on their way, in s.
    pub transit_s: f64,
}

/// Of a receiving end, since the start of the run.
#[derive(Clone, Copy, Debug)]
pub struct SinkReading {
    /// Cells of all kinds.
    pub cells: u64,
    /// PDUs that arrived whole.
    pub pdus: u64,
    /// PDUs whose end arrived, but not all of their cells.
    pub damaged: u64,
}

/// Of a TCP connection, since the start of the run.
#[derive(Clone, Copy, Default, Debug)]
pub struct FlowReading {
    /// Octets delivered in order.
    pub delivered: u64,
    /// Segments with data.
    pub segments: u64,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Retransmission time-outs.
    pub timeouts: u64,
    /// Those that came although the newest copy of the oldest segment had lost no cell.
    pub spurious_timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Segments whose round-trip time was taken, from first hand-over to the ACK that covers them.
    pub rtt_samples: u64,
    /// Sum of these times in s.
    pub rtt_sum_s: f64,
    /// The same of segments that were sent once.
    pub rtt_once_samples: u64,
    /// Sum of their times in s.
    pub rtt_once_sum_s: f64,
    /// Sum of the squares of their times in s2.
    pub rtt_once_sum_sq_s2: f64,
    /// Segments whose round trips the retransmission timer has learned.
    pub rtt_timed_samples: u64,
    /// Sum of their times in s, exactly.
    pub rtt_timed_sum_s: f64,
    /// Longest time without new data in order at the receiver since the last reading, in s.
    pub longest_idle_s: f64,
    /// Reductions of the window by marks of congestion.
    pub ecn_reductions: u64,
    /// File transfers done.
    pub transfers: u64,
    /// File transfers given up.
    pub transfers_failed: u64,
    /// Sum of the times of those done, in s.
    pub transfer_sum_s: f64,
    /// Octets of the files of the transfers done.
    pub transfer_octets: u64,
    /// Think times that came to their end.
    pub thinks: u64,
    /// Sum of them in s.
    pub think_sum_s: f64,
    /// Packets with data that came whole.
    pub delays: u64,
    /// Sum of their one-way delays in s.
    pub delay_sum_s: f64,
}
