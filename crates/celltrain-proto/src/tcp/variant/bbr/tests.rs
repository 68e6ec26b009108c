//! One test for each rule of the draft. Segments of 1000 octets; at 8 Mbit/s a segment is 1 ms, so that a
//! round-trip time of 40 ms makes a bandwidth-delay product of 40 segments, and a quantum is two.

use super::*;
use alloc::vec::Vec;
use proptest::prelude::*;

const MSS: u64 = 1_000;
const RATE: Rate = Rate::kbps(8_000);
const RTT: Span = Span::from_ms(40);
const BDP: u64 = 40 * MSS;
const QUANTA: u64 = 3 * 2 * MSS;

/// A BBR with a clock and a count of delivered octets.
struct Rig {
    bbr: Bbr,
    now: Time,
    delivered: u64,
}

/// An acknowledgment of one segment; the default one begins a round and confirms `RATE` and `RTT`.
#[derive(Clone, Copy)]
struct Ack {
    rate: Rate,
    rtt: Option<Span>,
    inflight: u64,
    begins_round: bool,
    is_app_limited: bool,
}

const ACK: Ack = Ack {
    rate: RATE,
    rtt: Some(RTT),
    inflight: BDP,
    begins_round: true,
    is_app_limited: false,
};

impl Rig {
    fn new() -> Self {
        Self::with_stream(1)
    }

    fn with_stream(seed: u64) -> Self {
        Self {
            bbr: Bbr::new(1_000, 10 * MSS, Stream::named(seed, "bbr")),
            now: Time::ZERO,
            delivered: 0,
        }
    }

    /// By the rules of Linux, probing bandwidth.
    fn of_linux() -> Self {
        let mut rig = Self {
            bbr: Bbr::of_linux(1_000, 10 * MSS, Stream::named(1, "bbr")),
            ..Self::new()
        };
        for inflight in [3 * BDP, 3 * BDP, 3 * BDP, 3 * BDP, BDP] {
            rig.ack_after(RTT, Ack { inflight, ..ACK });
        }
        assert_eq!(rig.bbr.state(), State::ProbeBw);
        rig
    }

    fn ack(&mut self, ack: Ack) {
        let prior_delivered = if ack.begins_round { self.delivered } else { 0 };
        self.delivered += MSS;
        let sample = RateSample {
            delivered: self.delivered - prior_delivered,
            interval: RTT,
            rate: Some(ack.rate),
            rtt: ack.rtt,
            prior_delivered,
            is_app_limited: ack.is_app_limited,
            newly_acked: MSS,
        };
        self.bbr.on_ack(self.now, &sample, ack.inflight);
    }

    fn ack_after(&mut self, span: Span, ack: Ack) {
        self.now += span;
        self.ack(ack);
    }

    /// In Drain, with a queue: the first round and three that bring no more.
    fn draining() -> Self {
        Self::draining_with(1)
    }

    fn draining_with(seed: u64) -> Self {
        let mut rig = Self::with_stream(seed);
        for _ in 0..4 {
            let inflight = 3 * BDP;
            rig.ack_after(RTT, Ack { inflight, ..ACK });
        }
        assert_eq!(rig.bbr.state(), State::Drain);
        rig
    }

    fn probing_bandwidth(seed: u64) -> Self {
        let mut rig = Self::draining_with(seed);
        rig.ack(ACK);
        assert_eq!(rig.bbr.state(), State::ProbeBw);
        rig
    }

    /// At the start of the phase with this gain.
    fn in_phase(gain: f64) -> Self {
        let mut rig = Self::probing_bandwidth(1);
        for _ in 0..9 {
            if rig.bbr.pacing_gain() == gain {
                return rig;
            }
            rig.next_phase();
        }
        panic!("no phase of the cycle has the gain {gain}");
    }

    /// Advances long enough for a waiting phase, with enough in flight for a probing one.
    fn next_phase(&mut self) {
        let inflight = 2 * BDP;
        self.ack_after(RTT + Span::from_us(1), Ack { inflight, ..ACK });
    }

    fn in_probe_rtt() -> Self {
        let mut rig = Self::in_phase(1.0);
        let rtt = Some(RTT + Span::from_ms(1));
        rig.ack_after(Span::from_secs(10), Ack { rtt, ..ACK });
        assert_eq!(rig.bbr.state(), State::ProbeBw);
        rig.ack_after(Span::from_ms(1), Ack { rtt, ..ACK });
        assert_eq!(rig.bbr.state(), State::ProbeRtt);
        rig
    }

    /// Window as large as `ProbeBW` allows.
    fn with_full_window() -> Self {
        let mut rig = Self::in_phase(1.0);
        for _ in 0..200 {
            rig.ack(Ack {
                begins_round: false,
                ..ACK
            });
        }
        rig
    }
}

fn close(rate: Rate, bps: f64) -> bool {
    (rate.as_bps() / bps - 1.0).abs() < 1e-12
}

#[test]
fn startup_paces_at_two_over_ln_2_times_the_initial_window_per_millisecond() {
    let bbr = Rig::new().bbr;
    assert_eq!((bbr.state(), bbr.cwnd()), (State::Startup, 10 * MSS));
    assert!((bbr.pacing_gain() - 2.885_390_081_777_927).abs() < 1e-15);
    // 80 kbit in 1 ms, gain 2.885, margin 0.99.
    assert!(close(
        bbr.pacing_rate(),
        80e6 * 2.885_390_081_777_927 * 0.99
    ));
}

#[test]
fn the_first_round_trip_time_resets_the_pacing_rate() {
    let mut rig = Rig::new();
    let slow = Rate::kbps(100);
    rig.ack(Ack { rate: slow, ..ACK });
    // 80 kbit in 40 ms.
    let expected = 2e6 * 2.885_390_081_777_927 * 0.99;
    assert!(close(rig.bbr.pacing_rate(), expected));
    let rtt = Some(Span::from_ms(10));
    let again = Ack {
        rate: slow,
        rtt,
        ..ACK
    };
    rig.ack(again);
    assert!(
        close(rig.bbr.pacing_rate(), expected),
        "the second does not"
    );
}

#[test]
fn the_pacing_rate_rises_but_does_not_fall_before_the_pipe_is_full() {
    let mut rig = Rig::new();
    rig.ack(ACK);
    let expected = 8e6 * 2.885_390_081_777_927 * 0.99;
    assert!(close(rig.bbr.pacing_rate(), expected));
    for _ in 0..20 {
        let rate = Rate::kbps(1);
        rig.ack(Ack {
            rate,
            is_app_limited: true,
            ..ACK
        });
    }
    assert!(close(rig.bbr.pacing_rate(), expected));
}

#[test]
fn the_pipe_is_full_after_three_rounds_without_a_quarter_more() {
    // Rate of each round in kbit/s, and in which round Startup ends.
    let cases: [(&[u64], Option<usize>); 4] = [
        (&[1_000, 1_000, 1_000, 1_000], Some(3)),
        (&[1_000, 1_249, 1_249, 1_249], Some(3)),
        (&[1_000, 1_249, 1_249, 1_250, 1_250, 1_250, 1_250], Some(6)),
        (&[1_000, 1_250, 1_563, 1_954, 2_443, 3_054], None),
    ];
    for (rates, ends) in cases {
        let mut rig = Rig::new();
        let left = rates.iter().position(|&kbps| {
            let rate = Rate::kbps(kbps);
            let inflight = 100 * BDP;
            rig.ack_after(
                RTT,
                Ack {
                    rate,
                    inflight,
                    ..ACK
                },
            );
            rig.bbr.state() == State::Drain
        });
        assert_eq!(left, ends, "{rates:?}");
    }
}

#[test]
fn rounds_limited_by_the_application_do_not_make_the_pipe_full() {
    let mut rig = Rig::new();
    for _ in 0..10 {
        let is_app_limited = true;
        rig.ack(Ack {
            is_app_limited,
            ..ACK
        });
    }
    assert_eq!(rig.bbr.state(), State::Startup);
}

#[test]
fn acknowledgments_within_a_round_do_not_make_the_pipe_full() {
    let mut rig = Rig::new();
    rig.ack(ACK);
    for _ in 0..50 {
        rig.ack(Ack {
            begins_round: false,
            ..ACK
        });
    }
    assert_eq!(
        (rig.bbr.round_count(), rig.bbr.state()),
        (1, State::Startup)
    );
}

#[test]
fn drain_paces_at_the_inverse_of_the_startup_gain() {
    let bbr = Rig::draining().bbr;
    assert!((bbr.pacing_gain() - 0.346_573_590_279_972_6).abs() < 1e-15);
    assert!(close(
        bbr.pacing_rate(),
        8e6 * 0.346_573_590_279_972_6 * 0.99
    ));
}

#[test]
fn drain_ends_when_no_more_is_in_flight_than_the_path_and_three_quanta_hold() {
    let mut rig = Rig::draining();
    let inflight = BDP + QUANTA + 1;
    rig.ack(Ack { inflight, ..ACK });
    assert_eq!(rig.bbr.state(), State::Drain);
    let inflight = BDP + QUANTA;
    rig.ack(Ack { inflight, ..ACK });
    assert_eq!(rig.bbr.state(), State::ProbeBw);
}

#[test]
fn probe_bw_begins_in_any_phase_but_the_one_that_drains() {
    let mut seen = [0; CYCLE.len()];
    for seed in 0..200 {
        seen[Rig::probing_bandwidth(seed).bbr.cycle_index] += 1;
    }
    assert_eq!(seen[1], 0);
    // 200 draws of 7: 28.6 each on average, standard deviation 4.9.
    for phase in [0, 2, 3, 4, 5, 6, 7] {
        assert!((9..=48).contains(&seen[phase]), "{seen:?}");
    }
}

#[test]
fn probe_bw_goes_through_its_gains_in_order() {
    let mut rig = Rig::in_phase(1.25);
    let gains: Vec<f64> = (0..16)
        .map(|_| {
            let gain = rig.bbr.pacing_gain();
            assert!(close(rig.bbr.pacing_rate(), 8e6 * gain * 0.99));
            rig.next_phase();
            gain
        })
        .collect();
    let cycle = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    assert_eq!(gains, [cycle, cycle].concat());
}

#[test]
fn a_cruising_phase_is_longer_than_one_round_trip_time() {
    let mut rig = Rig::in_phase(0.75);
    rig.next_phase();
    let phase = rig.bbr.cycle_index;
    rig.ack_after(RTT, ACK);
    assert_eq!(rig.bbr.cycle_index, phase);
    rig.ack_after(Span::from_ps(1), ACK);
    assert_eq!(rig.bbr.cycle_index, phase + 1);
}

#[test]
fn a_probing_phase_lasts_until_its_target_is_in_flight_or_something_is_lost() {
    let target = BDP * 5 / 4 + QUANTA;
    // In flight after the ACK of one segment, octets lost, time since the phase began; whether it ends.
    let long = RTT + Span::from_ps(1);
    let cases = [
        (target - MSS - 1, 0, RTT * 3, false),
        (target - MSS, 0, long, true),
        (target - MSS, 0, RTT, false),
        (BDP, 1, long, true),
        (BDP, 1, RTT, false),
        (target - 2 * MSS, MSS, long, true),
    ];
    for (inflight, lost, span, ends) in cases {
        let mut rig = Rig::in_phase(1.25);
        rig.bbr.on_loss(lost);
        rig.ack_after(span, Ack { inflight, ..ACK });
        let gain = if ends { 0.75 } else { 1.25 };
        assert_eq!(rig.bbr.pacing_gain(), gain, "{inflight} {lost} {span}");
    }
}

#[test]
fn a_draining_phase_ends_early_when_its_queue_is_gone() {
    let cases = [
        (BDP + QUANTA - MSS, Span::from_ms(1), true),
        (BDP + QUANTA, Span::from_ms(1), false),
        (BDP + QUANTA, RTT + Span::from_ps(1), true),
    ];
    for (inflight, span, ends) in cases {
        let mut rig = Rig::in_phase(0.75);
        rig.ack_after(span, Ack { inflight, ..ACK });
        let gain = if ends { 1.0 } else { 0.75 };
        assert_eq!(rig.bbr.pacing_gain(), gain, "{inflight} {span}");
    }
}

#[test]
fn the_bandwidth_is_the_greatest_of_ten_rounds() {
    let mut rig = Rig::new();
    rig.ack(ACK);
    let half = Ack {
        rate: Rate::kbps(4_000),
        ..ACK
    };
    for round in 2..=10 {
        rig.ack(half);
        assert_eq!(rig.bbr.bandwidth(), RATE, "round {round}");
    }
    rig.ack(half);
    assert_eq!(rig.bbr.bandwidth(), half.rate);
}

#[test]
fn a_sample_limited_by_the_application_counts_only_if_it_is_not_less() {
    let mut rig = Rig::new();
    rig.ack(ACK);
    for (kbps, expected) in [(7_999, 8_000), (8_001, 8_001), (1, 8_001)] {
        rig.ack(Ack {
            rate: Rate::kbps(kbps),
            is_app_limited: true,
            ..ACK
        });
        assert_eq!(rig.bbr.bandwidth(), Rate::kbps(expected));
    }
}

#[test]
fn rounds_without_a_sample_that_counts_leave_the_bandwidth_as_it_is() {
    let mut rig = Rig::new();
    rig.ack(ACK);
    for _ in 0..30 {
        rig.ack(Ack {
            rate: Rate::kbps(1),
            is_app_limited: true,
            ..ACK
        });
    }
    assert_eq!(rig.bbr.bandwidth(), RATE);
    let rate = Rate::kbps(2);
    rig.ack(Ack { rate, ..ACK });
    assert_eq!(rig.bbr.bandwidth(), rate);
}

#[test]
fn an_rtt_that_is_no_longer_than_the_least_renews_it() {
    let mut rig = Rig::in_phase(1.0);
    let rtt = Some(RTT - Span::from_ms(1));
    rig.ack_after(Span::from_secs(9), Ack { rtt, ..ACK });
    assert_eq!(rig.bbr.min_rtt(), rtt);
    rig.ack_after(Span::from_secs(9), Ack { rtt, ..ACK });
    rig.ack_after(Span::from_secs(9), ACK);
    assert_eq!((rig.bbr.min_rtt(), rig.bbr.state()), (rtt, State::ProbeBw));
}

#[test]
fn a_least_rtt_older_than_ten_seconds_is_replaced_and_probe_rtt_begins() {
    let rig = Rig::in_probe_rtt();
    assert_eq!(rig.bbr.min_rtt(), Some(RTT + Span::from_ms(1)));
    assert_eq!(rig.bbr.pacing_gain(), 1.0);
}

#[test]
fn probe_rtt_allows_four_segments() {
    let mut rig = Rig::in_probe_rtt();
    assert_eq!(rig.bbr.cwnd(), 4 * MSS);
    rig.ack(ACK);
    assert_eq!(rig.bbr.cwnd(), 4 * MSS);
}

#[test]
fn probe_rtt_lasts_200_ms_and_a_round_from_when_four_segments_are_in_flight() {
    let quiet = Ack {
        inflight: 4 * MSS,
        is_app_limited: true,
        ..ACK
    };
    let within_round = Ack {
        begins_round: false,
        ..quiet
    };
    let mut rig = Rig::in_probe_rtt();
    let inflight = 4 * MSS + 1;
    rig.ack_after(Span::from_ms(300), Ack { inflight, ..quiet });
    rig.ack_after(Span::from_ms(1), quiet); // the 200 ms begin
    let mut without_round = Rig {
        bbr: rig.bbr.clone(),
        ..rig
    };
    rig.ack_after(Span::from_ms(200), quiet);
    assert_eq!(
        rig.bbr.state(),
        State::ProbeRtt,
        "a round, but not more than 200 ms"
    );
    rig.ack_after(Span::from_ps(1), within_round);
    assert_eq!(rig.bbr.state(), State::ProbeBw);

    without_round.ack_after(Span::from_ms(500), within_round);
    assert_eq!(without_round.bbr.state(), State::ProbeRtt, "no round");
    without_round.ack(quiet);
    assert_eq!(without_round.bbr.state(), State::ProbeBw);
}

#[test]
fn probe_rtt_gives_the_window_back() {
    let mut rig = Rig::with_full_window();
    let window = rig.bbr.cwnd();
    assert_eq!(window, 2 * BDP + QUANTA);
    let quiet = Ack {
        inflight: 4 * MSS,
        ..ACK
    };
    rig.ack_after(Span::from_ms(10_001), quiet);
    assert_eq!(rig.bbr.cwnd(), 4 * MSS);
    rig.ack_after(Span::from_ms(201), quiet);
    assert_eq!((rig.bbr.cwnd(), rig.bbr.state()), (window, State::ProbeBw));
    rig.ack_after(Span::from_secs(10), Ack { rtt: None, ..quiet });
    assert_eq!(rig.bbr.state(), State::ProbeBw, "the ten seconds restart");
}

#[test]
fn after_probe_rtt_startup_goes_on_if_the_pipe_is_not_full() {
    let mut rig = Rig::new();
    let quiet = Ack {
        inflight: 4 * MSS,
        is_app_limited: true,
        ..ACK
    };
    rig.ack(quiet);
    rig.ack_after(Span::from_ms(10_001), quiet);
    assert_eq!(rig.bbr.state(), State::ProbeRtt);
    rig.ack_after(Span::from_ms(201), quiet);
    assert_eq!(rig.bbr.state(), State::Startup);
    assert_eq!(rig.bbr.pacing_gain(), HIGH_GAIN);
}

#[test]
fn an_idle_time_takes_the_place_of_probe_rtt() {
    let mut rig = Rig::in_phase(1.0);
    rig.now += Span::from_secs(30);
    rig.bbr.on_idle_restart();
    rig.ack_after(RTT, ACK);
    assert_eq!(rig.bbr.state(), State::ProbeBw);
}

#[test]
fn output_after_an_idle_time_is_paced_at_the_estimate_whatever_the_phase() {
    let mut rig = Rig::in_phase(1.25);
    rig.bbr.on_idle_restart();
    assert!(close(rig.bbr.pacing_rate(), 8e6 * 0.99));
}

#[test]
fn the_first_round_of_a_recovery_sends_what_is_delivered() {
    let mut rig = Rig::with_full_window();
    rig.bbr.on_loss(MSS);
    rig.bbr.enter_recovery(30 * MSS);
    assert_eq!(rig.bbr.cwnd(), 31 * MSS);
    let within = |inflight| Ack {
        inflight,
        begins_round: false,
        ..ACK
    };
    rig.ack(within(29 * MSS));
    assert_eq!(rig.bbr.cwnd(), 30 * MSS);
    rig.ack(within(29 * MSS));
    assert_eq!(rig.bbr.cwnd(), 30 * MSS);
    rig.bbr.on_loss(5 * MSS);
    rig.ack(within(20 * MSS));
    assert_eq!(
        rig.bbr.cwnd(),
        25 * MSS,
        "less what is lost, no less than is in flight"
    );
    rig.ack(Ack {
        inflight: 10 * MSS,
        ..ACK
    });
    assert_eq!(
        rig.bbr.cwnd(),
        26 * MSS,
        "from the second round on it grows"
    );
}

#[test]
fn the_window_before_a_recovery_returns_with_its_end() {
    let mut rig = Rig::with_full_window();
    let window = rig.bbr.cwnd();
    rig.bbr.enter_recovery(30 * MSS);
    rig.ack(ACK);
    assert!(rig.bbr.cwnd() < window);
    rig.bbr.exit_recovery();
    assert_eq!(rig.bbr.cwnd(), window);
}

#[test]
fn a_time_out_leaves_one_segment_until_its_recovery_ends() {
    let mut rig = Rig::with_full_window();
    let window = rig.bbr.cwnd();
    rig.bbr.enter_recovery(30 * MSS);
    rig.bbr.on_timeout(rig.now);
    assert_eq!(rig.bbr.cwnd(), MSS);
    rig.ack(Ack { inflight: 0, ..ACK });
    assert_eq!(
        rig.bbr.cwnd(),
        4 * MSS,
        "the least window while ACKs arrive"
    );
    rig.bbr.exit_recovery();
    assert_eq!(rig.bbr.cwnd(), window);
}

#[test]
fn the_window_is_at_most_twice_the_bdp_and_three_quanta_once_the_pipe_is_full() {
    assert_eq!(Rig::with_full_window().bbr.cwnd(), 2 * BDP + QUANTA);
}

#[test]
fn startup_grows_the_window_by_what_is_delivered_up_to_its_gain() {
    let mut rig = Rig::new();
    rig.ack(ACK);
    assert_eq!(rig.bbr.cwnd(), 11 * MSS);
    for _ in 0..200 {
        rig.ack(Ack {
            begins_round: false,
            ..ACK
        });
    }
    // 2.885 * 40 segments and three quanta of two (22.9 Mbit/s): 121.4, passed by less than a segment.
    assert_eq!(rig.bbr.cwnd(), 122 * MSS);
}

#[test]
fn the_window_is_at_least_four_segments() {
    let mut rig = Rig::new();
    for _ in 0..20 {
        let rate = Rate::kbps(8); // a segment each second: the BDP is 40 octets
        rig.ack(Ack {
            rate,
            inflight: 0,
            ..ACK
        });
    }
    // At this rate a quantum is a segment, and the three of them are less than four segments.
    assert_eq!(rig.bbr.cwnd(), 4 * MSS);
}

#[test]
fn the_send_quantum_follows_the_pacing_rate() {
    let mut bbr = Rig::new().bbr;
    for (kbps, octets) in [
        (1_199, 1_000),
        (1_200, 2_000),
        (23_999, 2_000),
        (24_000, 3_000),
        (80_000, 10_000),
        (1_000_000, 65_536),
    ] {
        bbr.pacing_rate = Rate::kbps(kbps);
        assert_eq!(bbr.send_quantum(), octets, "{kbps} kbit/s");
    }
}

#[test]
fn bbr_linux_windows_are_even_numbers_of_segments_and_two_more_in_the_phase_that_probes() {
    let mut rig = Rig::of_linux();
    let mut windows = Vec::new();
    for _ in 0..CYCLE.len() {
        rig.next_phase();
        for _ in 0..100 {
            // At the rate of the line: an excess of one segment.
            let begins_round = false;
            rig.ack_after(
                Span::from_us(100),
                Ack {
                    begins_round,
                    ..ACK
                },
            );
            rig.now += Span::from_us(900);
            rig.bbr.cycle_stamp = rig.now;
        }
        windows.push((rig.bbr.pacing_gain(), rig.bbr.cwnd() / MSS));
    }
    // 2 x 40 segments of the path, one of the excess, three quanta of two: 87.
    for (gain, window) in windows {
        assert_eq!(window, if gain > 1.0 { 90 } else { 88 });
    }
}

#[test]
fn bbr_linux_begins_with_the_round_trip_of_the_handshake() {
    let mut rig = Rig {
        bbr: Bbr::of_linux(1_000, 10 * MSS, Stream::named(1, "bbr")),
        ..Rig::new()
    };
    rig.bbr.on_handshake(Time::ZERO, RTT);
    // 80 kbit in 40 ms.
    let expected = 2e6 * 2.885_390_081_777_927 * 0.99;
    assert!(close(rig.bbr.pacing_rate(), expected));
    let rtt = Some(RTT + Span::from_ms(2));
    rig.ack(Ack {
        rate: Rate::kbps(100),
        rtt,
        ..ACK
    });
    assert_eq!(rig.bbr.min_rtt(), Some(RTT));
    assert!(close(rig.bbr.pacing_rate(), expected));
    // The draft knows no handshake.
    let mut other = Rig::new();
    other.bbr.on_handshake(Time::ZERO, RTT);
    assert_eq!(other.bbr.min_rtt(), None);
}

#[test]
fn bbr_linux_ends_a_phase_by_what_will_be_in_the_network_at_the_next_departure() {
    // Two segments leave then; each millisecond until then one is delivered.
    let target = (50 + 6 + 2) * MSS;
    let cases = [
        (target - 2 * MSS, 0, true),
        (target - 3 * MSS, 0, false),
        (target, 2, true),
        (target, 3, false),
    ];
    for (inflight, wait_ms, ends) in cases {
        let mut rig = Rig::of_linux();
        while rig.bbr.pacing_gain() <= 1.0 {
            rig.next_phase();
        }
        let span = RTT + Span::from_us(1);
        rig.bbr.on_pacing(rig.now + span + Span::from_ms(wait_ms));
        // The segment that is acknowledged was in flight.
        let inflight = inflight - MSS;
        rig.ack_after(span, Ack { inflight, ..ACK });
        assert_eq!(rig.bbr.pacing_gain() < 1.0, ends, "{inflight} {wait_ms}");
    }
}

#[test]
fn bbr_linux_gives_whole_segments_to_the_network_layer_those_of_a_1024th_of_a_second() {
    let mut bbr = Rig::of_linux().bbr;
    for (kbps, segments) in [
        (1_199, 1),
        (1_200, 2),
        (24_000, 2),
        (24_576, 3),
        (80_000, 9),
        (1_000_000, 65),
    ] {
        bbr.pacing_rate = Rate::kbps(kbps);
        assert_eq!(bbr.send_quantum(), segments * MSS, "{kbps} kbit/s");
        assert_eq!(bbr.pacing_quantum(), segments * MSS, "{kbps} kbit/s");
    }
    assert_eq!(Rig::new().bbr.pacing_quantum(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn window_and_pacing_rate_stay_positive_whatever_happens(
        is_linux in any::<bool>(),
        events in prop::collection::vec((0_u8..9, 0_u64..2_000, 0_u64..100_000_000, 0_u64..200_000), 1..200)
    ) {
        let mut rig = if is_linux { Rig::of_linux() } else { Rig::new() };
        for (kind, ms, bps, inflight) in events {
            match kind {
                0 => rig.bbr.on_loss(inflight),
                1 => rig.bbr.enter_recovery(inflight),
                2 => rig.bbr.exit_recovery(),
                3 => rig.bbr.on_timeout(rig.now),
                4 => rig.bbr.on_idle_restart(),
                5 => rig.bbr.on_undone(),
                _ => rig.ack_after(Span::from_ms(ms), Ack {
                    rate: Rate::bps(bps as f64 + 1.0),
                    rtt: (ms % 3 != 0).then(|| Span::from_ms(ms + 1)),
                    inflight,
                    begins_round: ms % 2 == 0,
                    is_app_limited: bps % 2 == 0,
                }),
            }
            prop_assert!(rig.bbr.cwnd() >= MSS);
            prop_assert!(rig.bbr.pacing_rate() > Rate::ZERO);
        }
    }
}
