//! What must hold of the tables of any run, by the meaning of their columns. None of it needs a second evaluation.
//!
//! Comparisons are exact but where a reason for a tolerance stands beside it. Some counts only add up from the start of
//! the run on: what was on its way at the end of a warm-up is in no table. Those checks do not apply to a run with one.

mod flow_times;
mod flows;
mod invariant;
mod links;
mod numbers;
mod parts;
mod report;
mod sources;
mod tables;
mod traces;
mod vcs;
mod ways;

use celltrain_sim::measure::Results;
use celltrain_sim::network::Network;

pub use invariant::Invariant;
pub use report::{Report, Violation};
pub use tables::Tables;

use crate::verdict::Verdict;

/// All of them.
pub const INVARIANTS: &[&[Invariant]] = &[
    numbers::INVARIANTS,
    flows::INVARIANTS,
    flow_times::INVARIANTS,
    vcs::INVARIANTS,
    sources::INVARIANTS,
    links::INVARIANTS,
    ways::INVARIANTS,
    parts::INVARIANTS,
    traces::INVARIANTS,
];

/// All of them, one after the other.
pub fn all() -> impl Iterator<Item = &'static Invariant> {
    INVARIANTS.iter().copied().flatten()
}

/// What each invariant says of these tables.
pub fn verdicts(network: &Network, results: &Results) -> Vec<(&'static str, Verdict)> {
    let one = |it: &'static Invariant| (it.name, it.check(network, results).verdict());
    all().map(one).collect()
}

/// All that is not as it must be in these tables, with the name of the invariant.
pub fn violations(network: &Network, results: &Results) -> Vec<(&'static str, Violation)> {
    let of = |it: &'static Invariant| {
        let found = it.check(network, results).violations;
        found.into_iter().map(|violation| (it.name, violation))
    };
    all().flat_map(of).collect()
}
