//! An invariant: its name, and its check.

use celltrain_sim::measure::Results;
use celltrain_sim::network::Network;

use super::report::Report;
use super::tables::Tables;

/// Something that must hold in the tables of any run.
#[derive(Clone, Copy, Debug)]
pub struct Invariant {
    /// The claim, as a sentence that can be false.
    pub name: &'static str,
    pub(super) check: fn(&Tables, &mut Report),
}

impl Invariant {
    /// Checks these tables.
    pub fn check(&self, network: &Network, results: &Results) -> Report {
        let mut report = Report::default();
        (self.check)(&Tables::new(network, results), &mut report);
        report
    }
}
