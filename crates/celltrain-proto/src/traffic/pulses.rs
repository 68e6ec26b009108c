//! Pulses: evenly spaced arrivals for a fraction of each period.

use super::arrivals::{Arrivals, LongestGap, Run, TrafficSource};
use crate::parameters::Bounds;
use crate::units::{Rate, Span};

parameters! {
    /// The parameters of pulses.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct PulsesParameters {
        /// Rate in a pulse.
        pub peak: Rate, in Bounds::above(Rate::ZERO);
        /// From the start of one pulse to the start of the next.
        pub period: Span, in Bounds::INTERVAL;
        /// The fraction of the period that the pulse takes.
        pub duty_cycle: f64 = 0.5, in Bounds::PART;
    }
}

/// Pulses with a fixed period. Each starts with an arrival.
#[derive(Clone, Debug)]
pub struct Pulses {
    gap: Span,
    period: Span,
    /// Arrivals per pulse, and the number of the last one.
    count: u64,
    at: u64,
}

impl TrafficSource for PulsesParameters {
    type Process = Pulses;

    fn start(&self, run: Run) -> Option<Pulses> {
        let gap = self.peak.span_of_bits(run.bits as f64);
        let on = Span::from_secs_f64(self.period.as_secs() * self.duty_cycle);
        Some(Pulses {
            gap,
            period: self.period,
            count: on.as_ps().div_ceil(gap.as_ps().max(1)).max(1),
            at: 0,
        })
    }

    fn peak(&self, bits: u64) -> Option<Rate> {
        // Each pulse begins with an arrival, however short it is.
        let first = Rate::bps(bits as f64 / self.period.as_secs());
        Some(self.peak.max(first))
    }

    fn longest_gap(&self, bits: u64) -> Option<LongestGap> {
        let gap = self.peak.span_of_bits(bits as f64);
        Some(LongestGap {
            least: self.period.saturating_add(gap),
            ..LongestGap::default()
        })
    }
}

impl Arrivals for Pulses {
    fn gap(&mut self) -> Span {
        self.at += 1;
        if self.at < self.count {
            return self.gap;
        }
        self.at = 0;
        let past = self.gap.as_ps().saturating_mul(self.count - 1);
        Span::from_ps(self.period.as_ps().saturating_sub(past))
    }

    fn run(&mut self) -> (Span, u32) {
        let left = u32::try_from(self.count - 1 - self.at).unwrap_or(u32::MAX);
        if left == 0 {
            return (self.gap(), 1);
        }
        self.at += u64::from(left);
        (self.gap, left)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    /// One arrival per ms, on for the part `duty_cycle` of each 10 ms.
    fn pulses(duty_cycle: f64) -> Pulses {
        let parameters = PulsesParameters {
            peak: Rate::bps(1e6),
            period: Span::from_ms(10),
            duty_cycle,
        };
        parameters.start(run(1_000)).expect("pulses are not greedy")
    }

    #[test]
    fn a_pulse_starts_each_period_and_lasts_for_its_part_of_it() {
        // One arrival per ms, on for 2.5 of 10 ms: at 0, 1 and 2.
        let mut pulses = pulses(0.25);
        let gaps: [Span; 6] = core::array::from_fn(|_| pulses.gap());
        assert_eq!(gaps, [1, 1, 8, 1, 1, 8].map(Span::from_ms));
    }

    #[test]
    fn a_pulse_is_one_run() {
        let mut pulses = pulses(0.25);
        let runs: [_; 4] = core::array::from_fn(|_| pulses.run());
        assert_eq!(
            runs,
            [(1, 2), (8, 1), (1, 2), (8, 1)].map(|(ms, n)| (Span::from_ms(ms), n))
        );
    }

    #[test]
    fn a_full_duty_cycle_is_a_constant_rate() {
        let mut pulses = pulses(1.0);
        assert!((0..100).all(|_| pulses.gap() == Span::from_ms(1)));
    }

    #[test]
    fn an_end_of_a_pulse_at_an_arrival_excludes_it() {
        let mut pulses = pulses(0.2);
        assert_eq!([pulses.gap(), pulses.gap()], [1, 9].map(Span::from_ms));
    }
}
