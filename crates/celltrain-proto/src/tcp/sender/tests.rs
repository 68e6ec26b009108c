use super::*;
use crate::tcp::{ControlOptions, Deflation, RtoConfig, RtoGain, TickClock};
use alloc::vec::Vec;

const MSS: u64 = 1_000;
const MS: fn(u64) -> Time = |ms| Time::ZERO + Span::from_ms(ms);

/// A sender of 1000-octet segments whose slow timer ticks at 100 ms, 600 ms, 1100 ms and so on.
fn config() -> SenderConfig {
    let slow = TickClock::new(Span::from_ms(500), Span::from_ms(100));
    SenderConfig::new(1_000, slow)
}

/// Time of tick `number` of that timer in milliseconds.
const fn tick(number: u64) -> u64 {
    100 + (number - 1) * 500
}

/// A sender whose window has grown to `segments` in slow start, by one single segment less than that, each acknowledged
/// at time zero; nothing is outstanding. Its time-out is then three ticks.
fn grown(config: SenderConfig, segments: u64) -> Sender {
    let mut s = Sender::new(config);
    while s.cwnd() < segments * u64::from(config.mss) {
        s.write(Time::ZERO, Available::Bytes(config.mss.into()));
        assert_eq!(sent(&mut s, 0).len(), 1);
        let all = s.snd_max();
        acked(&mut s, 0, all);
    }
    s
}

/// [`grown`], with the whole window sent at `ms`. Also returns the sequence number of its first octet.
fn full_window(config: SenderConfig, segments: u64, ms: u64) -> (Sender, u64) {
    let mut s = grown(config, segments);
    let base = s.snd_una();
    s.write(MS(ms), Available::Unlimited);
    assert_eq!(sent(&mut s, ms).len() as u64, segments);
    (s, base)
}

/// Start and end of the segments sent at `ms`.
fn sent(s: &mut Sender, ms: u64) -> Vec<(u64, u64)> {
    core::iter::from_fn(|| s.poll_transmit(MS(ms)))
        .map(|segment| (segment.seq, segment.end()))
        .collect()
}

/// The segments sent at `ms`, as multiples of `MSS` from `base`; all of them are full.
fn sent_from(s: &mut Sender, ms: u64, base: u64) -> Vec<u64> {
    let full = |(start, end)| {
        assert_eq!(end - start, MSS);
        (start - base) / MSS
    };
    sent(s, ms).into_iter().map(full).collect()
}

fn pure_ack(ack: u64) -> Segment {
    Segment {
        ack,
        window: 65_535,
        ..Segment::default()
    }
}

/// What is sent in answer to a pure acknowledgment.
fn acked(s: &mut Sender, ms: u64, ack: u64) -> Vec<(u64, u64)> {
    s.on_segment(MS(ms), &pure_ack(ack));
    sent(s, ms)
}

/// The time of the next time-out, and what is sent then.
fn timed_out(s: &mut Sender) -> (u64, Vec<(u64, u64)>) {
    let at = s.next_timeout().expect("the timer runs");
    let ms = at.as_ps() / 1_000_000_000;
    s.on_timer(at);
    (ms, sent(s, ms))
}

// Timers and round-trip times.

#[test]
fn a_timer_set_to_n_expires_after_n_minus_one_to_n_ticks() {
    for (written_at, expires) in [
        (50, tick(12)),
        (99, tick(12)),
        (100, tick(13)),
        (101, tick(13)),
    ] {
        let mut s = Sender::new(config());
        s.write(MS(written_at), Available::Unlimited);
        assert_eq!(s.next_timeout(), None);
        assert_eq!(sent(&mut s, written_at), [(0, 1_000)]);
        assert_eq!(s.next_timeout(), Some(MS(expires)), "at {written_at}");
    }
}

#[test]
fn nothing_happens_before_the_timer_expires() {
    let (mut s, _) = full_window(config(), 2, 200);
    s.on_timer(MS(tick(4) - 1));
    assert_eq!(sent(&mut s, tick(4) - 1), []);
    assert_eq!(s.stats().timeouts, 0);
}

#[test]
fn a_tick_comes_before_a_segment_of_the_same_instant() {
    let (mut s, base) = full_window(config(), 2, 200);
    s.on_segment(MS(tick(4)), &pure_ack(base + 2 * MSS));
    assert_eq!(s.stats().timeouts, 1);
}

#[test]
fn a_round_trip_counts_from_one_the_ticks_since_the_transmission() {
    // Sent at tick 1; that tick does not count.
    for (acked_at, ticks, rto) in [(100, 1, 3), (599, 1, 3), (600, 2, 6), (1_100, 3, 9)] {
        let mut s = Sender::new(config());
        s.write(MS(100), Available::Unlimited);
        sent(&mut s, 100);
        acked(&mut s, acked_at, MSS);
        assert_eq!(s.srtt(), Some(Span::from_ms(500 * ticks)), "at {acked_at}");
        assert_eq!(s.rto(), Span::from_ms(500 * rto), "at {acked_at}");
    }
}

#[test]
fn gain_two_gives_the_shorter_time_out() {
    let rto = RtoConfig {
        gain: RtoGain::Two,
        ..RtoConfig::default()
    };
    let s = grown(SenderConfig { rto, ..config() }, 2);
    assert_eq!(s.rto(), Span::from_secs(1));
}

#[test]
fn one_segment_is_timed_at_a_time_and_by_an_acknowledgment_beyond_its_first_octet() {
    let mut s = grown(config(), 4);
    let base = s.snd_una();
    let before = s.srtt();
    s.write(MS(150), Available::Bytes(MSS));
    sent(&mut s, 150);
    s.write(MS(700), Available::Bytes(MSS));
    sent(&mut s, 700);
    acked(&mut s, 710, base); // not beyond the timed segment
    assert_eq!(s.srtt(), before);
    // Three samples of one tick gave srtt 7; one of two ticks, from the first segment, gives 8.
    acked(&mut s, 720, base + 2 * MSS);
    assert_eq!(s.srtt(), Some(Span::from_ms(500)));
}

#[test]
fn all_acknowledged_stops_the_timer() {
    let (mut s, base) = full_window(config(), 2, 200);
    s.on_segment(MS(210), &pure_ack(base + 2 * MSS));
    assert_eq!(s.next_timeout(), None);
    sent(&mut s, 210);
    assert_eq!(s.next_timeout(), Some(MS(tick(1 + 3))));
}

#[test]
fn an_acknowledgment_of_new_data_starts_the_timer_again_or_leaves_the_age_of_the_oldest_segment() {
    for (rearm, expires) in [
        (Rearm::Restart, tick(3 + 4)),
        (Rearm::OldestSegment, tick(3 + 4 - 1)),
    ] {
        let mut s = grown(SenderConfig { rearm, ..config() }, 2);
        let base = s.snd_una();
        for ms in [200, 900] {
            s.write(MS(ms), Available::Bytes(MSS));
            sent(&mut s, ms);
        }
        // A sample of three ticks: srtt 9, rttvar 3, four ticks. The second segment is 600 ms old.
        acked(&mut s, 1_500, base + MSS);
        assert_eq!(s.rto(), Span::from_secs(2));
        assert_eq!(s.next_timeout(), Some(MS(expires)), "{rearm:?}");
    }
}

#[test]
fn the_age_of_the_oldest_segment_leaves_at_least_one_tick() {
    for (rearm, expires) in [
        (Rearm::Restart, tick(4 + 3)),
        (Rearm::OldestSegment, tick(5)),
    ] {
        let (mut s, base) = full_window(SenderConfig { rearm, ..config() }, 4, 200);
        for _ in 0..3 {
            acked(&mut s, 1_500, base); // fast retransmit, which restarts the timer
        }
        acked(&mut s, 2_000, base + MSS); // the next segment is three whole ticks old, as long as the time-out
        assert_eq!(s.next_timeout(), Some(MS(expires)), "{rearm:?}");
    }
}

#[test]
fn a_segment_about_to_be_sent_again_has_no_age() {
    let rearm = Rearm::OldestSegment;
    let (mut s, base) = full_window(SenderConfig { rearm, ..config() }, 4, 200);
    assert_eq!(timed_out(&mut s).0, tick(4));
    acked(&mut s, tick(4) + 50, base + MSS); // last sent at 200 ms, and now again
    assert_eq!(s.next_timeout(), Some(MS(tick(4 + 6))));
}

// Time-outs.

#[test]
fn without_any_answer_the_sender_tries_after_6_24_48_and_then_64_s_and_gives_up_after_718_s() {
    let mut s = Sender::new(config());
    s.write(MS(100), Available::Unlimited);
    sent(&mut s, 100);
    let mut at = 100;
    for gap in [6, 24, 48, 64, 64, 64, 64, 64, 64, 64, 64, 64] {
        at += gap * 1_000;
        assert_eq!(timed_out(&mut s), (at, alloc::vec![(0, 1_000)]));
    }
    assert_eq!(timed_out(&mut s), (718_100, alloc::vec![]));
    assert!(s.is_dropped());
    assert_eq!((s.next_timeout(), s.stats().timeouts), (None, 12));
    assert_eq!(acked(&mut s, 718_200, 1_000), []);
}

#[test]
fn a_sender_that_holds_on_never_gives_up() {
    let mut s = Sender::new(SenderConfig {
        backoff_limit: BackoffLimit::Hold,
        ..config()
    });
    s.write(MS(100), Available::Unlimited);
    sent(&mut s, 100);
    for _ in 0..20 {
        timed_out(&mut s);
    }
    assert_eq!(timed_out(&mut s).0, 718_100 + 8 * 64_000);
    assert!(!s.is_dropped());
}

#[test]
fn a_time_out_halves_the_threshold_and_goes_back_to_one_segment() {
    let (mut s, base) = full_window(config(), 8, 200);
    assert_eq!(
        timed_out(&mut s),
        (tick(4), alloc::vec![(base, base + MSS)])
    );
    assert_eq!((s.ssthresh(), s.cwnd()), (4 * MSS, MSS));
    assert_eq!(s.snd_nxt(), base + MSS);
    assert_eq!(s.rto(), Span::from_secs(3));
    // Three ticks, doubled, and then times four: the base is the estimate.
    assert_eq!(timed_out(&mut s).0, tick(4 + 6));
    assert_eq!((s.ssthresh(), s.cwnd()), (2 * MSS, MSS));
    assert_eq!(timed_out(&mut s).0, tick(4 + 6 + 12));
}

#[test]
fn after_a_time_out_all_segments_are_sent_again_in_slow_start_up_to_what_the_receiver_has() {
    let (mut s, base) = full_window(config(), 4, 200);
    timed_out(&mut s);
    s.on_segment(MS(1_700), &pure_ack(base + MSS));
    assert_eq!(sent_from(&mut s, 1_700, base), [1, 2]);
    // The receiver had segment 3: the acknowledgment is beyond snd_nxt and advances it.
    assert_eq!(s.snd_nxt(), base + 3 * MSS);
    s.on_segment(MS(1_800), &pure_ack(base + 4 * MSS));
    assert_eq!(sent_from(&mut s, 1_800, base), [4, 5, 6]);
    assert_eq!(s.stats().segments_retransmitted, 3);
}

#[test]
fn segments_sent_again_are_not_timed_and_the_backed_off_time_out_stays_until_a_sample() {
    let (mut s, base) = full_window(config(), 4, 200);
    let srtt = s.srtt();
    timed_out(&mut s);
    let backed_off = Span::from_secs(3);
    acked(&mut s, 1_700, base + MSS);
    assert_eq!((s.srtt(), s.rto()), (srtt, backed_off));
    assert_eq!(s.next_timeout(), Some(MS(tick(4 + 6))));
    acked(&mut s, 2_700, base + 3 * MSS); // retransmits segment 3, and sends 4 and 5 for the first time
    assert_eq!((s.srtt(), s.rto()), (srtt, backed_off));
    acked(&mut s, 2_800, base + 4 * MSS);
    assert_eq!(s.rto(), backed_off);
    acked(&mut s, 2_900, base + 5 * MSS);
    assert_eq!(s.rto(), Span::from_ms(1_500));
}

#[test]
fn a_time_out_forgets_the_duplicates() {
    let (mut s, base) = full_window(config(), 4, 200);
    acked(&mut s, 300, base);
    acked(&mut s, 300, base);
    timed_out(&mut s);
    assert_eq!(acked(&mut s, 1_700, base), []);
    assert_eq!(s.stats().fast_retransmits, 0);
}

// Duplicate acknowledgments.

#[test]
fn the_third_duplicate_resends_the_hole_and_each_further_one_inflates_the_window() {
    let timeline = SenderConfig {
        mss: 512,
        peer_window: 8_192,
        initial_ssthresh: 4_096,
        ..config()
    };
    let mut s = grown(timeline, 8);
    let base = s.snd_una();
    let duplicate = Segment {
        ack: base,
        window: 65_535,
        ..Segment::default()
    };
    s.write(MS(200), Available::Unlimited);
    assert_eq!(sent(&mut s, 200).len(), 8);
    s.on_segment(MS(240), &duplicate);
    s.on_segment(MS(240), &duplicate);
    assert_eq!(sent(&mut s, 240), []);
    s.on_segment(MS(240), &duplicate);
    assert_eq!(sent(&mut s, 240), [(base, base + 512)]);
    assert_eq!((s.ssthresh(), s.cwnd()), (2_048, 3_584));
    assert_eq!(s.snd_nxt(), base + 4_096);
    s.on_segment(MS(241), &duplicate);
    assert_eq!(sent(&mut s, 241), []);
    s.on_segment(MS(241), &duplicate);
    assert_eq!(s.cwnd(), 4_608);
    assert_eq!(sent(&mut s, 241), [(base + 4_096, base + 4_608)]);
    // New data acknowledged: back to the threshold, plus one step of slow start at equality.
    acked(&mut s, 280, base + 4_096);
    assert_eq!((s.ssthresh(), s.cwnd()), (2_048, 2_560));
}

#[test]
fn after_exactly_three_duplicates_the_window_stays_inflated() {
    for (deflation, cwnd) in [
        // mss * mss / 7000 + mss / 8, or one step of slow start at equality.
        (Deflation::AboveThree, 7_000 + 142 + 125),
        (Deflation::FromThree, 4_000 + 1_000),
    ] {
        let (mut s, base) = full_window(
            SenderConfig {
                control: ControlOptions {
                    deflation,
                    ..ControlOptions::default()
                },
                ..config()
            },
            8,
            200,
        );
        for _ in 0..3 {
            acked(&mut s, 300, base);
        }
        acked(&mut s, 400, base + 8 * MSS);
        assert_eq!(s.cwnd(), cwnd, "{deflation:?}");
    }
}

#[test]
fn the_third_duplicate_sends_one_segment_even_where_the_window_allows_more() {
    let (mut s, base) = full_window(config(), 4, 200);
    acked(&mut s, 300, base);
    acked(&mut s, 300, base);
    s.on_segment(MS(300), &pure_ack(base));
    assert_eq!(sent_from(&mut s, 300, base), [0]);
    assert_eq!(s.cwnd(), 5 * MSS);
    s.on_segment(MS(300), &pure_ack(base));
    assert_eq!(sent_from(&mut s, 300, base), [4, 5]);
}

#[test]
fn fast_retransmit_starts_the_timer_again_and_ends_the_timing() {
    let (mut s, base) = full_window(config(), 4, 200);
    let srtt = s.srtt();
    for _ in 0..3 {
        acked(&mut s, 700, base);
    }
    assert_eq!(s.next_timeout(), Some(MS(tick(2 + 3))));
    acked(&mut s, 1_500, base + 4 * MSS);
    assert_eq!(s.srtt(), srtt);
    assert_eq!(s.stats().fast_retransmits, 1);
}

#[test]
fn any_acknowledgment_of_new_data_ends_recovery() {
    let (mut s, base) = full_window(config(), 8, 200);
    for _ in 0..4 {
        acked(&mut s, 300, base);
    }
    assert_eq!(acked(&mut s, 400, base + MSS), []); // a partial one: nothing is retransmitted
    acked(&mut s, 410, base + MSS);
    assert_eq!(acked(&mut s, 420, base + MSS), []);
    let second = acked(&mut s, 430, base + MSS); // the next hole needs three duplicates of its own
    assert_eq!(second, [(base + MSS, base + 2 * MSS)]);
    assert_eq!(s.stats().fast_retransmits, 2);
}

#[test]
fn data_a_changed_window_or_an_old_number_make_no_duplicate() {
    let (fresh, base) = full_window(config(), 4, 200);
    let duplicate = pure_ack(base);
    let others = [
        Segment {
            len: 1,
            ..duplicate
        },
        Segment {
            window: 60_000,
            ..duplicate
        },
        Segment {
            ack: base - MSS,
            ..duplicate
        },
    ];
    for other in others {
        let mut s = fresh.clone();
        for segment in [duplicate, duplicate, other, duplicate, duplicate] {
            s.on_segment(MS(300), &segment);
            assert_eq!(sent(&mut s, 300), [], "{other:?}");
        }
        s.on_segment(MS(300), &duplicate);
        assert_eq!(sent(&mut s, 300), [(base, base + MSS)], "{other:?}");
    }
}

#[test]
fn with_nothing_outstanding_no_acknowledgment_is_a_duplicate() {
    let mut s = grown(config(), 4);
    let all = s.snd_una();
    for _ in 0..5 {
        assert_eq!(acked(&mut s, 50, all), []);
    }
    assert_eq!((s.cwnd(), s.stats().fast_retransmits), (4 * MSS, 0));
}

#[test]
fn an_acknowledgment_of_unsent_data_is_ignored() {
    let (mut s, base) = full_window(config(), 4, 200);
    assert_eq!(acked(&mut s, 300, base + 5 * MSS), []);
    assert_eq!((s.snd_una(), s.cwnd()), (base, 4 * MSS));
    assert_eq!(s.stats().acks_of_unsent_data, 1);
}

// Windows and output.

#[test]
fn the_window_offered_is_taken_from_newer_segments_only() {
    // seq, ack relative to the last one, window; and whether it replaces 9000 from seq 10.
    let cases = [
        (10, 1, 5_000, true),
        (10, 0, 9_500, true),
        (10, 0, 5_000, false),
        (9, 1, 9_500, false),
        (11, 0, 5_000, true),
    ];
    for (seq, newer, window, taken) in cases {
        let (mut s, base) = full_window(config(), 4, 200);
        let segment = |seq, ack, window| Segment {
            seq,
            ack,
            window,
            ..Segment::default()
        };
        s.on_segment(MS(300), &segment(10, base + MSS, 9_000));
        assert_eq!(s.snd_wnd(), 9_000);
        s.on_segment(MS(300), &segment(seq, base + (1 + newer) * MSS, window));
        let expected = if taken { window } else { 9_000 };
        assert_eq!(s.snd_wnd(), u64::from(expected), "{seq} {newer} {window}");
    }
}

#[test]
fn the_window_in_use_is_the_smaller_one() {
    let offered = SenderConfig {
        peer_window: 3_000,
        ..config()
    };
    let mut s = Sender::new(offered);
    s.write(Time::ZERO, Available::Unlimited);
    let mut highest = sent(&mut s, 0).len();
    while s.cwnd() < 10 * MSS {
        let ack = Segment {
            ack: s.snd_una() + MSS,
            window: 3_000,
            ..Segment::default()
        };
        s.on_segment(Time::ZERO, &ack);
        highest = highest.max(sent(&mut s, 0).len());
        assert!(s.snd_max() - s.snd_una() <= 3_000);
    }
    assert_eq!(s.snd_max() - s.snd_una(), 3_000);
}

#[test]
fn a_window_cuts_a_retransmission_short_unless_segments_are_whole() {
    let cases = [
        (OutputRule::Bsd, alloc::vec![MSS, 458]),
        (OutputRule::WholeSegments, alloc::vec![MSS]),
    ];
    for (output, lengths) in cases {
        let (mut s, base) = full_window(SenderConfig { output, ..config() }, 8, 200);
        timed_out(&mut s);
        timed_out(&mut s);
        assert_eq!(s.ssthresh(), 2 * MSS);
        acked(&mut s, 5_000, base + MSS);
        acked(&mut s, 5_000, base + 2 * MSS);
        let last = acked(&mut s, 5_000, base + 3 * MSS);
        assert_eq!(s.cwnd(), 3_000 + 333 + 125);
        let sent: Vec<u64> = last.iter().map(|(start, end)| end - start).collect();
        assert_eq!(sent, lengths, "{output:?}");
    }
}

#[test]
fn a_window_smaller_than_a_segment_is_used_unless_segments_are_whole() {
    for (output, expected) in [
        (OutputRule::Bsd, Some(800)),
        (OutputRule::WholeSegments, None),
    ] {
        let mut s = Sender::new(SenderConfig {
            output,
            peer_window: 800,
            ..config()
        });
        s.write(Time::ZERO, Available::Unlimited);
        let len = s.poll_transmit(Time::ZERO).map(|segment| segment.len);
        assert_eq!(len, expected, "{output:?}");
    }
}

#[test]
fn a_short_segment_waits_while_data_are_outstanding_if_nagle_says_so() {
    for (nagle, at_once) in [(true, alloc::vec![]), (false, alloc::vec![(1_500, 1_900)])] {
        let mut s = grown(SenderConfig { nagle, ..config() }, 4);
        let base = s.snd_una();
        let relative = |sent: Vec<(u64, u64)>| -> Vec<(u64, u64)> {
            sent.iter().map(|x| (x.0 - base, x.1 - base)).collect()
        };
        s.write(MS(50), Available::Bytes(1_500)); // nothing was outstanding before
        assert_eq!(relative(sent(&mut s, 50)), [(0, 1_000), (1_000, 1_500)]);
        s.write(MS(50), Available::Bytes(400));
        assert_eq!(relative(sent(&mut s, 50)), at_once);
        let after = relative(acked(&mut s, 60, base + 1_500));
        assert_eq!(after.is_empty(), !nagle);
    }
}

#[test]
fn silence_of_a_time_out_shuts_the_window_down_to_one_segment() {
    // The last segment arrived before the first tick; the time-out is three ticks.
    for (ms, cwnd) in [(tick(3) - 1, 4 * MSS), (tick(3), MSS)] {
        let mut s = grown(config(), 4);
        s.write(MS(ms), Available::Unlimited);
        assert_eq!(s.cwnd(), cwnd, "{ms} ms");
    }
}

#[test]
fn header_prediction_keeps_the_window_of_a_receiver_limited_sender() {
    for (header_prediction, cwnd) in [(true, 3_000), (false, 4_000)] {
        let mut s = grown(
            SenderConfig {
                header_prediction,
                max_window: 65_535,
                ..config()
            },
            3,
        );
        let narrow = Segment {
            ack: s.snd_una(),
            window: 3_000,
            seq: 1, // newer, so its window is taken
            ..Segment::default()
        };
        s.on_segment(MS(50), &narrow);
        s.write(MS(50), Available::Unlimited);
        assert_eq!(sent(&mut s, 50).len(), 3);
        let ack = Segment {
            ack: s.snd_una() + MSS,
            ..narrow
        };
        s.on_segment(MS(60), &ack);
        assert_eq!(s.cwnd(), cwnd);
        assert_eq!(sent(&mut s, 60).len(), 1);
    }
}

#[test]
fn header_prediction_does_not_forget_duplicates() {
    for (header_prediction, resent) in [(true, 1), (false, 0)] {
        let mut s = Sender::new(SenderConfig {
            header_prediction,
            max_window: 1_000,
            ..config()
        });
        s.write(MS(50), Available::Unlimited);
        sent(&mut s, 50);
        let ack = |ack| Segment {
            ack,
            window: 1_000,
            ..Segment::default()
        };
        for number in [0, 0, MSS, MSS] {
            s.on_segment(MS(50), &ack(number));
            sent(&mut s, 50);
        }
        assert_eq!(s.stats().fast_retransmits, resent);
    }
}

#[test]
fn header_prediction_does_not_apply_while_the_sender_goes_back() {
    let mut s = Sender::new(SenderConfig {
        header_prediction: true,
        peer_window: 1_000,
        ..config()
    });
    s.write(MS(50), Available::Unlimited);
    sent(&mut s, 50);
    s.on_timer(s.next_timeout().expect("the timer runs"));
    let late = Segment {
        ack: MSS,
        window: 1_000,
        ..Segment::default()
    };
    s.on_segment(MS(9_000), &late); // before the segment could be retransmitted
    assert_eq!(s.cwnd(), 2_000);
}

// Measurements.

#[test]
fn the_exact_round_trip_time_runs_from_the_first_transmission() {
    let (mut s, base) = full_window(config(), 2, 200);
    let before = s.stats().rtt;
    assert_eq!((before.count, before.sum_ps), (1, 0)); // the segment that grew the window
    timed_out(&mut s);
    acked(&mut s, 1_700, base + MSS);
    let rtt = s.stats().rtt;
    assert_eq!((rtt.count, rtt.latest), (2, Span::from_ms(1_500)));
    acked(&mut s, 1_900, base + 2 * MSS);
    let rtt = s.stats().rtt;
    assert_eq!((rtt.count, rtt.max), (3, Span::from_ms(1_700)));
    assert_eq!(rtt.sum_ps, u128::from(Span::from_ms(3_200).as_ps()));
    assert_eq!(rtt.mean(), Some(Span::from_ps(3_200_000_000_000 / 3)));
    assert_eq!(RttSamples::default().mean(), None);
}

#[test]
fn a_caller_may_wait_before_it_drains_and_loses_nothing() {
    let (mut s, base) = full_window(config(), 4, 200);
    for _ in 0..4 {
        s.on_segment(MS(300), &pure_ack(base));
    }
    assert_eq!(sent_from(&mut s, 350, base), [0, 4, 5]);
    for _ in 0..4 {
        s.on_segment(MS(360), &pure_ack(base + MSS)); // three duplicates: segment 1 is due
    }
    s.on_segment(MS(370), &pure_ack(base + 2 * MSS)); // and nothing else; the window is 5325
    assert_eq!(sent_from(&mut s, 380, base), [6]);
}

#[test]
fn what_is_written_makes_a_difference_when_it_completes_a_segment_that_the_window_holds() {
    let mut s = grown(config(), 2);
    // Nothing is in flight: any amount is sent at once.
    assert_eq!(s.octets_until_output(), Some(1));
    s.write(MS(0), Available::Bytes(1_000));
    assert_eq!(
        s.poll_transmit(MS(0)).map(|segment| segment.len),
        Some(1_000)
    );
    s.write(MS(0), Available::Bytes(400));
    assert_eq!(s.poll_transmit(MS(0)), None);
    // 400 octets wait after it.
    assert_eq!(s.octets_until_output(), Some(600));
    s.write(MS(1), Available::Bytes(599));
    assert_eq!(s.poll_transmit(MS(1)), None);
    assert_eq!(s.octets_until_output(), Some(1));
    s.write(MS(2), Available::Bytes(1));
    assert_eq!(
        s.poll_transmit(MS(2)).map(|segment| segment.len),
        Some(1_000)
    );
    assert_eq!(s.poll_transmit(MS(2)), None);
    // Now the congestion window is full.
    assert_eq!(s.octets_until_output(), None);
    s.write(MS(3), Available::Bytes(5_000));
    assert_eq!(s.poll_transmit(MS(3)), None);
}
