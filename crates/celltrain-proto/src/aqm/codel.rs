//! `CoDel`: packets are dropped at the head of the queue while the minimum delay of an interval is too long.
//!
//! ```text
//! too long:   sojourn >= target and backlog > one packet, of all packets for an interval
//! entering:   drop one;  count = 1, or what the last cycle had come to if that is less than 16 intervals ago
//! dropping:   the next one at drop_next, which moves on by interval/√count with each
//! leaving:    at the first packet that is not too late
//! ```
//!
//! With ECN a mark replaces a drop; the marked packet leaves, so no further one is examined for this departure. Source:
//! RFC 8289. Where it is silent: a mark advances `drop_next` as a drop does, which matches existing implementations. It
//! measures the sojourn time of each packet.

use super::manager::{Manager, QueueManager};
use super::verdict::Verdict;
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Bytes, Span, Time};

parameters! {
    /// The parameters of [`CoDel`].
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct CoDelParameters {
        /// Acceptable standing queueing delay; on a slow line at least the time of 1.5 packets.
        pub target: Span = Span::from_ms(5), in Bounds::POSITIVE;
        /// Time within which the delay must fall below the target at least once: a worst-case round-trip time.
        pub interval: Span = Span::from_ms(100), in Bounds::POSITIVE;
        /// Whether packets of ECN-capable connections are marked instead of dropped.
        pub ecn: bool = false;
    }
}

/// How the next packet shown relates to the current departure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Candidate {
    /// The first packet of a departure.
    First,
    /// The one after the packet dropped on entering: it leaves, whatever its delay.
    AfterEntry,
    /// The one after a packet dropped later.
    AfterDrop,
}

/// `CoDel`.
#[derive(Clone, Debug)]
pub struct CoDel {
    options: CoDelParameters,
    /// When the delay will have been too long for an interval; `None` while it is acceptable.
    first_above: Option<Time>,
    dropping: bool,
    /// While dropping, the time of the next drop; otherwise, when the last cycle's next drop would have been.
    drop_next: Time,
    /// Drops of this cycle, including a carry-over from the last one.
    count: u64,
    /// The value of `count` on entering.
    last_count: u64,
    candidate: Candidate,
    /// Whether the packet shown may be marked.
    marks: bool,
}

impl CoDel {
    /// Creates the manager of an empty queue.
    pub fn new(options: CoDelParameters) -> Self {
        Self {
            options,
            first_above: None,
            dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            candidate: Candidate::First,
            marks: options.ecn,
        }
    }

    /// Whether the delay has been too long for an interval, so that the packet may be dropped.
    fn is_late(&mut self, now: Time, sojourn: Span, queue_stands: bool) -> bool {
        if sojourn < self.options.target || !queue_stands {
            self.first_above = None;
            return false;
        }
        let due = now.saturating_add(self.options.interval);
        now > *self.first_above.get_or_insert(due)
    }

    /// The decision about a packet at the head; see [`QueueManager::on_dequeue`]. `queue_stands`: more than one packet waits
    /// after it; `may_mark`: it is ECN-capable. Where ECN is off, or it is not, it is dropped instead of marked.
    pub fn judge(
        &mut self,
        now: Time,
        sojourn: Span,
        queue_stands: bool,
        may_mark: bool,
    ) -> Verdict {
        self.marks = self.options.ecn && may_mark;
        let late = self.is_late(now, sojourn, queue_stands);
        match core::mem::replace(&mut self.candidate, Candidate::First) {
            Candidate::First if self.dropping => {
                self.dropping = late;
                self.drop_if_due(now)
            }
            Candidate::First if late => self.enter(now),
            Candidate::First | Candidate::AfterEntry => Verdict::Pass,
            Candidate::AfterDrop => {
                self.dropping = late;
                if late {
                    self.move_on(self.drop_next);
                }
                self.drop_if_due(now)
            }
        }
    }

    fn enter(&mut self, now: Time) -> Verdict {
        let dropped = self.count - self.last_count;
        let recent = now.saturating_since(self.drop_next) < self.options.interval * 16;
        self.count = if dropped > 1 && recent { dropped } else { 1 };
        self.last_count = self.count;
        self.dropping = true;
        self.move_on(now);
        self.discard(Candidate::AfterEntry)
    }

    fn drop_if_due(&mut self, now: Time) -> Verdict {
        if !self.dropping || now < self.drop_next {
            return Verdict::Pass;
        }
        self.count += 1;
        if self.marks {
            self.move_on(self.drop_next);
        }
        self.discard(Candidate::AfterDrop)
    }

    /// Marks the packet, or drops it; `next` says what the one after it will be.
    fn discard(&mut self, next: Candidate) -> Verdict {
        if self.marks {
            return Verdict::Mark;
        }
        self.candidate = next;
        Verdict::Drop
    }

    /// The control law: schedules the next drop one interval/√count after `from`.
    fn move_on(&mut self, from: Time) {
        let step = self.options.interval.as_secs() / libm::sqrt(self.count as f64);
        self.drop_next = from.saturating_add(Span::from_secs_f64(step));
    }
}

impl Manager for CoDel {
    type Parameters = CoDelParameters;

    fn build(parameters: CoDelParameters, _: Stream) -> Self {
        Self::new(parameters)
    }
}

impl QueueManager for CoDel {
    fn on_dequeue(
        &mut self,
        now: Time,
        sojourn: Span,
        backlog: Bytes,
        one_packet: Bytes,
    ) -> Verdict {
        // The owner drops what cannot be marked.
        self.judge(now, sojourn, backlog > one_packet, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const OPTIONS: CoDelParameters = CoDelParameters {
        target: Span::from_ms(5),
        interval: Span::from_ms(100),
        ecn: false,
    };
    const PACKET: Bytes = cells(32);
    const STANDING: Bytes = cells(1_000);

    /// The octets of so many cells.
    const fn cells(cells: u64) -> Bytes {
        Bytes(53 * cells)
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    impl CoDel {
        /// A packet that has waited 20 ms, with a standing queue after it.
        fn late(&mut self, now: Time) -> Verdict {
            self.on_dequeue(now, Span::from_ms(20), STANDING, PACKET)
        }

        /// A packet that has waited only 1 ms.
        fn fresh(&mut self, now: Time) -> Verdict {
            self.on_dequeue(now, Span::from_ms(1), STANDING, PACKET)
        }

        /// One departure of late packets: returns how many are dropped before one passes.
        fn departure(&mut self, now: Time) -> usize {
            core::iter::from_fn(|| (self.late(now) == Verdict::Drop).then_some(())).count()
        }
    }

    /// In the dropping state since 101 ms, with `drop_next` = 201 ms.
    fn dropping(options: CoDelParameters) -> CoDel {
        let mut codel = CoDel::new(options);
        assert_eq!(codel.late(at(0)), Verdict::Pass);
        assert_ne!(codel.late(at(101)), Verdict::Pass);
        if !options.ecn {
            assert_eq!(codel.late(at(101)), Verdict::Pass);
        }
        codel
    }

    #[test]
    fn codel_drops_only_after_a_whole_interval_above_target() {
        let mut codel = CoDel::new(OPTIONS);
        assert_eq!(codel.departure(at(10)), 0);
        assert_eq!(
            codel.departure(at(110)),
            0,
            "not later than the interval's end"
        );
        assert_eq!(codel.departure(at(111)), 1);
        let mut codel = CoDel::new(OPTIONS);
        assert_eq!(codel.departure(at(10)), 0);
        assert_eq!(codel.fresh(at(60)), Verdict::Pass);
        assert_eq!(
            codel.departure(at(111)),
            0,
            "one packet in time restarts the interval"
        );
        assert_eq!(codel.departure(at(212)), 1);
    }

    #[test]
    fn codel_takes_a_backlog_of_one_packet_for_no_standing_queue() {
        let mut codel = CoDel::new(OPTIONS);
        for ms in [0, 101, 202, 303] {
            let verdict = codel.on_dequeue(at(ms), Span::from_ms(500), PACKET, PACKET);
            assert_eq!(verdict, Verdict::Pass);
        }
    }

    #[test]
    fn codel_drops_at_the_published_times_after_entering() {
        // Sums of 100 ms/√n, rounded to 1 µs; a late packet leaves every µs.
        let offsets = [
            100_000, 170_711, 228_446, 278_446, 323_167, 363_992, 401_788, 437_144,
        ];
        let mut codel = dropping(OPTIONS);
        let mut drops = Vec::new();
        for us in 1..440_000 {
            for _ in 0..codel.departure(at(101) + Span::from_us(us)) {
                drops.push(us);
            }
        }
        assert_eq!(drops.len(), offsets.len());
        for (found, expected) in drops.iter().zip(offsets) {
            assert!(found.abs_diff(expected) <= 1, "{drops:?}");
        }
    }

    #[test]
    fn codel_makes_up_for_all_drops_that_are_due_at_one_departure() {
        // Due at 201, 271.7 and 329.4 ms, the fourth at 379.4 ms: three drops, then one packet leaves.
        let mut codel = dropping(OPTIONS);
        assert_eq!(codel.departure(at(350)), 3);
        assert_eq!(codel.departure(at(350)), 0);
    }

    #[test]
    fn codel_leaves_at_a_packet_in_time_even_between_drops() {
        let mut codel = dropping(OPTIONS);
        assert_eq!(codel.late(at(350)), Verdict::Drop);
        assert_eq!(codel.fresh(at(350)), Verdict::Pass, "two more were due");
        assert!(!codel.dropping);
        assert_eq!(codel.departure(at(351)), 0, "a new interval begins");
        assert_eq!(codel.departure(at(452)), 1);
    }

    #[test]
    fn codel_lets_the_packet_behind_the_first_dropped_go() {
        let mut codel = CoDel::new(OPTIONS);
        assert_eq!(codel.late(at(0)), Verdict::Pass);
        assert_eq!(codel.late(at(101)), Verdict::Drop);
        // In time, so the interval restarts, but only the next departure leaves the dropping state.
        assert_eq!(codel.fresh(at(101)), Verdict::Pass);
        assert!(codel.dropping);
        assert_eq!(codel.departure(at(250)), 0);
        assert!(!codel.dropping);
    }

    #[test]
    fn codel_resumes_the_last_drop_rate_within_sixteen_intervals() {
        // Three drops after entering give count 4; less the entering drop, which is not counted again: 3.
        for (gap_ms, expected) in [(0, 3), (1_400, 3), (1_600, 1)] {
            let mut codel = dropping(OPTIONS);
            assert_eq!(codel.departure(at(350)), 3);
            assert_eq!(codel.fresh(at(351)), Verdict::Pass);
            // drop_next is 379.4 ms: re-entering at 453 ms or 1853 ms is recent, at 2053 ms it is not.
            assert_eq!(codel.departure(at(352 + gap_ms)), 0);
            assert_eq!(codel.departure(at(453 + gap_ms)), 1);
            assert_eq!(codel.count, expected, "gap {gap_ms} ms");
        }
    }

    #[test]
    fn codel_with_ecn_marks_one_packet_for_each_departure() {
        let mut codel = dropping(CoDelParameters {
            ecn: true,
            ..OPTIONS
        });
        for expected in [Verdict::Mark, Verdict::Mark, Verdict::Mark, Verdict::Pass] {
            assert_eq!(codel.late(at(350)), expected);
        }
        assert_eq!(codel.count, 4);
    }
}
