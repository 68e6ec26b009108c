//! Cells on their path: from a source over links and nodes to the end of their VC.

use celltrain_proto::packet_queue::Label;
use celltrain_proto::police;
use celltrain_proto::units::Time;

use crate::engine::cells::label::label;
use crate::engine::simulation::Simulation;
use crate::engine::source::Emission;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::hop::{self, Actions, Shown};
use crate::engine::state::loss_cause::LossCause;
use crate::engine::state::mode::Mode;
use crate::engine::state::time::{STEP, minus};

impl Simulation<'_> {
    pub(in crate::engine) fn on_source(&mut self, direction: usize) {
        let source = &self.sources[direction];
        let (is_lazy, is_held) = (source.is_lazy, source.gfc.is_some());
        if is_lazy {
            self.advance_before_change(direction);
        }
        if is_held && !self.has_turn(direction) {
            return;
        }
        let source = &mut self.sources[direction];
        let is_due = !is_lazy || source.next_emission() <= self.schedule.now;
        let emission = if is_due {
            source.emit(self.schedule.now)
        } else {
            None
        };
        // One cell leaves in an event. Cells of a source without a gap that follow at this instant leave in later ones, after
        // what this cell lets others do.
        source.woken = self.schedule.events;
        if is_held {
            self.after_turn(direction, emission.is_some());
        }
        self.set_source_deadline(direction);
        let Some(emission) = &emission else {
            return self.propagate_source(direction);
        };
        let completes = matches!(
            emission,
            Emission::Data {
                completes: true,
                ..
            }
        );
        let left = completes
            .then(|| self.ends.awaited_pdu(direction, &self.sources[direction]))
            .flatten();
        let is_aggregate = matches!(emission, Emission::Aggregate(_));
        let cell = self.emitted(direction, self.schedule.now, emission);
        if is_aggregate {
            self.send_carried(direction, cell);
        } else {
            self.send_from_source(direction, cell);
        }
        if is_lazy {
            self.propagate_source(direction);
        }
        // Only after the cell, because waiting senders may now hand over segments that let the source send more.
        if let Some(flow) = left {
            self.drive_waiting(direction, flow);
        }
    }

    /// Handles a cell that enters the link of its hop now.
    #[inline]
    pub(in crate::engine) fn enter(&mut self, cell: Cell) {
        self.enter_at(self.schedule.now, cell);
    }

    /// Handles a cell that enters the link of its hop at `at`, which may be in the future only if no other cell can come
    /// before.
    #[inline]
    fn enter_at(&mut self, mut at: Time, mut cell: Cell) {
        loop {
            let hop = &mut self.paths.hops[cell.hop()];
            let index = hop.link as usize;
            let link = &mut self.links[index];
            match link.mode {
                Mode::Transparent | Mode::Foreseen | Mode::Immediate => {}
                Mode::PerCell => return self.enter_open(cell),
                _ => return self.enter_lazily(index, cell),
            }
            hop.counts.offered[cell.kind() as usize] += 1;
            if link.mode != Mode::Transparent {
                let Some(arrival) = link.foreseen_arrival(at, cell) else {
                    return self.lose(at, cell);
                };
                let is_first = link.ring.is_empty();
                // A cell goes ahead only within the interval, because counters are read at its end.
                if link.mode != Mode::Immediate || !is_first || arrival >= self.schedule.end {
                    if is_first {
                        self.schedule.calendar.set(link.actor, arrival);
                    }
                    return link.ring.launch(cell.leaving(arrival));
                }
                at = arrival;
            }
            if at == self.schedule.now {
                match self.go_on(cell) {
                    Some(next) => cell = next,
                    None => return,
                }
            } else if hop.next_link == hop::END {
                return self.ends.sinks[hop.direction as usize].count(cell, at);
            } else {
                cell = cell.at_next_hop();
            }
        }
    }

    /// Forwards the cells that did not go ahead because they arrive after the end of the previous interval.
    pub(in crate::engine) fn go_ahead(&mut self) {
        let Some(before) = minus(self.schedule.end, STEP) else {
            return;
        };
        for index in 0..self.links.len() {
            if self.links[index].mode != Mode::Immediate {
                continue;
            }
            while let Some(cell) = self.links[index].ring.pop_arrived(before) {
                let hop = &self.paths.hops[cell.hop()];
                if hop.next_link == hop::END {
                    self.ends.sinks[hop.direction as usize].count(cell, cell.at);
                } else {
                    self.enter_at(cell.at, cell.at_next_hop());
                }
            }
            let link = &self.links[index];
            self.schedule
                .calendar
                .set(link.actor, link.ring.next_arrival());
        }
    }

    // The code below is kept out of the path of most cells, so that this path is short enough to be inlined.

    /// Handles a cell that enters a link on which its arrival at the far end is not yet known.
    #[inline(never)]
    fn enter_open(&mut self, cell: Cell) {
        let hop = &mut self.paths.hops[cell.hop()];
        hop.counts.offered[cell.kind() as usize] += 1;
        let link = &mut self.links[hop.link as usize];
        if hop.load != Shown::Unseen {
            link.show(self.schedule.now, cell, hop, &mut self.paths.rms);
        }
        if link.becn().is_some() {
            return self.enter_with_becn(cell);
        }
        self.enqueue(cell);
    }

    /// Puts a cell into the queue of the link of its hop, or loses it.
    #[inline]
    pub(super) fn enqueue(&mut self, cell: Cell) {
        let hop = &self.paths.hops[cell.hop()];
        let link = &mut self.links[hop.link as usize];
        let wakes = link.ring.is_empty() || link.is_watched();
        if link.has_flows() {
            return self.enqueue_by_flow(cell);
        }
        if link.enqueue(self.schedule.now, cell, hop.port_vc) {
            if wakes {
                self.schedule.calendar.set(link.actor, link.deadline());
            }
        } else {
            self.lose(self.schedule.now, cell);
        }
    }

    /// [`Simulation::enqueue`] where flows have queues of their own.
    #[inline(never)]
    fn enqueue_by_flow(&mut self, frame: Cell) {
        let hop = &self.paths.hops[frame.hop()];
        let index = hop.link as usize;
        let pdu = self.sources[hop.direction as usize].pdu_of(frame.load());
        let label = pdu.map_or_else(Label::default, |(pdu, _)| {
            label(self.network, hop.direction as usize, pdu)
        });
        let link = &mut self.links[index];
        link.enqueue_in_flow(self.schedule.now, frame, (hop.port_vc, label));
        self.schedule.calendar.set(link.actor, link.deadline());
        self.report_dropped(index);
    }

    /// Tells the flows of frames that have been dropped from queues by flow.
    fn report_dropped(&mut self, link: usize) {
        for frame in self.links[link].take_dropped() {
            self.losses()
                .forget(frame.at, frame, LossCause::QueueManagement);
        }
    }

    /// Handles a cell that may have reached the far end of a link.
    #[inline]
    pub(in crate::engine) fn on_link(&mut self, index: usize) {
        let link = &mut self.links[index];
        if link.mode != Mode::Foreseen {
            return self.on_unforeseen_link(index);
        }
        let Some(cell) = link.ring.pop_in_flight() else {
            return;
        };
        self.schedule
            .calendar
            .set(link.actor, link.ring.next_arrival());
        if link.is_captured {
            self.see_cell(cell);
        }
        self.arrive(cell);
    }

    /// [`Simulation::on_link`] for a link where arrivals are not known in advance.
    #[inline(never)]
    fn on_unforeseen_link(&mut self, index: usize) {
        let link = &mut self.links[index];
        if link.mode.is_lazy() {
            return self.on_lazy_link(index);
        }
        let has_flows = link.has_flows();
        let arrived = link.arrived(self.schedule.now);
        self.schedule.calendar.set(link.actor, link.deadline());
        if has_flows {
            self.report_dropped(index);
        }
        if self.links[index].grants_credits() {
            for hop in self.links[index].take_departures() {
                self.node().grant_before(hop as usize);
            }
        }
        let Some(cell) = arrived else { return };
        let (now, link) = (self.schedule.now, &mut self.links[index]);
        let is_captured = link.is_captured;
        let is_lost = link.loss.as_mut().is_some_and(|loss| loss.loses(now));
        let is_gone = is_lost || self.is_discarded_for_errors(index, cell);
        if !is_gone {
            if is_captured {
                self.see_cell(cell);
            }
            return self.arrive(cell);
        }
        self.paths.faults.get_mut(cell.hop()).errored[cell.kind() as usize] += 1;
        self.losses().forget(now, cell, LossCause::Errors);
        // Its credit is returned immediately: the check cells that would restore it are not modelled.
        if self.paths.hops[cell.hop()].credit().is_some() {
            self.node().take_place(cell.hop());
            self.node().grant(cell.hop());
        }
    }

    /// Whether errors of a link corrupt an RM cell that has arrived over it, so that it is discarded; a data cell goes on,
    /// and its PDU is damaged.
    fn is_discarded_for_errors(&mut self, link: usize, cell: Cell) -> bool {
        let Some(errors) = &mut self.links[link].errors else {
            return false;
        };
        let hop = &self.paths.hops[cell.hop()];
        let direction = hop.direction as usize;
        let is_data = cell.kind() == Kind::Data;
        let is_damaged = errors.damages(self.schedule.now, hop.port_vc, is_data);
        if is_damaged && is_data {
            self.losses().damage(direction, cell, LossCause::Errors);
        }
        is_damaged && !is_data
    }

    /// Handles a cell that has arrived over the link of its hop.
    #[inline]
    pub(in crate::engine) fn arrive(&mut self, cell: Cell) {
        if let Some(cell) = self.go_on(cell) {
            self.enter(cell);
        }
    }

    /// Passes a cell that has arrived over the link of its hop through the node; returns it at its next hop, if it goes
    /// on to one.
    #[inline]
    fn go_on(&mut self, mut cell: Cell) -> Option<Cell> {
        let hop = &self.paths.hops[cell.hop()];
        let next_link = hop.next_link;
        if hop.has_actions() && self.pass_node(&mut cell) {
            return None;
        }
        if next_link == hop::END {
            self.deliver(cell);
            return None;
        }
        Some(cell.at_next_hop())
    }

    /// Applies the actions of a node to a cell that has arrived over a link; true if the cell goes no further.
    #[inline(never)]
    pub(in crate::engine) fn pass_node(&mut self, cell: &mut Cell) -> bool {
        let hop = &self.paths.hops[cell.hop()];
        let (has_credit, next_link) = (hop.credit().is_some(), hop.next_link);
        if has_credit {
            self.node().take_place(cell.hop());
        }
        if self.act_on(cell) {
            return true;
        }
        // If there is no queue ahead, the cell leaves the node immediately.
        if has_credit && (next_link == hop::END || self.links[next_link as usize].line.is_none()) {
            self.node().grant(cell.hop());
        }
        false
    }

    fn act_on(&mut self, cell: &mut Cell) -> bool {
        let hop = cell.hop();
        // Read once, because the same few actions are looked for at each such node.
        let Some(actions) = self.paths.hops[hop].actions.as_deref() else {
            return false;
        };
        let Actions {
            marks,
            gfc,
            turn_around,
            policer,
            followed_by,
            virtual_end,
            shaper,
            entered_tunnel,
            ..
        } = *actions;
        if let Some((marks, vc)) = marks
            && cell.kind() == Kind::BackwardRm
        {
            self.mark_backward_rm(marks as usize, vc, *cell);
        }
        if gfc.is_some() {
            self.node().give_command(hop, cell);
        }
        if let Some(policer) = policer
            && !self.police(policer, cell)
        {
            return true;
        }
        if let Some(end) = virtual_end {
            self.arrive_at_virtual_end(end as usize, *cell);
            return true;
        }
        if let Some(tunnel) = entered_tunnel {
            self.enter_tunnel(tunnel as usize, *cell);
            return true;
        }
        if let Some(turn_around) = turn_around
            && cell.kind() == Kind::ForwardRm
        {
            self.turn_around_locally(*cell, turn_around);
            return true;
        }
        if let Some(shaper) = shaper {
            self.arrive_at_shaper(shaper as usize, *cell);
            return true;
        }
        if followed_by.is_some() {
            self.node().inform_policer(hop, *cell);
        }
        false
    }

    /// Usage parameter control: tags or discards a cell that exceeds its contract. Returns false if it was discarded.
    fn police(&mut self, policer: u32, cell: &mut Cell) -> bool {
        let now = self.schedule.now;
        let verdict = self.paths.policers[policer as usize].police(now, *cell);
        match verdict {
            police::Verdict::Pass => true,
            police::Verdict::Tag => {
                self.paths.faults.get_mut(cell.hop()).tagged += 1;
                cell.set_clp();
                true
            }
            police::Verdict::Discard => {
                self.paths.faults.get_mut(cell.hop()).policed[cell.kind() as usize] += 1;
                self.losses().forget(now, *cell, LossCause::Policer);
                self.node().grant(cell.hop());
                false
            }
        }
    }
}
