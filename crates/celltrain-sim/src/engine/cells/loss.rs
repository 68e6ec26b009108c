//! Lost cells, and the return of their credits.

use celltrain_proto::units::Time;

use crate::engine::host::flow::FlowKind;
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::loss_cause::LossCause;

impl Simulation<'_> {
    /// Counts a cell that the queue refused.
    #[cold]
    pub(in crate::engine) fn lose(&mut self, at: Time, cell: Cell) {
        let hop = &self.paths.hops[cell.hop()];
        self.paths.faults.get_mut(cell.hop()).lost[cell.kind() as usize] += 1;
        let cause = self.links[hop.link as usize].refusal(hop.port_vc);
        self.forget(at, cell, cause);
        self.grant_before(cell.hop());
    }

    /// Forgets a lost cell and its contents.
    #[cold]
    pub(in crate::engine) fn forget(&mut self, at: Time, cell: Cell, cause: LossCause) {
        if cell.kind() != Kind::Data {
            self.paths.rms.take(cell.load());
            return;
        }
        let direction = self.paths.hops[cell.hop()].direction as usize;
        self.ends.sinks[direction].transit.pass(at);
        self.damage(direction, cell, cause);
    }

    /// Whether errors corrupt an RM cell that has arrived over the link of its hop, so that it is discarded; a data cell
    /// goes on, and its PDU is damaged.
    pub(super) fn is_discarded_for_errors(&mut self, cell: Cell) -> bool {
        let hop = &self.paths.hops[cell.hop()];
        let (direction, vc) = (hop.direction as usize, hop.port_vc);
        let is_data = cell.kind() == Kind::Data;
        let errors = &mut self.links[hop.link as usize].errors;
        let is_damaged = errors
            .as_mut()
            .is_some_and(|errors| errors.damages(self.schedule.now, vc, is_data));
        if is_damaged && is_data {
            self.damage(direction, cell, LossCause::Errors);
        }
        is_damaged && !is_data
    }

    /// Damages the PDU of a data cell.
    #[cold]
    fn damage(&mut self, direction: usize, cell: Cell, cause: LossCause) {
        let Some(pdu) = self.sources[direction].damage(cell.load()) else {
            return;
        };
        match &mut self.ends.flows[pdu.flow as usize].kind {
            FlowKind::Tcp(connection) if connection.incarnation == pdu.incarnation => {
                connection.on_loss(pdu.segment.seq);
            }
            FlowKind::External(end) => end.on_damage(pdu.segment.seq, cause),
            FlowKind::Tcp(_) | FlowKind::Packets(_) => {}
        }
    }

    /// Returns the credit of a cell that was upstream of hop number `hop` to the previous link.
    #[inline(never)]
    pub(super) fn grant_before(&mut self, hop: usize) {
        if let Some(before) = hop.checked_sub(1)
            && self.paths.hops[before].direction == self.paths.hops[hop].direction
        {
            self.grant(before);
        }
    }

    /// Counts a cell that has arrived over hop number `hop`; it takes the buffer space that its credit stood for.
    #[inline(never)]
    pub(super) fn take_place(&mut self, hop: usize) {
        if let Some(account) = self.paths.hops[hop].credit() {
            let has_place = self.paths.credits[account as usize].on_arrival();
            debug_assert!(has_place, "a cell arrived without credit");
        }
    }

    /// Returns the credit of a cell that arrived over hop number `hop` and has left the node.
    #[inline(never)]
    pub(in crate::engine) fn grant(&mut self, hop: usize) {
        let hop = &self.paths.hops[hop];
        let Some(account) = hop.credit() else { return };
        if let Some(forwarded) = self.paths.credits[account as usize].on_forwarded() {
            let link = &mut self.links[hop.link as usize];
            link.advance(self.schedule.now);
            let at = self.schedule.now.saturating_add(link.delay());
            link.credit_arrives(at, hop.port_vc, forwarded);
            self.schedule.calendar.set(link.actor, link.deadline());
        }
    }
}
