//! Policing and shaping: whether cells conform to their contract, and when they may be sent.
//!
//! Both sides of a contract apply the same rule, the generic cell rate algorithm ([`Gcra`]), in whole picoseconds: the
//! output of a [`Shaper`] passes a [`Policer`] of the same contract exactly.

mod abr;
mod dgcra;
mod gcra;
mod policer;
mod shaper;

pub use abr::AbrPolicer;
pub use dgcra::{Dgcra, DgcraDelays};
pub use gcra::{Gcra, burst_tolerance, max_burst_size};
pub use policer::{Action, Policer, Scope, Sustained, Verdict};
pub use shaper::Shaper;
