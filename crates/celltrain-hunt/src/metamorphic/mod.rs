//! Relations between the results of a scenario and those of one that differs from it in a known way.
//!
//! All comparisons are bit by bit, unless a reason for a tolerance is given. A relation states for which scenarios it is
//! claimed; for others it reports that it does not apply.

mod additions;
mod buffers;
mod chance;
mod edit;
mod intervals;
mod names;
mod outcome;
mod scale;
mod steps;

use celltrain_sim::network::Network;
use celltrain_verify::verdict::Verdict;
use serde_json::Value;

use outcome::Found;

/// A relation between results.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    /// The claim, as a sentence that can be false.
    pub name: &'static str,
    check: fn(&Value, &Network, u64) -> Found,
}

/// All relations.
pub const RELATIONS: &[Relation] = &[
    Relation {
        name: "halts at any instants change nothing",
        check: steps::halts,
    },
    Relation {
        name: "parts of the measured interval change no table but their own",
        check: steps::parts,
    },
    Relation {
        name: "probes change no table but their own",
        check: additions::probes,
    },
    Relation {
        name: "a part that is connected with nothing changes no row of others",
        check: additions::unconnected,
    },
    Relation {
        name: "a longer run shows the same at each earlier instant",
        check: intervals::longer,
    },
    Relation {
        name: "a probe shows the same at an instant, whenever the warm-up ends",
        check: intervals::warm_up,
    },
    Relation {
        name: "counts over two intervals that meet add up to those over both",
        check: intervals::adjoining,
    },
    Relation {
        name: "names change nothing but names, of what draws no random numbers",
        check: names::renamed,
    },
    Relation {
        name: "the seed changes nothing where nothing is random",
        check: chance::seed,
    },
    Relation {
        name: "twice the times and half the rates give the same counts, twice the times and half the rates",
        check: scale::doubled,
    },
    Relation {
        name: "a buffer as long as the longest queue does as well as a longer one",
        check: buffers::tight,
    },
];

impl Relation {
    /// Whether the relation holds for `scenario`, which describes `network`.
    pub fn check(&self, scenario: &Value, network: &Network, seed: u64) -> Verdict {
        match (self.check)(scenario, network, seed) {
            Ok(true) => Verdict::Holds,
            Ok(false) => Verdict::NotApplicable,
            Err(unlike) => Verdict::Violated(unlike.0),
        }
    }
}

/// The verdict of each relation on `scenario`, which describes `network`.
pub fn verdicts(scenario: &Value, network: &Network, seed: u64) -> Vec<(&'static str, Verdict)> {
    let one = |it: &Relation| (it.name, it.check(scenario, network, seed));
    RELATIONS.iter().map(one).collect()
}

#[cfg(test)]
mod tests;
