//! Parameters of algorithms, which are also the scenario tables that select them.
//!
//! Three macros generate what would otherwise be repeated for each algorithm:
//!
//! - `parameters!` declares a struct whose fields have a meaning, a type, and optionally a default and bounds. The
//!   struct can check itself.
//! - `choice!` declares an enum of names.
//! - `family!` declares the registry of one kind of algorithm: a row has the keyword, the parameters, the common name,
//!   and a sentence.
//!
//! With the cargo feature `scenario`, serde can read and write all three, and they describe themselves in a JSON
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

pub(crate) use bounds::{at_least, each, inside, more_than};
