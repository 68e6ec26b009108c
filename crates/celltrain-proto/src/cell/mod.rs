//! ATM cells: header, RM cell and its 16-bit rate code.

pub mod rm;

pub use rm::{Direction, RmCell};
