//! One queue for all flows, first come, first served, with queue management.

use super::chain::List;
use super::discipline::Discipline;
use super::management::Management;
use super::packet::Packet;
use super::store::Store;
use crate::aqm::Verdict;
use crate::units::{Bytes, Rate, Time};

/// A managed queue. A packet that finds no room is dropped.
#[derive(Clone, Debug)]
pub struct Single<T, M> {
    store: Store<T>,
    waiting: List,
    octets: u64,
    management: M,
}

impl<T, M> Single<T, M> {
    /// An empty queue.
    pub(super) fn new(management: M) -> Self {
        Self {
            store: Store::default(),
            waiting: List::EMPTY,
            octets: 0,
            management,
        }
    }
}

impl<T, M: Management> Discipline<T> for Single<T, M> {
    fn enqueue(&mut self, mut packet: Packet<T>, has_room: bool, mut drop: impl FnMut(Packet<T>)) {
        let backlog = Bytes(self.octets);
        if !has_room {
            self.management.on_overflow(packet.arrived, backlog);
            return drop(packet);
        }
        match self.management.on_arrival(packet.arrived, backlog) {
            Verdict::Pass => {}
            Verdict::Mark if packet.ecn_capable => packet.is_marked = true,
            Verdict::Mark | Verdict::Drop => return drop(packet),
        }
        self.octets += packet.octets.0;
        self.store.push(&mut self.waiting, packet);
    }

    fn dequeue(&mut self, now: Time, mut drop: impl FnMut(Packet<T>)) -> Option<Packet<T>> {
        loop {
            let Some(mut packet) = self.store.pop(&mut self.waiting) else {
                self.management.on_empty(now);
                return None;
            };
            self.octets -= packet.octets.0;
            let (sojourn, backlog) = (now - packet.arrived, Bytes(self.octets));
            let may_mark = packet.ecn_capable;
            match self
                .management
                .on_departure(now, sojourn, backlog, may_mark)
            {
                Verdict::Drop => drop(packet),
                verdict => {
                    packet.is_marked |= verdict == Verdict::Mark;
                    return Some(packet);
                }
            }
        }
    }

    fn drop_some(&mut self, _: Time, _: impl FnMut(Packet<T>)) {}

    fn on_rate(&mut self, rate: Rate) {
        if rate > Rate::ZERO {
            self.management.on_rate(rate);
        }
    }

    fn store(&self) -> &Store<T> {
        &self.store
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet_queue::testing::{Bench, at};
    use crate::packet_queue::{CoDelParameters, Label, Parameters, Pi2Parameters, PieParameters};

    fn codel(ecn: bool) -> Bench {
        let defaults = CoDelParameters::defaults().expect("each has a default");
        Bench::new(&Parameters::CoDel(CoDelParameters { ecn, ..defaults }))
    }

    #[test]
    fn codel_drops_from_whichever_flow_is_first() {
        let mut port = codel(false);
        for number in 0..500 {
            port.comes(number % 2, 1_500, Time::ZERO);
        }
        // One leaves each ms. The first is dropped after 100 ms above 5 ms, the others 100 ms / sqrt(n) apart: at 106, 206 and
        // 277 ms, when as many and those dropped have left.
        for ms in 0..300 {
            port.leaves(at(ms));
        }
        assert_eq!(port.dropped, [106, 207, 279]);
        assert_eq!(port.marked, [0; 0]);
    }

    #[test]
    fn with_ecn_those_that_can_be_marked_are_and_all_others_dropped() {
        let mut port = codel(true);
        for number in 0..500 {
            // The packet at 106 ms can be marked, that at 206 ms not.
            port.takes(Label::default(), 1_500, number < 150, Time::ZERO, true);
        }
        for ms in 0..250 {
            port.leaves(at(ms));
        }
        assert_eq!(
            (&port.marked[..], &port.dropped[..]),
            (&[106][..], &[206][..])
        );
    }

    #[test]
    fn a_packet_that_finds_no_room_is_dropped_itself() {
        let mut port = codel(false);
        let first = port.comes(1, 1_500, Time::ZERO);
        let second = port.takes(Label::default(), 40, false, Time::ZERO, false);
        assert_eq!(port.dropped, [second]);
        assert_eq!(port.drops_some(Time::ZERO), 0);
        assert_eq!(port.all(Time::ZERO), [first]);
    }

    /// Of packets that come twice as often as they leave, one each ms, how many are dropped in each of 4 half seconds.
    fn dropped_of_twice_as_many(parameters: &Parameters) -> [usize; 4] {
        let mut port = Bench::new(parameters);
        core::array::from_fn(|half| {
            let before = port.dropped.len();
            for ms in 0..500 {
                let now = at(500 * half as u64 + ms);
                port.comes(1, 1_500, now);
                port.comes(1, 1_500, now);
                port.leaves(now);
            }
            port.dropped.len() - before
        })
    }

    #[test]
    fn pie_and_pi2_come_to_drop_what_is_too_much() {
        let pie = PieParameters::defaults().expect("each has a default");
        let pie = dropped_of_twice_as_many(&Parameters::Pie(pie));
        let pi2 = Pi2Parameters::defaults().expect("each has a default");
        let pi2 = dropped_of_twice_as_many(&Parameters::Pi2(pi2));
        // PIE drops half of 1000 packets or more, to shorten the queue; a quarter is the most that PI2 drops.
        assert!(pie[3] >= 450, "{pie:?}");
        assert!((220..=280).contains(&pi2[3]), "{pi2:?}");
        // Nothing is dropped within the first 150 ms, and little while the probability is small.
        assert!(pie[0] < pie[3] / 2, "{pie:?}");
    }
}
