//! Pulses: evenly spaced arrivals for a fraction of each period.

use crate::units::{Rate, Span};

/// Pulses with a fixed period. Each starts with an arrival.
#[derive(Clone, Debug)]
pub struct Pulses {
    gap: Span,
    period: Span,
    /// Arrivals per pulse, and the number of the last one.
    count: u64,
    at: u64,
}

impl Pulses {
    /// Arrivals of `bits` bits each at `peak`, from the start of each `period` for the fraction `duty_cycle`, in (0,
    /// 1], of it.
    pub fn new(peak: Rate, bits: u64, period: Span, duty_cycle: f64) -> Self {
        let gap = peak.span_of_bits(bits as f64);
        let on = Span::from_secs_f64(period.as_secs() * duty_cycle);
        let count = on.as_ps().div_ceil(gap.as_ps().max(1)).max(1);
        Self {
            gap,
            period,
            count,
            at: 0,
        }
    }

    /// The span from one arrival to the next.
    pub fn gap(&mut self) -> Span {
        self.at += 1;
        if self.at < self.count {
            return self.gap;
        }
        self.at = 0;
        let past = self.gap.as_ps().saturating_mul(self.count - 1);
        Span::from_ps(self.period.as_ps().saturating_sub(past))
    }

    /// The span from one arrival to the next, and how many successive arrivals are spaced by it.
    pub fn run(&mut self) -> (Span, u32) {
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
    use super::*;

    #[test]
    fn a_pulse_starts_each_period_and_lasts_for_its_part_of_it() {
        // One arrival per ms, on for 2.5 of 10 ms: at 0, 1 and 2.
        let mut pulses = Pulses::new(Rate::bps(1e6), 1_000, Span::from_ms(10), 0.25);
        let gaps: [Span; 6] = core::array::from_fn(|_| pulses.gap());
        assert_eq!(gaps, [1, 1, 8, 1, 1, 8].map(Span::from_ms));
    }

    #[test]
    fn a_pulse_is_one_run() {
        let mut pulses = Pulses::new(Rate::bps(1e6), 1_000, Span::from_ms(10), 0.25);
        let runs: [_; 4] = core::array::from_fn(|_| pulses.run());
        assert_eq!(
            runs,
            [(1, 2), (8, 1), (1, 2), (8, 1)].map(|(ms, n)| (Span::from_ms(ms), n))
        );
    }

    #[test]
    fn a_full_duty_cycle_is_a_constant_rate() {
        let mut pulses = Pulses::new(Rate::bps(1e6), 1_000, Span::from_ms(10), 1.0);
        assert!((0..100).all(|_| pulses.gap() == Span::from_ms(1)));
    }

    #[test]
    fn an_end_of_a_pulse_at_an_arrival_excludes_it() {
        let mut pulses = Pulses::new(Rate::bps(1e6), 1_000, Span::from_ms(10), 0.2);
        assert_eq!([pulses.gap(), pulses.gap()], [1, 9].map(Span::from_ms));
    }
}
