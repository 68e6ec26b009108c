//! ATM cells: header, RM cell and its 16-bit rate code.

pub(crate) mod crc10;
pub mod header;
pub mod rate_code;
pub mod rm;

pub use header::{Header, HeaderError, PayloadType};
pub use rm::{Direction, RmCell, RmError};
