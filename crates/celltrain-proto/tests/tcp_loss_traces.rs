//! Golden traces: what each variant sends, round trip by round trip, after one to four losses in a window.
//!
//! The traces are derived from the documents, as the comments show. Common to all (lengths in segments of 1000 octets,
//! segments by number, times in ms):
//!
//! * The round trip takes 100, the link is infinitely fast, each segment is acknowledged at once.
//! * The initial window is ten segments (RFC 6928): 0 to 9 are sent at 0. The first n of 2, 4, 6, 8 are lost.
//! * At 100 the acknowledgments of 0 and 1 arrive. In slow start each increases the window by one and allows two
//!   segments: 10, 11, 12, 13. The window is 12, and all of it, 2 to 13, is outstanding.
//! * Those of 3 to 9 that are not lost cause 8 - n duplicate acknowledgments of 2 at 100; 10 to 13, which are sent
//!   before any retransmission, cause four more at 200.
//! * At the third duplicate every variant retransmits 2, and the threshold becomes 12 / 2 = 6.
//! * The time-out is 1 s (RFC 6298 with its minimum), counted from the last acknowledgment of new data.
//!
//! "w" is the congestion window, "edge" the first segment that it does not admit: `snd_una` + w, rounded down. Segments
//! below the edge are sent. "4 yields 6" means that segment 4 causes an acknowledgment with number 6. Congestion
//! avoidance adds 1 / w for each acknowledgment; where that matters the window is given in octets, with integer
//! division.
//!
//! Source: CSRG `tcp_input.c` (Tahoe 1988, Reno 1990, Lite2 1995); RFC 5681; RFC 6582; RFC 6675. The
//! outcomes are those of Fall and Floyd, "Simulation-based Comparisons of Tahoe, Reno, and SACK TCP" (1996).

#[path = "common/ideal_link.rs"]
mod ideal_link;

use celltrain_proto::tcp::{
    AckPolicy, Available, ControlOptions, InitialWindow, NewRenoParameters, NoParameters,
    ReceiverConfig, Rfc6298, RtoTimer, SenderConfig, SenderStats, TickClock, Variant,
};
use celltrain_proto::units::{Span, Time};
use ideal_link::IdealLink;

const MSS: u32 = 1_000;
const RTT: Span = Span::from_ms(100);

/// The segments sent at a time in milliseconds, in order.
type Round<'a> = (u64, &'a [u64]);

/// A variant with its options.
struct Chosen(Variant, ControlOptions);

impl From<Variant> for Chosen {
    fn from(variant: Variant) -> Self {
        Self(variant, ControlOptions::default())
    }
}

fn connection(
    chosen: impl Into<Chosen>,
    initial_window: InitialWindow,
    data: Available,
    lost: &[u64],
) -> IdealLink {
    let Chosen(variant, control) = chosen.into();
    let window = 64 * MSS; // limits nothing
    let unused = TickClock::new(Span::from_ms(500), Span::ZERO);
    let sender = SenderConfig {
        control,
        max_window: window,
        peer_window: window,
        initial_ssthresh: window,
        initial_window,
        rto_timer: RtoTimer::Continuous(Rfc6298::default()),
        ..SenderConfig::new(MSS, unused).with_variant(variant)
    };
    let receiver = ReceiverConfig {
        ack: AckPolicy::EachSegment,
        sack: sender.uses_sack(),
        ..ReceiverConfig::new(MSS, window, unused)
    };
    let lost = lost.to_vec();
    let loses = move |number| lost.contains(&number);
    let mut link = IdealLink::new(&(sender, receiver), RTT, Span::ZERO, loses);
    link.write(data);
    link
}

/// Runs up to the last of `expected`, and compares everything sent until then.
fn assert_trace(link: &mut IdealLink, expected: &[Round]) {
    let ms = |at: Time| (at - Time::ZERO).div_floor(Span::from_ms(1));
    let end = expected.last().map_or(0, |round| round.0);
    link.run_while(|_, next| ms(next) <= end);
    let mut found: Vec<(u64, Vec<u64>)> = Vec::new();
    for &(at, seq, len) in &link.sent {
        assert_eq!((len, seq % u64::from(MSS)), (MSS, 0), "at {} ms", ms(at));
        let segment = seq / u64::from(MSS);
        match found.last_mut().filter(|round| round.0 == ms(at)) {
            Some(round) => round.1.push(segment),
            None => found.push((ms(at), vec![segment])),
        }
    }
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.0, &found.1[..]), *expected);
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
}

/// The trace after the first `losses` of segments 2, 4, 6, 8 are lost from a window of twelve;
/// `expected` is what follows segments 0 to 9. Returns what the sender counted.
fn assert_repair(variant: impl Into<Chosen>, losses: usize, expected: &[Round]) -> SenderStats {
    let lost = &[2, 4, 6, 8][..losses];
    let ten = InitialWindow::Rfc6928;
    let mut link = connection(variant, ten, Available::Unlimited, lost);
    let start: Round = (0, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_trace(&mut link, &[&[start], expected].concat());

    let first_round: Vec<u64> = link.acks[..10 - losses]
        .iter()
        .map(|&(at, ack)| {
            assert_eq!(at, Time::ZERO + RTT);
            ack / u64::from(MSS)
        })
        .collect();
    let duplicates = vec![2; 8 - losses];
    assert_eq!(first_round, [&[1, 2], &duplicates[..]].concat());
    *link.sender.stats()
}

/// Fast retransmits and time-outs.
fn repairs(stats: &SenderStats) -> (u64, u64) {
    (stats.fast_retransmits, stats.timeouts)
}

// Tahoe. The window becomes one segment, and slow start begins. Duplicates do not inflate it.

/// As in 4.3BSD, which retransmits one segment and continues after the last ever sent.
fn tahoe() -> Variant {
    Variant::Bsd43Tahoe(NoParameters {})
}

/// As in the simulators of the ns family, and in the published comparison: next is `snd_una` + 1.
fn tahoe_that_goes_back() -> Chosen {
    let options = ControlOptions {
        go_back_n: true,
        ..ControlOptions::default()
    };
    Chosen(tahoe(), options)
}

#[test]
fn tahoe_begins_slow_start_after_one_loss() {
    // 200: 14 is acknowledged: w 2.                                               14, 15
    // 300: 15, 16: w 3, 4.                                                        16 .. 19
    // 400: 17, 18: w 5, 6. 19: 6 > 6 is false, so slow start once more: w 7.      20 .. 25
    //      20: 7000 + 1000000 / 7000 = 7142: edge 27.                             26
    // Nothing but the hole was lost, so going back makes no difference.
    for variant in [tahoe().into(), tahoe_that_goes_back()] {
        let stats = assert_repair(
            variant,
            1,
            &[
                (100, &[10, 11, 12, 13, 2]),
                (200, &[14, 15]),
                (300, &[16, 17, 18, 19]),
                (400, &[20, 21, 22, 23, 24, 25, 26]),
            ],
        );
        assert_eq!(repairs(&stats), (1, 0));
    }
}

#[test]
fn tahoe_of_bsd_waits_for_the_timer_after_two_losses() {
    // 200: 4 is acknowledged: w 2, edge 6, but 14 is next: nothing is sent or will be answered.
    // 1200: time-out. Half of w 2 is one, so the threshold is its floor 2; w 1.   4
    // 1300: 14 is acknowledged: w 2 (1 > 2 is false).                             14, 15
    // 1400: 15: 2 > 2 is false: w 3, edge 18. 16: 3000 + 333: edge 19.            16, 17; 18
    let stats = assert_repair(
        tahoe(),
        2,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (1200, &[4]),
            (1300, &[14, 15]),
            (1400, &[16, 17, 18]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 1));
}

#[test]
fn tahoe_of_bsd_goes_back_only_after_the_time_out_after_three_losses() {
    // As with two losses up to 1200. Then it goes back to `snd_una`:
    // 1300: 6 is acknowledged (5 was held): w 2.                                  6, 7
    // 1400: 6 yields 14, skipped to; w 3. 7, received twice, a duplicate.         14, 15, 16
    // 1500: 15: 3000 + 333 = 3333: edge 18. 16: + 300 = 3633: edge 19.            17; 18
    //       17: + 275 = 3908: edge 20.                                            19
    let stats = assert_repair(
        tahoe(),
        3,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (1200, &[4]),
            (1300, &[6, 7]),
            (1400, &[14, 15, 16]),
            (1500, &[17, 18, 19]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 1));
}

#[test]
fn tahoe_of_bsd_goes_back_only_after_the_time_out_after_four_losses() {
    // As with three losses up to 1300.
    // 1400: 6 yields 8 (7 was held): w 3, edge 11. 7 yields a duplicate.          8, 9, 10
    // 1500: 8 yields 14: 3 > 2: w 3333, edge 17. 9 and 10: two duplicates.        14, 15, 16
    // 1600: 15: + 300 = 3633: edge 18. 16: + 275 = 3908: edge 19.                 17; 18
    //       17: + 255 = 4163: edge 21.                                            19, 20
    let stats = assert_repair(
        tahoe(),
        4,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (1200, &[4]),
            (1300, &[6, 7]),
            (1400, &[8, 9, 10]),
            (1500, &[14, 15, 16]),
            (1600, &[17, 18, 19, 20]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 1));
}

#[test]
fn tahoe_that_goes_back_sends_two_holes_in_slow_start() {
    // 200: 4 is acknowledged: w 2, and 4 is next.                                 4, 5
    // 300: 4 yields 14: w 3, edge 17. 5, received twice, a duplicate.             14, 15, 16
    // 400: 15, 16, 17: w 4, 5, 6.                                                 17 .. 22
    let stats = assert_repair(
        tahoe_that_goes_back(),
        2,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (200, &[4, 5]),
            (300, &[14, 15, 16]),
            (400, &[17, 18, 19, 20, 21, 22]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

#[test]
fn tahoe_that_goes_back_sends_three_holes_in_slow_start() {
    // 200: 4 is acknowledged: w 2.                                                4, 5
    // 300: 4 yields 6: w 3, edge 9. 5 yields a duplicate.                         6, 7, 8
    // 400: 6 yields 14: w 4, edge 18. 7 and 8: two duplicates.                    14 .. 17
    // 500: 15, 16, 17: w 5, 6, 7 (6 > 6 is false). 18: 7142: edge 25.             18 .. 23; 24
    let stats = assert_repair(
        tahoe_that_goes_back(),
        3,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (200, &[4, 5]),
            (300, &[6, 7, 8]),
            (400, &[14, 15, 16, 17]),
            (500, &[18, 19, 20, 21, 22, 23, 24]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

#[test]
fn tahoe_that_goes_back_does_not_take_its_own_repetitions_for_a_loss() {
    // 200: 4 is acknowledged: w 2.                                                4, 5
    // 300: 4 yields 6: w 3, edge 9. 5 yields a duplicate.                         6, 7, 8
    // 400: 6 yields 8: w 4, edge 12, 9 is next. 7 yields a duplicate.             9, 10, 11
    //      8 yields 14: w 5, edge 19.                                             14 .. 18
    // 500: 9, 10, 11, received twice, yield three duplicates of 14. They do not exceed what
    //      was sent before the loss, so they indicate no loss (RFC 6582 3.2 step 1): nothing is sent.
    //      15, 16: w 6, 7. 17: 7142, edge 24. 18: + 140 = 7282: edge 25.          19 .. 22; 23; 24
    //      19: + 137 = 7419: edge 26.                                             25
    let stats = assert_repair(
        tahoe_that_goes_back(),
        4,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (200, &[4, 5]),
            (300, &[6, 7, 8]),
            (400, &[9, 10, 11, 14, 15, 16, 17, 18]),
            (500, &[19, 20, 21, 22, 23, 24, 25]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

// Reno, with the increment of 4.4BSD-Lite2. At the third duplicate w is 6 + 3; each further one adds a segment. The
// first acknowledgment of new data ends recovery: w becomes the threshold, and that acknowledgment also increases it,
// by slow start if `w > threshold` is false.

#[test]
fn reno_repairs_one_loss_in_a_round_trip() {
    // 100: seven duplicates: w 9 + 4 = 13, edge 15.                               2; 14
    // 200: four more: w 14 .. 17, edges 16 .. 19.                                 15 .. 18
    //      14 is acknowledged: w 6, + 1 = 7: edge 21.                             19, 20
    //      15, from segment 14: 7000 + 142 = 7142: edge 22.                       21
    // 300: 16: + 140 = 7282, 17: + 137 = 7419, 18: 7553, 19: 7685, 20: 7815,
    //      21: 7942: one each.                                                    22 .. 27
    //      22: + 125 = 8067: edge 30.                                             28, 29
    let stats = assert_repair(
        Variant::Bsd44Lite2(NoParameters {}),
        1,
        &[
            (100, &[10, 11, 12, 13, 2, 14]),
            (200, &[15, 16, 17, 18, 19, 20, 21]),
            (300, &[22, 23, 24, 25, 26, 27, 28, 29]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

#[test]
fn reno_halves_its_window_twice_for_two_losses() {
    // 100: six duplicates: w 12, edge 14: no new segment.                         2
    // 200: four more: w 13 .. 16, edges 15 .. 18.                                 14 .. 17
    //      4 is acknowledged: w 6, + 1 = 7: edge 11, and recovery is over.
    // 300: 14 .. 17 yield four duplicates of 4. Third: half of 7 is 3, w 3 + 3.   4
    //      Fourth: w 7, edge 11.
    // 400: 18 is acknowledged: w 3, + 1 = 4.                                      18 .. 21
    // 500: 19: 4 > 3: 4250, 20: 4485, 21: 4707, 22: 4919: one each.               22 .. 25
    let stats = assert_repair(
        Variant::Bsd44Lite2(NoParameters {}),
        2,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (200, &[14, 15, 16, 17]),
            (300, &[4]),
            (400, &[18, 19, 20, 21]),
            (500, &[22, 23, 24, 25]),
        ],
    );
    assert_eq!(repairs(&stats), (2, 0));
}

#[test]
fn reno_times_out_after_three_losses() {
    // 100: five duplicates: w 11, edge 13.                                        2
    // 200: four more: w 12 .. 15, edges 14 .. 17.                                 14, 15, 16
    //      4 is acknowledged: w 6, + 1 = 7.
    // 300: three duplicates of 4: threshold 3, w 3 + 3.                           4
    // 400: 6 is acknowledged. After exactly three duplicates BSD does not deflate: 6 > 3: 6166, edge 12.
    //      14 to 16 have been answered, so no more ACKs arrive.
    // 1400: time-out. Threshold 3, w 1.                                           6
    // 1500: 17 is acknowledged: w 2.                                              17, 18
    // 1600: 18: w 3. 19: 3 > 3 is false: w 4.                                     19, 20; 21, 22
    let stats = assert_repair(
        Variant::Bsd44Lite2(NoParameters {}),
        3,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (200, &[14, 15, 16]),
            (300, &[4]),
            (1400, &[6]),
            (1500, &[17, 18]),
            (1600, &[19, 20, 21, 22]),
        ],
    );
    assert_eq!(repairs(&stats), (2, 1));
}

#[test]
fn reno_times_out_after_four_losses() {
    // 100: four duplicates: w 10, edge 12.                                        2
    // 200: four more: w 11 .. 14, edges 13 .. 16.                                 14, 15
    //      4 is acknowledged: w 6, + 1 = 7.
    // 300: two duplicates of 4 only.
    // 1200: time-out. Half of 7: threshold 3, w 1.                                4
    // 1300: 6 is acknowledged (5 was held): w 2.                                  6, 7
    // 1400: 6 yields 8: w 3, edge 11. 7, received twice, a duplicate.             8, 9, 10
    // 1500: 8 yields 16: 3 > 3 is false: w 4. 9 and 10: two duplicates.           16 .. 19
    // 1600: 17: 4250, 18: 4485, 19: 4707, 20: 4919: one each.                     20 .. 23
    let stats = assert_repair(
        Variant::Bsd44Lite2(NoParameters {}),
        4,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (200, &[14, 15]),
            (1200, &[4]),
            (1300, &[6, 7]),
            (1400, &[8, 9, 10]),
            (1500, &[16, 17, 18, 19]),
            (1600, &[20, 21, 22, 23]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 1));
}

#[test]
fn reno_times_out_after_two_losses_in_a_window_of_eight() {
    // Slow start from one segment: 0; 1, 2; 3 .. 6; at 300 w 8: 7 .. 14. 7 and 9 are lost.
    // 400: six duplicates of 7. Third: threshold 4, w 7.                          7
    //      Then w 8, 9, 10: edges 15, 16, 17.                                     15, 16
    // 500: 9 is acknowledged: w 4, + 1 = 5. 15 and 16 yield two duplicates, one too few.
    // 1500: time-out. Half of 5: threshold 2, w 1.                                9
    // 1600: 17 is acknowledged: w 2.                                              17, 18
    // 1700: 18: 2 > 2 is false: w 3. 19: 3333, edge 22.                           19, 20; 21
    let mut link = connection(
        Variant::Bsd44Lite2(NoParameters {}),
        InitialWindow::OneSegment,
        Available::Unlimited,
        &[7, 9],
    );
    assert_trace(
        &mut link,
        &[
            (0, &[0]),
            (100, &[1, 2]),
            (200, &[3, 4, 5, 6]),
            (300, &[7, 8, 9, 10, 11, 12, 13, 14]),
            (400, &[7, 15, 16]),
            (1500, &[9]),
            (1600, &[17, 18]),
            (1700, &[19, 20, 21]),
        ],
    );
    assert_eq!(repairs(link.sender.stats()), (1, 1));
}

// NewReno. As Reno, but recovery lasts until 14 is acknowledged. A partial acknowledgment of two segments (one lost,
// one held) retransmits the next hole and reduces w by 2 - 1. At the end w is min(threshold 6, outstanding + 1).
// Congestion avoidance begins at equality.

#[test]
fn newreno_repairs_one_loss_in_a_round_trip() {
    // 100: seven duplicates: w 9 + 4 = 13, edge 15.                               2; 14
    // 200: four more: w 14 .. 17, edges 16 .. 19.                                 15 .. 18
    //      14: 14 to 18 are outstanding: w 6, edge 20.                            19
    //      15: 6000 + 166 = 6166: edge 21.                                        20
    // 300: 16: + 162 = 6328, 17: 6486, 18: 6640, 19: 6790, 20: 6937: one each.    21 .. 25
    //      21: + 144 = 7081: edge 28.                                             26, 27
    let stats = assert_repair(
        Variant::NewReno(NewRenoParameters::default()),
        1,
        &[
            (100, &[10, 11, 12, 13, 2, 14]),
            (200, &[15, 16, 17, 18, 19, 20]),
            (300, &[21, 22, 23, 24, 25, 26, 27]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

#[test]
fn newreno_repairs_two_losses_in_two_round_trips() {
    // 100: six duplicates: w 12, edge 14.                                         2
    // 200: four more: w 13 .. 16, edges 15 .. 18.                                 14 .. 17
    //      4, partial: w 15, edge 19.                                             4; 18
    // 300: 14 .. 17: four duplicates: w 16 .. 19, edges 20 .. 23.                 19 .. 22
    //      18, full: 18 to 22 are outstanding: w 6, edge 24.                      23
    //      19: 6166: edge 25.                                                     24
    // 400: 20: 6328, 21: 6486, 22: 6640, 23: 6790, 24: 6937; 25: 7081: edge 32.   25 .. 29; 30, 31
    let stats = assert_repair(
        Variant::NewReno(NewRenoParameters::default()),
        2,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (200, &[14, 15, 16, 17, 4, 18]),
            (300, &[19, 20, 21, 22, 23, 24]),
            (400, &[25, 26, 27, 28, 29, 30, 31]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

#[test]
fn newreno_repairs_three_losses_in_three_round_trips() {
    // 100: five duplicates: w 11, edge 13.                                        2
    // 200: four more: w 12 .. 15, edges 14 .. 17.                                 14, 15, 16
    //      4, partial: w 14, edge 18.                                             4; 17
    // 300: 14 .. 16: three duplicates: w 15, 16, 17, edges 19, 20, 21.            18, 19, 20
    //      6, partial: w 16, edge 22.                                             6; 21
    //      17 yields a duplicate of 6: w 17, edge 23.                             22
    // 400: 18 .. 20: three duplicates: w 18, 19, 20, edges 24, 25, 26.            23, 24, 25
    //      21, full: 21 to 25 are outstanding: w 6, edge 27.                      26
    //      22: 6166: edge 28. 23: 6328: edge 29.                                  27; 28
    let stats = assert_repair(
        Variant::NewReno(NewRenoParameters::default()),
        3,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (200, &[14, 15, 16, 4, 17]),
            (300, &[18, 19, 20, 6, 21, 22]),
            (400, &[23, 24, 25, 26, 27, 28]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

#[test]
fn newreno_repairs_four_losses_in_four_round_trips() {
    // 100: four duplicates: w 10, edge 12.                                        2
    // 200: four more: w 11 .. 14, edges 13 .. 16.                                 14, 15
    //      4, partial: w 13, edge 17.                                             4; 16
    // 300: 14, 15: two duplicates: w 14, 15, edges 18, 19.                        17, 18
    //      6, partial: w 14, edge 20. 16 yields a duplicate: w 15, edge 21.       6; 19; 20
    // 400: 17, 18: two duplicates: w 16, 17, edges 22, 23.                        21, 22
    //      8, partial: w 16, edge 24. 19, 20: w 17, 18, edges 25, 26.             8; 23; 24, 25
    // 500: 21, 22: two duplicates: w 19, 20, edges 27, 28.                        26, 27
    //      23, full: 23 to 27 are outstanding: w 6, edge 29.                      28
    //      24: 6166: edge 30. 25: 6328: edge 31. 26: 6486: edge 32.               29; 30; 31
    let stats = assert_repair(
        Variant::NewReno(NewRenoParameters::default()),
        4,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (200, &[14, 15, 4, 16]),
            (300, &[17, 18, 6, 19, 20]),
            (400, &[21, 22, 8, 23, 24, 25]),
            (500, &[26, 27, 28, 29, 30, 31]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

// SACK. w is 6 until 14 is acknowledged. The pipe is what is neither held nor lost, plus retransmissions not yet
// acknowledged; a segment is sent while the pipe is at most 5: first holes that are lost (three segments are held above
// them), then new data.

#[test]
fn sack_repairs_one_loss_in_a_round_trip() {
    // 100: third duplicate: 3, 4, 5 are held.                                     2
    //      In flight are 6 .. 13 and 2: pipe 9. Fourth: 8, then 7, 6.
    //      Seventh: 9 is held: 10 .. 13 and 2: pipe 5.                            14
    // 200: 10 .. 13: each removes one from the pipe.                              15 .. 18
    //      14: recovery ends, 14 to 18 are outstanding, w 6.                      19
    //      15: 6166: edge 21.                                                     20
    // 300: as NewReno.
    let stats = assert_repair(
        Variant::Sack(NoParameters {}),
        1,
        &[
            (100, &[10, 11, 12, 13, 2, 14]),
            (200, &[15, 16, 17, 18, 19, 20]),
            (300, &[21, 22, 23, 24, 25, 26, 27]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

#[test]
fn sack_repairs_two_losses_in_a_round_trip() {
    // 100: third duplicate: 3, 5, 6 are held, so 2 is lost; above 4 only two are. 2
    //      In flight are 4, 7 .. 13 and 2: pipe 9.
    //      Fourth: 7 is held, so 4 is lost: 8 .. 13 and 2: pipe 7. Fifth: 6.
    //      Sixth: 9 is held: 10 .. 13 and 2: pipe 5.                              4
    // 200: 10: 11 .. 13, 2, 4: pipe 5. Likewise 11, 12, 13.                       14, 15, 16, 17
    //      4 is acknowledged: 14 .. 17 and 4: pipe 5.                             18
    //      14, by segment 4: recovery ends, 14 to 18 are outstanding, w 6.        19
    // 300: 15: 6166, 16: 6328, 17: 6486, 18: 6640, 19: 6790, 20: 6937.            20 .. 25
    let stats = assert_repair(
        Variant::Sack(NoParameters {}),
        2,
        &[
            (100, &[10, 11, 12, 13, 2, 4]),
            (200, &[14, 15, 16, 17, 18, 19]),
            (300, &[20, 21, 22, 23, 24, 25]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

#[test]
fn sack_repairs_three_losses_in_two_round_trips() {
    // 100: third duplicate: 3, 5, 7 are held, so 2 is lost.                       2
    //      In flight are 4, 6, 8 .. 13 and 2: pipe 9.
    //      Fourth: 8 is held, so 4 is lost: 6, 9 .. 13 and 2: pipe 7.
    //      Fifth: 9 is held, so 6 is lost: 10 .. 13 and 2: pipe 5.                4
    // 200: 10: 11 .. 13, 2, 4: pipe 5.                                            6
    //      11: 12, 13, 2, 4, 6: pipe 5. Likewise 12, 13.                          14, 15, 16
    //      4 is acknowledged: 14 .. 16, 4, 6: pipe 5.                             17
    //      6 is acknowledged: 14 .. 17, 6: pipe 5.                                18
    // 300: 14: recovery ends, 14 to 18 are outstanding, w 6.                      19
    //      15: 6166, 16: 6328, 17: 6486, 18: 6640, 19: 6790.                      20 .. 24
    let stats = assert_repair(
        Variant::Sack(NoParameters {}),
        3,
        &[
            (100, &[10, 11, 12, 13, 2, 4]),
            (200, &[6, 14, 15, 16, 17, 18]),
            (300, &[19, 20, 21, 22, 23, 24]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

#[test]
fn sack_repairs_four_losses_in_two_round_trips() {
    // 100: third duplicate: 3, 5, 7 are held, so 2 is lost.                       2
    //      In flight are 4, 6, 8 .. 13 and 2: pipe 9.
    //      Fourth: 9 is held, so 4 is lost: 6, 8, 10 .. 13 and 2: pipe 7.
    // 200: 10 is held, so 6 is lost (7, 9, 10): 8, 11 .. 13 and 2: pipe 5.        4
    //      11 is held, so 8 is lost: 12, 13, 2, 4: pipe 4, room for two.          6, 8
    //      12: 13, 2, 4, 6, 8: pipe 5. 13: 14, 2, 4, 6, 8.                        14, 15
    //      4 is acknowledged: 14, 15, 4, 6, 8: pipe 5.                            16
    // 300: 6 is acknowledged: 14 .. 16, 6, 8: pipe 5. 8: 14 .. 17, 8.             17, 18
    //      14: recovery ends, 14 to 18 are outstanding, w 6.                      19
    //      15: 6166, 16: 6328, 17: 6486.                                          20, 21, 22
    let stats = assert_repair(
        Variant::Sack(NoParameters {}),
        4,
        &[
            (100, &[10, 11, 12, 13, 2]),
            (200, &[4, 6, 8, 14, 15, 16]),
            (300, &[17, 18, 19, 20, 21, 22]),
        ],
    );
    assert_eq!(repairs(&stats), (1, 0));
}

#[test]
fn sack_fills_the_pipe_as_soon_as_recovery_begins() {
    // 0 .. 6 of ten segments are lost.
    // 100: third and last duplicate: 7, 8, 9 are held, so all below is lost. Ten were outstanding: w 5.
    //      0 is sent and is the whole pipe: room for four.                        0; 1, 2, 3, 4
    // 200: 0 .. 4 are acknowledged, each removes one from the pipe of 5: the last two holes, and new
    //      data.                                                                  5, 6; 10, 11, 12
    let mut link = connection(
        Variant::Sack(NoParameters {}),
        InitialWindow::Rfc6928,
        Available::Unlimited,
        &[0, 1, 2, 3, 4, 5, 6],
    );
    assert_trace(
        &mut link,
        &[
            (0, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
            (100, &[0, 1, 2, 3, 4]),
            (200, &[5, 6, 10, 11, 12]),
        ],
    );
}

#[test]
fn sack_rescues_nothing_before_the_first_repair_is_acknowledged() {
    // There are only ten segments; 0 is lost.
    // 100: third of nine duplicates: w 5.                                         0
    //      Sixth: 6 is held: 7, 8, 9 and 0: pipe 4, but there is no other hole and no new data. A rescue
    //      (rule 4) retransmits the end of the data only when more than segment 0 is acknowledged.
    // 200: all ten are.
    let mut link = connection(
        Variant::Sack(NoParameters {}),
        InitialWindow::Rfc6928,
        Available::Bytes(10 * u64::from(MSS)),
        &[0],
    );
    assert_trace(
        &mut link,
        &[(0, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), (100, &[0])],
    );
    assert_eq!(link.sender.stats().segments_retransmitted, 1);
}
