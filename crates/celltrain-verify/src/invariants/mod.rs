//! What must hold in the tables of any run, by the meaning of their columns. No second evaluation is needed.
//!
//! Comparisons are exact unless a reason for a tolerance is given. Some counts balance only from the start of the run,
//! because no table has what was on its way at the end of a warm-up. Those checks do not apply to a run with a warm-up.

mod flow_times;
mod flows;
mod frames;
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

/// All invariants, by table.
pub const INVARIANTS: &[&[Invariant]] = &[
    numbers::INVARIANTS,
    flows::INVARIANTS,
    flow_times::INVARIANTS,
    vcs::INVARIANTS,
    sources::INVARIANTS,
    links::INVARIANTS,
    ways::INVARIANTS,
    parts::INVARIANTS,
    frames::INVARIANTS,
    traces::INVARIANTS,
];

/// All invariants, one after another.
pub fn all() -> impl Iterator<Item = &'static Invariant> {
    INVARIANTS.iter().copied().flatten()
}

/// The verdict of each invariant on these tables.
pub fn verdicts(network: &Network, results: &Results) -> Vec<(&'static str, Verdict)> {
    let one = |it: &'static Invariant| (it.name, it.check(network, results).verdict());
    all().map(one).collect()
}

/// All violations in these tables, with the names of the invariants.
pub fn violations(network: &Network, results: &Results) -> Vec<(&'static str, Violation)> {
    let of = |it: &'static Invariant| {
        let found = it.check(network, results).violations;
        found.into_iter().map(|violation| (it.name, violation))
    };
    all().flat_map(of).collect()
}
