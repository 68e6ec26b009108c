//! ABR end systems of ATM Forum TM 4.0: source and destination.
//!
//! Every ABR VC consists of two loops with the same VC number: each end is the source of one and the destination of the
//! other. The [`Source`] decides which in-rate cell leaves next and when; it also sends the backward RM cells of the
//! other loop, which [`Destination`] turns around, because they share its rate.
//!
//! [`VirtualEnds`] close the loop within the network, and [`BecnPort`] generates the backward RM cells of switches.
//!
//! Source: af-tm-0056.000 §5.10.4 (source rules 1-13), §5.10.5 (destination rules 1-6), §5.10.6 (switch rule 2) and
//! §5.10.7 (virtual source and destination). By default, a source that the network grants no rate continues in-rate at
//! TCR; [`Starved`] selects out-of-rate RM cells (rule 11) instead.

mod becn;
mod destination;
mod parameters;
mod range;
mod source;
mod turn_around;
mod vsvd;

pub use becn::{Becn, BecnMark, BecnPort};
pub use destination::{CongestionPolicy, Destination};
pub use parameters::{Parameters, Starved};
pub use range::{Expected, ParameterError};
pub use source::{NextCell, Source};
pub use turn_around::{BackwardRm, OlderBackwardRm, TurnAround};
pub use vsvd::{Coupling, VirtualEnds};
