//! A queue that is evaluated lazily takes the cells of the middle of PDUs, in the order of their arrivals.

use std::collections::VecDeque;
use std::hint::select_unpredictable;

use celltrain_proto::units::Time;

use crate::engine::state::cell::Cell;
use crate::engine::state::time::STEP;
use crate::engine::state::train::Train;
use crate::engine::trains::channel::Channel;
use crate::engine::trains::group::Member;
use crate::engine::trains::port::Port;

/// The cells that come by an input.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct InputTrain {
    /// What is left of the first train in its channel.
    train: Train,
    input: usize,
    channel: usize,
    /// Cells are taken that come before.
    end: Time,
}

impl InputTrain {
    /// An input by which cells come before `end`, the first of them in `train`.
    pub(in crate::engine) fn new(train: Train, input: usize, channel: usize, end: Time) -> Self {
        Self {
            train,
            input,
            channel,
            end,
        }
    }

    /// The next of its cells.
    #[inline]
    fn at(&self) -> Time {
        self.train.first.at
    }

    /// Its channel and its port learn what is left.
    #[inline]
    pub(in crate::engine) fn put_back(&self, port: &mut Port, channels: &mut [Channel]) {
        if let Some(first) = channels[self.channel].first_mut() {
            *first = self.train;
        }
        port.lookahead.set_first(self.input, self.at());
    }
}

/// The input by which alone cells come in time, but for the source group: its trains need not be compared with others.
pub(in crate::engine) struct Sole {
    pub(in crate::engine) input: usize,
    channel: usize,
    /// Cells are taken that come before.
    pub(in crate::engine) end: Time,
    trains: VecDeque<Train>,
    taken: usize,
}

impl Sole {
    /// Takes the cells that come next, whatever the source group brings.
    #[inline]
    pub(in crate::engine) fn next(&mut self) -> Option<Train> {
        let train = self.trains.get_mut(self.taken)?;
        if train.is_event || train.first.at >= self.end {
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
pub(in crate::engine) enum Next {
    /// A cell of the source group.
    Cell(Cell),
    /// Cells of another input, and its number.
    Train(Train, usize),
}

/// How far the cells of a port's inputs have been taken.
pub(in crate::engine) struct Cursor {
    /// Cells are taken up to this instant.
    time: Time,
    /// The present instant, and who acts: at that instant only what comes before him counts.
    now: Time,
    turn: usize,
    /// The inputs by which cells come in time, in their order.
    pub(in crate::engine) coming: Vec<InputTrain>,
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
    /// Up to when no cells come but by it and of the source group.
    until: Time,
}

impl Cursor {
    /// Takes cells up to `time`; of those that arrive `now`, only what comes before the turn of who acts.
    pub(in crate::engine) fn new(
        time: Time,
        now: Time,
        turn: usize,
        coming: Vec<InputTrain>,
    ) -> Self {
        Self {
            time,
            now,
            turn,
            coming,
            first: None,
        }
    }

    /// When the first cell comes that is not of the source group, if that is in time.
    #[inline]
    pub(in crate::engine) fn first_arrival(&mut self) -> Time {
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
    pub(in crate::engine) fn sole(&mut self, channels: &mut [Channel]) -> Option<Sole> {
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
    pub(in crate::engine) fn end_sole(
        &mut self,
        mut sole: Sole,
        port: &mut Port,
        channels: &mut [Channel],
    ) {
        sole.trains.drain(..sole.taken);
        let next = sole.trains.front().copied();
        channels[sole.channel].put_back(sole.trains);
        let arrival = next.map_or(Time::NEVER, |train| train.first.at);
        port.lookahead.set_first(sole.input, arrival);
        self.coming.extend(next.map(|train| InputTrain {
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
    pub(in crate::engine) fn next(
        &mut self,
        port: &mut Port,
        channels: &mut [Channel],
    ) -> Option<Train> {
        Some(match self.take(port, channels, true)? {
            Next::Cell(cell) => Train::single(cell, false),
            Next::Train(train, _) => train,
        })
    }

    /// The same, but for cells of the source group that come in between.
    #[inline]
    pub(in crate::engine) fn next_but_group(
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
        heeds_group: bool,
    ) -> Option<Next> {
        let first = self.find_first();
        let mut end = Time::NEVER;
        // Cells of the source group are in no channel: up to its next cell the others go on undisturbed.
        if let Some(group) = &port.group {
            let next = group.next_arrival();
            end = match first {
                Some(first) if group.precedes(self.coming[first.place].input) => {
                    if first.at >= next {
                        return self.take_from_group(port);
                    }
                    next - STEP
                }
                Some(first) if first.at <= next => next,
                _ => return self.take_from_group(port),
            };
        }
        let First { place, at, until } = first?;
        let coming = &mut self.coming[place];
        // An event cell is taken in the turn of its channel, by the event that it is; and what comes at the present instant
        // after the turn of who acts now is not known to him.
        if coming.train.is_event && !port.passes_event_cells || at >= coming.end {
            return None;
        }
        let mut until = until.min(coming.end - STEP);
        if heeds_group {
            until = until.min(end);
        }
        self.first = None;
        let input = coming.input;
        let (train, are_all) = coming.train.take_until(until);
        if are_all {
            let channel = &mut channels[coming.channel];
            if train.is_event {
                channel.pop_event_cell();
            } else {
                channel.drop_first();
            }
            let Some(&next) = channel.first() else {
                port.lookahead.set_first(input, Time::NEVER);
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

    /// Takes the next cell of the source group, if it comes in time.
    fn take_from_group(&mut self, port: &mut Port) -> Option<Next> {
        let group = port.group.as_mut()?;
        let is_next = |cell: Cell, member: &Member| {
            // Of the present instant, only members whose turn has been have sent their cell.
            let is_last = self.time == self.now && cell.at == self.time;
            cell.at <= self.time && (!is_last || member.actor as usize <= self.turn)
        };
        group.take_if(is_next).map(Next::Cell)
    }
}
