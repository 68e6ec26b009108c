//! How IP packets become cells: the adaptation layer, and the encapsulation in its payload.

use crate::aal5::{self, Encapsulation, Verdict};
use crate::aal34;

/// The adaptation layer of a VC that carries packets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Aal {
    /// AAL type 5 (I.363.5).
    #[default]
    Aal5,
    /// AAL type 3/4 (I.363.3).
    Aal34,
    /// None: each packet is one frame, which takes the place of a cell.
    Frame,
}

impl Aal {
    /// Those of cells.
    pub const ALL: [Self; 2] = [Self::Aal5, Self::Aal34];

    /// The name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aal5 => "5",
            Self::Aal34 => "3/4",
            Self::Frame => "frame",
        }
    }

    /// Whether it carries packets with this encapsulation. Those with PPP and Ethernet are defined for AAL5 only.
    pub const fn carries(self, encapsulation: Encapsulation) -> bool {
        match self {
            Self::Aal5 | Self::Frame => true,
            Self::Aal34 => matches!(encapsulation, Encapsulation::VcMux | Encapsulation::LlcSnap),
        }
    }

    /// The number of cells of a PDU with `payload` octets.
    pub const fn cells(self, payload: u64) -> u64 {
        match self {
            Self::Aal5 => aal5::cells(payload),
            Self::Aal34 => aal34::cells(payload),
            Self::Frame => 1,
        }
    }

    /// The reassembly of its PDUs, before the first cell.
    pub fn reassembly(self) -> Reassembly {
        match self {
            // Each frame is the last of a PDU, and its first.
            Self::Aal5 | Self::Frame => Reassembly::default(),
            Self::Aal34 => Reassembly::Aal34(aal34::Reassembly::default()),
        }
    }
}

/// An adaptation layer and the encapsulation in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Adaptation {
    /// The adaptation layer.
    pub aal: Aal,
    /// The encapsulation of IP packets in its payload.
    pub encapsulation: Encapsulation,
}

impl Adaptation {
    /// The number of cells for an IP packet of `octets`.
    ///
    /// ```
    /// use celltrain_proto::aal5::Encapsulation::VcMux;
    /// use celltrain_proto::adaptation::{Aal, Adaptation};
    /// let cells = |aal| Adaptation { aal, encapsulation: VcMux }.cells_for_ip(40);
    /// assert_eq!((cells(Aal::Aal5), cells(Aal::Aal34)), (1, 2));
    /// ```
    pub const fn cells_for_ip(self, octets: u64) -> u64 {
        self.aal.cells(self.encapsulation.payload_for_ip(octets))
    }
}

/// Decides at the last cell of a PDU whether the PDU is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reassembly {
    /// Of AAL5, where a PDU ends with a mark and begins after it.
    Aal5(aal5::Reassembly),
    /// Of AAL3/4, where first and last cells are told apart.
    Aal34(aal34::Reassembly),
}

impl Default for Reassembly {
    fn default() -> Self {
        Self::Aal5(aal5::Reassembly::default())
    }
}

impl Reassembly {
    /// `n` consecutive cells arrive, none of them the last of a PDU; the first has number `first`.
    #[inline]
    pub fn on_cells(&mut self, first: u32, n: u32) {
        match self {
            Self::Aal5(it) => it.on_cells(first, n),
            Self::Aal34(it) => it.on_cells(first, n),
        }
    }

    /// A cell arrives. `number` is the sender's cell counter, which wraps; if `end` marks the last cell of a PDU,
    /// `pdu_cells` is the number of cells in that PDU.
    #[inline]
    pub fn on_cell(&mut self, number: u32, end: bool, pdu_cells: u32) -> Verdict {
        match self {
            Self::Aal5(it) => it.on_cell(number, end, pdu_cells),
            Self::Aal34(it) => it.on_cell(number, end, pdu_cells),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overhead_of_aal34_is_four_octets_in_each_cell_and_eight_in_each_pdu() {
        // IP octets, AAL5 cells and AAL3/4 cells with LLC and SNAP: 8 + 8 octets around the packet in both, and 48 or 44 in
        // a cell.
        for (octets, aal5, aal34) in [
            (28, 1, 1),
            (32, 1, 2),
            (40, 2, 2),
            (1_500, 32, 35),
            (9_180, 192, 209),
        ] {
            let cells = |aal| {
                let encapsulation = Encapsulation::LlcSnap;
                Adaptation { aal, encapsulation }.cells_for_ip(octets)
            };
            assert_eq!(
                (cells(Aal::Aal5), cells(Aal::Aal34)),
                (aal5, aal34),
                "{octets}"
            );
        }
    }
}
