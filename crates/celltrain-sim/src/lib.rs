//! From a scenario to its results: what the user wrote, the network it describes, the run, the tables.
//!
//! [`scenario`] is the language and its checks, [`network`] the network that a scenario describes, with groups expanded
//! and names resolved, [`engine`] the run, [`measure`] the results. [`mistakes`] finds all that is wrong in a text.

pub mod engine;
pub mod measure;
pub mod mistakes;
pub mod network;
pub mod scenario;
