//! Networks drawn at random from the scenario language, to compare the engines.

pub mod accept;
pub mod case;
pub mod checks;
pub mod composed;
pub mod corpus;
pub mod coverage;
pub mod dice;
pub mod draw;
pub mod extremes;
pub mod generators;
pub mod hunt;
mod load;
pub mod metamorphic;
pub mod palette;
mod paths;
pub mod records;
mod repair;
pub mod rules;
pub mod schema;
pub mod style;
mod times;
pub mod topology;
mod traces;
mod traffic;
pub mod values;
mod ways;
pub mod worker;
