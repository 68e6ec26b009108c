//! The five-octet cell header at the user-network interface (ITU-T I.361 §2.2).

use crc::{Algorithm, Crc};

/// x^8 + x^2 + x + 1, and 55 hex added to the result (I.432.1 §4.3).
const HEC: Crc<u8> = Crc::<u8>::new(&Algorithm {
    width: 8,
    poly: 0x07,
    init: 0,
    refin: false,
    refout: false,
    xorout: 0x55,
    check: 0xA1,
    residue: 0xAC,
});

/// What a cell carries (the PTI field).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PayloadType {
    /// User data.
    User {
        /// EFCI: congestion was experienced.
        efci: bool,
        /// AUU: the last cell of an AAL5 PDU.
        last: bool,
    },
    /// Operation and maintenance, segment (F5).
    OamSegment,
    /// Operation and maintenance, end to end (F5).
    OamEndToEnd,
    /// Resource management.
    ResourceManagement,
    /// Reserved.
    Reserved,
}

/// A cell's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Generic flow control, 4 bits.
    pub gfc: u8,
    /// Virtual path identifier, 8 bits.
    pub vpi: u8,
    /// Virtual channel identifier.
    pub vci: u16,
    /// What the cell carries.
    pub payload_type: PayloadType,
    /// Cell loss priority: a cell with CLP = 1 is discarded first.
    pub clp: bool,
}

/// A header whose HEC does not match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("HEC {found:02x} where {expected:02x} was expected")]
pub struct HeaderError {
    /// HEC computed from the first four octets.
    pub expected: u8,
    /// HEC found.
    pub found: u8,
}

impl PayloadType {
    /// The three bits of the PTI field.
    pub const fn bits(self) -> u8 {
        match self {
            Self::User { efci, last } => (efci as u8) << 1 | last as u8,
            Self::OamSegment => 4,
            Self::OamEndToEnd => 5,
            Self::ResourceManagement => 6,
            Self::Reserved => 7,
        }
    }

    /// The meaning of the three low bits of `bits`.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 7 {
            4 => Self::OamSegment,
            5 => Self::OamEndToEnd,
            6 => Self::ResourceManagement,
            7 => Self::Reserved,
            user => Self::User {
                efci: user & 2 != 0,
                last: user & 1 != 0,
            },
        }
    }
}

impl Header {
    /// The header's octets, HEC included.
    pub fn emit(&self) -> [u8; 5] {
        let word = u32::from(self.gfc & 0xF) << 28
            | u32::from(self.vpi) << 20
            | u32::from(self.vci) << 4
            | u32::from(self.payload_type.bits()) << 1
            | u32::from(self.clp);
        let [a, b, c, d] = word.to_be_bytes();
        [a, b, c, d, HEC.checksum(&[a, b, c, d])]
    }

    /// Parses a header in detection mode: errors are detected, not corrected.
    pub fn parse(octets: [u8; 5]) -> Result<Self, HeaderError> {
        let [a, b, c, d, found] = octets;
        let expected = HEC.checksum(&[a, b, c, d]);
        if expected != found {
            return Err(HeaderError { expected, found });
        }
        let word = u32::from_be_bytes([a, b, c, d]);
        Ok(Self {
            gfc: (word >> 28) as u8,
            vpi: (word >> 20) as u8,
            vci: (word >> 4) as u16,
            payload_type: PayloadType::from_bits((word >> 1) as u8),
            clp: word & 1 != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hec_vectors_of_the_standard() {
        let vectors = [
            ([0x00, 0x00, 0x00, 0x00], 0x55),
            ([0x00, 0x00, 0x00, 0x01], 0x52),
            ([0x00, 0x80, 0x02, 0x30], 0xE4),
            ([0x00, 0x80, 0x02, 0x32], 0xEA),
            ([0x00, 0x80, 0x02, 0x34], 0xF8),
            ([0x00, 0x80, 0x02, 0x3C], 0xC0),
            ([0x00, 0x80, 0x02, 0x3D], 0xC7),
        ];
        for (octets, hec) in vectors {
            assert_eq!(HEC.checksum(&octets), hec, "{octets:02x?}");
        }
    }

    #[test]
    fn fields_stand_where_the_standard_puts_them() {
        let user = PayloadType::User {
            efci: false,
            last: true,
        };
        let header = Header {
            gfc: 0,
            vpi: 8,
            vci: 35,
            payload_type: user,
            clp: false,
        };
        assert_eq!(header.emit(), [0x00, 0x80, 0x02, 0x32, 0xEA]);
        let rm = Header {
            payload_type: PayloadType::ResourceManagement,
            clp: true,
            ..header
        };
        assert_eq!(rm.emit(), [0x00, 0x80, 0x02, 0x3D, 0xC7]);
    }

    #[test]
    fn every_vci_and_payload_type_reads_back() {
        for vci in 0..=u16::MAX {
            let payload_type = PayloadType::from_bits(vci as u8);
            let header = Header {
                gfc: (vci >> 12) as u8,
                vpi: (vci >> 3) as u8,
                vci,
                payload_type,
                clp: vci & 8 != 0,
            };
            assert_eq!(Header::parse(header.emit()), Ok(header));
        }
    }

    #[test]
    fn every_single_and_double_bit_error_is_found() {
        let good = [0x00, 0x80, 0x02, 0x32, 0xEA_u8];
        let flipped = |bits: &[usize]| {
            let mut octets = good;
            for bit in bits {
                octets[bit / 8] ^= 1 << (bit % 8);
            }
            Header::parse(octets).is_err()
        };
        for one in 0..40 {
            assert!(flipped(&[one]));
            assert!((0..one).all(|other| flipped(&[one, other])));
        }
    }
}
