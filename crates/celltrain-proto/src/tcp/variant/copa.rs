//! Copa: the window moves towards a target rate that is inversely proportional to the queueing delay.
//!
//! ```text
//! dq = RTTstanding - RTTmin     target rate = 1 / (delta dq)     rate = cwnd / RTTstanding
//! each segment acknowledged:  cwnd += v / (delta cwnd)  if the rate is at most the target, otherwise -=
//! slow start: the window doubles each round trip, until the rate exceeds the target
//! ```
//!
//! A single connection thus keeps about 1 / delta segments in the queue, and empties it in each cycle of five round trips.
//! v doubles each round trip once the window has moved in one direction for three, and returns to 1 when the direction
//! changes. If the queue was not nearly empty for five round trips, Copa assumes that another flow fills it: while this
//! lasts, 1 / delta grows by one per round trip and a loss halves it. A loss alone does not reduce the window. Segments
//! are paced at twice the rate.
//!
//! Copa measures the minimum round-trip time of ten seconds (`RTTmin`) and of half a smoothed round trip
//! (`RTTstanding`), and the maximum of four round trips.
//!
//! Source: V. Arun, H. Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", NSDI 2018,
//! sections 2.1, 2.2 and 3.

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use super::congestion_control::Event;
use super::facts::{ControlOptions, Facts};
use super::fraction::Fraction;
use super::law::{MakeLaw, WindowLaw};
use super::round::Round;
use super::window::Window;
use crate::parameters::Bounds;
use crate::units::{Rate, Span, Time};

/// How long a sample counts for `RTTmin`.
const MEMORY: Span = Span::from_secs(10);
/// Round trips in one direction after which the velocity doubles.
const STEADY_ROUNDS: u32 = 3;
/// Round trips without a nearly empty queue after which Copa competes, and those covered by the maximum.
const FULL_ROUNDS: u64 = 5;
const LONGEST_ROUNDS: u64 = 4;
/// A queue is nearly empty up to this fraction of the maximum delay.
const NEARLY_EMPTY: f64 = 0.1;
/// The pacing rate as a multiple of the rate.
const PACING_GAIN: f64 = 2.0;

parameters! {
    /// The parameters of Copa.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct CopaParameters {
        /// Weight of delay against throughput: a connection keeps 1 / delta segments in the queue.
        pub delta: f64 = 0.5, in Bounds::PART;
        /// Whether it lowers delta to compete with flows that fill the queue.
        pub competes: bool = true;
    }
}

/// Copa.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Copa {
    parameters: CopaParameters,
    model: Box<Model>,
}

/// Copa's measurements of the path, its direction and velocity.
#[derive(Clone, Debug)]
struct Model {
    /// `RTTmin`, `RTTstanding` and the maximum.
    least: Extreme<false>,
    standing: Extreme<false>,
    longest: Extreme<true>,
    /// The smoothed round trip.
    srtt: Span,
    /// When the queue was last nearly empty.
    empty: Time,
    /// 1 / delta in use.
    inverse: f64,
    round: Round,
    /// The window at the start of this round.
    cwnd: u64,
    is_upward: bool,
    /// Number of rounds in that direction.
    rounds: u32,
    velocity: f64,
    fraction: Fraction,
}

/// Sliding minimum or maximum of round-trip times: the samples that no later one has replaced, in order.
#[derive(Clone, Debug, Default)]
struct Extreme<const IS_LONGEST: bool> {
    samples: VecDeque<(Time, Span)>,
}

impl<const IS_LONGEST: bool> Extreme<IS_LONGEST> {
    /// Adds a sample and drops those older than `memory`.
    fn add(&mut self, now: Time, rtt: Span, memory: Span) {
        let exceeds = |other: Span| {
            if IS_LONGEST {
                rtt >= other
            } else {
                rtt <= other
            }
        };
        while self.samples.back().is_some_and(|it| exceeds(it.1)) {
            self.samples.pop_back();
        }
        self.samples.push_back((now, rtt));
        let is_old = |it: &(Time, Span)| now.saturating_since(it.0) > memory;
        while self.samples.front().is_some_and(is_old) {
            self.samples.pop_front();
        }
    }

    fn get(&self) -> Option<Span> {
        self.samples.front().map(|it| it.1)
    }
}

impl Model {
    /// The queueing delay; none without a sample.
    fn delay(&self) -> Option<Span> {
        Some(self.standing.get()?.saturating_sub(self.least.get()?))
    }

    /// Adds a sample.
    fn add(&mut self, event: &Event, rtt: Span) {
        let now = event.now;
        self.srtt = if event.srtt > Span::ZERO {
            event.srtt
        } else {
            rtt
        };
        self.least.add(now, rtt, MEMORY);
        self.standing.add(now, rtt, self.srtt / 2);
        self.longest.add(now, rtt, self.srtt * LONGEST_ROUNDS);
        if let (Some(least), Some(longest), Some(delay)) =
            (self.least.get(), self.longest.get(), self.delay())
            && delay.as_secs() <= NEARLY_EMPTY * longest.saturating_sub(least).as_secs()
        {
            self.empty = now;
        }
    }

    /// Sets the velocity at the end of a round.
    fn turn_or_speed_up(&mut self, cwnd: u64) {
        let is_upward = cwnd > self.cwnd;
        if is_upward == self.is_upward && cwnd != self.cwnd {
            self.rounds += 1;
            if self.rounds >= STEADY_ROUNDS {
                self.velocity *= 2.0;
            }
        } else {
            self.rounds = 1;
            self.velocity = 1.0;
        }
        self.is_upward = is_upward;
        self.cwnd = cwnd;
    }
}

impl MakeLaw for Copa {
    type Parameters = CopaParameters;
    const FACTS: Facts = Facts {
        is_paced: true,
        has_own_slow_start: true,
        ..Facts::LAW
    };

    fn new(parameters: &CopaParameters, _: &ControlOptions, window: &mut Window) -> Self {
        let model = Model {
            least: Extreme::default(),
            standing: Extreme::default(),
            longest: Extreme::default(),
            srtt: Span::ZERO,
            empty: Time::ZERO,
            inverse: 1.0 / parameters.delta,
            round: Round::default(),
            cwnd: window.cwnd,
            is_upward: true,
            rounds: 0,
            velocity: 1.0,
            fraction: Fraction::default(),
        };
        Self {
            parameters: *parameters,
            model: Box::new(model),
        }
    }
}

impl Copa {
    /// Whether it competes with a flow that fills the queue.
    fn is_competing(&self, now: Time) -> bool {
        let silence = self.model.srtt * FULL_ROUNDS;
        self.parameters.competes && now.saturating_since(self.model.empty) > silence
    }

    /// A round has ended without a loss.
    fn end_round(&mut self, now: Time, cwnd: u64) {
        self.model.turn_or_speed_up(cwnd);
        if self.is_competing(now) {
            self.model.inverse += 1.0;
        } else {
            self.model.inverse = 1.0 / self.parameters.delta;
        }
    }

    /// Whether the rate is at most its target; none without a sample.
    fn is_below_target(&self, window: &Window) -> Option<bool> {
        let (delay, standing) = (self.model.delay()?, self.model.standing.get()?);
        let segments = window.cwnd as f64 / window.mss as f64;
        Some(segments * delay.as_secs() <= self.model.inverse * standing.as_secs())
    }
}

impl WindowLaw for Copa {
    fn measure(&mut self, window: &Window, event: &Event) {
        if let Some(rtt) = event.rtt {
            self.model.add(event, rtt);
        }
        if self.model.round.ends(event) {
            self.end_round(event.now, window.cwnd);
        }
    }

    fn on_ack(&mut self, window: &mut Window, acked: u64, limit: u64, event: &Event) {
        let Some(is_below) = self
            .is_below_target(window)
            .filter(|_| event.is_cwnd_limited)
        else {
            return;
        };
        if window.is_slow_start() {
            if is_below {
                window.grow_in_slow_start(acked, limit);
                return;
            }
            window.ssthresh = window.cwnd;
        }
        let share = acked as f64 / window.cwnd as f64;
        let step = self.model.velocity * self.model.inverse * share * window.mss as f64;
        let octets = if is_below { step } else { -step };
        self.model.fraction.add(window, octets, 2 * window.mss);
    }

    /// The window becomes the part in use, without a reduction.
    fn reduce(&mut self, window: &mut Window, event: &Event) {
        window.ssthresh = window.in_use(event.flight()).max(2 * window.mss);
        if self.is_competing(event.now) {
            let least = 1.0 / self.parameters.delta;
            self.model.inverse = (self.model.inverse / 2.0).max(least);
        }
    }

    fn pacing_rate(&self, window: &Window) -> Option<Rate> {
        let standing = self.model.standing.get()?;
        Some(Rate::bps(
            PACING_GAIN * 8.0 * window.cwnd as f64 / standing.as_secs(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Drive, MSS};
    use super::*;

    const PARAMETERS: CopaParameters = CopaParameters {
        delta: 0.5,
        competes: true,
    };
    const BASE: Span = Span::from_ms(100);

    /// A connection with a window of `segments` that has seen a round trip of 100 ms, then only `rtt`.
    fn copa(segments: u64, rtt: Span) -> Drive<Copa> {
        let mut drive = Drive::new(&PARAMETERS, segments);
        drive.ack(BASE);
        drive.now += BASE;
        drive.ack(rtt);
        drive.window.cwnd = segments * MSS;
        drive
    }

    #[test]
    fn the_window_grows_while_fewer_than_one_over_delta_of_its_segments_wait() {
        // 50 dq / RTT of 50 segments wait: 1.5 at 103 ms, 2.4 at 105 ms.
        for (rtt, change) in [(100, 2.0), (103, 2.0), (105, -2.0), (200, -2.0)] {
            let mut drive = copa(50, Span::from_ms(rtt));
            drive.round(Span::from_ms(rtt));
            let found = drive.segments() - 50.0;
            // v / delta segments per round trip; tolerance because the divisor, cwnd, changes meanwhile.
            assert!((found - change).abs() < 0.25, "{rtt} {found}");
        }
    }

    #[test]
    fn the_velocity_doubles_after_three_rounds_in_one_direction_and_a_turn_ends_it() {
        let mut drive = copa(100, BASE);
        let velocity = |drive: &mut Drive<Copa>, rtt| {
            drive.round(rtt);
            drive.law.model.velocity
        };
        let upward = [(); 6].map(|()| velocity(&mut drive, BASE));
        let first = upward.iter().position(|&it| it > 1.0).expect("it doubles");
        assert!((2..=4).contains(&first), "{upward:?}");
        assert!(
            upward[first..].windows(2).all(|it| it[1] == 2.0 * it[0]),
            "{upward:?}"
        );
        let downward = [(); 3].map(|()| velocity(&mut drive, BASE * 2));
        assert!(downward.contains(&1.0), "{downward:?}");
    }

    #[test]
    fn slow_start_doubles_the_window_until_the_rate_is_above_the_target() {
        let mut drive = copa(10, BASE);
        drive.window.ssthresh = 10_000 * MSS;
        drive.round(BASE);
        assert!((drive.segments() - 20.0).abs() < 1e-9);
        // 40 segments at 105 ms: 1.9 wait; at 106 ms 2.3.
        for (rtt, is_slow_start) in [(105, true), (106, false)] {
            let mut drive = copa(40, Span::from_ms(rtt));
            drive.window.ssthresh = 10_000 * MSS;
            drive.ack(Span::from_ms(rtt));
            assert_eq!(drive.window.is_slow_start(), is_slow_start, "{rtt}");
        }
    }

    #[test]
    fn a_queue_that_is_never_empty_makes_it_compete_by_a_smaller_delta_which_a_loss_doubles() {
        let mut drive = copa(20, BASE * 2);
        for _ in 0..16 {
            drive.round(BASE * 2);
            drive.window.cwnd = 20 * MSS;
        }
        let inverse = drive.law.model.inverse;
        // One more per round trip after the first five.
        assert!((10.0..=14.0).contains(&inverse), "{inverse}");
        drive.lose();
        assert!((drive.law.model.inverse - inverse / 2.0).abs() < 1e-9);
        assert_eq!(drive.window.cwnd, 20 * MSS);
        for _ in 0..3 {
            drive.round(BASE);
        }
        assert!((drive.law.model.inverse - 2.0).abs() < 1e-9);
    }

    #[test]
    fn segments_leave_at_twice_the_rate() {
        let drive = copa(20, BASE);
        // 20 segments of 1000 octets in 100 ms: 1.6 Mbit/s.
        let rate = drive.law.pacing_rate(&drive.window);
        assert_eq!(rate, Some(Rate::kbps(3_200)));
    }
}
