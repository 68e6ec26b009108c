//! AAL type 3/4: packets in cells (ITU-T I.363.3), in message mode with one packet at a time on a VC.
//!
//! The CPCS-PDU has a header of 4 octets (CPI, Btag, `BASize`), the payload padded to a multiple of 4, and a trailer of 4 (AL,
//! Etag, Length). Each cell carries 44 octets of it between a SAR header (segment type, sequence number, MID) and a
//! trailer (length indicator, CRC-10) of 2 octets each. The first cell of a PDU says that it is the first, so the loss of a
//! last cell damages no other PDU. PTI marks nothing.

mod pdu;
mod reassembly;

pub use pdu::{CELL_DATA, cells, encode};
pub use reassembly::Reassembly;
