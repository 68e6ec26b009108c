//! The Internet protocol: packets split into fragments and put together again (RFC 791), and their code points.

mod dscp;
mod fragment;
mod reassembly;

pub use dscp::Dscp;
pub use fragment::{Fragment, HEADER, SMALLEST_MTU};
pub use reassembly::Reassembly;
