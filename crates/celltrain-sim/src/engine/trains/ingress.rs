//! Where mid-PDU cells arrive at a strict-priority queue.

use celltrain_proto::switch::{PortState, SwitchAlgorithm};
use celltrain_proto::units::{Cells, Rate, Time};

use crate::engine::link::{Control, Line, shown};
use crate::engine::queue::discipline::Discipline;
use crate::engine::queue::priority::{Admission, PriorityQueue};
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::hop::Hop;
use crate::engine::state::rm_store::RmStore;
use crate::engine::state::time::STEP;
use crate::engine::state::train::Train;
use crate::engine::trains::group::{Member, SourceGroup};
use crate::engine::trains::port::Port;
use crate::engine::trains::served::Served;

/// The queues of a line, what observes their cells, and where the cells go.
pub(in crate::engine) struct Ingress<'a> {
    pub(in crate::engine) priority: &'a mut PriorityQueue,
    control: Option<&'a mut Control>,
    hops: &'a mut [Hop],
    served: &'a mut Served,
    /// The rate of the line.
    rate: Rate,
    is_plain: bool,
    /// Whether the algorithm may learn of first-class cells later than they arrive.
    hears_later: bool,
}

impl<'a> Ingress<'a> {
    /// The ingress of `line`, if it serves classes at a constant rate.
    pub(in crate::engine) fn of(
        line: &'a mut Line,
        hops: &'a mut [Hop],
        served: &'a mut Served,
    ) -> Option<Self> {
        let rate = line.rate();
        let priority = line.queue.priority_mut()?;
        let control = line.control.as_mut();
        Some(Self {
            rate,
            is_plain: priority.is_plain(),
            hears_later: control.as_ref().is_none_or(|control| hears_later(control)),
            priority,
            control,
            hops,
            served,
        })
    }

    /// Lets the queues take cells that arrive by this input, and the cells of the source group that arrive in between.
    pub(in crate::engine) fn take_train(&mut self, train: &Train, input: usize, port: &mut Port) {
        let is_shown = self.show_train(train);
        self.take_shown(train, is_shown, yields(port, input), port);
    }

    /// Lets the queues take an event cell that arrives by this input, and the cells of the source group before it.
    pub(in crate::engine) fn take_event_cell(
        &mut self,
        cell: Cell,
        input: usize,
        port: &mut Port,
        rms: &mut RmStore,
    ) {
        self.prepare(cell, true, yields(port, input), port.group.as_deref_mut());
        self.advance(cell.at);
        let hop = &mut self.hops[cell.hop()];
        hop.counts.offered[cell.kind() as usize] += 1;
        if let Some(control) = &mut self.control {
            self.priority.look(cell.at);
            let queue = self.priority.controlled(control.queue);
            let state = PortState {
                queue: Cells(u64::from(queue)),
                rate: self.rate,
            };
            shown::show_event_cell(control, hop, cell, &state, rms);
        }
        let vc = hop.port_vc;
        if let Some(departure) = self.accept(cell, vc, true) {
            let train = Train::single(cell.leaving(departure), true);
            self.served.left.push(train);
        }
    }

    /// [`Ingress::take_train`], given whether the algorithm has been told of the cells, and whether the source group goes
    /// before them at one instant.
    fn take_shown(&mut self, train: &Train, is_shown: bool, yields: bool, port: &mut Port) {
        let mut group = port.group.as_deref_mut();
        let vc = self.vc_of(train);
        let mut left = *train;
        if !self.is_easy(vc) {
            // The outcome for a frame is decided at its first cell.
            self.prepare(left.first, is_shown, yields, group.as_deref_mut());
            self.take_any(left.first, vc);
            if left.count == 1 {
                return;
            }
            left.cut(1);
        }
        let mut is_easy = self.is_easy(vc);
        if is_easy && is_shown && left.count > 1 {
            let end = left.last() + STEP;
            let count = self.room_ahead(left.first.at, end, left.count, group.as_deref());
            if count > 0 {
                self.priority.take_ahead(Train { count, ..left }, yields);
                if count == left.count {
                    return;
                }
                left.cut(count);
            }
        }
        for cell in left.cells() {
            self.prepare(cell, is_shown, yields, group.as_deref_mut());
            if is_easy {
                is_easy = self.take_easy(cell, vc) || self.is_easy(vc);
            } else {
                self.take_any(cell, vc);
            }
        }
    }

    /// The VC's number at the queue, for the cells of a train.
    #[inline]
    fn vc_of(&self, train: &Train) -> u32 {
        self.hops[train.first.hop()].port_vc
    }

    /// Whether the next cells of VC number `vc` are of the lower class of plain queues and need only room.
    #[inline]
    fn is_easy(&self, vc: u32) -> bool {
        self.is_plain && !self.priority.is_of_first(vc) && self.priority.needs_only_room(vc)
    }

    /// How many of the next `count` cells, which arrive from `at` on and before `end`, plain queues can take before they
    /// arrive.
    fn room_ahead(&self, at: Time, end: Time, count: u32, group: Option<&SourceGroup>) -> u32 {
        // Without a source group, nothing in between could be taken faster.
        let group = group.filter(|group| group.goes_first);
        group.map_or(0, |group| {
            let first = at.min(group.next_arrival());
            let others = group.most_before(end);
            self.priority.room_ahead(first, count, others)
        })
    }

    /// Does everything that must happen before the queues take `cell`: they take the earlier cells of the source group,
    /// and the algorithm is told of `cell` unless it `is_shown`.
    #[inline]
    fn prepare(
        &mut self,
        cell: Cell,
        is_shown: bool,
        yields: bool,
        group: Option<&mut SourceGroup>,
    ) {
        if let Some(group) = group {
            self.take_group(group, if yields { cell.at + STEP } else { cell.at });
        }
        if !is_shown {
            self.show(cell);
        }
    }

    /// Lets the queues take the cells of the source group that arrive before `end`.
    #[inline]
    pub(in crate::engine) fn take_group(&mut self, group: &mut SourceGroup, end: Time) {
        if group.next_arrival() < end {
            self.take_next_group(group, end);
        }
    }

    #[inline(never)]
    fn take_next_group(&mut self, group: &mut SourceGroup, end: Time) {
        let goes_first = self.is_plain && group.goes_first;
        let hears_later = goes_first && self.hears_later;
        group.take_before(end, |cell, member| {
            if !hears_later {
                self.tell(cell);
            }
            if goes_first {
                self.take_first(cell, member);
            } else {
                self.take_counted(cell, member);
            }
        });
    }

    /// Lets the queues take a single cell of the source group.
    pub(in crate::engine) fn take(&mut self, cell: Cell) {
        self.show(cell);
        let vc = self.hops[cell.hop()].port_vc;
        self.take_any(cell, vc);
    }

    /// Lets plain queues take a first-class cell of a process; it is only counted if nothing inspects it any more.
    #[inline]
    fn take_first(&mut self, cell: Cell, member: &mut Member) {
        let departure = self.priority.take_first(cell.at, &mut self.served.left);
        match departure {
            Some(departure) if member.passes(departure) => {}
            Some(departure) => self.served.leaves(cell, departure),
            None => self.served.refuses(cell),
        }
    }

    /// [`Ingress::take_first`] for a cell of any class in any queues.
    fn take_counted(&mut self, cell: Cell, member: &mut Member) {
        if let Some(departure) = self.accept(cell, member.vc, false)
            && !member.passes(departure)
        {
            self.served.leaves(cell, departure);
        }
    }

    /// Lets plain queues take a cell of VC number `vc` that is not of the first class and needs only room; false if it is
    /// refused.
    #[inline]
    fn take_easy(&mut self, cell: Cell, vc: u32) -> bool {
        let is_taken = self.priority.take_lower(cell, vc, &mut self.served.left);
        if !is_taken {
            self.served.refuses(cell);
        }
        is_taken
    }

    /// Lets the queues take a cell of VC number `vc`, of any class.
    fn take_any(&mut self, cell: Cell, vc: u32) {
        if let Some(departure) = self.accept(cell, vc, false) {
            self.served.leaves(cell, departure);
        }
    }

    /// Offers a cell of VC number `vc` to the queues; returns its departure if that is known.
    fn accept(&mut self, cell: Cell, vc: u32, is_event: bool) -> Option<Time> {
        self.priority.start(cell.at, &mut self.served.left);
        match self.priority.accept(cell, vc, is_event) {
            Admission::Leaves(departure) => Some(departure),
            Admission::Waits => None,
            Admission::Refused => {
                self.served.refuses(cell);
                None
            }
        }
    }

    /// Counts arriving cells, and tells the algorithm of them if it may learn of them ahead of time; returns whether it
    /// has been told.
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

    /// Counts an arriving cell and tells the algorithm of it.
    fn show(&mut self, cell: Cell) {
        self.count(cell, 1);
        self.tell(cell);
    }

    /// Tells the algorithm of an arriving cell.
    fn tell(&mut self, cell: Cell) {
        if self.control.is_some() {
            self.advance(cell.at);
        }
        if let Some(control) = &mut self.control {
            let hop = &self.hops[cell.hop()];
            shown::show_one(control, hop.load, cell.at, hop.control_vc);
        }
    }

    /// Counts `count` arriving cells.
    #[inline]
    fn count(&mut self, first: Cell, count: u32) {
        let hop = &mut self.hops[first.hop()];
        hop.counts.offered[Kind::Data as usize] += u64::from(count);
    }

    /// Passes on the cells whose transmission starts by `until`, and tells the algorithm of cells of higher priority that
    /// have left.
    pub(in crate::engine) fn advance(&mut self, until: Time) {
        self.priority.start(until, &mut self.served.left);
        if let Some(control) = &mut self.control {
            while let Some((last, count)) = self
                .priority
                .take_noted(until, control.algorithm.counts_until())
            {
                control.algorithm.on_priority_cells(last, count);
            }
        }
    }
}

/// Whether cells of the source group go before cells of this input that arrive at the same instant.
#[inline]
fn yields(port: &Port, input: usize) -> bool {
    let group = port.group.as_ref();
    group.is_some_and(|group| group.precedes(input))
}

/// Whether an algorithm may learn of first-class cells later than they arrive.
fn hears_later(control: &Control) -> bool {
    control.counts_departures && control.queue.is_some_and(|controlled| controlled > 0)
}
