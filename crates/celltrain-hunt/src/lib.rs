//! Networks drawn at random from the scenario language, to hold the engines to each other.

pub mod metamorphic;
