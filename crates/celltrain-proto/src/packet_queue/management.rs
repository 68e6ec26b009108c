//! Queue management of packets: the state machines of [`crate::aqm`], with delays measured on the packets themselves.

use crate::aqm::{CoDel, QueueManager, Verdict};
use crate::units::{Bytes, Rate, Span, Time};

/// What manages a queue of packets. By default every packet passes.
#[expect(
    unused_variables,
    reason = "the defaults ignore their arguments, whose names are documentation"
)]
pub trait Management {
    /// A packet comes behind `backlog` octets, and finds room.
    fn on_arrival(&mut self, now: Time, backlog: Bytes) -> Verdict {
        Verdict::Pass
    }
    /// A packet comes behind `backlog` octets, and finds no room.
    fn on_overflow(&mut self, now: Time, backlog: Bytes) {}
    /// A packet that has waited for `sojourn` goes next, and leaves `backlog` octets; it may be marked if `may_mark`. After
    /// [`Verdict::Drop`] the one behind it must be shown in turn.
    fn on_departure(
        &mut self,
        now: Time,
        sojourn: Span,
        backlog: Bytes,
        may_mark: bool,
    ) -> Verdict {
        Verdict::Pass
    }
    /// The line becomes free at `now`, and no packet waits.
    fn on_empty(&mut self, now: Time) {}
    /// The rate of the line from now on, which is not zero.
    fn on_rate(&mut self, rate: Rate) {}
}

/// No management.
#[derive(Clone, Copy, Debug)]
pub struct Unmanaged;

impl Management for Unmanaged {}

/// `CoDel`, in front of a line whose longest packet has `longest` octets: with at most so many waiting, no queue stands.
#[derive(Clone, Debug)]
pub struct AtHead {
    pub(super) codel: CoDel,
    pub(super) longest: Bytes,
}

impl Management for AtHead {
    fn on_departure(
        &mut self,
        now: Time,
        sojourn: Span,
        backlog: Bytes,
        may_mark: bool,
    ) -> Verdict {
        self.codel
            .judge(now, sojourn, backlog > self.longest, may_mark)
    }
}

/// A manager that decides on arrival by a delay that it knows at regular updates: that of the last packet that left, or
/// none if it left nothing behind (the time stamps of `pie` of Linux; RFC 8033, 5.2). Between two packets nothing
/// changes, so updates are made when the next one comes or leaves.
#[derive(Clone, Debug)]
pub struct OnArrival<M> {
    pub(super) manager: M,
    longest: Bytes,
    delay: Span,
}

impl<M: QueueManager> OnArrival<M> {
    /// The manager of an empty queue.
    pub(super) fn new(manager: M, longest: Bytes) -> Self {
        Self {
            manager,
            longest,
            delay: Span::ZERO,
        }
    }

    /// Makes the updates that are due.
    fn update(&mut self, now: Time) {
        if self.delay == Span::ZERO {
            self.manager.pass_idle_time(now);
        }
        loop {
            let due = self.manager.next_update();
            if due > now {
                break;
            }
            self.manager.on_update(due, self.delay);
        }
    }
}

impl<M: QueueManager> Management for OnArrival<M> {
    fn on_arrival(&mut self, now: Time, backlog: Bytes) -> Verdict {
        self.update(now);
        self.manager.on_arrival(now, backlog, self.longest)
    }

    fn on_departure(&mut self, now: Time, sojourn: Span, backlog: Bytes, _: bool) -> Verdict {
        self.update(now);
        self.delay = if backlog == Bytes(0) {
            Span::ZERO
        } else {
            sojourn
        };
        Verdict::Pass
    }

    fn on_overflow(&mut self, now: Time, _: Bytes) {
        self.manager.on_overflow(now);
    }

    fn on_empty(&mut self, now: Time) {
        self.manager.on_empty(now);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::packet_queue::testing::at;

    /// Notes its updates, each 10 ms, and for which instants it was told that there was no delay.
    #[derive(Default)]
    struct Noted {
        updates: Vec<(Time, Span)>,
        idle: Vec<Time>,
    }

    impl QueueManager for Noted {
        fn next_update(&self) -> Time {
            at(10 * (self.updates.len() as u64 + 1))
        }
        fn pass_idle_time(&mut self, now: Time) {
            self.idle.push(now);
        }
        fn on_update(&mut self, now: Time, delay: Span) {
            self.updates.push((now, delay));
        }
    }

    #[test]
    fn updates_have_the_delay_of_the_last_packet_that_left_something_behind() {
        let mut managed = OnArrival::new(Noted::default(), Bytes(1_538));
        let ms = Span::from_ms;
        managed.on_departure(at(5), ms(3), Bytes(100), false);
        // The update at 20 ms comes before the departure at that instant, and the one at 30 ms after it.
        managed.on_departure(at(20), ms(7), Bytes(100), false);
        managed.on_departure(at(35), ms(9), Bytes(0), false);
        managed.on_arrival(at(50), Bytes(0));
        let expected = [(10, 3), (20, 3), (30, 7), (40, 0), (50, 0)];
        let expected = expected.map(|(when, delay)| (at(when), ms(delay)));
        assert_eq!(managed.manager.updates, expected);
        assert_eq!(managed.manager.idle, [at(5), at(50)]);
    }
}
