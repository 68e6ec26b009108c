//! Queues of classes that a line of constant rate serves: they take what has come, and what is sure to leave goes on.

use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::Time;

use super::Simulation;
use super::cell::{Cell, Kind};
use super::crowd::Tally;
use super::hop::{Hop, Load};
use super::link::{Control, Line};
use super::merge::{self, Next, show_one};
use super::strict::{Strict, Taken};
use super::train::Train;

/// Cells that leave at their `at` or have been refused, and are yet to go on.
#[derive(Default, Debug)]
pub(super) struct Served {
    left: Vec<Cell>,
    refused: Vec<Cell>,
}

/// The queues of a line, what looks at their cells, and where these go.
struct Desk<'a> {
    strict: &'a mut Strict,
    control: Option<&'a mut Control>,
    hops: &'a mut [Hop],
    served: &'a mut Served,
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
            port.take_crowded(first.min(time), |cell, tally| {
                desk.take_counted(cell, tally);
            });
            match merge::next(port, &mut self.channels, up_to, last) {
                None => break,
                Some(Next::Crowded(cell)) => desk.take(cell),
                Some(Next::Run(run)) => {
                    last = run.input;
                    while let Some(at) = run.next_arrival(port, &self.channels) {
                        port.take_crowded(at, |cell, tally| {
                            desk.take_counted(cell, tally);
                        });
                        let Some(train) = run.next(port, &mut self.channels) else {
                            break;
                        };
                        desk.take_train(train);
                    }
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
        port.take_crowded(before, |cell, tally| {
            let hop = &mut hops[cell.hop()];
            hop.counts.offered[Kind::Data as usize] += 1;
            match fifo.accept(cell.at) {
                Some(departure) if tally.passes(hop.port_vc, departure) => {}
                Some(departure) => served.left.push(cell.leaving(departure)),
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

impl<'a> Desk<'a> {
    /// The queues of `line`, if it serves classes at a constant rate.
    fn of(line: &'a mut Line, hops: &'a mut [Hop], served: &'a mut Served) -> Option<Self> {
        let strict = line.strict.as_deref_mut()?;
        let control = line.control.as_mut();
        Some(Self {
            strict,
            control,
            hops,
            served,
        })
    }

    /// The queues take cells of the middle of PDUs.
    #[inline]
    fn take_train(&mut self, train: Train) {
        let mut cell = train.first;
        for number in 0..train.count {
            if number > 0 {
                cell = cell.behind(train.gap, 1);
            }
            self.take(cell);
        }
    }

    /// The queues take a cell of the middle of a PDU.
    #[inline]
    fn take(&mut self, cell: Cell) {
        if let Some(departure) = self.accept(cell) {
            self.served.left.push(cell.leaving(departure));
        }
    }

    /// The same for a cell of a process, which is only counted from now on where that is all that awaits it.
    #[inline]
    fn take_counted(&mut self, cell: Cell, tally: &mut Tally) {
        if let Some(departure) = self.accept(cell)
            && !tally.passes(self.hops[cell.hop()].port_vc, departure)
        {
            self.served.left.push(cell.leaving(departure));
        }
    }

    /// The queues take a cell of the middle of a PDU; when it leaves, if that is known.
    #[inline]
    fn accept(&mut self, cell: Cell) -> Option<Time> {
        self.serve(cell.at);
        let hop = &mut self.hops[cell.hop()];
        hop.counts.offered[Kind::Data as usize] += 1;
        if hop.load != Load::Unseen
            && let Some(control) = &mut self.control
        {
            show_one(control, hop.load, cell.at, hop.control_vc);
        }
        match self.strict.accept(cell, hop.port_vc, false) {
            Taken::Leaves(departure) => Some(departure),
            Taken::Waits => None,
            Taken::Refused => {
                self.served.refused.push(cell);
                None
            }
        }
    }

    /// What starts to be transmitted up to `until` goes on, and the algorithm learns of cells of higher priority that
    /// have left.
    #[inline]
    fn serve(&mut self, until: Time) {
        while let Some(cell) = self.strict.start(until) {
            self.served.left.push(cell);
        }
        if let Some(control) = &mut self.control {
            while let Some(at) = self.strict.take_noted(until) {
                control.algorithm.on_priority_cells(at, 1);
            }
        }
    }
}
