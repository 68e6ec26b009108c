//! Queues of classes that a line of constant rate serves: they take what has come, and what leaves goes on.

use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::Time;

use super::Simulation;
use super::cell::{Cell, Kind};
use super::hop::{Hop, Load};
use super::link::Line;
use super::merge::{self, show_one};
use super::train::Train;

/// Cells that have left or been refused, and are yet to go on.
#[derive(Default, Debug)]
pub(super) struct Served {
    left: Vec<Cell>,
    refused: Vec<Cell>,
}

impl Simulation<'_> {
    /// The queues of a link take the cells of all inputs up to `time` in the order of their arrivals.
    pub(super) fn merge_strictly(&mut self, link: usize, time: Time) {
        let up_to = self.up_to(time);
        let mut last = usize::MAX;
        let port = &mut self.ports[link];
        let Some(rated) = &mut self.links[link].line else {
            return;
        };
        loop {
            let (hops, served) = (&mut self.hops, &mut self.served);
            port.take_crowded(time, |cell| {
                take_cell(rated, &mut hops[cell.hop()], cell, served);
            });
            let next = merge::next_train(port, &mut self.channels, up_to, last);
            let Some((input, train)) = next else { break };
            last = input;
            let hop = &mut self.hops[train.first.hop()];
            take_train(rated, hop, train, &mut self.served);
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
        self.ports[link].take_crowded(time, |cell| {
            hops[cell.hop()].counts.offered[Kind::Data as usize] += 1;
            match fifo.accept(cell.at) {
                Some(departure) => served.left.push(cell.leaving(departure)),
                None => served.refused.push(cell),
            }
        });
        self.pass_on();
    }

    /// Cells leave the queues of a link that do so up to `time`.
    pub(super) fn serve(&mut self, link: usize, time: Time) {
        if let Some(rated) = &mut self.links[link].line {
            let_leave(rated, time, &mut self.served);
            self.pass_on();
        }
    }

    /// A cell comes now to the queues of a link; false if it is refused.
    pub(super) fn accept_strictly(&mut self, link: usize, cell: Cell) -> bool {
        self.serve(link, self.now);
        let hop = &self.hops[cell.hop()];
        let mut coming = cell;
        coming.at = self.now;
        let rated = self.links[link].line.as_mut();
        let strict = rated.and_then(|rated| rated.strict.as_mut());
        strict.is_some_and(|strict| strict.accept(coming, hop.port_vc, hop.is_event(cell)))
    }

    fn pass_on(&mut self) {
        let mut served = std::mem::take(&mut self.served);
        for cell in served.refused.drain(..) {
            self.lose(cell.at, cell);
        }
        for cell in served.left.drain(..) {
            let hop = &self.hops[cell.hop()];
            let (number, ahead) = (hop.channel as usize, hop.ahead);
            let is_marked = hop.is_event(cell);
            let at = cell.at.saturating_add(self.channels[number].delay);
            let train = Train::single(cell.at_hop_ahead(ahead, at), is_marked);
            if is_marked {
                self.send(number, train);
            } else {
                self.send_unmarked(number, train);
            }
        }
        self.served = served;
    }
}

/// The queues of a line take cells of the middle of PDUs.
#[inline]
fn take_train(line: &mut Line, hop: &mut Hop, train: Train, served: &mut Served) {
    let mut cell = train.first;
    for number in 0..train.count {
        if number > 0 {
            cell = cell.behind(train.gap, 1);
        }
        take_cell(line, hop, cell, served);
    }
}

/// The queues of a line take a cell of the middle of a PDU.
#[inline]
fn take_cell(line: &mut Line, hop: &mut Hop, cell: Cell, served: &mut Served) {
    hop.counts.offered[Kind::Data as usize] += 1;
    let_leave(line, cell.at, served);
    if hop.load != Load::Unseen
        && let Some(control) = &mut line.control
    {
        show_one(control, hop.load, cell.at, hop.control_vc);
    }
    if let Some(strict) = &mut line.strict
        && !strict.accept(cell, hop.port_vc, false)
    {
        served.refused.push(cell);
    }
}

/// Cells leave that do so up to `until`.
#[inline]
fn let_leave(line: &mut Line, until: Time, served: &mut Served) {
    let Some(strict) = &mut line.strict else {
        return;
    };
    while let Some((cell, class)) = strict.depart(until) {
        if let Some(control) = &mut line.control
            && control.counts_departures
            && control.queue.is_some_and(|controlled| class < controlled)
        {
            control.algorithm.on_priority_cells(cell.at, 1);
        }
        served.left.push(cell);
    }
}
