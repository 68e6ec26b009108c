//! The merge of a stage's inputs: mid-PDU cells in order of arrival, and at one instant in the order of the inputs.

use std::hint::select_unpredictable;

use celltrain_proto::units::Time;

use crate::engine::state::cell::Cell;
use crate::engine::state::time::STEP;
use crate::engine::state::train::Train;
use crate::engine::trains::channel::Channel;
use crate::engine::trains::group::Member;
use crate::engine::trains::port::Port;

/// An input of a stage.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Input {
    /// The channel that is the input with this number.
    Channel(usize),
    /// The source group, in which many sources are merged before their cells arrive.
    Group,
}

/// Where a train taken by the merge ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Until {
    /// Before the next cell from any other input.
    NextInput,
    /// Before the next cell from another channel: the stage itself takes the cells of the source group that arrive in
    /// between.
    NextChannel,
}

/// The first train in an input's channel.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct InputTrain {
    /// What is left of the train.
    train: Train,
    input: usize,
    channel: usize,
    /// Cells that arrive before this instant may be taken.
    end: Time,
}

impl InputTrain {
    /// An input whose cells may be taken before `end`, starting with `train`.
    pub(in crate::engine) fn new(train: Train, input: usize, channel: usize, end: Time) -> Self {
        Self {
            train,
            input,
            channel,
            end,
        }
    }

    /// When its next cell arrives.
    #[inline]
    fn at(&self) -> Time {
        self.train.first.at
    }

    /// Writes what is left back to its channel and its port.
    #[inline]
    pub(in crate::engine) fn put_back(&self, port: &mut Port, channels: &mut [Channel]) {
        if let Some(first) = channels[self.channel].first_mut() {
            *first = self.train;
        }
        port.lookahead.set_first(self.input, self.at());
    }
}

/// How far the cells of a stage's inputs have been taken.
pub(in crate::engine) struct Merge {
    /// Cells are taken up to this instant.
    time: Time,
    /// The present instant and the actor of the present event: at this instant only what comes before that actor counts.
    now: Time,
    turn: usize,
    /// The channels with cells that arrive in time, in the order of the inputs.
    pub(in crate::engine) coming: Vec<InputTrain>,
    /// What was found since cells were last taken.
    first: Option<First>,
}

/// The channel that brings the next cell.
#[derive(Clone, Copy)]
struct First {
    /// Its place in `coming`.
    place: usize,
    /// When its first cell arrives.
    at: Time,
    /// The instant up to which only it and the source group bring cells.
    until: Time,
}

impl Merge {
    /// A merge of the cells up to `time`; of those that arrive at `now`, only what comes before `turn`, the actor of the
    /// present event.
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

    /// The next cells and the input that brings them: up to `until`, but no further than the merge goes.
    #[expect(
        clippy::inline_always,
        reason = "it is the inner loop of each merge, and an eighth slower as a separate function"
    )]
    #[inline(always)]
    pub(in crate::engine) fn next(
        &mut self,
        port: &mut Port,
        channels: &mut [Channel],
        until: Until,
    ) -> Option<(Input, Train)> {
        let of_group = |cell: Option<Cell>| Some((Input::Group, Train::single(cell?, false)));
        let first = self.find_first();
        let mut end = Time::NEVER;
        // Cells of the source group are in no channel. Without this comparison a train would run past a cell of the group
        // that arrives in between, and the queue would take the two in the wrong order.
        if let Some(group) = &port.group {
            let next = group.next_arrival();
            end = match first {
                // At one instant the lower input goes first: a group before it ends the train one step earlier.
                Some(first) if group.precedes(self.coming[first.place].input) => {
                    if first.at >= next {
                        return of_group(self.next_of_group(port));
                    }
                    next - STEP
                }
                // A group after it gives way to the train's cells of the same instant.
                Some(first) if first.at <= next => next,
                _ => return of_group(self.next_of_group(port)),
            };
        }
        let First {
            place,
            at,
            until: other,
        } = first?;
        let coming = &mut self.coming[place];
        // An event cell is taken by its own event, in the turn of its channel. Taken here, it would come before its turn
        // and never act. And for the present actor, cells of this instant whose turn comes later have not arrived.
        if coming.train.is_event && !port.passes_event_cells || at >= coming.end {
            return None;
        }
        let mut last = other.min(coming.end - STEP);
        if until == Until::NextInput {
            last = last.min(end);
        }
        self.first = None;
        let input = Input::Channel(coming.input);
        let (train, are_all) = coming.train.take_until(last);
        if are_all && !self.begin_next_train(place, train.is_event, port, channels) {
            return Some((input, train));
        }
        // Inputs whose next cell is too late need no further comparisons.
        if self.coming[place].at() > self.time {
            self.coming[place].put_back(port, channels);
            self.coming.remove(place);
        }
        Some((input, train))
    }

    /// Removes the first train of an input's channel, which has been taken completely; false if it was the last.
    #[expect(
        clippy::inline_always,
        reason = "a step of the inner loop of each merge"
    )]
    #[inline(always)]
    fn begin_next_train(
        &mut self,
        place: usize,
        was_event: bool,
        port: &mut Port,
        channels: &mut [Channel],
    ) -> bool {
        let coming = &mut self.coming[place];
        let channel = &mut channels[coming.channel];
        if was_event {
            // The channel also lists the arrivals of its event cells; that entry must be removed with the cell.
            channel.pop_event_cell();
        } else {
            channel.drop_first();
        }
        if let Some(&next) = channel.first() {
            coming.train = next;
            return true;
        }
        // Without cells the channel no longer bounds the next arrival; a bound left behind would be in the past.
        port.lookahead.set_first(coming.input, Time::NEVER);
        self.coming.remove(place);
        false
    }

    /// The next cell of the source group, if it arrives in time.
    fn next_of_group(&self, port: &mut Port) -> Option<Cell> {
        let group = port.group.as_mut()?;
        let is_next = |cell: Cell, member: &Member| {
            // At the present instant, only members whose turn has come have sent their cells.
            let is_last = self.time == self.now && cell.at == self.time;
            cell.at <= self.time && (!is_last || member.actor as usize <= self.turn)
        };
        group.take_if(is_next)
    }

    /// A special case of the merge: before this instant only the source group brings cells, so they can be taken in bulk
    /// ([`SourceGroup::take_before`](crate::engine::trains::group::SourceGroup::take_before)) without comparing each with
    /// the channels. Cells of this very instant need the comparison. Taking them one by one costs 3.4 times the
    /// instructions of a run of `chain`, 1.4 times those of `abr-erica` and 1.3 times those of `lan`.
    #[inline]
    pub(in crate::engine) fn group_alone_before(&mut self) -> Time {
        let first = self.find_first().map_or(Time::NEVER, |first| first.at);
        first.min(self.time)
    }

    /// The channel that brings the next cell, and the instant up to which it is alone.
    #[inline]
    fn find_first(&mut self) -> Option<First> {
        if self.first.is_none() {
            let (one, others) = self.coming.split_first()?;
            let (mut place, mut at) = (0, one.at());
            let (mut other, mut second) = (usize::MAX, Time::NEVER);
            // Branches would be unpredictable.
            for (coming, number) in others.iter().zip(1..) {
                let next = coming.at();
                // Strictly less: of inputs that begin at one instant the lower one stays first.
                let (is_first, is_second) = (next < at, next < second);
                other = select_unpredictable(is_second, number, other);
                other = select_unpredictable(is_first, place, other);
                second = second.min(at.max(next));
                place = select_unpredictable(is_first, number, place);
                at = at.min(next);
            }
            // At one instant the cell by the lower input comes first.
            let until = if place < other { second } else { second - STEP };
            self.first = Some(First { place, at, until });
        }
        self.first
    }
}
