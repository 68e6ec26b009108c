//! Source groups: processes whose cells come to one queue straight from their sources. Nothing changes what they send, so
//! their cells are put in order ahead of time, many at once.

use std::ops::Range;

use celltrain_proto::units::{Span, Time};

use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::cell::Cell;
use crate::engine::state::time::{CHUNK, STEP};
use crate::engine::state::train::Train;
use crate::engine::trains::channel::Channel;

mod member;
mod order;
mod runs;

/// The approximate number of cells put in order at once: few enough for the first-level cache, where they take 12 KiB.
///
/// The value hardly matters: between 128 and 16,384 the CPU time of `chain`, `many` and `lan` (workloads in `benches`),
/// and of 5, 200 and 2,000 Poisson processes at one queue, does not change beyond measurement noise. With 100,000 the
/// 2,000 processes take 1.5 times as long.
const AT_ONCE: usize = 512;

pub(in crate::engine) use member::Member;
pub(in crate::engine) use order::Sorter;
pub(in crate::engine) use runs::{Run, Runs};

/// Some consecutive inputs of a port, and their cells in order of arrival.
#[derive(Clone, Debug)]
pub(in crate::engine) struct SourceGroup {
    /// The inputs. The port knows nothing of their arrivals.
    pub(in crate::engine) inputs: Range<usize>,
    /// The directions that come by these inputs, in the order of the inputs.
    pub(in crate::engine) members: Box<[Member]>,
    /// In order of arrival: single cells and first cells of trains with the common gap. Each cell has the number of its
    /// member as its hop.
    starts: Vec<Run>,
    next: usize,
    /// The trains with the common gap that have begun.
    runs: Runs,
    /// The length of the interval whose cells are put in order at once, and the most that it may be.
    pub(in crate::engine) span: Span,
    most: Span,
    /// Whether all its cells are of the first class of a strict-priority queue.
    pub(in crate::engine) goes_first: bool,
}

impl SourceGroup {
    /// A source group of these inputs and the directions that come by them.
    pub(in crate::engine) fn new(inputs: Range<usize>, members: Box<[Member]>) -> Self {
        Self {
            inputs,
            members,
            starts: Vec::new(),
            next: 0,
            runs: Runs::default(),
            span: CHUNK,
            most: CHUNK,
            goes_first: false,
        }
    }

    /// Puts no more cells in order at once than those of an interval of length `most`.
    pub(in crate::engine) fn fill_no_further(&mut self, most: Span) {
        (self.span, self.most) = (self.span.min(most), most);
    }

    /// Whether its cells go before those of another input that arrive at the same instant.
    #[inline]
    pub(in crate::engine) fn precedes(&self, input: usize) -> bool {
        self.inputs.start < input
    }

    /// The next cell, with the number of its member as its hop, and whether it comes from `starts`.
    #[inline]
    fn peek(&self) -> Option<(Cell, bool)> {
        let start = self.starts.get(self.next).map(|start| start.next);
        match (start, self.runs.first()) {
            // At one instant the cell by the lower input comes first.
            (Some(start), Some(run)) if (run.at, run.hop()) <= (start.at, start.hop()) => {
                Some((run, false))
            }
            (None, Some(run)) => Some((run, false)),
            (start, _) => Some((start?, true)),
        }
    }

    /// Removes the next cell; `starts` tells whether it comes from `starts`.
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

    /// Takes the next cell, with its real hop, if `is_next` accepts the cell and its member.
    #[inline]
    pub(in crate::engine) fn take_if(
        &mut self,
        is_next: impl Fn(Cell, &Member) -> bool,
    ) -> Option<Cell> {
        let (cell, starts) = self.peek()?;
        let member = &self.members[cell.hop()];
        let cell = cell.at_hop(member.hop);
        is_next(cell, member).then(|| {
            self.drop_peeked(starts);
            cell
        })
    }

    /// An upper bound on the number of its cells that arrive before `end`.
    pub(in crate::engine) fn most_before(&self, end: Time) -> u64 {
        let starts = &self.starts[self.next..];
        let first = starts.first().map_or(Time::NEVER, |start| start.next.at);
        let count = starts.partition_point(|start| start.next.at < end);
        self.runs.most_before(end, (count, first))
    }

    /// Removes the cells that arrive before `end` one after another and counts them as arrived.
    #[inline]
    pub(in crate::engine) fn take_before(
        &mut self,
        end: Time,
        mut take: impl FnMut(Cell, &mut Member),
    ) {
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

    /// When the next cell in `starts` arrives.
    #[inline]
    fn next_start(&self) -> Time {
        let start = self.starts.get(self.next);
        start.map_or(Time::NEVER, |start| start.next.at)
    }

    /// When the next cell arrives.
    #[inline]
    pub(in crate::engine) fn next_arrival(&self) -> Time {
        let run = self.runs.first();
        let run = run.map_or(Time::NEVER, |run| run.at);
        self.next_start().min(run)
    }

    /// Adds the cells that arrive before `end`, in the order of the inputs. A train with the common gap is added up to
    /// `look`, when sources and channels are read next.
    pub(in crate::engine) fn fill(
        &mut self,
        sources: &mut ByDirection<Source>,
        channels: &mut [Channel],
        end: Time,
        look: Time,
        order: &mut Sorter,
    ) {
        self.starts.drain(..self.next);
        self.next = 0;
        if self.starts.capacity() == 0 {
            // Many groups never need more.
            self.starts.reserve_exact(self.members.len());
            self.runs.reserve(self.members.len());
        }
        let kept = self.starts.len();
        for number in 0..self.members.len() {
            let source = &mut sources[self.members[number].direction()];
            let number = number as u32;
            match source.way {
                Some((channel, _)) if !source.is_of_group() => {
                    self.fill_from_channel(&mut channels[channel as usize], number, end, look);
                }
                _ => self.fill_from_source(source, number, end, look),
            }
        }
        order.sort(&mut self.starts[kept..]);
        let count = self.starts.len() - kept;
        if count > AT_ONCE {
            self.span = (self.span / 2).max(STEP);
        } else if count < AT_ONCE / 4 {
            self.span = (self.span * 2).min(self.most);
        }
    }

    /// Adds the cells of a member that arrive through a channel.
    fn fill_from_channel(&mut self, channel: &mut Channel, member: u32, end: Time, look: Time) {
        while let Some(train) = channel.first().copied() {
            if train.first.at >= end {
                break;
            }
            let count = train.count_before(look) as u32;
            let goes_on = count > 1 && self.runs.enlist(train.gap);
            let count = if goes_on {
                count
            } else {
                train.count_before(end) as u32
            };
            self.add(&Train { count, ..train }, member, goes_on);
            channel.consume(count);
        }
    }

    /// Adds the cells of a member that arrive as they leave their source.
    fn fill_from_source(&mut self, source: &mut Source, member: u32, end: Time, look: Time) {
        while let Some((at, gap, more)) = source.next_run()
            && at < end
        {
            let goes_on = more > 1 && at.saturating_add(gap) < look && self.runs.enlist(gap);
            let until = if goes_on { look } else { end };
            let Some(train) = source.take_train(until - STEP) else {
                return;
            };
            source
                .transit
                .pass_train(train.first.at, train.gap, train.count);
            self.add(&train, member, goes_on);
        }
    }

    /// Adds the cells of a train, or only its first cell if the train `goes_on` as a run.
    fn add(&mut self, train: &Train, member: u32, goes_on: bool) {
        let next = train.first.at_hop(member);
        if goes_on {
            let more = train.count - 1;
            return self.starts.push(Run { next, more });
        }
        let cells = (0..train.count).map(|number| Run {
            next: next.after(train.gap * u64::from(number), number),
            more: 0,
        });
        self.starts.extend(cells);
    }
}

/// The consecutive inputs with the most processes in total, if these are at least `least`. `processes` has, for each
/// input, the number of processes that come by it, or zero if anything else does.
pub(in crate::engine) fn longest_run(
    processes: impl Iterator<Item = usize>,
    least: usize,
) -> Option<Range<usize>> {
    let (mut longest, mut most) = (0..0, 0);
    let (mut run, mut count) = (0..0, 0);
    for (input, processes) in processes.enumerate() {
        (run, count) = match processes {
            0 => (input + 1..input + 1, 0),
            _ => (run.start..input + 1, count + processes),
        };
        if count > most {
            (longest, most) = (run.clone(), count);
        }
    }
    (most >= least).then_some(longest)
}

#[cfg(test)]
mod tests;
