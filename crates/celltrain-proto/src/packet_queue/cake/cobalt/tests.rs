use alloc::vec::Vec;

use super::*;
use crate::packet_queue::testing::at;

const LONGEST: Bytes = Bytes(1_514);
const RTT: Span = Span::from_ms(100);

/// A target of 5 ms and an interval of 100 ms.
fn usual() -> Limits {
    Limits::new(Rate::kbps(100_000), LONGEST, RTT)
}

impl Cobalt {
    /// A packet that has waited for so long.
    fn waited(&mut self, now: Time, ms: u64) -> Verdict {
        let stream = &mut Stream::named(1, "cobalt");
        self.judge(now, Span::from_ms(ms), &usual(), false, stream)
    }
}

#[test]
fn on_a_slow_line_the_target_is_the_time_of_1_5_packets() {
    assert_eq!(usual().target, Span::from_ms(5));
    assert_eq!(usual().interval, Span::from_ms(100));
    // 1514 octets take 12.112 ms: 18.168 ms is 13.168 ms more than the usual target, and so much longer is the interval.
    let slow = Limits::new(Rate::kbps(1_000), LONGEST, RTT);
    assert_eq!(slow.target, Span::from_us(18_168));
    assert_eq!(slow.interval, Span::from_us(113_168));
    assert_eq!(slow.four_packets, Span::from_us(48_448));
    // At 64 kbit/s 283.875 ms, and the interval is at least two targets.
    let slower = Limits::new(Rate::kbps(64), LONGEST, RTT);
    assert_eq!(slower.target, Span::from_us(283_875));
    assert_eq!(slower.interval, Span::from_us(567_750));
}

#[test]
fn packets_are_dropped_an_interval_after_delays_are_long_and_then_ever_sooner() {
    let mut cobalt = Cobalt::default();
    let dropped = (0..300).filter(|&ms| cobalt.waited(at(ms), 20) == Verdict::Drop);
    // 100 ms, and then 100 ms / sqrt(2), sqrt(3) and sqrt(4) later: 170.7, 228.4, 278.4 ms.
    assert_eq!(dropped.collect::<Vec<u64>>(), [100, 171, 229, 279]);
}

#[test]
fn the_count_falls_by_the_same_law_once_delays_are_short() {
    let mut cobalt = Cobalt::default();
    for ms in 0..280 {
        cobalt.waited(at(ms), 20);
    }
    assert_eq!(cobalt.count, 5);
    // The next one is due 100 ms / sqrt(5) after 278.4, at 323.2 ms; instead the count falls, then after 50, 57.7, 70.7 and
    // 100 ms.
    let mut falls = Vec::new();
    for ms in 280..900 {
        let before = cobalt.count;
        assert_eq!(cobalt.waited(at(ms), 1), Verdict::Pass);
        if cobalt.count < before {
            falls.push(ms);
        }
    }
    assert_eq!(falls, [324, 374, 431, 502, 602]);
    // At rest an interval after the last packet, which left at 899 ms.
    assert!(!cobalt.is_at_rest(at(998)));
    assert!(cobalt.is_at_rest(at(999)));
}

#[test]
fn delays_up_to_the_target_or_to_the_time_of_four_packets_are_not_long() {
    let count = |limits: &Limits, sojourn| {
        let (mut cobalt, stream) = (Cobalt::default(), &mut Stream::named(1, "cobalt"));
        cobalt.judge(at(1), sojourn, limits, false, stream);
        cobalt.count
    };
    assert_eq!(count(&usual(), Span::from_ms(5)), 0);
    assert_eq!(count(&usual(), Span::from_us(5_001)), 1);
    let slow = Limits::new(Rate::kbps(1_000), LONGEST, RTT);
    assert_eq!(count(&slow, Span::from_us(48_448)), 0);
    assert_eq!(count(&slow, Span::from_us(48_449)), 1);
}

#[test]
fn what_can_be_marked_is_marked_when_it_is_due() {
    let (mut cobalt, stream) = (Cobalt::default(), &mut Stream::named(1, "cobalt"));
    let verdicts =
        (0..200).map(|ms| cobalt.judge(at(ms), Span::from_ms(20), &usual(), true, stream));
    let marked = verdicts.enumerate().filter(|it| it.1 != Verdict::Pass);
    let expected = [(100, Verdict::Mark), (171, Verdict::Mark)];
    assert_eq!(marked.collect::<Vec<_>>(), expected);
}

#[test]
fn blue_rises_by_a_256th_where_the_queue_is_full_and_falls_by_a_4096th_where_it_is_empty() {
    let mut cobalt = Cobalt::default();
    // Not more often than once in more than a target of 5 ms.
    for ms in [10, 12, 15, 16, 30] {
        cobalt.on_full(at(ms), &usual());
    }
    assert_eq!(cobalt.probability, 3 << 24);
    for ms in [31, 36, 41, 42] {
        cobalt.on_empty(at(ms), &usual());
    }
    assert_eq!(cobalt.probability, (3 << 24) - (2 << 20));
    for n in 0..400 {
        cobalt.on_full(at(100 + 6 * n), &usual());
    }
    assert_eq!(cobalt.probability, u32::MAX);
}

#[test]
fn blue_drops_what_could_be_marked_with_its_probability() {
    let mut cobalt = Cobalt {
        probability: 1 << 30,
        ..Cobalt::default()
    };
    let mut stream = Stream::named(1, "blue");
    let verdicts = (0..40_000).map(|n| {
        let now = Time::ZERO + Span::from_us(n);
        cobalt.judge(now, Span::ZERO, &usual(), true, &mut stream)
    });
    let dropped = verdicts.filter(|&verdict| verdict == Verdict::Drop).count();
    // A quarter; four standard errors of sqrt(40000 x 1/4 x 3/4) are 346.
    assert!((9_654..=10_346).contains(&dropped), "{dropped}");
}
