//! Flow control over a single hop, separate from the ABR control loop.

pub mod credit;
pub mod gfc;
