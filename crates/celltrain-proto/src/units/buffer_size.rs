//! The size of a queue: a number of what the line carries, or of octets.

use super::CELL_OCTETS;

/// The size of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferSize {
    /// Cells.
    Cells(u64),
    /// Packets, each in a frame.
    Packets(u64),
    /// Octets on the line.
    Octets(u64),
}

impl BufferSize {
    /// The cells for which there is room; `None` if it is a number of packets.
    ///
    /// ```
    /// use celltrain_proto::units::BufferSize;
    /// assert_eq!(BufferSize::Octets(1_000).cells(), Some(18));
    /// ```
    #[must_use]
    pub const fn cells(self) -> Option<u64> {
        match self {
            Self::Cells(cells) => Some(cells),
            Self::Packets(_) => None,
            Self::Octets(octets) => Some(octets / CELL_OCTETS),
        }
    }
}
