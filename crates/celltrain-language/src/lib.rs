//! The language of documents, common to scenarios and plans.
//!
//! - [`Source`] is a text in TOML or JSON. It is read into the types of a [`Document`]; a mistake is a [`Problem`] at a
//!   key, which the source turns into a [`SourceError`] with file, line and column.
//! - [`Quantity`] is an amount with its unit: `"10 ms"`, `"1.024 Mbit/s"`, `"256 cells"`. [`Text`] is the type of a key
//!   that holds a quantity, [`Fraction`] that of a dimensionless number, [`Named`] that of a section with named
//!   members.
//! - [`canonical`] writes a document with every default, and its hash and schema.
//! - [`Table`] is a result of a run or a measurement: named columns with units and types, defined by the rows of a
//!   registry (see [`entry`]).
//!
//! The meaning of keys is defined elsewhere: those of a scenario in `celltrain-sim`, those of a plan in
//! `celltrain-dbs`. Nothing here depends on an engine, a network, a file or a clock.

pub mod canonical;
pub mod entry;
mod kind;
mod problem;
mod read;
mod source;
mod table;
mod value;

pub use celltrain_proto::quantity::{Quantity, QuantityError, Reason};
pub use kind::Kind;
pub use problem::{Problem, SourceError, suggestion};
#[doc(hidden)]
pub use read::no_kind;
pub use source::{Document, Source, from_data};
pub use table::{Column, ColumnType, Field, Names, Numbers, Table, Values};
pub use value::{Fraction, Named, Text};
