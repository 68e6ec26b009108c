//! The merge of a stage's inputs: cells of the middle of PDUs in the order of their arrivals, and of one instant in the order
//! of the inputs.

use std::hint::select_unpredictable;

use celltrain_proto::units::Time;

use crate::engine::state::cell::Cell;
use crate::engine::state::time::STEP;
use crate::engine::state::train::Train;
use crate::engine::trains::channel::Channel;
use crate::engine::trains::group::Member;
use crate::engine::trains::port::Port;

/// Where cells come to a stage.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Input {
    /// By the channel that is its input of this number.
    Channel(usize),
    /// From its source group, in which many sources are merged before their cells come.
    Group,
}

/// How long cells that come next are one train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Until {
    /// Until a cell comes by any other input.
    NextInput,
    /// Until one comes by another channel: the stage itself takes those of the source group that come in between.
    NextChannel,
}

/// The first train of an input's channel.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct InputTrain {
    /// What is left of it.
    train: Train,
    input: usize,
    channel: usize,
    /// Cells are taken that come before.
    end: Time,
}

impl InputTrain {
    /// Cells of this input are taken that come before `end`, the first of them in `train`.
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

/// How far the cells of a stage's inputs have been taken.
pub(in crate::engine) struct Merge {
    /// Cells are taken up to this instant.
    time: Time,
    /// The present instant, and who acts: at that instant only what comes before him counts.
    now: Time,
    turn: usize,
    /// The channels by which cells come in time, in the order of the inputs.
    pub(in crate::engine) coming: Vec<InputTrain>,
    /// What has been found since cells were taken last.
    first: Option<First>,
}

/// The channel by which cells come next.
#[derive(Clone, Copy)]
struct First {
    /// Its place among those by which cells come.
    place: usize,
    /// When its first cell comes.
    at: Time,
    /// Up to when no cells come but by it and of the source group.
    until: Time,
}

impl Merge {
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

    /// The cells that come next, and by which input they do: up to `until`, and no further than the merge goes.
    #[expect(
        clippy::inline_always,
        reason = "it is the inner loop of each merge, and an eighth slower by itself"
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
        // Cells of the source group are in no channel. Without this comparison a train would go on past one that comes in
        // between, and the queue would take the two in the wrong order.
        if let Some(group) = &port.group {
            let next = group.next_arrival();
            end = match first {
                // Of one instant the lower input goes first: a group before it ends the train a step earlier.
                Some(first) if group.precedes(self.coming[first.place].input) => {
                    if first.at >= next {
                        return of_group(self.next_of_group(port));
                    }
                    next - STEP
                }
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
        // An event cell is taken in the turn of its channel, by the event that it is: taken here, it would come before its
        // turn and never act. And what comes at the present instant after the turn of who acts now has not come for him.
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
        // Those that come later need no comparison with each of the others.
        if self.coming[place].at() > self.time {
            self.coming[place].put_back(port, channels);
            self.coming.remove(place);
        }
        Some((input, train))
    }

    /// All of the first train in the channel of an input have been taken; false if that was its last train.
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
            // The channel also knows when its event cells arrive; that must go with the cell.
            channel.pop_event_cell();
        } else {
            channel.drop_first();
        }
        if let Some(&next) = channel.first() {
            coming.train = next;
            return true;
        }
        port.lookahead.set_first(coming.input, Time::NEVER);
        self.coming.remove(place);
        false
    }

    /// The next cell of the source group, if it comes in time.
    fn next_of_group(&self, port: &mut Port) -> Option<Cell> {
        let group = port.group.as_mut()?;
        let is_next = |cell: Cell, member: &Member| {
            // Of the present instant, only members whose turn has been have sent their cell.
            let is_last = self.time == self.now && cell.at == self.time;
            cell.at <= self.time && (!is_last || member.actor as usize <= self.turn)
        };
        group.take_if(is_next)
    }

    /// A special case of the merge: before this instant only the source group brings cells, which may be taken in bulk
    /// ([`SourceGroup::take_before`](crate::engine::trains::group::SourceGroup::take_before)), without a comparison with
    /// the channels for each. Cells of the very instant need the comparison. One by one they take 3.4 times the instructions
    /// of a run of `chain`, 1.4 times those of `abr-erica` and 1.3 times those of `lan`.
    #[inline]
    pub(in crate::engine) fn group_alone_before(&mut self) -> Time {
        let first = self.find_first().map_or(Time::NEVER, |first| first.at);
        first.min(self.time)
    }

    /// The channel by which cells come next, and up to when it is alone.
    #[inline]
    fn find_first(&mut self) -> Option<First> {
        if self.first.is_none() {
            let (one, others) = self.coming.split_first()?;
            let (mut place, mut at) = (0, one.at());
            let (mut other, mut second) = (usize::MAX, Time::NEVER);
            // Branches would be taken at random.
            for (coming, number) in others.iter().zip(1..) {
                let next = coming.at();
                // Strictly less: of inputs that begin at one instant the lower one stays the first.
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
}
