//! Cells on their way: from a source over links and nodes to the end of their VC.

use celltrain_proto::abr::Destination;
use celltrain_proto::flow::gfc;
use celltrain_proto::switch::SwitchAlgorithm;

use super::Simulation;
use super::cell::{Cell, Kind};
use super::hop;
use super::source::Emission;

impl Simulation<'_> {
    pub(super) fn on_source(&mut self, direction: usize) {
        let source = &mut self.sources[direction];
        let hop = source.first_hop;
        let emission = source.emit(self.now);
        let deadline = source.deadline();
        self.calendar.set(self.actors.sources + direction, deadline);
        let cell = match emission {
            None => return,
            Some(Emission::Data { number, end }) => {
                if end {
                    self.on_pdu_sent(direction);
                }
                Cell::data(hop, number, end)
            }
            Some(Emission::ForwardRm(rm)) => Cell::rm(hop, Kind::ForwardRm, self.rms.put(rm)),
            Some(Emission::BackwardRm(rm)) => Cell::rm(hop, Kind::BackwardRm, self.rms.put(rm)),
        };
        self.enter(cell);
    }

    /// A cell comes to the link of its hop.
    #[inline]
    pub(super) fn enter(&mut self, cell: Cell) {
        let hop = &mut self.hops[cell.hop()];
        let kind = cell.kind() as usize;
        hop.counts.offered[kind] += 1;
        let link = &mut self.links[hop.link as usize];
        if hop.has_control {
            link.advance(self.now);
            let state = link.state();
            if let Some(control) = link.line.as_mut().and_then(|line| line.control.as_mut()) {
                control.on_cells(self.now, hop.port_vc, 1);
                if cell.kind() == Kind::ForwardRm {
                    control.on_forward_rm(
                        self.now,
                        hop.port_vc,
                        self.rms.get_mut(cell.load),
                        &state,
                    );
                }
            }
        }
        if link.is_transparent() {
            return self.arrive(cell);
        }
        let was_idle = link.ring.is_empty();
        if link.enqueue(self.now, cell) {
            if was_idle {
                self.calendar.set(link.actor, link.deadline());
            }
        } else {
            hop.counts.lost[kind] += 1;
            if kind != Kind::Data as usize {
                self.rms.take(cell.load);
            }
        }
    }

    #[inline]
    pub(super) fn on_link(&mut self, index: usize) {
        let link = &mut self.links[index];
        let arrived = link.arrived(self.now);
        let deadline = link.deadline();
        self.calendar.set(link.actor, deadline);
        if let Some(cell) = arrived {
            self.arrive(cell);
        }
    }

    /// A cell has come over the link of its hop.
    #[inline]
    pub(super) fn arrive(&mut self, mut cell: Cell) {
        let hop = &self.hops[cell.hop()];
        let next_link = hop.next_link;
        if hop.has_actions && self.pass_node(&mut cell) {
            return;
        }
        if next_link == hop::END {
            self.deliver(cell);
        } else {
            self.enter(cell.at_next_hop());
        }
    }

    /// What a node does with a cell that has come over a link; true if the cell goes no further.
    pub(super) fn pass_node(&mut self, cell: &mut Cell) -> bool {
        let hop = &self.hops[cell.hop()];
        if let Some((marks, vc)) = hop.marks
            && cell.kind() == Kind::BackwardRm
        {
            let link = &mut self.links[marks as usize];
            link.advance(self.now);
            let state = link.state();
            if let Some(control) = link.line.as_mut().and_then(|line| line.control.as_mut()) {
                control.on_backward_rm(self.now, vc, self.rms.get_mut(cell.load), &state);
            }
        }
        if let Some(gfc) = hop.gfc {
            let link = &mut self.links[gfc as usize];
            link.advance(self.now);
            let halt = link
                .line
                .as_ref()
                .and_then(|line| line.gfc.as_ref())
                .is_some_and(gfc::Controlling::halt);
            cell.set_halt(halt);
        }
        if let Some(turn_round) = hop.turn_round
            && cell.kind() == Kind::ForwardRm
        {
            self.turn_round_locally(*cell, turn_round);
            return true;
        }
        false
    }

    /// The local loop: the node marks a forward RM cell for the queue that the data go to, turns it
    /// round and sends it back at once.
    pub(super) fn turn_round_locally(&mut self, cell: Cell, back: u32) {
        let next = &self.hops[cell.at_next_hop().hop()];
        let (vc, link) = (next.port_vc, &mut self.links[next.link as usize]);
        self.sinks[next.direction as usize].counts.turned_round += 1;
        link.advance(self.now);
        let state = link.state();
        let mut control = link.line.as_mut().and_then(|line| line.control.as_mut());
        let mut forward = self.rms.take(cell.load);
        if let Some(control) = &mut control {
            control.on_activity(self.now, vc);
            control.on_forward_rm(self.now, vc, &mut forward, &state);
        }
        let mut backward = Destination::default().on_forward_rm(forward);
        if let Some(control) = control {
            control.on_backward_rm(self.now, vc, &mut backward, &state);
        }
        let contents = self.rms.put(backward);
        self.enter(Cell::rm(back, Kind::BackwardRm, contents));
    }
}
