//! The receiving end of one direction of a VC.

use celltrain_proto::abr::Destination;
use celltrain_proto::adaptation::{Aal, Reassembly};
use celltrain_proto::units::{Span, Time};

use crate::engine::host::cell_delays::CellDelays;
use crate::engine::state::cell::{Cell, KINDS, Kind};
use crate::engine::state::transit::Transit;

/// The receiving end of one direction of a VC.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Sink {
    pub(in crate::engine) reassembly: Reassembly,
    /// Whether a queue marked a cell of the present frame.
    pub(in crate::engine) congestion_experienced: bool,
    /// Data cells that arrived or were lost.
    pub(in crate::engine) transit: Transit,
    /// Data cells that arrived.
    data: u64,
    /// PDUs and RM cells; `None` before any come, unless the direction is ABR.
    pub(in crate::engine) packets: Option<Box<SinkPackets>>,
}

/// What a sink keeps of PDUs and RM cells.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct SinkPackets {
    pub(in crate::engine) destination: Destination,
    /// RM cells that arrived, forward and backward.
    rm: [u64; KINDS - 1],
    pub(in crate::engine) pdus: u64,
    pub(in crate::engine) damaged: u64,
    /// Forward RM cells that a local loop turned around before they arrived here.
    pub(in crate::engine) turned_around: u64,
    /// The delays of data cells, if they are measured.
    pub(in crate::engine) delays: Option<Box<CellDelays>>,
}

impl Sink {
    /// A sink of PDUs of this adaptation layer at which nothing has arrived; it is an ABR destination from the start, or
    /// once RM cells arrive.
    pub(in crate::engine) fn new(aal: Aal, is_abr: bool) -> Self {
        Self {
            reassembly: aal.reassembly(),
            packets: is_abr.then(Box::default),
            ..Self::default()
        }
    }

    /// This sink, measuring the delays of data cells.
    pub(in crate::engine) fn with_delays(mut self) -> Self {
        self.packets().delays = Some(Box::new(CellDelays::new()));
        self
    }

    /// The delays of data cells, if they are measured.
    pub(in crate::engine) fn delays(&mut self) -> Option<&mut CellDelays> {
        self.packets.as_mut()?.delays.as_deref_mut()
    }

    /// Notes when data cells leave the source, because their delays are measured.
    #[cold]
    pub(in crate::engine) fn time_departure(
        &mut self,
        number: u32,
        at: Time,
        gap: Span,
        count: u32,
    ) {
        if let Some(delays) = self.delays() {
            delays.on_departure(number, at, gap, count);
        }
    }

    /// What it keeps of PDUs and RM cells, created on first use.
    #[inline]
    pub(in crate::engine) fn packets(&mut self) -> &mut SinkPackets {
        self.packets.get_or_insert_default()
    }

    /// Cells that arrived, by kind.
    pub(in crate::engine) fn cells(&self) -> [u64; KINDS] {
        let packets = self.packets.as_ref();
        let [forward, backward] = packets.map_or([0; 2], |packets| packets.rm);
        [self.data, forward, backward]
    }

    /// Data cells that arrived.
    pub(in crate::engine) fn data(&self) -> u64 {
        self.data
    }

    /// Forward RM cells that a local loop turned around before they arrived here.
    pub(in crate::engine) fn turned_around(&self) -> u64 {
        let packets = self.packets.as_ref();
        packets.map_or(0, |packets| packets.turned_around)
    }

    /// Passes the EFCI bit to the ABR destination, if any.
    #[inline]
    pub(in crate::engine) fn note_efci(&mut self, efci: bool) {
        if let Some(packets) = &mut self.packets {
            packets.destination.on_data(efci);
        }
    }

    /// Takes a data cell that must only be counted, and arrives at `at`.
    #[inline]
    pub(in crate::engine) fn count(&mut self, cell: Cell, at: Time) {
        self.data += 1;
        self.transit.pass(at);
        if let Some(delays) = self.delays() {
            delays.on_arrival(cell.load(), at, Span::ZERO, 1);
        }
    }

    /// Adds data cells that were counted elsewhere.
    pub(in crate::engine) fn add(&mut self, passed: &Transit) {
        self.data += passed.count();
        self.transit.add(passed);
    }

    /// Takes an RM cell of this kind.
    #[inline]
    pub(in crate::engine) fn count_rm(&mut self, kind: Kind) {
        self.packets().rm[kind as usize - 1] += 1;
    }

    /// Takes mid-PDU data cells, one `gap` apart.
    #[inline]
    pub(in crate::engine) fn take_data(&mut self, first: Cell, gap: Span, count: u32) {
        self.data += u64::from(count);
        self.transit.pass_train(first.at, gap, count);
        if let Some(delays) = self.delays() {
            delays.on_arrival(first.load(), first.at, gap, count);
        }
        self.note_efci(first.efci());
        self.congestion_experienced |= first.congestion_experienced();
    }
}
