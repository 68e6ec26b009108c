//! CPCS-PDU and SAR-PDUs.

use alloc::vec::Vec;

use crate::cell::crc10;
use crate::units::CELL_PAYLOAD;

/// Octets of a CPCS-PDU in each cell.
pub const CELL_DATA: u64 = 44;
/// Header and trailer of the CPCS-PDU, in octets.
const HEADER: u64 = 4;
const TRAILER: u64 = 4;
/// Its payload is padded to a multiple of this many octets.
const UNIT: u64 = 4;

/// Segment types: first, middle, last and only cell.
const BOM: u8 = 0b10;
const COM: u8 = 0b00;
const EOM: u8 = 0b01;
const SSM: u8 = 0b11;

/// The octets of the CPCS-PDU of `payload` octets.
const fn pdu_octets(payload: u64) -> u64 {
    HEADER + payload.next_multiple_of(UNIT) + TRAILER
}

/// The number of cells of a PDU with `payload` octets.
///
/// ```
/// use celltrain_proto::aal34::cells;
/// assert_eq!((cells(36), cells(37), cells(1_500), cells(9_188)), (1, 2, 35, 209));
/// ```
pub const fn cells(payload: u64) -> u64 {
    pdu_octets(payload).div_ceil(CELL_DATA)
}

/// The payloads of the cells of a PDU, 48 octets each, with `tag` at its beginning and end, CPI, AL and MID zero.
///
/// # Panics
/// If the payload has more than 65,535 octets.
pub fn encode(payload: &[u8], tag: u8) -> Vec<u8> {
    let length = u16::try_from(payload.len()).expect("an AAL3/4 payload has at most 65535 octets");
    let [high, low] = length.to_be_bytes();
    let mut pdu = Vec::from([0, tag, high, low]);
    pdu.extend_from_slice(payload);
    pdu.resize(pdu.len().next_multiple_of(UNIT as usize), 0);
    pdu.extend([0, tag, high, low]);
    let count = pdu.len().div_ceil(CELL_DATA as usize);
    let mut cells = Vec::with_capacity(count * CELL_PAYLOAD as usize);
    for (index, data) in pdu.chunks(CELL_DATA as usize).enumerate() {
        let kind = match (index == 0, index + 1 == count) {
            (true, true) => SSM,
            (true, false) => BOM,
            (false, false) => COM,
            (false, true) => EOM,
        };
        cells.extend(segment(kind, index as u8 % 16, data));
    }
    cells
}

/// A SAR-PDU.
fn segment(kind: u8, sequence: u8, data: &[u8]) -> [u8; CELL_PAYLOAD as usize] {
    let mut octets = [0; CELL_PAYLOAD as usize];
    octets[0] = kind << 6 | sequence << 2;
    octets[2..2 + data.len()].copy_from_slice(data);
    octets[46] = (data.len() as u8) << 2;
    let [high, low] = crc10::of(&octets).to_be_bytes();
    octets[46] |= high;
    octets[47] = low;
    octets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pdu_has_eight_octets_around_a_payload_padded_to_four_and_cells_hold_44() {
        // 4 + 36 + 4 = 44 octets are one cell; a payload of 37 is padded to 40.
        let table = [
            (1, 1),
            (36, 1),
            (37, 2),
            (80, 2),
            (81, 3),
            (1_500, 35),
            (1_508, 35),
        ];
        for (payload, expected) in table {
            assert_eq!(cells(payload), expected, "{payload}");
        }
    }

    #[test]
    fn cells_have_type_sequence_number_length_and_crc() {
        let payload = [0xA5; 90];
        let octets = encode(&payload, 7);
        assert_eq!(octets.len() as u64, 48 * cells(90));
        let cells: Vec<&[u8]> = octets.chunks(48).collect();
        // 4 + 92 + 4 = 100 octets: 44, 44 and 12.
        let types = cells.iter().map(|cell| cell[0] >> 6);
        assert!(types.eq([BOM, COM, EOM]));
        let sequence = cells.iter().map(|cell| cell[0] >> 2 & 15);
        assert!(sequence.eq([0, 1, 2]));
        let lengths = cells.iter().map(|cell| cell[46] >> 2);
        assert!(lengths.eq([44, 44, 12]));
        assert_eq!(cells[0][2..7], [0, 7, 0, 90, 0xA5]);
        // Six octets of payload are left, then two of pad and the trailer.
        assert_eq!(
            cells[2][2..14],
            [0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0, 0, 0, 7, 0, 90]
        );
        for cell in cells {
            let mut bare: [u8; 48] = cell.try_into().unwrap();
            bare[46] &= 0xFC;
            bare[47] = 0;
            let crc = crc10::of(&bare).to_be_bytes();
            assert_eq!([cell[46] & 3, cell[47]], crc);
        }
    }

    #[test]
    fn a_short_packet_is_a_single_segment() {
        let octets = encode(&[1; 20], 0);
        assert_eq!(
            (octets.len(), octets[0] >> 6, octets[46] >> 2),
            (48, SSM, 28)
        );
    }
}
