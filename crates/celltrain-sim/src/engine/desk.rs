//! Where cells of the middle of PDUs come to the queues of a line that serves classes.

use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::Time;

use super::cell::{Cell, Kind};
use super::crowd::Tally;
use super::hop::Hop;
use super::lazy::STEP;
use super::link::{Control, Line};
use super::port::Port;
use super::serve::Served;
use super::shown;
use super::strict::{Strict, Taken};
use super::train::Train;

/// The queues of a line, what looks at their cells, and where these go.
pub(super) struct Desk<'a> {
    pub(super) strict: &'a mut Strict,
    control: Option<&'a mut Control>,
    hops: &'a mut [Hop],
    served: &'a mut Served,
    is_plain: bool,
    /// Whether the algorithm need not hear of cells of the first class as they come.
    hears_later: bool,
}

impl<'a> Desk<'a> {
    /// The queues of `line`, if it serves classes at a constant rate.
    pub(super) fn of(
        line: &'a mut Line,
        hops: &'a mut [Hop],
        served: &'a mut Served,
    ) -> Option<Self> {
        let strict = line.strict.as_deref_mut()?;
        let control = line.control.as_mut();
        Some(Self {
            is_plain: strict.is_plain(),
            hears_later: control.as_ref().is_none_or(|control| hears_later(control)),
            strict,
            control,
            hops,
            served,
        })
    }

    /// The queues take cells that come by this input, and those of the crowd that come in between.
    #[inline]
    pub(super) fn take_train(&mut self, train: &Train, input: usize, port: &mut Port) {
        let crowd = port.crowd.as_ref();
        let yields = crowd.is_some_and(|crowd| crowd.precedes(input));
        let is_shown = self.show_train(train);
        for cell in train.cells() {
            let end = if yields { cell.at + STEP } else { cell.at };
            self.take_crowd(port, end);
            if !is_shown {
                self.show(cell);
            }
            self.accept(cell);
        }
    }

    /// The queues take the cells of the crowd that come before `end`.
    #[inline]
    pub(super) fn take_crowd(&mut self, port: &mut Port, end: Time) {
        if let Some(crowd) = &mut port.crowd {
            let goes_first = self.is_plain && crowd.goes_first;
            crowd.take_before(end, |cell, tally| {
                self.take_counted(cell, goes_first, tally);
            });
        }
    }

    /// The queues take a cell of the middle of a PDU.
    pub(super) fn take(&mut self, cell: Cell) {
        self.show(cell);
        self.accept(cell);
    }

    /// The queues take a cell of the middle of a PDU that has been shown.
    #[inline]
    fn accept(&mut self, cell: Cell) {
        let vc = self.hops[cell.hop()].port_vc;
        let left = &mut self.served.left;
        if self.is_plain && !self.strict.is_of_first(vc) {
            if !self.strict.take_lower(cell, left) {
                self.served.refused.push(cell);
            }
        } else if let Some(departure) = self.accept_any(cell, vc) {
            self.served.leaves(cell, departure);
        }
    }

    /// The queues take a cell of a process, which is only counted from now on where that is all that awaits it; whether it
    /// is one of the first class of plain queues is known.
    #[inline]
    fn take_counted(&mut self, cell: Cell, goes_first: bool, tally: &mut Tally) {
        if goes_first && self.hears_later {
            self.count(cell, 1);
        } else {
            self.show(cell);
        }
        let vc = self.hops[cell.hop()].port_vc;
        let departure = if goes_first {
            let departure = self.strict.take_first(cell.at, &mut self.served.left);
            if departure.is_none() {
                self.served.refused.push(cell);
            }
            departure
        } else {
            self.accept_any(cell, vc)
        };
        if let Some(departure) = departure
            && !tally.passes(vc, departure)
        {
            self.served.leaves(cell, departure);
        }
    }

    /// The queues take a cell of VC number `vc`; when it leaves, if that is known.
    fn accept_any(&mut self, cell: Cell, vc: u32) -> Option<Time> {
        self.strict.start(cell.at, &mut self.served.left);
        match self.strict.accept(cell, vc, false) {
            Taken::Leaves(departure) => Some(departure),
            Taken::Waits => None,
            Taken::Refused => {
                self.served.refused.push(cell);
                None
            }
        }
    }

    /// Cells that come are counted, and the algorithm learns of them if it may do so before their time.
    #[inline]
    fn show_train(&mut self, train: &Train) -> bool {
        if let Some(control) = &mut self.control {
            let hop = &self.hops[train.first.hop()];
            if !shown::show_together(control, hop, train) {
                return false;
            }
        }
        self.count(train.first, train.count);
        true
    }

    /// A cell comes: it is counted, and the algorithm learns of it.
    fn show(&mut self, cell: Cell) {
        self.count(cell, 1);
        if self.control.is_some() {
            self.serve(cell.at);
        }
        if let Some(control) = &mut self.control {
            let hop = &self.hops[cell.hop()];
            shown::show_one(control, hop.load, cell.at, hop.control_vc);
        }
    }

    /// So many cells come and are counted.
    #[inline]
    fn count(&mut self, first: Cell, count: u32) {
        let hop = &mut self.hops[first.hop()];
        hop.counts.offered[Kind::Data as usize] += u64::from(count);
    }

    /// What starts to be transmitted up to `until` goes on, and the algorithm learns of cells of higher priority that
    /// have left.
    pub(super) fn serve(&mut self, until: Time) {
        self.strict.start(until, &mut self.served.left);
        if let Some(control) = &mut self.control {
            while let Some((last, count)) = self
                .strict
                .take_noted(until, control.algorithm.counts_until())
            {
                control.algorithm.on_priority_cells(last, count);
            }
        }
    }
}

/// Whether an algorithm need not hear of cells of the first class as they come.
fn hears_later(control: &Control) -> bool {
    control.counts_departures && control.queue.is_some_and(|controlled| controlled > 0)
}
