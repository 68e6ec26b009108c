//! A FIFO queue of frames at a constant rate. By Lindley's recursion the departure of each frame is known when it arrives.

use std::collections::VecDeque;

use celltrain_proto::frame::Framing;
use celltrain_proto::units::{Rate, Time};

use crate::engine::queue::discipline::Discipline;
use crate::engine::queue::octets::{OctetCounts, OctetMeter};
use crate::engine::state::cell::Cell;
use crate::engine::state::room::{Exhausted, Room};

/// The queue, the line that serves it, and its meter.
#[derive(Clone, Debug)]
pub(in crate::engine) struct ForeseenFrames {
    rate: Rate,
    /// The most frames and octets that it holds, those in transmission included.
    most: u32,
    room: u64,
    /// When the last frame leaves.
    free: Time,
    /// Those that had not left when the last one came, in order, each with its departure.
    held: VecDeque<Cell>,
    /// The octets of these.
    meter: OctetMeter,
    /// Frames admitted so far.
    accepted: u64,
    /// The sum of their stays, in ps.
    stays: i128,
    /// The most frames that it held since the last reset.
    longest: u32,
    /// The instant of the readings.
    now: Time,
}

impl ForeseenFrames {
    /// An empty queue with room for `most` frames and `room` octets.
    pub(in crate::engine) fn new(framing: Framing, rate: Rate, (most, room): (u32, u64)) -> Self {
        Self {
            rate,
            most,
            room,
            free: Time::ZERO,
            held: VecDeque::new(),
            meter: OctetMeter::new(framing),
            accepted: 0,
            stays: 0,
            longest: 0,
            now: Time::ZERO,
        }
    }

    /// When a frame that arrives at `at` leaves; `None` if it finds no room.
    #[inline]
    pub(in crate::engine) fn accept(&mut self, frame: Cell, at: Time) -> Option<Time> {
        self.let_go(at);
        let octets = self.meter.octets(frame);
        if self.held.len() >= self.most as usize || octets > self.room - self.meter.queued() {
            self.meter.refuse(frame);
            return None;
        }
        self.meter.admit(at, frame);
        self.meter.note_longest();
        let start = self.free.max(at);
        self.free = start.saturating_add(self.rate.time_of(self.meter.unit(frame)));
        self.held.push_back(frame.leaving(self.free));
        self.accepted += 1;
        self.stays += i128::from((self.free - at).as_ps());
        self.longest = self.longest.max(self.held.len() as u32);
        Some(self.free)
    }

    /// Lets those go that leave up to `at`: at one instant departures come before arrivals.
    #[inline]
    fn let_go(&mut self, at: Time) {
        while let Some(&frame) = self.held.front()
            && frame.at <= at
        {
            self.held.pop_front();
            self.meter.depart(frame.at, frame);
        }
    }

    /// Those of the frames that have left by the instant of the readings.
    fn gone(&self) -> usize {
        self.held.partition_point(|frame| frame.at <= self.now)
    }

    /// The instant of the readings.
    pub(in crate::engine) fn now(&self) -> Time {
        self.now
    }

    /// Its octets at the instant of the readings.
    pub(in crate::engine) fn queued_octets(&self) -> u64 {
        let gone = self.held.range(..self.gone());
        let gone: u64 = gone.map(|&frame| self.meter.octets(frame)).sum();
        self.meter.queued() - gone
    }

    /// What it has counted in octets at `now`, up to which it has taken all frames.
    pub(in crate::engine) fn read_octets(&mut self, now: Time) -> OctetCounts {
        self.let_go(now);
        self.meter.read(now)
    }

    /// Whether each octet that came has left, was lost, or is in one of its frames.
    pub(in crate::engine) fn is_balanced(&self) -> bool {
        self.meter.is_balanced(self.held.iter().copied())
    }
}

impl Discipline for ForeseenFrames {
    #[inline]
    fn look(&mut self, now: Time) {
        self.now = now;
    }

    #[inline]
    fn queued(&self) -> u32 {
        (self.held.len() - self.gone()) as u32
    }

    #[inline]
    fn departed(&self) -> u64 {
        self.accepted - u64::from(self.queued())
    }

    fn area(&self) -> i128 {
        let here = self.held.range(self.gone()..);
        let left = here.map(|frame| i128::from((frame.at - self.now).as_ps()));
        self.stays - left.sum::<i128>()
    }

    fn take_maximum(&mut self) -> u32 {
        let queued = self.queued();
        std::mem::replace(&mut self.longest, queued)
    }
}

impl Room for ForeseenFrames {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        self.held.make_room()
    }
}

#[cfg(test)]
mod tests {
    use celltrain_proto::units::Span;

    use super::*;
    use crate::engine::state::cell::frame_number;

    /// One octet each microsecond.
    const RATE: Rate = Rate::kbps(8_000);

    fn frame(octets: u32) -> Cell {
        Cell::data(0, frame_number(0, octets), true)
    }

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    #[test]
    fn frames_leave_one_after_the_other_each_after_its_own_time() {
        let mut queue = ForeseenFrames::new(Framing::Ethernet, RATE, (9, u64::MAX));
        // 1,538 and 84 octets on the line.
        assert_eq!(queue.accept(frame(1_500), at(5)), Some(at(1_543)));
        assert_eq!(queue.accept(frame(40), at(5)), Some(at(1_627)));
        // The line has been idle since.
        assert_eq!(queue.accept(frame(40), at(2_000)), Some(at(2_084)));
    }

    #[test]
    fn room_is_counted_in_octets_on_the_line_and_in_frames() {
        let mut queue = ForeseenFrames::new(Framing::Ethernet, RATE, (2, 1_538 + 84));
        assert_eq!(queue.accept(frame(1_500), at(0)), Some(at(1_538)));
        assert_eq!(queue.accept(frame(1_500), at(1)), None);
        assert_eq!(queue.accept(frame(40), at(2)), Some(at(1_622)));
        // The first has not left.
        assert_eq!(queue.accept(frame(40), at(1_537)), None);
        // It leaves now, and its place is free.
        assert_eq!(queue.accept(frame(1_500), at(1_538)), Some(at(3_160)));
        // There is room for an octet more, but not for a frame.
        assert_eq!(queue.accept(frame(40), at(1_539)), None);
        assert!(queue.is_balanced());
    }

    #[test]
    fn what_it_reads_are_the_frames_that_are_there_at_that_instant() {
        let mut queue = ForeseenFrames::new(Framing::Ethernet, RATE, (9, u64::MAX));
        queue.accept(frame(1_500), at(0));
        queue.accept(frame(40), at(100));
        queue.look(at(1_537));
        assert_eq!((queue.queued(), queue.queued_octets()), (2, 1_622));
        assert_eq!(
            (queue.departed(), queue.area()),
            (0, 1_000_000 * (1_537 + 1_437))
        );
        queue.look(at(1_538));
        assert_eq!((queue.queued(), queue.queued_octets()), (1, 84));
        assert_eq!(
            (queue.departed(), queue.area()),
            (1, 1_000_000 * (1_538 + 1_438))
        );
        assert_eq!((queue.take_maximum(), queue.take_maximum()), (2, 1));
        let counts = queue.read_octets(at(1_600));
        assert_eq!(
            (counts.offered, counts.departed, counts.packets),
            (1_622, 1_538, 1_500)
        );
        // In octet microseconds: the first stayed 1,538, the second has been there for 1,500.
        assert_eq!(counts.area, 1_000_000 * (1_538 * 1_538 + 84 * 1_500));
        assert_eq!(counts.most, 1_622);
    }
}
