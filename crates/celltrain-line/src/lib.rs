//! The models of celltrain in real time: packets of real kernels through a simulated network.
//!
//! One engine, two clocks. A [`driver::Driver`] lets the ends of one VC of a network lie outside of the
//! simulation: packets are handed over at the instant they come, and leave at the instant at which the
//! model delivers their last cell. It knows neither clocks nor devices, so that the same network gives the
//! same departures in a test. [`carry`] gives it the wall clock and two TUN devices.
//!
//! [`capture`] writes what was seen, of a line or of a simulation, as pcapng.

pub mod capture;
pub mod carry;
pub mod driver;
pub mod ip;
pub mod log;
pub mod packet;
pub mod prepare;
pub mod simulated;
