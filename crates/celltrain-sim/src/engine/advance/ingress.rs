//! Where mid-PDU cells arrive at a strict-priority queue.

use celltrain_proto::units::{Rate, Span, Time};

use crate::engine::link::{Control, Line, shown};
use crate::engine::queue::priority::PriorityQueue;
use crate::engine::queue::served::Served;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::hop::Hop;
use crate::engine::state::rm_store::RmStore;
use crate::engine::state::time::STEP;
use crate::engine::state::train::Train;
use crate::engine::trains::group::SourceGroup;

/// The queues of a line, what observes their cells, and where the cells go.
pub(super) struct Ingress<'a> {
    pub(super) priority: &'a mut PriorityQueue,
    control: Option<&'a mut Control>,
    hops: &'a mut [Hop],
    served: &'a mut Served,
    /// The rate of the line, and its time for a cell.
    rate: Rate,
    cell_time: Span,
    /// Whether the algorithm may learn of first-class cells later than they arrive.
    hears_later: bool,
}

impl<'a> Ingress<'a> {
    /// The ingress of `line`, if it serves classes at a constant rate.
    pub(super) fn of(
        line: &'a mut Line,
        hops: &'a mut [Hop],
        served: &'a mut Served,
    ) -> Option<Self> {
        let (rate, cell_time) = (line.rate(), line.cell_time());
        let priority = line.queue.priority_mut()?;
        let control = line.control.as_mut();
        Some(Self {
            rate,
            cell_time,
            hears_later: control.as_ref().is_none_or(|control| hears_later(control)),
            priority,
            control,
            hops,
            served,
        })
    }

    /// Lets the queues take cells that arrive by this input, and the cells of the source group that arrive in between.
    pub(super) fn take_train(
        &mut self,
        train: &Train,
        input: usize,
        mut group: Option<&mut SourceGroup>,
    ) {
        let hop = &mut self.hops[train.first.hop()];
        hop.counts.offered[Kind::Data as usize] += u64::from(train.count);
        let vc = hop.port_vc;
        let is_shown = match &mut self.control {
            Some(control) => shown::show_together(control, hop, train),
            None => true,
        };
        let yields = yields(input, group.as_deref());
        let mut left = *train;
        // Once is enough: what finds no room ahead will hardly find it a cell later.
        let mut may_go_ahead = is_shown;
        loop {
            // Without a source group, nothing in between could be taken faster. The outcome for a frame is decided at its
            // first cell.
            if may_go_ahead
                && left.count > 1
                && let Some(group) = group.as_deref().filter(|group| group.goes_first)
                && self.priority.may_go_ahead(vc)
            {
                may_go_ahead = false;
                let first = left.first.at.min(group.next_arrival());
                let others = group.most_before(left.last() + STEP);
                let count = self.priority.room_ahead(first, left.count, others);
                if count > 0 {
                    self.priority.take_ahead(Train { count, ..left }, yields);
                    if count == left.count {
                        return;
                    }
                    left.cut(count);
                }
            }
            self.prepare(left.first, is_shown, yields, group.as_deref_mut());
            self.priority.take(left.first, vc, self.served);
            if left.count == 1 {
                return;
            }
            left.cut(1);
        }
    }

    /// Lets the queues take an event cell that arrives by this input, and the cells of the source group before it.
    pub(super) fn take_event_cell(
        &mut self,
        cell: Cell,
        input: usize,
        group: Option<&mut SourceGroup>,
        rms: &mut RmStore,
    ) {
        self.prepare(cell, true, yields(input, group.as_deref()), group);
        self.advance(cell.at);
        let hop = &mut self.hops[cell.hop()];
        hop.counts.offered[cell.kind() as usize] += 1;
        if let Some(control) = &mut self.control {
            shown::show_event_cell(control, hop, cell, (self.priority, self.rate), rms);
        }
        self.priority
            .take_event_cell(cell, hop.port_vc, self.served);
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
            self.tell(cell);
        }
    }

    /// Lets the queues take the cells of the source group that arrive before `end`.
    #[inline]
    pub(super) fn take_group(&mut self, group: &mut SourceGroup, end: Time) {
        if group.next_arrival() < end {
            self.take_next_group(group, end);
        }
    }

    /// Lets the queues take the cells of the source group that arrive before `end`. Cells that nothing inspects any more
    /// are only counted.
    #[inline(never)]
    fn take_next_group(&mut self, group: &mut SourceGroup, end: Time) {
        let goes_first = group.goes_first && self.priority.is_plain();
        let hears_later = goes_first && self.hears_later;
        group.take_before(end, |cell, member| {
            if !hears_later {
                self.tell(cell);
            }
            let departure = if goes_first {
                self.priority.offer_first(cell, self.served)
            } else {
                self.priority.offer(cell, member.vc, false, self.served)
            };
            if let Some(departure) = departure
                && !member.passes(departure)
            {
                self.served.leaves(cell, departure, false, self.cell_time);
            }
        });
    }

    /// Lets the queues take a single cell of the source group.
    pub(super) fn take(&mut self, cell: Cell) {
        let hop = &mut self.hops[cell.hop()];
        hop.counts.offered[Kind::Data as usize] += 1;
        let vc = hop.port_vc;
        self.tell(cell);
        self.priority.take(cell, vc, self.served);
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

    /// Passes on the cells whose transmission starts by `until`, and tells the algorithm of cells of higher priority that
    /// have left.
    pub(super) fn advance(&mut self, until: Time) {
        self.priority.start(until, self.served);
        if let Some(control) = &mut self.control {
            shown::show_departures(control, self.priority, until);
        }
    }
}

/// Whether cells of the source group go before cells of this input that arrive at the same instant.
#[inline]
fn yields(input: usize, group: Option<&SourceGroup>) -> bool {
    group.is_some_and(|group| group.precedes(input))
}

/// Whether an algorithm may learn of first-class cells later than they arrive.
fn hears_later(control: &Control) -> bool {
    control.counts_departures && control.queue.is_some_and(|controlled| controlled > 0)
}
