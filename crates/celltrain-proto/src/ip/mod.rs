//! The Internet protocol: packets split into fragments and put together again (RFC 791).

mod fragment;
mod reassembly;

pub use fragment::{Fragment, HEADER, SMALLEST_MTU};
pub use reassembly::Reassembly;
