//! The generators of networks, and the choice of one by its name.

use std::str::FromStr;

use crate::composed::{Composed, Composer};
use crate::draw::Generator;

/// The name of a generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Networks drawn key by key from the schema ([`Generator`]).
    Drawn,
    /// Networks composed from sites, lines, circuits and sources ([`Composer`]).
    Composed,
}

impl FromStr for Source {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "drawn" => Ok(Self::Drawn),
            "composed" => Ok(Self::Composed),
            _ => Err(format!(
                "there is no generator called \"{name}\"; expected \"drawn\" or \"composed\""
            )),
        }
    }
}

/// A generator at work.
#[derive(Debug)]
pub enum Networks {
    /// See [`Source::Drawn`].
    Drawn(Box<Generator>),
    /// See [`Source::Composed`].
    Composed(Composer),
}

impl Networks {
    /// The generator called `source`, of networks with about `cells` cells at most.
    pub fn new(source: Source, cells: f64) -> Self {
        match source {
            Source::Drawn => Self::Drawn(Box::new(Generator::new(cells))),
            Source::Composed => Self::Composed(Composer { cells }),
        }
    }

    /// Network number `index` of `seed`, always the same: its scenario, and how it came about.
    pub fn network(&self, seed: u64, index: u64) -> Composed {
        match self {
            Self::Drawn(generator) => {
                let drawn = generator.network(seed, index);
                Composed {
                    scenario: drawn.scenario,
                    drafts: drawn.drafts,
                    refusals: drawn.refusals,
                }
            }
            Self::Composed(composer) => composer.network(seed, index),
        }
    }
}
