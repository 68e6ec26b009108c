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

/// About so many cells are put in order at once: few enough to stay in the nearest cache.
const AT_ONCE: usize = 512;

pub(super) use member::Member;
use order::Order;

/// Some inputs of a port, one behind the other, and their cells in the order of their arrivals.
#[derive(Debug)]
pub(super) struct Crowd {
    /// The inputs, of whose arrivals the port knows nothing.
    pub(super) inputs: Range<usize>,
    /// One for each of them.
    pub(super) members: Box<[Member]>,
    /// The cells, each with the number of its member for a hop.
    cells: Vec<Cell>,
    next: usize,
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
            cells: Vec::new(),
            next: 0,
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

    /// The next cell.
    #[inline]
    pub(super) fn first(&self) -> Option<Cell> {
        let cell = self.cells.get(self.next)?;
        Some(cell.at_hop(self.members[cell.hop()].hop))
    }

    /// Removes the next cell.
    #[inline]
    pub(super) fn drop_first(&mut self) {
        self.next += 1;
    }

    /// How many of the cells that it has arrive before `end`.
    pub(super) fn count_before(&self, end: Time) -> u32 {
        self.cells[self.next..].partition_point(|cell| cell.at < end) as u32
    }

    /// Removes the cells that arrive before `end`, one after the other; they count as come.
    #[inline]
    pub(super) fn take_before(&mut self, end: Time, mut take: impl FnMut(Cell, &mut Member)) {
        let cells = self.cells[self.next..].iter();
        for cell in cells.take_while(|cell| cell.at < end) {
            let member = &mut self.members[cell.hop()];
            member.come();
            take(cell.at_hop(member.hop), member);
            self.next += 1;
        }
    }

    /// When the next cell arrives.
    #[inline]
    pub(super) fn next_arrival(&self) -> Time {
        let cell = self.cells.get(self.next);
        cell.map_or(Time::NEVER, |cell| cell.at)
    }

    /// Takes the cells that arrive before `end` by `channels`, in the order of its inputs, behind its own.
    fn fill(&mut self, channels: &mut [Channel], numbers: &[u32], end: Time) {
        self.cells.drain(..self.next);
        self.next = 0;
        let kept = self.cells.len();
        for (&number, member) in numbers.iter().zip(0..) {
            let channel = &mut channels[number as usize];
            while let Some(train) = channel.first().copied() {
                let count = train.count_before(end) as u32;
                if count == 0 {
                    break;
                }
                let cells = (0..count).scan(train.first.at_hop(member), |next, _| {
                    let cell = *next;
                    *next = next.behind(train.gap, 1);
                    Some(cell)
                });
                self.cells.extend(cells);
                channel.consume(count);
            }
        }
        self.order.sort(&mut self.cells[kept..]);
        let count = self.cells.len() - kept;
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
            let end = self.now.saturating_add(crowd.span).min(self.end);
            for member in &mut crowd.members {
                member.count_until(self.end);
            }
            let numbers = &port.channels[inputs.clone()];
            crowd.fill(&mut self.channels, numbers, end);
            port.more[inputs.clone()].fill(end);
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
        crowd.fill(&mut channels, &[0, 1], Time::from_ps(21));
        let mut came = Vec::new();
        while let Some(cell) = crowd.first() {
            came.push((cell.at.as_ps(), cell.hop()));
            crowd.drop_first();
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
        crowd.fill(&mut channels, &[0, 1], Time::from_ps(12));
        crowd.drop_first();
        crowd.fill(&mut channels, &[0, 1], Time::from_ps(99));
        let left = crowd.cells.len();
        assert_eq!((left, crowd.next_arrival()), (7, Time::from_ps(10)));
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
