//! AAL type 5: packets in cells (ITU-T I.363.5 §6).
//!
//! [`encode`] and [`decode`] are the octets of a CPCS-PDU, with its CRC-32. The simulator carries no
//! octets: [`Reassembly`] tells good from damaged PDUs by counting cells, with the same verdict.
//! [`Encapsulation`] says what stands around an IP packet in the payload.

mod encapsulation;
mod pdu;
mod reassembly;

pub use encapsulation::{Encapsulation, Multiplexing};
pub use pdu::{DecodeError, LONGEST_PAYLOAD, cells, decode, encode, padding};
pub use reassembly::{Reassembly, Verdict};
