//! Two ends and a wire with a delay, for tests.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::{Receiver, Segment, Sender};
use crate::units::{Span, Time};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum To {
    Receiver,
    Sender,
}

/// What the wire does to the `n`-th segment of a direction, counted from zero; returns false to lose it.
type Wire = Box<dyn FnMut(To, usize, &mut Segment) -> bool>;

pub(super) struct Pair {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) now: Time,
    /// All segments sent, including lost ones: the time in milliseconds, the destination, the segment.
    pub(super) log: Vec<(u64, To, Segment)>,
    delay: Span,
    wire: Wire,
    flying: VecDeque<(Time, To, Segment)>,
}

impl Pair {
    pub(super) fn new(sender: Sender, receiver: Receiver, delay_ms: u64) -> Self {
        Self {
            sender,
            receiver,
            now: Time::ZERO,
            log: Vec::new(),
            delay: Span::from_ms(delay_ms),
            wire: Box::new(|_, _, _| true),
            flying: VecDeque::new(),
        }
    }

    pub(super) fn with_wire(
        mut self,
        wire: impl FnMut(To, usize, &mut Segment) -> bool + 'static,
    ) -> Self {
        self.wire = Box::new(wire);
        self
    }

    fn put(&mut self, to: To, mut segment: Segment) {
        let number = self.sent(to).count();
        let arrives = (self.wire)(to, number, &mut segment);
        let ms = self.now.as_ps() / 1_000_000_000;
        self.log.push((ms, to, segment));
        if arrives {
            self.flying.push_back((self.now + self.delay, to, segment));
        }
    }

    fn drain(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            self.put(To::Receiver, segment);
        }
        while let Some(segment) = self.receiver.poll_transmit(self.now) {
            self.put(To::Sender, segment);
        }
    }

    /// Processes everything up to `ms`.
    pub(super) fn run_until(&mut self, ms: u64) {
        let end = Time::ZERO + Span::from_ms(ms);
        loop {
            self.drain();
            let timers = [self.sender.next_timeout(), self.receiver.next_timeout()];
            let timer = timers.into_iter().flatten().min().unwrap_or(Time::NEVER);
            let arrival = self.flying.front().map_or(Time::NEVER, |front| front.0);
            let next = timer.min(arrival);
            if next > end {
                self.now = end;
                return;
            }
            assert!(next >= self.now, "a deadline in the past");
            self.now = next;
            if timer <= arrival {
                self.sender.on_timer(next);
                self.receiver.on_timer(next);
            } else if let Some((_, to, segment)) = self.flying.pop_front() {
                match to {
                    To::Receiver => self.receiver.on_segment(next, &segment),
                    To::Sender => self.sender.on_segment(next, &segment),
                }
            }
        }
    }

    /// The times and segments sent in one direction.
    pub(super) fn sent(&self, to: To) -> impl Iterator<Item = (u64, Segment)> + '_ {
        let towards = move |&&(_, direction, _): &&(u64, To, Segment)| direction == to;
        self.log.iter().filter(towards).map(|&(ms, _, s)| (ms, s))
    }
}
