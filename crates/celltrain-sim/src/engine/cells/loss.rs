//! Lost cells.

use celltrain_proto::units::Time;

use crate::engine::host::EndSystems;
use crate::engine::simulation::Simulation;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::loss_cause::LossCause;
use crate::engine::state::paths::Paths;
use crate::engine::state::train::Train;

/// What learns of a lost cell: the store of RM contents, the source that keeps the cell's PDU, and the PDU's flow.
pub(in crate::engine) struct LostCells<'a> {
    paths: &'a mut Paths,
    sources: &'a mut ByDirection<Source>,
    ends: &'a mut EndSystems,
}

impl Simulation<'_> {
    /// What learns of a lost cell.
    pub(in crate::engine) fn losses(&mut self) -> LostCells<'_> {
        LostCells {
            paths: &mut self.paths,
            sources: &mut self.sources,
            ends: &mut self.ends,
        }
    }

    /// Counts a cell that the queue refused at `at`.
    #[cold]
    pub(in crate::engine) fn lose(&mut self, at: Time, cell: Cell) {
        self.lose_train(&Train::single(cell.leaving(at), cell.is_event()));
    }

    /// Counts the cells of a train, which the queue refused.
    #[cold]
    pub(in crate::engine) fn lose_train(&mut self, train: &Train) {
        let cell = train.first;
        let hop = &self.paths.hops[cell.hop()];
        let lost = &mut self.paths.faults.get_mut(cell.hop()).lost;
        lost[cell.kind() as usize] += u64::from(train.count);
        let cause = self.links[hop.link as usize].refusal(hop.port_vc);
        self.losses().forget_train(train, cause);
        let mut node = self.node();
        for _ in 0..train.count {
            node.grant_before(cell.hop());
        }
    }
}

impl LostCells<'_> {
    /// Forgets a cell that is lost at `at`, and its contents.
    #[cold]
    pub(in crate::engine) fn forget(&mut self, at: Time, cell: Cell, cause: LossCause) {
        self.forget_train(&Train::single(cell.leaving(at), cell.is_event()), cause);
    }

    fn forget_train(&mut self, train: &Train, cause: LossCause) {
        let cell = train.first;
        if cell.kind() != Kind::Data {
            self.paths.rms.take(cell.load());
            return;
        }
        let direction = self.paths.hops[cell.hop()].direction as usize;
        let transit = &mut self.ends.sinks[direction].transit;
        transit.pass_train(cell.at, train.gap, train.count);
        // Its cells are of one PDU, as the last cell of a PDU is a train by itself, and a PDU is damaged only once.
        self.damage(direction, cell, cause);
    }

    /// Damages the PDU of a data cell.
    #[cold]
    pub(super) fn damage(&mut self, direction: usize, cell: Cell, cause: LossCause) {
        if let Some(pdu) = self.sources[direction].damage(cell.load()) {
            self.ends.flows[pdu.flow as usize].on_damage(&pdu, cause);
        }
    }
}
