//! Congestion control: one file for each variant, and one row in the registry.
//!
//! A variant sets `cwnd` and `ssthresh` and chooses the reaction to a duplicate acknowledgment. The sender handles
//! timers, sequence numbers and segments.
//!
//! Each system of the 1990s has its own loss recovery. A modern variant combines the law of a window (`law`), which
//! defines its reduction and growth, with one of two methods of loss repair: selective acknowledgments (`sack`) or
//! partial ones (`newreno`).

pub mod bbr;
mod by_law;
mod congestion_control;
mod control;
mod copa;
mod cubic;
#[cfg(test)]
mod drive;
mod episode;
mod facts;
mod fraction;
mod htcp;
mod illinois;
mod law;
mod ledbat;
mod linux;
mod newreno;
mod registry;
mod reno;
mod round;
mod sack;
mod standard;
mod systems;
mod tahoe;
mod vegas;
mod westwood;
mod window;

pub use copa::CopaParameters;
pub use cubic::CubicParameters;
pub use facts::{ControlOptions, Facts, Repair, WindowRules};
pub use law::NoParameters;
pub use ledbat::LedbatParameters;
pub use registry::Variant;
pub use reno::Deflation;
pub use standard::NewRenoParameters;
pub use vegas::VegasParameters;

pub(super) use congestion_control::{
    AckReaction, CongestionControl, DUPLICATES, Delivery, Event, Reaction,
};
pub(super) use registry::Control;
pub(super) use window::Window;
