//! Processes that come to one queue straight from their sources: nothing changes what they send, so that their
//! cells are put in order ahead, many at once.

use std::ops::Range;

use celltrain_proto::units::{Span, Time};

use super::Simulation;
use super::build::CHUNK;
use super::cell::{Cell, Kind};
use super::train::{Channel, Origin};

mod member;
mod order;
mod runs;

/// About so many cells are put in order at once: few enough to stay in the nearest cache.
const AT_ONCE: usize = 512;

pub(super) use member::Member;
use order::Order;
use runs::{Run, Runs};

/// Some inputs of a port, one behind the other, and their cells in the order of their arrivals.
#[derive(Debug)]
pub(super) struct Crowd {
    /// The inputs, of whose arrivals the port knows nothing.
    pub(super) inputs: Range<usize>,
    /// One for each of them.
    pub(super) members: Box<[Member]>,
    /// No cell arrives before that it does not yet have.
    pub(super) more: Time,
    /// In order: cells, each with the number of its member for a hop, and first cells of trains of one gap.
    starts: Vec<Run>,
    next: usize,
    /// The trains of one gap that have begun.
    runs: Runs,
    order: Order,
    /// The time whose cells are put in order at once.
    span: Span,
    /// Whether all its cells are of the first class of a queue of classes.
    pub(super) goes_first: bool,
}

impl Crowd {
    /// Inputs, and for each of them where its cells come to.
    pub(super) fn new(inputs: Range<usize>, members: Box<[Member]>) -> Self {
        Self {
            inputs,
            members,
            more: Time::NEVER,
            starts: Vec::new(),
            next: 0,
            runs: Runs::default(),
            order: Order::default(),
            span: CHUNK,
            goes_first: false,
        }
    }

    /// Whether its cells come before those of another input at one instant.
    #[inline]
    pub(super) fn precedes(&self, input: usize) -> bool {
        self.inputs.start < input
    }

    /// The next cell, with the number of its member for a hop, and whether it starts something.
    #[inline]
    fn peek(&self) -> Option<(Cell, bool)> {
        let start = self.starts.get(self.next).map(|start| start.next);
        match (start, self.runs.first()) {
            // Of two that come at one instant, that by the lower input comes first.
            (Some(start), Some(run)) if (run.at, run.hop()) <= (start.at, start.hop()) => {
                Some((run, false))
            }
            (None, Some(run)) => Some((run, false)),
            (start, _) => Some((start?, true)),
        }
    }

    /// Removes the next cell, which starts something or not.
    #[inline]
    fn drop_peeked(&mut self, starts: bool) {
        if !starts {
            return self.runs.drop_first();
        }
        let Run { next, more } = self.starts[self.next];
        if more > 0 {
            self.runs.begin(next, more);
        }
        self.next += 1;
    }

    /// Takes the next cell, with its hop, if it `is_next` to come.
    #[inline]
    pub(super) fn take_if(&mut self, is_next: impl Fn(Cell) -> bool) -> Option<Cell> {
        let (cell, starts) = self.peek()?;
        let cell = cell.at_hop(self.members[cell.hop()].hop);
        is_next(cell).then(|| {
            self.drop_peeked(starts);
            cell
        })
    }

    /// No fewer than the cells that it has that arrive before `end`.
    pub(super) fn most_before(&self, end: Time) -> u64 {
        let starts = &self.starts[self.next..];
        let first = starts.first().map_or(Time::NEVER, |start| start.next.at);
        let count = starts.partition_point(|start| start.next.at < end);
        self.runs.most_before(end, (count, first))
    }

    /// Removes the cells that arrive before `end`, one after the other; they count as come.
    #[inline]
    pub(super) fn take_before(&mut self, end: Time, mut take: impl FnMut(Cell, &mut Member)) {
        let mut until = self.next_start().min(end);
        loop {
            let cell = self.runs.take_before(until).or_else(|| {
                let (cell, starts) = self.peek().filter(|(cell, _)| cell.at < end)?;
                self.drop_peeked(starts);
                until = self.next_start().min(end);
                Some(cell)
            });
            let Some(cell) = cell else { return };
            let member = &mut self.members[cell.hop()];
            member.come();
            take(cell.at_hop(member.hop), member);
        }
    }

    /// When the next cell arrives that starts something.
    #[inline]
    fn next_start(&self) -> Time {
        let start = self.starts.get(self.next);
        start.map_or(Time::NEVER, |start| start.next.at)
    }

    /// When the next cell arrives.
    #[inline]
    pub(super) fn next_arrival(&self) -> Time {
        let run = self.runs.first();
        let run = run.map_or(Time::NEVER, |run| run.at);
        self.next_start().min(run)
    }

    /// No cell arrives before.
    #[inline]
    pub(super) fn quiet(&self) -> Time {
        self.next_arrival().min(self.more)
    }

    /// Takes the cells that arrive before `end` by `channels`, in the order of its inputs, behind its own; with one of a
    /// train of one gap all that arrive before somebody looks at channels, at `look`.
    fn fill(&mut self, channels: &mut [Channel], numbers: &[u32], end: Time, look: Time) {
        self.starts.drain(..self.next);
        self.next = 0;
        let kept = self.starts.len();
        for (&number, member) in numbers.iter().zip(0..) {
            let channel = &mut channels[number as usize];
            while let Some(train) = channel.first().copied() {
                if train.first.at >= end {
                    break;
                }
                let next = train.first.at_hop(member);
                let count = train.count_before(look) as u32;
                if count > 1 && self.runs.announce(train.gap) {
                    let more = count - 1;
                    self.starts.push(Run { next, more });
                    channel.consume(count);
                    continue;
                }
                let count = train.count_before(end) as u32;
                let cells = (0..count).scan(next, |next, _| {
                    let cell = *next;
                    *next = next.behind(train.gap, 1);
                    Some(Run {
                        next: cell,
                        more: 0,
                    })
                });
                self.starts.extend(cells);
                channel.consume(count);
            }
            channel.shrink();
        }
        self.order.sort(&mut self.starts[kept..]);
        let count = self.starts.len() - kept;
        if count > AT_ONCE {
            self.span = self.span / 2;
        } else if count < AT_ONCE / 4 {
            self.span = (self.span * 2).min(CHUNK);
        }
    }
}

impl Simulation<'_> {
    /// The sources of a port's crowd send ahead, as far as nobody looks at what they have sent.
    pub(super) fn fill_crowd(&mut self, link: usize) {
        let crowd = self.ports[link].crowd.as_ref();
        let inputs = crowd.map_or(0..0, |crowd| crowd.inputs.clone());
        for input in inputs.clone() {
            let channel = self.ports[link].channels[input] as usize;
            if let Origin::Source(direction) = self.channels[channel].origin {
                self.catch_up_source(direction as usize, self.now);
            }
        }
        let port = &mut self.ports[link];
        if let Some(crowd) = &mut port.crowd {
            let look = self.end;
            let end = self.now.saturating_add(crowd.span).min(look);
            for member in &mut crowd.members {
                member.count_until(look);
            }
            let numbers = &port.channels[inputs.clone()];
            crowd.fill(&mut self.channels, numbers, end, look);
            crowd.more = end;
        }
    }

    /// What a link has taken of its crowd is counted at its hops.
    pub(super) fn count_crowd(&mut self, link: usize) {
        let crowd = self.ports[link].crowd.iter_mut();
        for member in crowd.flat_map(|crowd| &mut crowd.members) {
            let counts = &mut self.hops[member.hop as usize].counts;
            counts.offered[Kind::Data as usize] += member.take_came();
        }
    }
}

/// Who acts when `cell` arrives, by one of the channels of these numbers.
#[cold]
pub(super) fn actor(cell: Cell, numbers: &[u32], channels: &[Channel]) -> Option<usize> {
    let hop = cell.hop() as u32;
    let mut members = numbers.iter().map(|&number| &channels[number as usize]);
    let channel = members.find(|channel| channel.ends.contains(&hop))?;
    Some(channel.actor)
}

/// The longest run of inputs that are processes, if there are several in one.
pub(super) fn longest_run(is_process: impl Iterator<Item = bool>) -> Option<Range<usize>> {
    let mut longest = 0..0;
    let mut run = 0..0;
    for (input, is_process) in is_process.enumerate() {
        run = if is_process {
            run.start..input + 1
        } else {
            input + 1..input + 1
        };
        if run.len() > longest.len() {
            longest = run.clone();
        }
    }
    (longest.len() > 1).then_some(longest)
}

#[cfg(test)]
mod tests {
    use celltrain_proto::units::Span;
    use proptest::prelude::*;

    use super::*;
    use crate::engine::train::{Destination, Train};

    fn channel(input: u32, hop: u32, at: u64, gap: u64, count: u32) -> Channel {
        let to = Destination::Link { link: 0, input };
        let mut channel = Channel::new(Origin::Source(input), to, Span::ZERO, Box::default(), 0);
        let mut first = Cell::data(hop, 0, false);
        first.at = Time::from_ps(at);
        channel.push(Train {
            gap: Span::from_ps(gap),
            count,
            ..Train::single(first, false)
        });
        channel
    }

    /// Two inputs, whose cells come to hops 7 and 8.
    fn crowd() -> Crowd {
        let members = [7, 8].map(|hop| Member::new(hop, 0, 0, None));
        Crowd::new(0..2, members.into())
    }

    #[test]
    fn cells_come_in_order_and_of_one_instant_the_lower_input_first() {
        let mut channels = [channel(0, 7, 0, 10, 4), channel(1, 8, 10, 5, 4)];
        let mut crowd = crowd();
        crowd.fill(&mut channels, &[0, 1], Time::from_ps(21), Time::from_ps(21));
        let mut came = Vec::new();
        while let Some(cell) = crowd.take_if(|_| true) {
            came.push((cell.at.as_ps(), cell.hop()));
        }
        assert_eq!(came, [(0, 7), (10, 7), (10, 8), (15, 8), (20, 7), (20, 8)]);
        // What comes later is still in the channels.
        assert_eq!(channels[0].next_arrival(), Time::from_ps(30));
        assert_eq!(channels[1].next_arrival(), Time::from_ps(25));
    }

    #[test]
    fn what_is_left_stays_before_what_is_taken_next() {
        let mut channels = [channel(0, 7, 0, 10, 4), channel(1, 8, 10, 5, 4)];
        let mut crowd = crowd();
        crowd.fill(&mut channels, &[0, 1], Time::from_ps(12), Time::from_ps(12));
        crowd.take_if(|_| true);
        crowd.fill(&mut channels, &[0, 1], Time::from_ps(99), Time::from_ps(99));
        let left = std::iter::from_fn(|| crowd.take_if(|_| true)).count();
        assert_eq!((left, crowd.next_arrival()), (7, Time::NEVER));
    }

    /// Trains of a member: the instant of the first, and then each time a gap, a number of cells, and a pause.
    fn trains(input: u32) -> impl Strategy<Value = (u64, Vec<(u64, u32, u64)>)> {
        let gap = if input == 0 {
            Just(7).boxed()
        } else {
            prop_oneof![Just(7_u64), Just(0), 1..20_u64].boxed()
        };
        let trains = prop::collection::vec((gap, 1..9_u32, 0..60_u64), 0..8);
        (0..40_u64, trains)
    }

    proptest! {
        #[test]
        fn cells_come_in_the_order_of_their_arrivals_and_their_inputs(
            all in (trains(0), trains(1), trains(2)),
            mut ends in prop::collection::vec(0..400_u64, 0..6),
        ) {
            ends.sort_unstable();
            ends.push(u64::from(u32::MAX));
            let mut expected = Vec::new();
            let mut channels = Vec::new();
            for ((start, trains), input) in [all.0, all.1, all.2].into_iter().zip(0..) {
                let mut channel = channel(input, 7 + input, start, 0, 1);
                channel.consume(1);
                let (mut at, mut number) = (start, 0);
                for (gap, count, pause) in trains {
                    let mut first = Cell::data(7 + input, number, false);
                    first.at = Time::from_ps(at);
                    let train = Train { gap: Span::from_ps(gap), count, ..Train::single(first, false) };
                    expected.extend(train.cells().map(|cell| (cell.at, input, cell.load())));
                    channel.push(train);
                    at = train.last().as_ps() + pause;
                    number += count;
                }
                channels.push(channel);
            }
            expected.sort_unstable();

            let members = [7, 8, 9].map(|hop| Member::new(hop, 0, 0, None));
            let mut crowd = Crowd::new(0..3, members.into());
            let mut came = Vec::new();
            for (&end, number) in ends.iter().zip(0..) {
                let end = Time::from_ps(end);
                // Channels are looked at now and then.
                let look = if number % 2 == 0 { Time::NEVER } else { end };
                crowd.fill(&mut channels, &[0, 1, 2], end, look);
                let most = crowd.most_before(end);
                let before = came.len();
                crowd.take_before(end, |cell, member| came.push((cell.at, member.hop - 7, cell.load())));
                prop_assert!(most >= (came.len() - before) as u64);
            }
            prop_assert_eq!(came, expected);
        }
    }

    #[test]
    fn a_run_of_processes_is_a_crowd_if_it_is_more_than_one() {
        let run = |inputs: &[bool]| longest_run(inputs.iter().copied());
        assert_eq!(
            run(&[false, true, true, false, true, true, true]),
            Some(4..7)
        );
        assert_eq!(run(&[true, false, true]), None);
    }
}
