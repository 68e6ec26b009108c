//! What a node does with cells by itself: credits return, commands and RM cells are written, policers learn.

use celltrain_proto::cell::RmCell;
use celltrain_proto::units::Cells;

use crate::engine::link::{Link, ToSource};
use crate::engine::schedule::Schedule;
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::paths::Paths;

/// A node with its links. It knows neither the sources and ends of VCs nor the trains between links.
pub(in crate::engine) struct Node<'a> {
    paths: &'a mut Paths,
    links: &'a mut [Link],
    schedule: &'a mut Schedule,
}

impl Simulation<'_> {
    /// What nodes do by themselves.
    #[inline]
    pub(in crate::engine) fn node(&mut self) -> Node<'_> {
        Node {
            paths: &mut self.paths,
            links: &mut self.links,
            schedule: &mut self.schedule,
        }
    }
}

impl Node<'_> {
    /// Counts a cell that has arrived over hop number `hop`; it takes the buffer space that its credit stood for.
    #[inline(never)]
    pub(super) fn take_place(&mut self, hop: usize) {
        if let Some(account) = self.paths.hops[hop].credit() {
            let has_place = self.paths.credits[account as usize].on_arrival();
            debug_assert!(has_place, "a cell arrived without credit");
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

    /// Returns the credit of a cell that arrived over hop number `hop` and has left the node.
    #[inline(never)]
    pub(super) fn grant(&mut self, hop: usize) {
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

    /// What the node downstream of hop number `hop` does with each cell that leaves it, whether it came or was made here.
    pub(super) fn leave(&mut self, hop: usize, cell: &mut Cell) {
        self.give_command(hop, cell);
        self.inform_policer(hop, *cell);
    }

    /// Writes the present GFC command into a cell that leaves the node downstream of `hop`, if the next link leads to an
    /// end system that obeys commands.
    pub(super) fn give_command(&mut self, hop: usize, cell: &mut Cell) {
        if let Some(commanding) = self.paths.hops[hop].action(|it| it.gfc) {
            let queue = &mut self.links[commanding as usize];
            cell.set_command(queue.command(self.schedule.now));
        }
    }

    /// Tells the policer of the other direction of a backward RM cell that leaves the node downstream of hop number `hop`.
    pub(super) fn inform_policer(&mut self, hop: usize, cell: Cell) {
        if let Some(policer) = self.paths.hops[hop].action(|it| it.followed_by)
            && cell.kind() == Kind::BackwardRm
        {
            let rm = self.paths.rms.get_mut(cell.load());
            self.paths.policers[policer as usize].on_backward_rm(self.schedule.now, rm);
        }
    }

    /// The backward RM cell that the switch upstream of a link makes because a cell of an ABR source comes to its
    /// congested queue, which does not hold it yet.
    pub(super) fn make_becn(&mut self, cell: Cell) -> Option<(ToSource, RmCell)> {
        let hop = &self.paths.hops[cell.hop()];
        let link = &mut self.links[hop.link as usize];
        let queue = link.becn()?.queue;
        if cell.kind() == Kind::BackwardRm {
            return None;
        }
        link.advance(self.schedule.now);
        let queue = Cells(u64::from(link.queued_in(queue)));
        let becn = link.line.as_mut()?.becn.as_mut()?;
        becn.on_cell(self.schedule.now, hop.control_vc, queue)
    }

    /// Lets the virtual source number `index` obey a backward RM cell of the loop that it begins.
    pub(super) fn obey_at_virtual_end(&mut self, index: usize, rm: &RmCell) {
        let end = &mut self.paths.virtual_ends[index];
        end.ends.on_backward_rm(self.schedule.now, rm);
        self.schedule.wake_virtual_end(index, end);
    }
}
