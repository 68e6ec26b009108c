//! Queues whose rate changes take the cells that have arrived and pass on those certain to leave.

use celltrain_proto::units::Time;

use crate::engine::link::Line;
use crate::engine::link::shown::show_train;
use crate::engine::queue::discipline::Discipline;
use crate::engine::queue::fifo::Outcome;
use crate::engine::queue::varying::VaryingAdmission;
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::hop::Hop;
use crate::engine::state::time::STEP;
use crate::engine::state::train::Train;
use crate::engine::trains::served::Served;

impl Simulation<'_> {
    /// Offers a cell to the queue of a link now; the queue must be advanced. False if the cell is refused.
    pub(in crate::engine) fn accept_varying(&mut self, link: usize, mut cell: Cell) -> bool {
        let hop = &self.paths.hops[cell.hop()];
        let is_event = hop.is_event(cell);
        let rated = self.links[link].line.as_mut();
        let Some(varying) = rated.and_then(|rated| rated.queue.varying_mut()) else {
            return false;
        };
        cell.at = self.schedule.now;
        match varying.accept_train(&Train::single(cell, is_event)) {
            VaryingAdmission::Known(Outcome::Leave { first, .. }) => self.send_cell(cell, first),
            VaryingAdmission::Known(Outcome::Lost(_)) => return false,
            VaryingAdmission::Waits(_) => {}
        }
        true
    }

    /// Makes the changes of rate up to `time` and passes on the cells that leave.
    pub(in crate::engine) fn advance_varying(&mut self, link: usize, time: Time) {
        let Some(rated) = &mut self.links[link].line else {
            return;
        };
        rated.advance_rate(time, &mut self.trains.served.left);
        if let Some(varying) = rated.queue.varying_mut() {
            varying.look(time);
        }
        self.pass_on();
    }
}

/// Lets the queue of a line take mid-PDU cells of this hop; [`Simulation::pass_on`] must follow.
#[inline(never)]
pub(super) fn take_varying(line: &mut Line, hop: &mut Hop, served: &mut Served, mut train: Train) {
    hop.counts.offered[Kind::Data as usize] += u64::from(train.count);
    loop {
        line.advance_rate(train.first.at, &mut served.left);
        let (mut part, are_all) = train.take_until(line.next_change() - STEP);
        if let Some(control) = &mut line.control {
            show_train(control, hop, &part);
        }
        while let Some(varying) = line.queue.varying_mut() {
            let count = match varying.accept_train(&part) {
                VaryingAdmission::Waits(count) => count,
                VaryingAdmission::Known(Outcome::Leave { first, gap, count }) => {
                    served.left.push(part.leaving(first, gap, count));
                    count
                }
                VaryingAdmission::Known(Outcome::Lost(count)) => {
                    served.refused.push(Train { count, ..part });
                    count
                }
            };
            if count == part.count {
                break;
            }
            part.cut(count);
        }
        if are_all {
            return;
        }
    }
}
