//! AAL type 5: packets in cells (ITU-T I.363.5 §6).
//!
//! [`encode`] and [`decode`] convert a payload to and from the octets of a CPCS-PDU, with its CRC-32. The simulator
//! carries no octets: [`Reassembly`] tells good from corrupted PDUs by counting cells, and reaches the same verdict.
//! [`Encapsulation`] is what surrounds an IP packet in the payload.

mod encapsulation;
mod pdu;
mod reassembly;

pub use encapsulation::Encapsulation;
pub use pdu::{DecodeError, LONGEST_PAYLOAD, cells, decode, encode, padding};
pub use reassembly::{Reassembly, Verdict};
