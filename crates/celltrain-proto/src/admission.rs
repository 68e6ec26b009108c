//! Connection admission control: the bandwidth that connections take of a link (TM 4.0 §3.3; ITU-T I.371).
//!
//! Effective bandwidth is the equivalent capacity of R. Guérin, H. Ahmadi and M. Naghshineh, "Equivalent capacity and its
//! application to bandwidth allocation in high-speed networks", IEEE Journal on Selected Areas in Communications 9 (7),
//! 1991, pages 968 to 981: the fluid-flow approximation for one connection, the stationary one for many, and the smaller
//! of the two for a link.

use core::f64::consts::PI;

use crate::units::{CELL_BITS, Cells, Rate};

/// What admission knows of one direction of a connection: an on-off source, as bursty as its contract allows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Demand {
    /// PCR: the rate within a burst.
    pub peak: Rate,
    /// SCR: the mean rate, at most the peak rate. The network guarantees it.
    pub mean: Rate,
    /// MBS: the mean length of a burst.
    pub burst: Cells,
}

impl Demand {
    /// A source of constant rate.
    pub const fn constant(rate: Rate) -> Self {
        Self {
            peak: rate,
            mean: rate,
            burst: Cells(1),
        }
    }

    /// The capacity in bit/s that the source needs alone, so that it loses no more than a fraction `loss` of its cells at
    /// a buffer of `buffer` bits.
    ///
    /// With peak rate R, utilization rho = mean / peak, mean burst b in s, buffer x, and y = ln(1 / loss) b (1 - rho) R:
    /// `R (y - x + sqrt((y - x)² + 4 x rho y)) / (2 y)`.
    pub fn equivalent_capacity(&self, buffer: f64, loss: f64) -> f64 {
        let (peak, mean) = (self.peak.as_bps(), self.mean.as_bps());
        if mean >= peak {
            return peak;
        }
        let utilization = mean / peak;
        // The bits of a mean burst: b R.
        let burst = self.burst.0 as f64 * CELL_BITS as f64;
        let y = -libm::log(loss) * burst * (1.0 - utilization);
        let excess = y - buffer;
        let root = libm::sqrt(excess * excess + 4.0 * buffer * utilization * y);
        // Both forms are equal; each is used where it adds numbers of one sign.
        if excess > 0.0 {
            peak * (excess + root) / (2.0 * y)
        } else {
            2.0 * mean * buffer / (root - excess)
        }
    }
}

/// How much bandwidth connections take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// The rate guaranteed to each.
    GuaranteedRate,
    /// The equivalent capacity of all together, with which no more than this fraction of cells is lost.
    EffectiveBandwidth {
        /// The cell loss ratio, above 0.
        loss: f64,
    },
}

/// The connections admitted to a link.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Booked {
    /// The sum of the mean rates in bit/s.
    mean: f64,
    /// The sum of the variances of the rates, m (R - m) for an on-off source.
    variance: f64,
    /// The sum of the equivalent capacities in bit/s.
    capacity: f64,
}

impl Booked {
    /// Adds a connection whose cells wait in a buffer of `buffer` bits.
    pub fn add(&mut self, demand: &Demand, buffer: f64, rule: Rule) {
        let (peak, mean) = (demand.peak.as_bps(), demand.mean.as_bps());
        self.mean += mean;
        if let Rule::EffectiveBandwidth { loss } = rule {
            self.variance += mean * (peak - mean);
            self.capacity += demand.equivalent_capacity(buffer, loss);
        }
    }

    /// The bandwidth in bit/s that they take together.
    pub fn bandwidth(&self, rule: Rule) -> f64 {
        match rule {
            Rule::GuaranteedRate => self.mean,
            Rule::EffectiveBandwidth { loss } => {
                // The stationary approximation: the rate that a normal distribution exceeds with probability `loss`.
                let deviations = -2.0 * libm::log(loss) - libm::log(2.0 * PI);
                let stationary =
                    self.mean + libm::sqrt(deviations.max(0.0)) * libm::sqrt(self.variance);
                stationary.min(self.capacity)
            }
        }
    }
}

#[cfg(test)]
mod tests;
