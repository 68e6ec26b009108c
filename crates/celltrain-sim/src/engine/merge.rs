//! A queue that is evaluated lazily takes the cells of the middle of PDUs, in the order of their arrivals.

use std::collections::VecDeque;
use std::hint::select_unpredictable;

use celltrain_proto::units::Time;

use super::Simulation;
use super::cell::{Cell, Kind};
use super::crowd::Member;
use super::lazy::STEP;
use super::port::{Port, Treatment};
use super::shown::{is_shown, show_one};
use super::train::{Channel, Train};

impl Simulation<'_> {
    /// Takes the cells of all inputs in the order of their arrivals.
    pub(super) fn merge(&mut self, link: usize, time: Time) {
        match self.ports[link].treatment {
            Treatment::Strict => self.merge_strictly(link, time),
            Treatment::Whole | Treatment::Delay => self.merge_whole(link, time),
            _ => self.merge_one_by_one(link, time),
        }
    }

    /// What comes up to `time` to a port, as who acts now may know it. [`Simulation::end_merge`] must follow.
    pub(super) fn cursor(&mut self, link: usize, time: Time) -> Cursor {
        let mut coming = std::mem::take(&mut self.coming);
        let port = &self.ports[link];
        for input in port.inputs.in_time(time) {
            let number = port.channels[input] as usize;
            let channel = &self.channels[number];
            let has_acted = || self.turns.has_acted(channel.actor, channel.marked_in);
            let is_later = time == self.now && !has_acted();
            coming.extend(channel.first().map(|&train| Coming {
                train,
                input,
                channel: number,
                end: if is_later {
                    time
                } else {
                    time.saturating_add(STEP)
                },
            }));
        }
        Cursor {
            time,
            now: self.now,
            turn: self.turns.last(),
            coming,
            first: None,
        }
    }

    /// The port learns when cells come next, and its channels what is left in them.
    pub(super) fn end_merge(&mut self, link: usize, mut cursor: Cursor) {
        for coming in cursor.coming.drain(..) {
            coming.put_back(&mut self.ports[link], &mut self.channels);
        }
        self.coming = cursor.coming;
    }

    fn merge_one_by_one(&mut self, link: usize, time: Time) {
        let mut cursor = self.cursor(link, time);
        while let Some(train) = cursor.next(&mut self.ports[link], &mut self.channels) {
            match self.ports[link].treatment {
                Treatment::Carrier(source) => self.take_up_train(source as usize, train),
                Treatment::Varying => self.take_varying(link, train),
                _ => self.take_one_by_one(link, train),
            }
        }
        self.end_merge(link, cursor);
        self.pass_on();
    }

    /// The queue of a link that looks at each cell takes cells of the middle of PDUs.
    #[inline]
    pub(super) fn take_one_by_one(&mut self, link: usize, train: Train) {
        let hop = &mut self.hops[train.first.hop()];
        hop.counts.offered[Kind::Data as usize] += u64::from(train.count);
        let (vc, control_vc, load) = (hop.port_vc, hop.control_vc, hop.load);
        let rated = self.links[link].line.as_ref();
        let control = rated.and_then(|line| line.control.as_ref());
        let is_shown = control.is_some_and(|control| is_shown(control, load));
        let mut cell = train.first;
        for number in 0..train.count {
            if number > 0 {
                cell = cell.behind(train.gap, 1);
            }
            let target = &mut self.links[link];
            if is_shown {
                target.advance(cell.at);
                if let Some(control) = target.line.as_mut().and_then(|line| line.control.as_mut()) {
                    show_one(control, load, cell.at, control_vc);
                }
            }
            if target.enqueue(cell.at, cell, vc) {
                let queue = target.queue_of(vc);
                self.ports[link].marks.on_arrival(queue, false);
            } else {
                self.lose(cell.at, cell);
            }
        }
    }
}

/// The cells that come by an input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coming {
    /// What is left of the first train in its channel.
    train: Train,
    input: usize,
    channel: usize,
    /// Cells are taken that come before.
    end: Time,
}

impl Coming {
    /// The next of its cells.
    #[inline]
    fn at(&self) -> Time {
        self.train.first.at
    }

    /// Its channel and its port learn what is left.
    #[inline]
    fn put_back(&self, port: &mut Port, channels: &mut [Channel]) {
        if let Some(first) = channels[self.channel].first_mut() {
            *first = self.train;
        }
        port.inputs.set_arrival(self.input, self.at());
    }
}

/// The input by which alone cells come in time, but for the crowd: its trains need not be compared with others.
pub(super) struct Sole {
    pub(super) input: usize,
    channel: usize,
    /// Cells are taken that come before.
    pub(super) end: Time,
    trains: VecDeque<Train>,
    taken: usize,
}

impl Sole {
    /// Takes the cells that come next, whatever the crowd brings.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Train> {
        let train = self.trains.get_mut(self.taken)?;
        if train.is_marked || train.first.at >= self.end {
            return None;
        }
        let (taken, are_all) = train.take_until(self.end - STEP);
        if are_all {
            self.taken += 1;
        }
        Some(taken)
    }
}

/// What comes next to a port.
pub(super) enum Next {
    /// A cell of the crowd.
    Cell(Cell),
    /// Cells of another input, and its number.
    Train(Train, usize),
}

/// How far the cells of a port's inputs have been taken.
pub(super) struct Cursor {
    /// Cells are taken up to this instant.
    time: Time,
    /// The present instant, and who acts: at that instant only what comes before him counts.
    now: Time,
    turn: usize,
    /// The inputs by which cells come in time, in their order.
    coming: Vec<Coming>,
    /// What has been found since cells were taken last.
    first: Option<First>,
}

/// The input by which cells come next.
#[derive(Clone, Copy)]
struct First {
    /// Its place among those by which cells come.
    place: usize,
    /// When its first cell comes.
    at: Time,
    /// Up to when no cells come but by it and of the crowd.
    until: Time,
}

impl Cursor {
    /// When the first cell comes that is not of the crowd, if that is in time.
    #[inline]
    pub(super) fn first_arrival(&mut self) -> Time {
        self.find_first().map_or(Time::NEVER, |first| first.at)
    }

    #[inline]
    fn find_first(&mut self) -> Option<First> {
        if self.first.is_none() {
            let (one, others) = self.coming.split_first()?;
            let (mut place, mut at) = (0, one.at());
            let (mut other, mut second) = (usize::MAX, Time::NEVER);
            // Branches would be taken at random.
            for (coming, number) in others.iter().zip(1..) {
                let next = coming.at();
                let (is_first, is_second) = (next < at, next < second);
                other = select_unpredictable(is_second, number, other);
                other = select_unpredictable(is_first, place, other);
                second = second.min(at.max(next));
                place = select_unpredictable(is_first, number, place);
                at = at.min(next);
            }
            // Of those that come at one instant, that by the lower input comes first.
            let until = if place < other { second } else { second - STEP };
            self.first = Some(First { place, at, until });
        }
        self.first
    }

    /// The only input by which cells come, if there is but one. [`Cursor::end_sole`] must follow.
    #[inline]
    pub(super) fn sole(&mut self, channels: &mut [Channel]) -> Option<Sole> {
        let &[coming] = &self.coming[..] else {
            return None;
        };
        self.coming.clear();
        Some(Sole {
            input: coming.input,
            channel: coming.channel,
            end: coming.end,
            trains: channels[coming.channel].take_trains(),
            taken: 0,
        })
    }

    /// Its cells have been taken.
    #[inline]
    pub(super) fn end_sole(&mut self, mut sole: Sole, port: &mut Port, channels: &mut [Channel]) {
        sole.trains.drain(..sole.taken);
        let next = sole.trains.front().copied();
        channels[sole.channel].put_back(sole.trains);
        let arrival = next.map_or(Time::NEVER, |train| train.first.at);
        port.inputs.set_arrival(sole.input, arrival);
        self.coming.extend(next.map(|train| Coming {
            train,
            input: sole.input,
            channel: sole.channel,
            end: sole.end,
        }));
    }

    /// Takes the cells that come next.
    #[expect(
        clippy::inline_always,
        reason = "it is the inner loop of each merge, and an eighth slower by itself"
    )]
    #[inline(always)]
    pub(super) fn next(&mut self, port: &mut Port, channels: &mut [Channel]) -> Option<Train> {
        Some(match self.take(port, channels, true)? {
            Next::Cell(cell) => Train::single(cell, false),
            Next::Train(train, _) => train,
        })
    }

    /// The same, but for cells of the crowd that come in between.
    #[inline]
    pub(super) fn next_but_crowd(
        &mut self,
        port: &mut Port,
        channels: &mut [Channel],
    ) -> Option<Next> {
        self.take(port, channels, false)
    }

    #[expect(
        clippy::inline_always,
        reason = "it is the inner loop of each merge, and an eighth slower by itself"
    )]
    #[inline(always)]
    fn take(
        &mut self,
        port: &mut Port,
        channels: &mut [Channel],
        heeds_crowd: bool,
    ) -> Option<Next> {
        let first = self.find_first();
        let mut end = Time::NEVER;
        if let Some(crowd) = &port.crowd {
            let next = crowd.next_arrival();
            end = match first {
                Some(first) if crowd.precedes(self.coming[first.place].input) => {
                    if first.at >= next {
                        return self.take_crowded(port);
                    }
                    next - STEP
                }
                Some(first) if first.at <= next => next,
                _ => return self.take_crowded(port),
            };
        }
        let First { place, at, until } = first?;
        let coming = &mut self.coming[place];
        if coming.train.is_marked && !port.passes_marks || at >= coming.end {
            return None;
        }
        let mut until = until.min(coming.end - STEP);
        if heeds_crowd {
            until = until.min(end);
        }
        self.first = None;
        let input = coming.input;
        let (train, are_all) = coming.train.take_until(until);
        if are_all {
            let channel = &mut channels[coming.channel];
            if train.is_marked {
                channel.pop_marked();
            } else {
                channel.drop_first();
            }
            let Some(&next) = channel.first() else {
                port.inputs.set_arrival(input, Time::NEVER);
                self.coming.remove(place);
                return Some(Next::Train(train, input));
            };
            coming.train = next;
        }
        if coming.at() > self.time {
            coming.put_back(port, channels);
            self.coming.remove(place);
        }
        Some(Next::Train(train, input))
    }

    /// Takes the next cell of the crowd, if it comes in time.
    fn take_crowded(&mut self, port: &mut Port) -> Option<Next> {
        let crowd = port.crowd.as_mut()?;
        let is_next = |cell: Cell, member: &Member| {
            let is_last = self.time == self.now && cell.at == self.time;
            cell.at <= self.time && (!is_last || member.actor as usize <= self.turn)
        };
        crowd.take_if(is_next).map(Next::Cell)
    }
}
