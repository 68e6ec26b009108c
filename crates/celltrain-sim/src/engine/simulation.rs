//! A network during a run: everything that changes.

use crate::engine::host::EndSystems;
use crate::engine::link::Link;
use crate::engine::record::Observation;
use crate::engine::schedule::Schedule;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::paths::Paths;
use crate::engine::trains::Trains;
use crate::network::Network;

/// A network during a run.
#[derive(Clone, Debug)]
pub struct Simulation<'n> {
    pub(in crate::engine) network: &'n Network,
    pub(in crate::engine) schedule: Schedule,
    pub(in crate::engine) links: Vec<Link>,
    pub(in crate::engine) paths: Paths,
    pub(in crate::engine) trains: Trains,
    /// By direction: 2 x VC + (0 forward, 1 backward).
    pub(in crate::engine) sources: ByDirection<Source>,
    pub(in crate::engine) ends: EndSystems,
    pub(in crate::engine) observation: Observation,
}

/// How cells are moved. Both engines give the same results, cell for cell.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// One by one: each arrival of a cell is an event. Slow and simple: the reference for the other engine.
    Cells,
    /// In trains, which queues take on demand: only event cells are events.
    #[default]
    Trains,
}
