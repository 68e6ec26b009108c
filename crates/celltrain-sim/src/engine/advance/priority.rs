//! Strict-priority queues take the cells that have arrived and pass on those certain to leave.

use celltrain_proto::units::Time;

use crate::engine::queue::discipline::Discipline;
use crate::engine::queue::priority::Admission;
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::trains::ingress::Ingress;
use crate::engine::trains::merge::{Input, Until};

impl Simulation<'_> {
    /// Lets the queues of a link take the cells of all inputs up to `time` in order of arrival.
    pub(in crate::engine) fn merge_priority(&mut self, link: usize, time: Time) {
        let mut merge = self.trains.begin_merge(link, time, &self.schedule);
        let port = &mut self.trains.ports[link];
        let rated = self.links[link].line.as_mut();
        let (hops, served) = (&mut self.paths.hops, &mut self.trains.served);
        if let Some(mut ingress) = rated.and_then(|line| Ingress::of(line, hops, served)) {
            loop {
                if let Some(group) = &mut port.group {
                    // Only up to the first cell of a channel, which may come before cells of the group.
                    ingress.take_group(group, merge.group_alone_before());
                }
                let channels = &mut self.trains.channels;
                match merge.next(port, channels, Until::NextChannel) {
                    None => break,
                    Some((Input::Group, train)) => ingress.take(train.first),
                    Some((Input::Channel(input), train)) if train.is_event => {
                        let channel = &self.trains.channels[port.channels[input] as usize];
                        // Bypassed links upstream count the RM cells that have passed them.
                        if !channel.bypassed.is_empty() && train.first.kind() != Kind::Data {
                            let passed = self.trains.passed.get_mut(train.first.hop() - 1);
                            passed[train.first.kind() as usize] += 1;
                        }
                        ingress.take_event_cell(train.first, input, port, &mut self.paths.rms);
                    }
                    Some((Input::Channel(input), train)) => ingress.take_train(&train, input, port),
                }
            }
        }
        self.trains.end_merge(link, merge);
        self.pass_on();
    }

    /// Passes on the cells whose transmission starts by `time`.
    pub(in crate::engine) fn advance_priority(&mut self, link: usize, time: Time) {
        let rated = self.links[link].line.as_mut();
        let ingress =
            rated.and_then(|line| Ingress::of(line, &mut self.paths.hops, &mut self.trains.served));
        if let Some(mut ingress) = ingress {
            ingress.advance(time);
            ingress.priority.look(time);
            self.pass_on();
        }
    }

    /// Offers a cell to the queues of a link now; false if it is refused.
    pub(in crate::engine) fn accept_priority(&mut self, link: usize, cell: Cell) -> bool {
        self.advance_priority(link, self.schedule.now);
        let mut coming = cell;
        coming.at = self.schedule.now;
        let hop = &self.paths.hops[cell.hop()];
        let rated = self.links[link].line.as_mut();
        let Some(priority) = rated.and_then(|line| line.queue.priority_mut()) else {
            return false;
        };
        match priority.accept(coming, hop.port_vc, hop.is_event(cell)) {
            Admission::Leaves(departure) => self.send_cell(cell, departure),
            Admission::Waits => {}
            Admission::Refused => return false,
        }
        true
    }

    /// Reports the cells that were refused and passes on those that leave.
    pub(in crate::engine) fn pass_on(&mut self) {
        let mut served = std::mem::take(&mut self.trains.served);
        for train in served.refused.drain(..) {
            self.lose_train(&train);
        }
        for train in served.left.drain(..) {
            let hop = &self.paths.hops[train.first.hop()];
            let (number, downstream) = (hop.channel as usize, hop.ahead);
            let train = self.trains.channels[number].at_end(train, downstream);
            self.send_or_put(number, train);
        }
        for channel in served.filled.drain(..) {
            self.arrive_at_empty(channel as usize);
        }
        for channel in served.event_cells.drain(..) {
            let channel = &self.trains.channels[channel as usize];
            // If the next queue passes event cells too, the cell is not an event there.
            if !channel.is_passed {
                self.schedule
                    .calendar
                    .set(channel.actor, channel.next_event_cell());
            }
        }
        self.trains.served = served;
    }
}
