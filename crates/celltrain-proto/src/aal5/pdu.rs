//! The CPCS-PDU: payload, padding and the eight-octet trailer.

use alloc::vec::Vec;

use crc::{CRC_32_BZIP2, Crc};

use crate::units::CELL_PAYLOAD;

/// UU, CPI, length and CRC.
const TRAILER: u64 = 8;
/// The longest payload, in octets: the length field has 16 bits.
pub const LONGEST_PAYLOAD: usize = 65_535;
/// AAL5's CRC-32 is listed in the CRC catalogue under its use in bzip2.
const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_BZIP2);

/// The number of cells of a PDU with `payload` octets: payload plus trailer, padded to whole cells.
///
/// ```
/// use celltrain_proto::aal5::cells;
/// assert_eq!((cells(40), cells(41), cells(1_500), cells(9_188)), (1, 2, 32, 192));
/// ```
pub const fn cells(payload: u64) -> u64 {
    (payload + TRAILER).div_ceil(CELL_PAYLOAD)
}

/// Octets of padding between `payload` octets and the trailer, 0 to 47.
pub const fn padding(payload: u64) -> u64 {
    cells(payload) * CELL_PAYLOAD - TRAILER - payload
}

/// Why octets are not a valid PDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// Their number is zero or not a multiple of 48.
    #[error("{octets} octets are not whole cells")]
    NotWholeCells {
        /// The number of octets.
        octets: usize,
    },
    /// The CRC does not match.
    #[error("CRC {found:08x} where {expected:08x} was expected")]
    BadCrc {
        /// Computed over the received octets.
        expected: u32,
        /// Found in the trailer.
        found: u32,
    },
    /// The length field is inconsistent with the number of cells, or is zero (an aborted PDU).
    #[error("length {length} in {octets} octets")]
    BadLength {
        /// The length field.
        length: usize,
        /// The number of octets.
        octets: usize,
    },
}

/// Encodes `payload` as the octets of a PDU, with UU and CPI zero.
///
/// # Panics
/// If the payload is empty or longer than [`LONGEST_PAYLOAD`].
pub fn encode(payload: &[u8]) -> Vec<u8> {
    assert!(
        (1..=LONGEST_PAYLOAD).contains(&payload.len()),
        "an AAL5 payload has 1 to 65535 octets"
    );
    let octets = cells(payload.len() as u64) * CELL_PAYLOAD;
    let mut pdu = Vec::with_capacity(octets as usize);
    pdu.extend_from_slice(payload);
    pdu.resize(octets as usize - 6, 0);
    pdu.extend_from_slice(&(payload.len() as u16).to_be_bytes());
    pdu.extend_from_slice(&CRC.checksum(&pdu).to_be_bytes());
    pdu
}

/// Decodes the payload of a PDU from the octets of its cells, up to and including the one with the end mark.
pub fn decode(pdu: &[u8]) -> Result<&[u8], DecodeError> {
    let octets = pdu.len();
    let Some((covered, crc)) = pdu
        .split_last_chunk::<4>()
        .filter(|_| octets.is_multiple_of(48))
    else {
        return Err(DecodeError::NotWholeCells { octets });
    };
    let (expected, found) = (CRC.checksum(covered), u32::from_be_bytes(*crc));
    if expected != found {
        return Err(DecodeError::BadCrc { expected, found });
    }
    let length = usize::from(u16::from_be_bytes([pdu[octets - 6], pdu[octets - 5]]));
    if length == 0 || cells(length as u64) * CELL_PAYLOAD != octets as u64 {
        return Err(DecodeError::BadLength { length, octets });
    }
    Ok(&pdu[..length])
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn crc_of(payload: &[u8]) -> u32 {
        let pdu = encode(payload);
        u32::from_be_bytes(pdu[pdu.len() - 4..].try_into().unwrap())
    }

    #[test]
    fn crc_vectors_of_the_standard() {
        assert_eq!(crc_of(&[0x00; 40]), 0x864D_7F99);
        assert_eq!(crc_of(&[0xFF; 40]), 0xC55E_457A);
        assert_eq!(crc_of(&(1..=40).collect::<Vec<u8>>()), 0xBF67_1ED0);
        assert_eq!(crc_of(&(0..=43).collect::<Vec<u8>>()), 0x4FCA_E5E4);
    }

    #[test]
    fn cells_and_padding_fit_for_every_length() {
        for payload in 1..=LONGEST_PAYLOAD as u64 {
            let (cells, padding) = (cells(payload), padding(payload));
            assert!(padding < 48);
            assert_eq!(payload + padding + 8, 48 * cells);
        }
    }

    #[test]
    fn the_last_octet_that_fits_a_cell_and_the_first_that_does_not() {
        let table = [
            (40, 1),
            (41, 2),
            (88, 2),
            (89, 3),
            (1_500, 32),
            (1_528, 32),
            (1_529, 33),
            (9_188, 192),
        ];
        for (payload, expected) in table {
            assert_eq!(cells(payload), expected, "{payload}");
        }
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        for length in [1, 40, 41, 88, 1_500, LONGEST_PAYLOAD] {
            let payload: Vec<u8> = (0..length).map(|octet| octet as u8).collect();
            assert_eq!(decode(&encode(&payload)), Ok(&payload[..]));
        }
    }

    #[test]
    fn damage_is_seen() {
        let pdu = encode(&[7; 100]);
        for octet in 0..pdu.len() {
            let mut damaged = pdu.clone();
            damaged[octet] ^= 0x10;
            assert!(
                matches!(decode(&damaged), Err(DecodeError::BadCrc { .. })),
                "octet {octet}"
            );
        }
        assert_eq!(
            decode(&pdu[..47]),
            Err(DecodeError::NotWholeCells { octets: 47 })
        );
        assert_eq!(decode(&[]), Err(DecodeError::NotWholeCells { octets: 0 }));
    }

    #[test]
    fn an_aborted_pdu_and_a_wrong_length_are_refused() {
        for (length, octets) in [(0, 48), (41, 48), (40, 96)] {
            let mut pdu = vec![0; octets - 4];
            pdu[octets - 6..].copy_from_slice(&(length as u16).to_be_bytes());
            pdu.extend_from_slice(&CRC.checksum(&pdu).to_be_bytes());
            assert_eq!(decode(&pdu), Err(DecodeError::BadLength { length, octets }));
        }
    }
}
