//! Lost cells, and the return of their credits.

use celltrain_proto::units::Time;

use crate::engine::host::flow::FlowKind;
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::loss_cause::LossCause;
use crate::engine::state::train::Train;

impl Simulation<'_> {
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
        self.forget_train(train, cause);
        for _ in 0..train.count {
            self.grant_before(cell.hop());
        }
    }

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
            && self.paths.hops[before].credit().is_some()
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
