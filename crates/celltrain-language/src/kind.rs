//! Kinds of quantities, for callers that read one as a number in a base unit.

use celltrain_proto::quantity::{Quantity, QuantityError};
use celltrain_proto::units::{Bytes, Cells, Distance, Packets, Rate, Span};

/// What a quantity measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Time.
    Time,
    /// Bits per unit of time, including cell headers.
    Rate,
    /// A number of cells.
    Cells,
    /// A number of packets.
    Packets,
    /// A number of octets.
    Octets,
    /// A length of cable.
    Distance,
}

impl Kind {
    /// All kinds. No unit belongs to two kinds.
    pub const ALL: [Self; 6] = [
        Self::Time,
        Self::Rate,
        Self::Cells,
        Self::Packets,
        Self::Octets,
        Self::Distance,
    ];

    /// The unit of [`Kind::read`], as used in table columns.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Time => "s",
            Self::Rate => "bit/s",
            Self::Cells => "cells",
            Self::Packets => "packets",
            Self::Octets => "bytes",
            Self::Distance => "m",
        }
    }

    /// Reads a quantity of this kind as a number of [`Kind::unit`]: the nearest double.
    ///
    /// ```
    /// use celltrain_language::Kind;
    /// assert_eq!(Kind::Time.read("10 ms"), Ok(0.01));
    /// assert!(Kind::Rate.read("10 ms").is_err());
    /// ```
    pub fn read(self, text: &str) -> Result<f64, QuantityError> {
        match self {
            Self::Time => Span::parse(text).map(Span::as_secs),
            Self::Rate => Rate::parse(text).map(Rate::as_bps),
            Self::Cells => Cells::parse(text).map(|cells| cells.0 as f64),
            Self::Packets => Packets::parse(text).map(|packets| packets.0 as f64),
            Self::Octets => Bytes::parse(text).map(|octets| octets.0 as f64),
            Self::Distance => Distance::parse(text).map(Distance::metres),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_is_of_one_kind_and_read_in_its_unit() {
        for (text, kind, value) in [
            ("1.5 min", Kind::Time, 90.0),
            ("2 kbit/s", Kind::Rate, 2e3),
            ("10 cells/s", Kind::Rate, 4_240.0),
            ("7 cells", Kind::Cells, 7.0),
            ("7 packets", Kind::Packets, 7.0),
            ("64 KiB", Kind::Octets, 65_536.0),
            ("2 km", Kind::Distance, 2e3),
            ("3 m", Kind::Distance, 3.0),
        ] {
            let of: Vec<_> = Kind::ALL
                .into_iter()
                .filter_map(|kind| Some((kind, kind.read(text).ok()?)))
                .collect();
            assert_eq!(of, [(kind, value)], "{text}");
        }
    }

    #[test]
    fn an_amount_of_its_base_unit_reads_as_that_number() {
        for kind in Kind::ALL {
            assert_eq!(kind.read(&format!("3 {}", kind.unit())), Ok(3.0));
        }
    }
}
