//! Queues of classes that a line of constant rate serves: they take what has come, and what is sure to leave goes on.

use celltrain_proto::units::Time;

use super::Simulation;
use super::cell::{Cell, Kind};
use super::desk::Desk;
use super::merge::{self, Next};
use super::strict::Taken;
use super::train::Train;

/// Cells that leave as their trains tell or have been refused, and are yet to go on.
#[derive(Default, Debug)]
pub(super) struct Served {
    pub(super) left: Vec<Train>,
    pub(super) refused: Vec<Cell>,
}

impl Served {
    /// A cell of the middle of a PDU leaves at `departure`.
    #[inline]
    pub(super) fn leaves(&mut self, cell: Cell, departure: Time) {
        self.left
            .push(Train::single(cell.leaving(departure), false));
    }
}

impl Simulation<'_> {
    /// The queues of a link take the cells of all inputs up to `time` in the order of their arrivals.
    pub(super) fn merge_strictly(&mut self, link: usize, time: Time) {
        let up_to = self.up_to(time);
        let port = &mut self.ports[link];
        let rated = self.links[link].line.as_mut();
        let desk = rated.and_then(|line| Desk::of(line, &mut self.hops, &mut self.served));
        let Some(mut desk) = desk else {
            return;
        };
        let mut last = usize::MAX;
        loop {
            let first = port.arrivals.next().0;
            desk.take_crowd(port, first.min(time));
            match merge::next(port, &mut self.channels, up_to, &mut last) {
                None => break,
                Some(Next::Train(train)) => desk.take(train.first),
                Some(Next::Run(run)) => {
                    desk.take_run(run, port, &mut self.channels);
                    run.end(port, &self.channels);
                }
            }
        }
        self.pass_on();
    }

    /// A first-come-first-served queue of constant rate, of which no algorithm looks at the cells, takes those of its
    /// crowd that come before `time` and before any other.
    pub(super) fn take_crowd(&mut self, link: usize, time: Time) {
        let Some(rated) = &mut self.links[link].line else {
            return;
        };
        let Some(fifo) = rated.fifo.as_mut().filter(|_| rated.control.is_none()) else {
            return;
        };
        let (hops, served) = (&mut self.hops, &mut self.served);
        let port = &mut self.ports[link];
        let before = port.arrivals.next().0.min(time);
        let Some(crowd) = &mut port.crowd else { return };
        crowd.take_before(before, |cell, tally| {
            let hop = &mut hops[cell.hop()];
            hop.counts.offered[Kind::Data as usize] += 1;
            match fifo.accept(cell.at) {
                Some(departure) if tally.passes(hop.port_vc, departure) => {}
                Some(departure) => served.leaves(cell, departure),
                None => served.refused.push(cell),
            }
        });
        self.pass_on();
    }

    /// What starts to be transmitted up to `time` goes on.
    pub(super) fn serve(&mut self, link: usize, time: Time) {
        let rated = self.links[link].line.as_mut();
        let desk = rated.and_then(|line| Desk::of(line, &mut self.hops, &mut self.served));
        if let Some(mut desk) = desk {
            desk.serve(time);
            desk.strict.look(time);
            self.pass_on();
        }
    }

    /// A cell comes now to the queues of a link; false if it is refused.
    pub(super) fn accept_strictly(&mut self, link: usize, cell: Cell) -> bool {
        self.serve(link, self.now);
        let mut coming = cell;
        coming.at = self.now;
        let hop = &self.hops[cell.hop()];
        let rated = self.links[link].line.as_mut();
        let Some(strict) = rated.and_then(|line| line.strict.as_mut()) else {
            return false;
        };
        match strict.accept(coming, hop.port_vc, hop.is_event(cell)) {
            Taken::Leaves(departure) => self.send_cell(cell, departure),
            Taken::Waits => {}
            Taken::Refused => return false,
        }
        true
    }

    fn pass_on(&mut self) {
        let mut served = std::mem::take(&mut self.served);
        for cell in served.refused.drain(..) {
            self.lose(cell.at, cell);
        }
        for mut train in served.left.drain(..) {
            let hop = &self.hops[train.first.hop()];
            let (number, ahead) = (hop.channel as usize, hop.ahead);
            let channel = &mut self.channels[number];
            let at = train.first.at.saturating_add(channel.delay);
            train.first = train.first.at_hop_ahead(ahead, at);
            if train.is_marked {
                self.send(number, train);
            } else if channel.is_counted_only || channel.first().is_none() {
                self.send_unmarked(number, train);
            } else {
                channel.push(train);
            }
        }
        self.served = served;
    }
}
