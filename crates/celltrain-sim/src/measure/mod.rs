//! What a run measured: readings at the ends of the measured interval, and tables made of them.

mod digest;
mod flows;
mod interval;
mod link_parts;
mod link_vcs;
mod links;
mod readings;
mod registry;
mod results;
mod vcs;

pub use celltrain_language::{Column, ColumnType, Field, Names, Numbers, Table, Values};
pub(crate) use readings::{Reading, Readings};
pub use registry::fields;
pub use results::Results;

/// Kinds of cells that are counted apart: data, forward RM, backward RM.
pub(crate) const KINDS: usize = 3;

/// Readings of all hops.
pub(crate) type HopReadings = Readings<HopReading, 14>;

/// Readings of all counters at one instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// By link.
    pub(crate) links: Vec<LinkReading>,
    /// By hop: one for each link that each direction of a VC crosses.
    pub(crate) hops: HopReadings,
    /// By direction: 2 x VC + (0 forward, 1 backward).
    pub(crate) sources: Readings<SourceReading, 12>,
    /// By direction.
    pub(crate) sinks: Readings<SinkReading, 3>,
    /// By connection.
    pub(crate) flows: Vec<FlowReading>,
}

/// Of a link and its queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkReading {
    /// Cells that left since the start of the run.
    pub(crate) departed: u64,
    /// Integral of the queue since the start, in cell picoseconds.
    pub(crate) queue_area_ps: i128,
    /// Integral of the line rate since the start, in bits.
    pub(crate) capacity_bits: f64,
    /// Largest queue since the last reading, in cells.
    pub(crate) queue_max: u32,
    /// Mean number of active VCs since the last reading, where an algorithm counts them.
    pub(crate) active_vcs: Option<f64>,
    /// Load factor since the last reading, where an algorithm has a target.
    pub(crate) load_factor: Option<f64>,
}

/// Of a link's queue, or of that which its switch algorithm looks at, in a part of the measured interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct QueuePart {
    /// Fewest cells.
    pub(crate) min: u32,
    /// Mean over time.
    pub(crate) mean: f64,
    /// Most cells.
    pub(crate) max: u32,
}

/// Of one direction of a VC at one link; of cells by kind.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct HopReading {
    /// Cells that came to the queue since the start, dropped ones included.
    pub(crate) offered: [u64; KINDS],
    /// Cells dropped since the start.
    pub(crate) lost: [u64; KINDS],
    /// Cells in the queue now.
    pub(crate) queued: [u64; KINDS],
    /// Cells lost on the line since the start, of all kinds.
    pub(crate) errored: u64,
    /// Cells discarded by the policer behind the link since the start, of all kinds.
    pub(crate) policed: u64,
    /// Cells tagged there.
    pub(crate) tagged: u64,
    /// Data cells that found the queue of virtual ends there full, or that of the VC that was to carry them on.
    pub(crate) lost_behind: u64,
    /// Data cells dropped after they had waited, since the start.
    pub(crate) dropped_unseen: u64,
}

impl Reading<14> for HopReading {
    fn into_counters(self) -> [u64; 14] {
        let ([o0, o1, o2], [l0, l1, l2], [q0, q1, q2]) = (self.offered, self.lost, self.queued);
        [
            o0,
            o1,
            o2,
            l0,
            l1,
            l2,
            q0,
            q1,
            q2,
            self.errored,
            self.policed,
            self.tagged,
            self.lost_behind,
            self.dropped_unseen,
        ]
    }

    fn from_counters(counters: [u64; 14]) -> Self {
        let [o0, o1, o2, l0, l1, l2, q0, q1, q2, rest @ ..] = counters;
        let [errored, policed, tagged, lost_behind, dropped_unseen] = rest;
        Self {
            offered: [o0, o1, o2],
            lost: [l0, l1, l2],
            queued: [q0, q1, q2],
            errored,
            policed,
            tagged,
            lost_behind,
            dropped_unseen,
        }
    }
}

/// Of a source, since the start of the run.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct SourceReading {
    /// Cells of all kinds.
    pub(crate) cells: u64,
    /// Forward RM cells.
    pub(crate) forward_rm: u64,
    /// Backward RM cells.
    pub(crate) backward_rm: u64,
    /// Backward RM cells that a newer one replaced before they left.
    pub(crate) backward_rm_overwritten: u64,
    /// PDUs handed over.
    pub(crate) pdus: u64,
    /// Those of which a cell was lost, at the host or on the way.
    pub(crate) damaged: u64,
    /// Their cells.
    pub(crate) offered: u64,
    /// Cells of them that found no room at the host.
    pub(crate) dropped: u64,
    /// Most cells of them that waited since the last reading.
    pub(crate) waiting_max: u64,
    /// Rate at which it may send now, in bit/s.
    pub(crate) rate_bps: f64,
    /// Data cells that arrived at the end of the direction, or were lost.
    pub(crate) data_ended: u64,
    /// Time that all data cells together have been on their way, in s.
    pub(crate) transit_s: f64,
}

impl Reading<12> for SourceReading {
    fn into_counters(self) -> [u64; 12] {
        [
            self.cells,
            self.forward_rm,
            self.backward_rm,
            self.backward_rm_overwritten,
            self.pdus,
            self.damaged,
            self.offered,
            self.dropped,
            self.waiting_max,
            self.data_ended,
            self.rate_bps.to_bits(),
            self.transit_s.to_bits(),
        ]
    }

    fn from_counters(counters: [u64; 12]) -> Self {
        let [
            cells,
            forward_rm,
            backward_rm,
            backward_rm_overwritten,
            rest @ ..,
        ] = counters;
        let [
            pdus,
            damaged,
            offered,
            dropped,
            waiting_max,
            data_ended,
            rate,
            transit,
        ] = rest;
        Self {
            cells,
            forward_rm,
            backward_rm,
            backward_rm_overwritten,
            pdus,
            damaged,
            offered,
            dropped,
            waiting_max,
            data_ended,
            rate_bps: f64::from_bits(rate),
            transit_s: f64::from_bits(transit),
        }
    }
}

/// Of a receiving end, since the start of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SinkReading {
    /// Cells of all kinds.
    pub(crate) cells: u64,
    /// PDUs that arrived whole.
    pub(crate) pdus: u64,
    /// PDUs whose end arrived, but not all of their cells.
    pub(crate) damaged: u64,
}

impl Reading<3> for SinkReading {
    fn into_counters(self) -> [u64; 3] {
        [self.cells, self.pdus, self.damaged]
    }

    fn from_counters([cells, pdus, damaged]: [u64; 3]) -> Self {
        Self {
            cells,
            pdus,
            damaged,
        }
    }
}

/// Of a TCP connection, since the start of the run.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct FlowReading {
    /// Octets delivered in order.
    pub(crate) delivered: u64,
    /// Segments with data.
    pub(crate) segments: u64,
    /// Segments sent again.
    pub(crate) retransmitted: u64,
    /// Retransmission time-outs.
    pub(crate) timeouts: u64,
    /// Those that came although the newest copy of the oldest segment had lost no cell.
    pub(crate) spurious_timeouts: u64,
    /// Fast retransmits.
    pub(crate) fast_retransmits: u64,
    /// Segments whose round-trip time was taken, from first hand-over to the ACK that covers them.
    pub(crate) rtt_samples: u64,
    /// Sum of these times in s.
    pub(crate) rtt_sum_s: f64,
    /// The same of segments that were sent once.
    pub(crate) rtt_once_samples: u64,
    /// Sum of their times in s.
    pub(crate) rtt_once_sum_s: f64,
    /// Sum of the squares of their times in s2.
    pub(crate) rtt_once_sum_sq_s2: f64,
    /// Segments whose round trips the retransmission timer has learned.
    pub(crate) rtt_timed_samples: u64,
    /// Sum of their times in s, exactly.
    pub(crate) rtt_timed_sum_s: f64,
    /// Longest time without new data in order at the receiver since the last reading, in s.
    pub(crate) longest_idle_s: f64,
    /// Reductions of the window by marks of congestion.
    pub(crate) ecn_reductions: u64,
    /// Segments sent to find a loss at the end of a flight (TLP).
    pub(crate) tail_probes: u64,
    /// Reductions of the window that were undone because nothing was lost.
    pub(crate) reductions_undone: u64,
    /// File transfers done.
    pub(crate) transfers: u64,
    /// File transfers given up.
    pub(crate) transfers_failed: u64,
    /// Sum of the times of those done, in s.
    pub(crate) transfer_sum_s: f64,
    /// Octets of the files of the transfers done.
    pub(crate) transfer_octets: u64,
    /// Think times that came to their end.
    pub(crate) thinks: u64,
    /// Sum of them in s.
    pub(crate) think_sum_s: f64,
    /// Packets with data that came whole.
    pub(crate) delays: u64,
    /// Sum of their one-way delays in s.
    pub(crate) delay_sum_s: f64,
}
