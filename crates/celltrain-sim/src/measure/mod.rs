//! The measurements of a run: readings at both ends of the measured interval, and tables made from them.

mod admission;
mod cell_delays;
mod cell_errors;
mod digest;
mod fairness;
mod flows;
mod frames;
mod interval;
mod link_parts;
mod link_vcs;
mod links;
mod readings;
mod registry;
mod responses;
mod results;
mod shapers;
mod vcs;

use celltrain_proto::units::Span;
use hdrhistogram::Histogram;

pub use celltrain_language::{Column, ColumnType, Field, Names, Numbers, Table, Values};
pub(crate) use readings::{Reading, Readings};
pub use registry::fields;
pub use results::Results;

/// The kinds of cells that are counted separately: data, forward RM, backward RM.
pub(crate) const KINDS: usize = 3;

/// Readings of all hops.
pub(crate) type HopReadings = Readings<HopReading, 14>;
/// The readings of all sources.
pub(crate) type SourceReadings = Readings<SourceReading, 12>;
/// The readings of the ends of all directions.
pub(crate) type SinkReadings = Readings<SinkReading, 3>;

/// Readings of all counters at one instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// By link.
    pub(crate) links: Vec<LinkReading>,
    /// By hop: one for each link crossed by each direction of a VC.
    pub(crate) hops: HopReadings,
    /// By direction: 2 x VC + (0 forward, 1 backward).
    pub(crate) sources: SourceReadings,
    /// By direction.
    pub(crate) sinks: SinkReadings,
    /// By connection.
    pub(crate) flows: Vec<FlowReading>,
    /// By hop of a link with errors: the number of the hop and its counts.
    pub(crate) errors: Vec<(usize, ErrorCounts)>,
    /// By shaper.
    pub(crate) shapers: Vec<ShaperReading>,
    /// Directions whose cells are timed.
    pub(crate) delays: Vec<(usize, DelayReading)>,
    /// Flows with a telnet application, in the order of their numbers.
    pub(crate) responses: Vec<(usize, Responses)>,
}

/// Data cells of a direction that arrived over a link with errors, since the start.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct ErrorCounts {
    /// All of them.
    pub(crate) crossed: u64,
    /// Those with a corrupted payload.
    pub(crate) corrupted: u64,
    /// Cells of other VCs among them.
    pub(crate) misinserted: u64,
}

/// Messages and the times until they were answered, since the start of the run.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Responses {
    /// Messages typed.
    pub(crate) typed: u64,
    /// Messages whose last octet is acknowledged.
    pub(crate) answered: u64,
    /// The sum of the times that this took, in ps.
    pub(crate) sum_ps: u128,
    /// The longest of them since the last reading.
    pub(crate) longest: Span,
}

impl Responses {
    /// Counts a message that was answered after this time.
    pub(crate) fn add(&mut self, time: Span) {
        self.answered += 1;
        self.sum_ps += u128::from(time.as_ps());
        self.longest = self.longest.max(time);
    }
}

/// The reading of a shaper within the network.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct ShaperReading {
    /// Cells that came since the start of the run.
    pub(crate) offered: u64,
    /// Cells dropped since the start.
    pub(crate) dropped: u64,
    /// Cells that left since the start.
    pub(crate) departed: u64,
    /// Integral of the queue since the start, in cell picoseconds.
    pub(crate) area_ps: u128,
    /// The most cells that waited since the last reading.
    pub(crate) longest: u64,
}

/// The delays of the cells of a direction since the last reading.
#[derive(Clone, Debug)]
pub(crate) struct DelayReading {
    /// Delays in ps.
    pub(crate) histogram: Histogram<u64>,
    /// The delay of the first cell.
    pub(crate) first: Option<Span>,
    pub(crate) least: Span,
    pub(crate) most: Span,
    /// The sum of all delays in ps.
    pub(crate) sum_ps: u128,
}

/// The reading of a link and its queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkReading {
    /// Cells that left since the start of the run.
    pub(crate) departed: u64,
    /// Integral of the queue since the start, in cell picoseconds.
    pub(crate) queue_area_ps: i128,
    /// Integral of the line rate since the start, in bits.
    pub(crate) capacity_bits: f64,
    /// The largest queue since the last reading, in cells.
    pub(crate) queue_max: u32,
    /// The mean number of active VCs since the last reading, if a switch algorithm counts them.
    pub(crate) active_vcs: Option<f64>,
    /// The load factor since the last reading, if a switch algorithm has a target.
    pub(crate) load_factor: Option<f64>,
    /// Octets, if it carries frames.
    pub(crate) octets: Option<OctetReading>,
}

/// Octets on the line of the frames of a link, since the start of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OctetReading {
    /// Of frames that came.
    pub(crate) offered: u64,
    /// Of frames that found no room.
    pub(crate) lost: u64,
    /// Of frames that left.
    pub(crate) departed: u64,
    /// Of the IP packets in these.
    pub(crate) packets: u64,
    /// The integral of the queue, in octet picoseconds.
    pub(crate) area_ps: i128,
    /// The most in the queue since the last reading.
    pub(crate) most: u64,
}

/// The statistics of a link's queue, or of the queue that its switch algorithm observes, in a part of the measured
/// interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct QueuePart {
    /// Fewest cells.
    pub(crate) min: u32,
    /// Mean over time.
    pub(crate) mean: f64,
    /// Most cells.
    pub(crate) max: u32,
}

/// The reading of one direction of a VC at one link; cells by kind.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct HopReading {
    /// Cells that arrived at the queue since the start, including dropped ones.
    pub(crate) offered: [u64; KINDS],
    /// Cells dropped since the start.
    pub(crate) lost: [u64; KINDS],
    /// Cells in the queue now.
    pub(crate) queued: [u64; KINDS],
    /// Cells lost on the line since the start, all kinds together.
    pub(crate) errored: u64,
    /// Cells discarded by the policer downstream of the link since the start, all kinds together.
    pub(crate) policed: u64,
    /// Cells tagged by that policer.
    pub(crate) tagged: u64,
    /// Data cells that found the queue of the virtual end or tunnel VC downstream full.
    pub(crate) lost_downstream: u64,
    /// Data cells dropped after waiting, since the start.
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
            self.lost_downstream,
            self.dropped_unseen,
        ]
    }

    fn from_counters(counters: [u64; 14]) -> Self {
        let [o0, o1, o2, l0, l1, l2, q0, q1, q2, rest @ ..] = counters;
        let [errored, policed, tagged, lost_downstream, dropped_unseen] = rest;
        Self {
            offered: [o0, o1, o2],
            lost: [l0, l1, l2],
            queued: [q0, q1, q2],
            errored,
            policed,
            tagged,
            lost_downstream,
            dropped_unseen,
        }
    }
}

/// The reading of a source, since the start of the run.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct SourceReading {
    /// Cells of all kinds.
    pub(crate) cells: u64,
    /// Forward RM cells.
    pub(crate) forward_rm: u64,
    /// Backward RM cells.
    pub(crate) backward_rm: u64,
    /// Backward RM cells replaced by a newer one before they left.
    pub(crate) backward_rm_overwritten: u64,
    /// PDUs accepted.
    pub(crate) pdus: u64,
    /// PDUs that lost a cell, at the host or in the network.
    pub(crate) damaged: u64,
    /// The cells of these PDUs.
    pub(crate) offered: u64,
    /// Cells of PDUs that were dropped at the host for lack of room.
    pub(crate) dropped: u64,
    /// The most cells of PDUs waiting at any time since the last reading.
    pub(crate) waiting_max: u64,
    /// The rate at which it may send now; NaN if nothing limits it.
    pub(crate) rate_bps: f64,
    /// Data cells that reached the end of the direction or were lost.
    pub(crate) data_ended: u64,
    /// The total time that all data cells have spent on their way, in s.
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

/// The reading of a receiving end, since the start of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SinkReading {
    /// Cells of all kinds.
    pub(crate) cells: u64,
    /// PDUs that arrived complete.
    pub(crate) pdus: u64,
    /// PDUs whose last cell arrived, but not all others.
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

/// The reading of a flow, since the start of the run.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct FlowReading {
    /// Octets delivered in order.
    pub(crate) delivered: u64,
    /// Segments with data.
    pub(crate) segments: u64,
    /// Segments retransmitted.
    pub(crate) retransmitted: u64,
    /// Retransmission time-outs.
    pub(crate) timeouts: u64,
    /// Time-outs although no cell of the newest copy of the oldest segment was lost.
    pub(crate) spurious_timeouts: u64,
    /// Fast retransmits.
    pub(crate) fast_retransmits: u64,
    /// Segments with a measured round-trip time, from the first transmission to the ACK that covers them.
    pub(crate) rtt_samples: u64,
    /// The sum of these times in s.
    pub(crate) rtt_sum_s: f64,
    /// Segments with a measured round-trip time that were sent only once.
    pub(crate) rtt_once_samples: u64,
    /// The sum of the times of those segments in s.
    pub(crate) rtt_once_sum_s: f64,
    /// The sum of the squares of those times in s².
    pub(crate) rtt_once_sum_sq_s2: f64,
    /// Segments whose round trips the retransmission timer used.
    pub(crate) rtt_timed_samples: u64,
    /// The exact sum of those times in s.
    pub(crate) rtt_timed_sum_s: f64,
    /// The longest time without new in-order data at the receiver since the last reading, in s.
    pub(crate) longest_idle_s: f64,
    /// Window reductions caused by congestion marks.
    pub(crate) ecn_reductions: u64,
    /// Probes sent to detect a loss at the end of a flight (TLP).
    pub(crate) tail_probes: u64,
    /// Window reductions undone because nothing had been lost.
    pub(crate) reductions_undone: u64,
    /// File transfers completed.
    pub(crate) transfers: u64,
    /// File transfers given up.
    pub(crate) transfers_failed: u64,
    /// The total duration of the completed transfers, in s.
    pub(crate) transfer_sum_s: f64,
    /// The octets of the files of completed transfers.
    pub(crate) transfer_octets: u64,
    /// Completed think times.
    pub(crate) thinks: u64,
    /// The sum of these think times in s.
    pub(crate) think_sum_s: f64,
    /// Packets with data that arrived complete.
    pub(crate) delays: u64,
    /// The sum of their one-way delays in s.
    pub(crate) delay_sum_s: f64,
}
