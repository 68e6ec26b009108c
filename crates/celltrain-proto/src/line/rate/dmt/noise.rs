//! How a line's noise changes over time: steps, neighbours that switch on and off, a slow drift.
//!
//! All affect every carrier equally and add up in dB; between two events the noise is constant.

use alloc::vec::Vec;

use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Decibels, Span, Time};

/// The shortest times of a line: modems measure their margin over seconds.
pub(super) const SHORTEST: Span = Span::from_secs(1);
/// The drift is held for this fraction of its period: the error is then below 2 % of the amplitude.
const DRIFT_EVENTS: u64 = 360;

parameters! {
    /// A switched noise source: a neighbour's line that is turned on and off.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Neighbour {
        /// By how much it raises the noise while present, in dB.
        pub rise_db: Decibels, in Bounds::within(Decibels(0.0), Decibels(60.0));
        /// Mean time for which it is present, exponential.
        pub mean_on: Span, in Bounds::at_least(SHORTEST);
        /// Mean time for which it is absent, exponential.
        pub mean_off: Span, in Bounds::at_least(SHORTEST);
    }
}

parameters! {
    /// A slow sinusoidal change of the noise: `amplitude_db · sin(2π t / period)`.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Drift {
        /// The amplitude in dB.
        pub amplitude_db: Decibels;
        /// The period.
        pub period: Span, in Bounds::at_least(SHORTEST);
    }
}

/// A neighbour and its state.
#[derive(Clone, Debug)]
struct Switching {
    neighbour: Neighbour,
    is_on: bool,
    /// When it changes next.
    until: Time,
}

impl Switching {
    fn hold(&mut self, stream: &mut Stream) {
        let mean = if self.is_on {
            self.neighbour.mean_on
        } else {
            self.neighbour.mean_off
        };
        let span = Span::from_secs_f64(stream.exponential(mean.as_secs()));
        // A draw that rounds to zero would put two changes at the same instant.
        self.until = self.until.saturating_add(span.max(Span::from_ps(1)));
    }
}

/// The noise relative to that of the channel, as a process over time.
#[derive(Clone, Debug)]
pub(super) struct Noise {
    stream: Stream,
    /// Rises in dB, each with the instant from which it applies, and how many have taken effect.
    steps: Vec<(Time, f64)>,
    steps_taken: usize,
    neighbours: Vec<Switching>,
    drift: Option<Drift>,
    /// The time up to which the process has advanced.
    now: Time,
}

impl Noise {
    /// Constant noise.
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            steps: Vec::new(),
            steps_taken: 0,
            neighbours: Vec::new(),
            drift: None,
            now: Time::ZERO,
        }
    }

    pub(super) fn set_steps(&mut self, steps: &[(Time, f64)]) {
        self.steps = steps.to_vec();
        self.advance(Time::ZERO);
    }

    pub(super) fn set_drift(&mut self, drift: Drift) {
        self.drift = Some(drift);
    }

    pub(super) fn add_neighbour(&mut self, neighbour: Neighbour) {
        let (on, off) = (neighbour.mean_on.as_secs(), neighbour.mean_off.as_secs());
        // The exponential distribution is memoryless: the time remaining at the start has the same distribution as a
        // full one.
        let mut switching = Switching {
            neighbour,
            is_on: self.stream.uniform() * (on + off) < on,
            until: Time::ZERO,
        };
        switching.hold(&mut self.stream);
        self.neighbours.push(switching);
    }

    /// The next instant at which the noise changes.
    pub(super) fn next_change(&self) -> Time {
        let step = self.steps.get(self.steps_taken).map(|step| step.0);
        let drift = self.drift.map(|drift| {
            let (held, phase) = (drift_interval(drift), self.phase(drift));
            // The last interval is shortened if it does not divide the period.
            let left = (held - phase % held).min(drift.period - phase);
            self.now.saturating_add(left)
        });
        let neighbours = self.neighbours.iter().map(|it| it.until);
        let all = step.into_iter().chain(drift).chain(neighbours);
        all.min().unwrap_or(Time::NEVER)
    }

    /// Applies the changes up to `now`, which is not later than [`Noise::next_change`].
    pub(super) fn advance(&mut self, now: Time) {
        self.now = now;
        let due = |step: &&(Time, f64)| step.0 <= now;
        self.steps_taken += self.steps[self.steps_taken..]
            .iter()
            .take_while(due)
            .count();
        for switching in &mut self.neighbours {
            if switching.until <= now {
                switching.is_on = !switching.is_on;
                switching.hold(&mut self.stream);
            }
        }
    }

    /// The current rise in dB.
    pub(super) fn rise_db(&self) -> f64 {
        let step = self.steps[..self.steps_taken].last();
        let neighbours = self.neighbours.iter().filter(|it| it.is_on);
        step.map_or(0.0, |step| step.1)
            + neighbours.map(|it| it.neighbour.rise_db.0).sum::<f64>()
            + self.drift.map_or(0.0, |drift| self.drift_db(drift))
    }

    /// The time since the current period of the drift started.
    fn phase(&self, drift: Drift) -> Span {
        self.now.saturating_since(Time::ZERO) % drift.period
    }

    /// The drift at its latest event.
    fn drift_db(&self, drift: Drift) -> f64 {
        let event = self.phase(drift).div_floor(drift_interval(drift));
        let turns = event as f64 / DRIFT_EVENTS as f64;
        drift.amplitude_db.0 * libm::sin(2.0 * core::f64::consts::PI * turns)
    }
}

fn drift_interval(drift: Drift) -> Span {
    (drift.period / DRIFT_EVENTS).max(Span::from_ps(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(s: u64) -> Time {
        Time::from_ps(s * 1_000_000_000_000)
    }

    fn constant() -> Noise {
        Noise::new(Stream::named(1, "links.down.rate"))
    }

    #[test]
    fn constant_noise_never_changes() {
        assert_eq!(constant().next_change(), Time::NEVER);
        assert_eq!(constant().rise_db(), 0.0);
    }

    #[test]
    fn a_step_holds_from_its_instant_to_the_next() {
        let mut noise = constant();
        noise.set_steps(&[(s(0), 1.0), (s(5), 3.0), (s(9), -2.0)]);
        assert_eq!((noise.rise_db(), noise.next_change()), (1.0, s(5)));
        noise.advance(s(5));
        assert_eq!((noise.rise_db(), noise.next_change()), (3.0, s(9)));
        noise.advance(s(9));
        assert_eq!((noise.rise_db(), noise.next_change()), (-2.0, Time::NEVER));
    }

    #[test]
    fn drift_is_a_sine_in_360_events() {
        let mut noise = constant();
        noise.set_drift(Drift {
            amplitude_db: Decibels(2.0),
            period: Span::from_secs(3_600),
        });
        assert_eq!(noise.next_change(), s(10));
        for (at, rise) in [
            (0, 0.0),
            (300, 1.0),
            (900, 2.0),
            (1_800, 0.0),
            (2_700, -2.0),
            (3_900, 1.0),
        ] {
            noise.advance(s(at));
            assert!(
                (noise.rise_db() - rise).abs() < 1e-12,
                "{at} s: {}",
                noise.rise_db()
            );
            assert_eq!(noise.next_change(), s(at + 10));
        }
    }

    #[test]
    fn drift_of_a_period_that_does_not_divide_keeps_its_events_after_now() {
        let mut noise = constant();
        noise.set_drift(Drift {
            amplitude_db: Decibels(2.0),
            period: Span::from_ps(1_000_007),
        });
        for _ in 0..2_000 {
            let next = noise.next_change();
            assert!(next > noise.now);
            noise.advance(next);
            assert!(noise.rise_db().abs() <= 2.0);
        }
    }

    #[test]
    fn a_neighbour_is_there_for_its_share_of_the_time_and_adds_its_rise() {
        let mut noise = constant();
        noise.add_neighbour(Neighbour {
            rise_db: Decibels(4.0),
            mean_on: Span::from_secs(100),
            mean_off: Span::from_secs(300),
        });
        let (mut on, mut rises, cycles) = (Span::ZERO, 0, 4_000);
        for _ in 0..2 * cycles {
            let (before, rise) = (noise.now, noise.rise_db());
            noise.advance(noise.next_change());
            assert_eq!(noise.rise_db(), 4.0 - rise);
            if rise > 0.0 {
                on += noise.now - before;
                rises += 1;
            }
        }
        assert_eq!(rises, cycles);
        // The mean of 4000 exponential times has a standard error of 1.6 %; that of the cycle, 1.25 %.
        let mean_on = on.as_secs() / f64::from(cycles);
        assert!((mean_on - 100.0).abs() < 6.4, "{mean_on}");
        let cycle = noise.now.as_secs() / f64::from(cycles);
        assert!((cycle - 400.0).abs() < 20.0, "{cycle}");
    }

    #[test]
    fn rises_add_up_in_db() {
        let always = Neighbour {
            rise_db: Decibels(2.0),
            mean_on: Span::from_secs(1_000_000),
            mean_off: Span::from_ps(1),
        };
        let mut noise = constant();
        noise.add_neighbour(always);
        noise.add_neighbour(always);
        noise.set_steps(&[(s(0), 3.0)]);
        assert_eq!(noise.rise_db(), 7.0);
    }
}
