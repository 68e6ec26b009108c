//! The models of celltrain in real time: packets of real kernels pass through a simulated network.
//!
//! There is one engine with two clocks. A [`driver::Driver`] places the ends of one VC of a network outside the
//! simulation: packets are passed in when they arrive, and leave at the instant at which the model delivers their last
//! cell. It has no clock and no devices, so that the same network gives the same departures in a test. [`carry`] runs
//! it on the wall clock with two TUN devices.
//!
//! [`capture`] writes the packets and cells of a line or of a simulation as pcapng.

pub mod capture;
#[cfg(target_os = "linux")]
pub mod carry;
pub mod driver;
pub mod ip;
pub mod log;
pub mod packet;
pub mod prepare;
pub mod simulated;
