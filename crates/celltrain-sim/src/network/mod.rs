//! The network that a scenario describes: groups expanded, names resolved, sizes checked.

mod abr;
mod admission;
mod advice;
mod arrivals;
mod backlog;
mod build;
mod check;
mod cost;
mod demand;
mod memory;
mod model;
mod mtus;
mod name;
mod offered;
mod record;
mod schedule;
mod terminals;

use crate::scenario::{Problem, Scenario};

pub(crate) use abr::abr_parameters;
pub use advice::Advice;
#[cfg(test)]
pub(crate) use check::TABLES;
pub use cost::Cost;
pub(crate) use cost::{cells_by_link, most_changes_per_s};
pub use model::{
    Background, BackgroundGroup, Capacity, Carried, EVENT_FIELDS, Flow, Frames, InPath, Line, Link,
    MOST_HOPS, Network, Node, NodeKind, Partner, PathPolice, Probe, Refusal, Route, SampleTimes,
    Shaped, ShapedCells, Shaper, TIME_FIELD, UNLIMITED, Vc, VcDirection, VirtualEnds, Vp,
    VpDirection,
};
pub(crate) use mtus::Mtus;
pub use name::Name;
pub use record::{FlowQuantity, LinkQuantity, Record, VcQuantity};
pub(crate) use terminals::Terminal;

impl Network {
    /// Builds the network that `scenario` describes, or returns the first problem.
    pub fn new(scenario: &Scenario) -> Result<Self, Problem> {
        check::values(scenario)?;
        let mut network = build::network(scenario)?;
        network.check_mtus()?;
        terminals::check(&network)?;
        admission::admit(&mut network, scenario.admission.as_ref())?;
        cost::Cost::of(&network).within(&scenario.limits)?;
        cost::check_bursts(&network)?;
        backlog::check(&network)?;
        Ok(network)
    }
}
