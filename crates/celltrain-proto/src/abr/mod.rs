//! ABR end systems of ATM Forum TM 4.0: source and destination.
//!
//! Every ABR VC is two loops that share a number: each end is the source of one and the destination of
//! the other. The [`Source`] decides which in-rate cell leaves next and how fast; it also sends the
//! backward RM cells of the other loop, which [`Destination`] turns round, because they share its rate.
//!
//! Source: af-tm-0056.000 §5.10.4 (source rules 1-13) and §5.10.5 (destination rules 1-6). Out-of-rate
//! RM cells (rule 11) are sent by a starved source alone, and only where [`Starved`] says so. Not modelled:
//! use-it-or-lose-it (rule 13, optional), backward RM cells that the destination makes on its own (destination rule 5, optional).

mod destination;
mod parameters;
mod source;

pub use destination::Destination;
pub use parameters::{ParameterError, Parameters, Starved};
pub use source::{NextCell, Source};
