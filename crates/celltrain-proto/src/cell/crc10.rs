//! The CRC-10 of OAM and RM cells (I.610), and of SAR-PDUs of AAL3/4 (I.363.3).

use crc::{CRC_10_ATM, Crc};

const CRC10: Crc<u16> = Crc::<u16>::new(&CRC_10_ATM);

/// CRC-10 over the 374 bits before it. The remainder also covers the six bits before the CRC, and ten zero bits in its
/// place.
pub(crate) fn of(payload: &[u8; 48]) -> u16 {
    // The catalogue's CRC appends ten zeros to whole octets; the six bits before the CRC are not a whole octet, so the
    // division continues by hand after 46 octets.
    let mut remainder = CRC10.checksum(&payload[..46]);
    for bit in (2..8).rev() {
        let incoming = u16::from(payload[46] >> bit & 1);
        let feedback = remainder >> 9 & 1 ^ incoming;
        remainder = remainder << 1 & 0x3FF ^ if feedback == 1 { 0x233 } else { 0 };
    }
    remainder
}
