//! Queues whose rate changes take the cells that have arrived and pass on those certain to leave.

use celltrain_proto::units::Time;

use crate::engine::link::Line;
use crate::engine::link::shown::show_train;
use crate::engine::queue::served::Served;
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Kind;
use crate::engine::state::hop::Hop;
use crate::engine::state::time::STEP;
use crate::engine::state::train::Train;

impl Simulation<'_> {
    /// Makes the changes of rate up to `time` and passes on the cells that leave.
    pub(in crate::engine) fn advance_varying(&mut self, link: usize, time: Time) {
        let Some(rated) = &mut self.links[link].line else {
            return;
        };
        rated.advance_rate(time, &mut self.trains.served.left);
        rated.queue.look(time);
        self.pass_on();
    }
}

/// Lets the queue of a line take mid-PDU cells of this hop; [`Simulation::pass_on`] must follow.
#[inline(never)]
pub(super) fn take_varying(line: &mut Line, hop: &mut Hop, served: &mut Served, mut train: Train) {
    hop.counts.offered[Kind::Data as usize] += u64::from(train.count);
    loop {
        line.advance_rate(train.first.at, &mut served.left);
        let (part, are_all) = train.take_until(line.next_change() - STEP);
        if let Some(control) = &mut line.control {
            show_train(control, hop, &part);
        }
        if let Some(varying) = line.queue.varying_mut() {
            varying.take_train(part, served);
        }
        if are_all {
            return;
        }
    }
}
