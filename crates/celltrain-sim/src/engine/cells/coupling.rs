//! Cells that arrive at virtual ends and leave them.

use celltrain_proto::abr::{NextCell, TurnAround};
use celltrain_proto::cell::RmCell;
use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::{Cells, Time};

use crate::engine::simulation::Simulation;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::loss_cause::LossCause;

impl Simulation<'_> {
    /// Handles a cell that arrives at the switch where its loop ends.
    pub(in crate::engine) fn arrive_at_virtual_end(&mut self, index: usize, cell: Cell) {
        let now = self.schedule.now;
        match cell.kind() {
            Kind::Data => {
                let end = &mut self.paths.virtual_ends[index];
                end.ends.on_data(cell.efci());
                if end.waiting.len() < end.buffer {
                    end.waiting.push_back(cell);
                    self.schedule.wake_virtual_end(index, end);
                } else {
                    end.ended[Kind::Data as usize] += 1;
                    self.losses().forget(now, cell, LossCause::QueueFull);
                }
            }
            Kind::ForwardRm => {
                let rm = self.paths.rms.take(cell.load());
                let end = &mut self.paths.virtual_ends[index];
                end.ended[Kind::ForwardRm as usize] += 1;
                let partner = end.partner as usize;
                self.advance_stage(
                    self.paths.hops[self.paths.virtual_ends[index].next_hop as usize].link as usize,
                    now,
                );
                let end = &mut self.paths.virtual_ends[index];
                let next = &self.paths.hops[end.next_hop as usize];
                // VAL2 is what the algorithm of the next queue would write into an RM cell.
                let link = &mut self.links[next.link as usize];
                link.advance(now);
                let state = link.state();
                let mut probe = rm;
                if let Some(algorithm) = link.algorithm() {
                    algorithm.on_backward_rm(now, next.port_vc, &mut probe, &state);
                    end.ends.set_allocation(probe.er);
                }
                let queue = Cells(end.waiting.len() as u64);
                let mut backward = end.ends.on_forward_rm(now, rm, queue);
                backward.ci |= probe.ci;
                backward.ni |= probe.ni;
                self.turn_around_at_virtual_end(partner, backward, cell.clp());
            }
            Kind::BackwardRm => {
                let rm = self.paths.rms.take(cell.load());
                let end = &mut self.paths.virtual_ends[index];
                end.ended[Kind::BackwardRm as usize] += 1;
                let partner = end.partner as usize;
                self.node().obey_at_virtual_end(partner, &rm);
            }
        }
    }

    /// Puts the answer to a forward RM cell among the cells of the other direction.
    fn turn_around_at_virtual_end(&mut self, index: usize, rm: RmCell, clp: bool) {
        let end = &mut self.paths.virtual_ends[index];
        let hop = end.next_hop;
        let turned = if clp {
            end.ends.turn_around_out_of_rate(rm)
        } else {
            end.ends.turn_around(rm)
        };
        if let TurnAround::OutOfRate { rm, .. } | TurnAround::Ideal(rm) = turned {
            end.made += 1;
            self.send_backward_rm(hop as usize, rm, true);
        }
        let end = &self.paths.virtual_ends[index];
        self.schedule.wake_virtual_end(index, end);
    }

    /// Lets the virtual source send if it may.
    pub(in crate::engine) fn on_virtual_end(&mut self, index: usize) {
        let now = self.schedule.now;
        let end = &mut self.paths.virtual_ends[index];
        let waits = !end.waiting.is_empty();
        let hop = end.next_hop;
        let due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        let cell = if due(end.ends.next_deadline(waits)) {
            match end.ends.next_cell(now, waits) {
                None => None,
                Some(NextCell::Data) => end.waiting.pop_front().map(|mut cell| {
                    cell.clear_efci();
                    cell.at_next_hop()
                }),
                Some(NextCell::ForwardRm(rm)) => {
                    Some(Cell::rm(hop, Kind::ForwardRm, self.paths.rms.put(rm)))
                }
                Some(NextCell::BackwardRm(rm)) => {
                    Some(Cell::rm(hop, Kind::BackwardRm, self.paths.rms.put(rm)))
                }
            }
        } else {
            end.ends.out_of_rate_cell(now, waits).map(|rm| {
                let mut cell = Cell::rm(hop, Kind::ForwardRm, self.paths.rms.put(rm));
                cell.set_clp();
                cell
            })
        };
        let deadline = self.paths.virtual_ends[index].deadline();
        let actor = self.schedule.actors.virtual_ends + index;
        self.schedule.calendar.set(actor, deadline);
        if let Some(mut cell) = cell {
            self.node().leave(hop as usize - 1, &mut cell);
            self.paths.virtual_ends[index].made += u64::from(cell.kind() != Kind::Data);
            self.enter(cell);
        }
    }
}
