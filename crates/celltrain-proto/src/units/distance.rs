//! The length of a cable.

use core::fmt;

use super::Span;

/// A length of cable, in whole metres.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Distance {
    metres: u64,
}

/// 5 us per km, two thirds of the speed of light.
const PS_PER_METRE: u64 = 5_000;
/// 25 times the circumference of the Earth; a longer distance is probably a wrong unit.
const LONGEST_M: u64 = 1_000_000_000;

impl Distance {
    /// A length in m; `None` above a million km.
    pub fn from_metres(metres: u64) -> Option<Self> {
        (metres <= LONGEST_M).then_some(Self { metres })
    }

    /// The length in m.
    pub fn metres(self) -> f64 {
        self.metres as f64
    }

    /// The length in km.
    pub fn km(self) -> f64 {
        self.metres() / 1e3
    }

    /// The propagation delay: 5 us per km.
    pub fn delay(self) -> Span {
        Span::from_ps(self.metres * PS_PER_METRE)
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.metres > 0 && self.metres.is_multiple_of(1_000) {
            write!(f, "{} km", self.metres / 1_000)
        } else {
            write!(f, "{} m", self.metres)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_takes_5_us_for_a_km() {
        let delay = |metres| Distance::from_metres(metres).map(Distance::delay);
        assert_eq!(delay(1_000), Some(Span::from_us(5)));
        assert_eq!(delay(500), Some(Span::from_ps(2_500_000)));
        assert_eq!(delay(10), Some(Span::from_ps(50_000)));
    }
}
