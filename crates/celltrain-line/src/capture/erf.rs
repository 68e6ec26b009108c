//! Records of the Extensible Record Format: a 16-octet header, the ATM header, cells or a PDU.

use std::time::Duration;

/// Record types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// One cell without its HEC.
    Cell = 3,
    /// An AAL5 PDU, including padding and trailer.
    Pdu = 4,
}

const HEADER: usize = 16;
/// Flag: records vary in length.
const VARYING_LENGTH: u8 = 4;

/// A record captured at `at` after 1970, with an ATM header without HEC.
pub(super) fn record(kind: Kind, at: Duration, header: [u8; 4], payload: &[u8]) -> Vec<u8> {
    let captured = header.len() + payload.len();
    let mut record = Vec::with_capacity(HEADER + captured);
    // Seconds in the high half, their binary fraction in the low half, little-endian; the rest is big-endian.
    let fraction = (u64::from(at.subsec_nanos()) << 32) / 1_000_000_000;
    record.extend_from_slice(&(at.as_secs() << 32 | fraction).to_le_bytes());
    record.extend_from_slice(&[kind as u8, VARYING_LENGTH]);
    // The longest PDU has 65568 octets, more than the field can hold.
    let length = |octets: usize| u16::try_from(octets).unwrap_or(u16::MAX).to_be_bytes();
    record.extend_from_slice(&length(HEADER + captured));
    record.extend_from_slice(&[0, 0]);
    record.extend_from_slice(&length(captured));
    record.extend_from_slice(&header);
    record.extend_from_slice(payload);
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fraction_of_a_second_is_binary() {
        let half = record(Kind::Cell, Duration::from_millis(2_500), [0; 4], &[0; 48]);
        assert_eq!(half[..8], [0, 0, 0, 0x80, 2, 0, 0, 0]);
    }

    #[test]
    fn lengths_count_the_record_and_what_was_on_the_wire() {
        let cell = record(Kind::Cell, Duration::ZERO, [1, 2, 3, 4], &[5; 48]);
        assert_eq!(cell.len(), 68);
        assert_eq!(cell[8..16], [3, 4, 0, 68, 0, 0, 0, 52]);
        assert_eq!(cell[16..21], [1, 2, 3, 4, 5]);
    }
}
