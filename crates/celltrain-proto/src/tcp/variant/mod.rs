//! Congestion control: one file for each variant, and one row in the registry.
//!
//! A variant moves `cwnd` and `ssthresh` and says what a duplicate acknowledgment calls for. Timers,
//! sequence numbers and the segments themselves are the sender's.
//!
//! Systems of the 1990s have a recovery from losses of their own. A variant of today is the law of a window
//! (`law`), which says how it shrinks and grows, and one of two ways to repair losses: by selective acknowledgments
//! (`sack`) or by partial ones (`newreno`).

pub mod bbr;
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
pub use facts::{ControlOptions, Facts, Repair};
pub use law::NoParameters;
pub use ledbat::LedbatParameters;
pub use registry::Variant;
pub use reno::Deflation;
pub use standard::NewRenoParameters;
pub use vegas::VegasParameters;

pub(super) use congestion_control::{AckReaction, CongestionControl, DUPLICATES, Event, Reaction};
pub(super) use registry::Control;
pub(super) use window::Window;
