//! Batched FIFO queues and mere delays take mid-PDU cells in whole trains.

use celltrain_proto::units::Time;

use crate::engine::host::sink::Sink;
use crate::engine::link::{Line, shown};
use crate::engine::queue::fifo::Outcome;
use crate::engine::queue::served::Served;
use crate::engine::simulation::Simulation;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::hop::{Hop, Shown};
use crate::engine::state::train::Train;
use crate::engine::trains::channel::{Channel, Destination};
use crate::engine::trains::group::{Member, SourceGroup};
use crate::engine::trains::merge::Until;
use crate::engine::trains::port::OrderWatch;
use crate::engine::trains::put::put;

impl Simulation<'_> {
    /// Lets the queue of a link take the cells of all inputs up to `time` in order of arrival.
    pub(in crate::engine) fn merge_batched(&mut self, link: usize, time: Time) {
        let mut merge = self.trains.begin_merge(link, time, &self.schedule);
        let port = &mut self.trains.ports[link];
        let mut rated = self.links[link].line.as_mut();
        let mut counter = Counter {
            hops: &mut self.paths.hops,
            channels: &mut self.trains.channels,
            sinks: &mut self.ends.sinks,
            served: &mut self.trains.served,
            filled: &mut self.trains.filled,
            event_cells: &mut self.trains.event_cells,
            turns: port.turns,
            end: self.schedule.end,
        };
        loop {
            if let Some(group) = &mut port.group {
                // Only up to the first cell of a channel, which may come before cells of the group.
                let end = merge.group_alone_before();
                counter.take_group(rated.as_deref_mut(), group, end);
            }
            match merge.next(port, counter.channels, Until::NextInput) {
                Some((_, train)) => counter.take(rated.as_deref_mut(), train),
                None => break,
            }
        }
        port.turns = counter.turns;
        self.trains.end_merge(link, merge);
        self.pass_on();
        self.report_entered();
    }

    /// Reports the channels that cells have entered.
    fn report_entered(&mut self) {
        let mut filled = std::mem::take(&mut self.trains.filled);
        for channel in filled.drain(..) {
            self.arrive_at_empty(channel as usize);
        }
        self.trains.filled = filled;
        for channel in self.trains.event_cells.drain(..) {
            let channel = &self.trains.channels[channel as usize];
            // If the next queue passes event cells too, the cell is not an event there.
            if !channel.is_passed {
                self.schedule
                    .calendar
                    .set(channel.actor, channel.next_event_cell());
            }
        }
    }
}

/// Counts the cells of a link and puts them into the next channels.
struct Counter<'a> {
    hops: &'a mut [Hop],
    channels: &'a mut [Channel],
    sinks: &'a mut ByDirection<Sink>,
    served: &'a mut Served,
    filled: &'a mut Vec<u32>,
    event_cells: &'a mut Vec<u32>,
    turns: OrderWatch,
    /// No counter is read before this instant.
    end: Time,
}

impl Counter<'_> {
    /// Takes mid-PDU cells.
    #[inline]
    fn take(&mut self, mut line: Option<&mut Line>, train: Train) {
        let hop = &mut self.hops[train.first.hop()];
        let kind = if train.is_event {
            train.first.kind()
        } else {
            Kind::Data
        };
        hop.counts.offered[kind as usize] += u64::from(train.count);
        if hop.load != Shown::Unseen
            && let Some(line) = &mut line
            && let Some(control) = &mut line.control
        {
            shown::show_train(control, hop, &train);
        }
        let (channel, downstream, vc) = (hop.channel as usize, hop.ahead, hop.port_vc);
        let mut left = train;
        loop {
            let outcome = line.as_mut().and_then(|line| line.accept_train(&left, vc));
            let count = match outcome {
                None => {
                    self.pass(channel, downstream, left);
                    left.count
                }
                Some(Outcome::Leave { first, gap, count }) => {
                    self.pass(channel, downstream, left.leaving(first, gap, count));
                    count
                }
                Some(Outcome::Lost(count)) => {
                    self.served.refused.push(Train { count, ..left });
                    count
                }
            };
            if count == left.count {
                return;
            }
            left.cut(count);
        }
    }

    /// Puts departing cells at the end of their channel.
    #[inline]
    fn pass(&mut self, number: usize, downstream: u32, train: Train) {
        let channel = &mut self.channels[number];
        if channel.destination != Destination::Counters {
            self.turns
                .leave(number as u32, train.first.at, train.last());
        }
        let train = channel.at_end(train, downstream);
        if train.is_event {
            self.event_cells.push(number as u32);
            if channel.push(train) {
                self.filled.push(number as u32);
            }
        } else if put(channel, train, self.hops, self.sinks, self.end) {
            self.filled.push(number as u32);
        }
    }

    /// Takes the cells of a source group that arrive before `end`. Cells that nothing inspects any more are only counted.
    fn take_group(&mut self, line: Option<&mut Line>, group: &mut SourceGroup, end: Time) {
        match line {
            Some(line) => match line.plain_fifo() {
                Some(fifo) => {
                    group.take_before(end, |cell, member| {
                        let departure = fifo.accept(cell.at);
                        self.count(cell, departure, member);
                    });
                }
                None => group.take_before(end, |cell, member| {
                    let hop = &self.hops[cell.hop()];
                    if let Some(control) = &mut line.control {
                        shown::show_one(control, hop.load, cell.at, hop.control_vc);
                    }
                    let departure = line.accept(cell, cell.at, hop.port_vc);
                    self.count(cell, departure, member);
                }),
            },
            None => {
                group.take_before(end, |cell, member| self.count(cell, Some(cell.at), member));
            }
        }
    }

    /// Passes on or counts a cell that leaves at `departure`, or reports it as refused if there is no departure.
    #[inline]
    fn count(&mut self, cell: Cell, departure: Option<Time>, member: &mut Member) {
        match departure {
            Some(departure) if member.passes(departure) => {}
            Some(departure) => {
                let hop = &self.hops[cell.hop()];
                let (channel, downstream) = (hop.channel as usize, hop.ahead);
                let train = Train::single(cell.leaving(departure), false);
                self.pass(channel, downstream, train);
            }
            None => self.served.refuses(cell),
        }
    }
}
