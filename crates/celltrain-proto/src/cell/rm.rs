//! RM cells: the fields that end systems and switches act on, and their octets (TM 4.0 §5.10.3.1).

use core::fmt;

use crc::{CRC_10_ATM, Crc};

use super::rate_code;
use crate::units::Rate;

/// Which way an RM cell travels: with the data of its loop, or back to their source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// DIR = 0: made by the source, travels with its data.
    Forward,
    /// DIR = 1: turned round by the destination, or made by a switch.
    Backward,
}

/// An RM cell's contents.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RmCell {
    /// Which way it travels.
    pub direction: Direction,
    /// BN: made by a switch or a destination on its own, not turned round.
    pub bn: bool,
    /// CI: congestion indication; lowers the source's rate.
    pub ci: bool,
    /// NI: no increase.
    pub ni: bool,
    /// ER: the explicit rate, only ever lowered on the way.
    pub er: Rate,
    /// CCR: the ACR of the source when it made the cell.
    pub ccr: Rate,
    /// MCR: the rate guaranteed to the source.
    pub mcr: Rate,
}

/// The protocol of ABR in RM cells.
const PROTOCOL: u8 = 1;
/// Octets that are reserved carry this.
const RESERVED: u8 = 0x6A;
const CRC10: Crc<u16> = Crc::<u16>::new(&CRC_10_ATM);

/// Where the fields stand in the 48 octets of payload (TM 4.0 table 5-4).
mod field {
    use core::ops::Range;
    pub(super) const PROTOCOL: usize = 0;
    pub(super) const FLAGS: usize = 1;
    pub(super) const ER: Range<usize> = 2..4;
    pub(super) const CCR: Range<usize> = 4..6;
    pub(super) const MCR: Range<usize> = 6..8;
    /// QL and SN, of the ITU's variant.
    pub(super) const UNUSED: Range<usize> = 8..16;
    pub(super) const CRC: Range<usize> = 46..48;
}

const DIR: u8 = 0x80;
const BN: u8 = 0x40;
const CI: u8 = 0x20;
const NI: u8 = 0x10;

/// Why a payload is not an RM cell of ABR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RmError {
    /// The protocol identifier is not that of ABR.
    WrongProtocolId(u8),
    /// The CRC-10 does not fit.
    BadCrc {
        /// Computed over the payload.
        expected: u16,
        /// Found in it.
        found: u16,
    },
}

impl fmt::Display for RmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongProtocolId(id) => write!(f, "protocol identifier {id}, not {PROTOCOL}"),
            Self::BadCrc { expected, found } => {
                write!(f, "CRC {found:03x} where {expected:03x} was expected")
            }
        }
    }
}

impl core::error::Error for RmError {}

impl RmCell {
    /// The payload of the cell. Rates are rounded down to their code.
    pub fn emit(&self) -> [u8; 48] {
        let mut payload = [RESERVED; 48];
        payload[field::PROTOCOL] = PROTOCOL;
        let flags = [
            (self.direction == Direction::Backward, DIR),
            (self.bn, BN),
            (self.ci, CI),
            (self.ni, NI),
        ];
        payload[field::FLAGS] = flags
            .iter()
            .filter(|(set, _)| *set)
            .map(|(_, bit)| bit)
            .sum();
        for (range, rate) in [
            (field::ER, self.er),
            (field::CCR, self.ccr),
            (field::MCR, self.mcr),
        ] {
            payload[range].copy_from_slice(&rate_code::encode(rate).to_be_bytes());
        }
        payload[field::UNUSED].fill(0);
        payload[field::CRC].fill(0);
        let crc = crc_of(&payload);
        payload[field::CRC].copy_from_slice(&crc.to_be_bytes());
        payload
    }

    /// Reads a payload.
    pub fn parse(payload: &[u8; 48]) -> Result<Self, RmError> {
        let code = |range: core::ops::Range<usize>| {
            u16::from_be_bytes([payload[range.start], payload[range.start + 1]])
        };
        let (expected, found) = (crc_of(payload), code(field::CRC) & 0x3FF);
        if expected != found {
            return Err(RmError::BadCrc { expected, found });
        }
        if payload[field::PROTOCOL] != PROTOCOL {
            return Err(RmError::WrongProtocolId(payload[field::PROTOCOL]));
        }
        let flag = |bit| payload[field::FLAGS] & bit != 0;
        Ok(Self {
            direction: if flag(DIR) {
                Direction::Backward
            } else {
                Direction::Forward
            },
            bn: flag(BN),
            ci: flag(CI),
            ni: flag(NI),
            er: rate_code::decode(code(field::ER)),
            ccr: rate_code::decode(code(field::CCR)),
            mcr: rate_code::decode(code(field::MCR)),
        })
    }
}

/// CRC-10 over the 374 bits before it (I.610). Ten zero bits in its place, and the six reserved bits
/// before it, are part of what the remainder is taken of.
fn crc_of(payload: &[u8; 48]) -> u16 {
    // The catalogue's CRC appends ten zeros to whole octets; the six reserved bits are no whole octet,
    // so the division over 46 octets is carried on by hand.
    let mut remainder = CRC10.checksum(&payload[..46]);
    for bit in (2..8).rev() {
        let incoming = u16::from(payload[46] >> bit & 1);
        let feedback = remainder >> 9 & 1 ^ incoming;
        remainder = remainder << 1 & 0x3FF ^ if feedback == 1 { 0x233 } else { 0 };
    }
    remainder
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn crc_vector_of_the_standard() {
        let cell = RmCell {
            direction: Direction::Forward,
            bn: false,
            ci: false,
            ni: false,
            er: Rate::cells_per_s(353_207.547),
            ccr: Rate::cells_per_s(10_000.0),
            mcr: Rate::ZERO,
        };
        let payload = cell.emit();
        assert_eq!(payload[..8], [1, 0, 0x64, 0xB1, 0x5A, 0x71, 0, 0]);
        assert_eq!(payload[8..16], [0; 8]);
        assert!(payload[16..46].iter().all(|&octet| octet == 0x6A));
        assert_eq!(payload[46..], [0x00, 0x7B]);
        assert_eq!(crc_of(&[0; 48]), 0);
    }

    #[test]
    fn damage_and_other_protocols_are_refused() {
        let cell = RmCell {
            direction: Direction::Backward,
            bn: true,
            ci: true,
            ni: true,
            er: Rate::kbps(100),
            ccr: Rate::kbps(100),
            mcr: Rate::kbps(1),
        };
        let payload = cell.emit();
        for bit in 0..8 * 48 {
            let mut damaged = payload;
            damaged[bit / 8] ^= 0x80 >> (bit % 8);
            assert!(
                matches!(RmCell::parse(&damaged), Err(RmError::BadCrc { .. })),
                "bit {bit}"
            );
        }
        let mut other = payload;
        other[0] = 2;
        let crc = crc_of(&other);
        other[46..].copy_from_slice(&crc.to_be_bytes());
        assert_eq!(RmCell::parse(&other), Err(RmError::WrongProtocolId(2)));
    }

    proptest! {
        #[test]
        fn every_cell_reads_back_up_to_the_rate_code(
            backward in any::<bool>(), bn in any::<bool>(), ci in any::<bool>(), ni in any::<bool>(),
            er in 0_u16..0x8000, ccr in 0_u16..0x8000, mcr in 0_u16..0x8000,
        ) {
            let rate = |code| rate_code::decode(code).scaled(1.0 + 1e-12);
            let direction = if backward { Direction::Backward } else { Direction::Forward };
            let cell = RmCell { direction, bn, ci, ni, er: rate(er), ccr: rate(ccr), mcr: rate(mcr) };
            let exact = RmCell {
                er: rate_code::decode(er), ccr: rate_code::decode(ccr), mcr: rate_code::decode(mcr), ..cell
            };
            prop_assert_eq!(RmCell::parse(&cell.emit()), Ok(exact));
        }
    }
}
