//! Flow control over a single hop, outside the loop of an ABR connection.

pub mod credit;
pub mod gfc;
