//! Parameters of algorithms, which are at the same time the tables of a scenario that choose them.
//!
//! Three macros make everything that would otherwise be written again for each algorithm:
//!
//! - `parameters!` declares a struct whose fields have a meaning, a type, and perhaps a default and bounds. The struct
//!   can check itself.
//! - `choice!` declares an enum of names.
//! - `family!` declares the registry of a kind of algorithms: a row has the keyword, the parameters, the name that
//!   people know, and a sentence.
//!
//! With the cargo feature `scenario` all three can be read and written by serde and describe themselves in a JSON
//! Schema. Without it the crate depends on neither.

mod bounds;
#[macro_use]
mod choice;
#[macro_use]
mod family;
#[macro_use]
mod table;
#[cfg(feature = "scenario")]
pub(crate) mod schema;
#[cfg(test)]
mod tests;
#[cfg(feature = "scenario")]
pub mod text;
#[cfg(feature = "scenario")]
pub(crate) mod written;

pub use bounds::{Bounds, Given, Problem};

pub(crate) use bounds::{at_least, more_than};
