//! The receiving end of one direction of a VC.

use celltrain_proto::aal5::Reassembly;
use celltrain_proto::abr::Destination;
use celltrain_proto::units::{Span, Time};

use super::cell::{Cell, KINDS, Kind};
use super::transit::Transit;

/// The receiving end of one direction of a VC.
#[derive(Clone, Debug, Default)]
pub(super) struct Sink {
    pub(super) reassembly: Reassembly,
    /// Whether a cell of the present frame was marked by a queue.
    pub(super) congestion_experienced: bool,
    /// Data cells that arrived or were lost.
    pub(super) transit: Transit,
    pub(super) counts: SinkCounts,
    /// What it has of PDUs and RM cells; none before they come, unless the direction is ABR.
    pub(super) packets: Option<Box<SinkPackets>>,
}

/// What a sink has beside cells.
#[derive(Clone, Debug, Default)]
pub(super) struct SinkPackets {
    pub(super) destination: Destination,
    pub(super) pdus: u64,
    pub(super) damaged: u64,
    /// Forward RM cells that a local loop turned round before they came here.
    pub(super) turned_round: u64,
}

impl Sink {
    /// What it has of PDUs and RM cells.
    #[inline]
    pub(super) fn packets(&mut self) -> &mut SinkPackets {
        self.packets.get_or_insert_default()
    }

    /// Forward RM cells that a local loop turned round before they came here.
    pub(super) fn turned_round(&self) -> u64 {
        let packets = self.packets.as_ref();
        packets.map_or(0, |packets| packets.turned_round)
    }

    /// Takes note of EFCI.
    #[inline]
    pub(super) fn note_efci(&mut self, efci: bool) {
        if let Some(packets) = &mut self.packets {
            packets.destination.on_data(efci);
        }
    }

    /// Takes a data cell that need but be counted.
    #[inline]
    pub(super) fn count(&mut self, at: Time) {
        self.counts.cells[Kind::Data as usize] += 1;
        self.transit.pass(at);
    }

    /// Takes data cells of the middle of PDUs, one `gap` apart.
    #[inline]
    pub(super) fn take_data(&mut self, first: Cell, gap: Span, count: u32) {
        self.counts.cells[Kind::Data as usize] += u64::from(count);
        self.transit.pass_train(first.at, gap, count);
        self.note_efci(first.efci());
        self.congestion_experienced |= first.congestion_experienced();
    }
}

/// Cells that a sink has received since the start of the run, by kind.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct SinkCounts {
    pub(super) cells: [u64; KINDS],
}
