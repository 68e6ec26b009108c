//! The unit of transmission: what a link sends as one piece.

use super::{CELL_BITS, Rate, Span};

/// The length of what a link sends as one piece: a cell or a frame.
///
/// ```
/// use celltrain_proto::units::{Rate, Span, Unit};
/// assert_eq!(Unit::CELL.bits(), 424);
/// assert_eq!(Rate::kbps(1_000).time_of(Unit::octets(125)), Span::from_ms(1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    bits: u64,
}

impl Unit {
    /// A cell on the line, including the header (ITU-T I.361).
    pub const CELL: Self = Self { bits: CELL_BITS };

    /// A frame of this many octets on the line, at least one.
    pub const fn octets(octets: u64) -> Self {
        let octets = if octets == 0 { 1 } else { octets };
        Self { bits: 8 * octets }
    }

    /// Bits on the line.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.bits
    }
}

impl Default for Unit {
    fn default() -> Self {
        Self::CELL
    }
}

impl Rate {
    /// The transmission time of one unit, to the nearest picosecond; [`Span::MAX`] at rate zero.
    #[must_use]
    pub fn time_of(self, unit: Unit) -> Span {
        self.span_of_bits(unit.bits as f64)
    }
}
