//! The length of a cable.

use std::fmt;

use celltrain_proto::units::Span;

use celltrain_proto::quantity::{Quantity, Reason, read_whole};

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

impl Quantity for Distance {
    const EXPECTED: &'static str = "a distance such as \"10 m\" or \"1000 km\"";

    fn read(text: &str) -> Result<Self, Reason> {
        let metres = read_whole(text, &[("m", 1), ("km", 1_000)])?;
        if metres <= LONGEST_M {
            Ok(Self { metres })
        } else {
            Err(Reason::TooLarge)
        }
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
        let delay = |text| Distance::read(text).map(Distance::delay);
        assert_eq!(delay("1 km"), Ok(Span::from_us(5)));
        assert_eq!(delay("0.5 km"), Ok(Span::from_ps(2_500_000)));
        assert_eq!(delay("10 m"), Ok(Span::from_ps(50_000)));
    }

    #[test]
    fn a_distance_is_whole_metres_of_no_more_than_a_million_km() {
        assert_eq!(Distance::read("1.5 m"), Err(Reason::TooFine));
        assert_eq!(Distance::read("1000000.001 km"), Err(Reason::TooLarge));
        for text in ["0 m", "999 m", "1 km", "1000000 km"] {
            assert_eq!(
                Distance::read(text).map(|it| it.to_string()),
                Ok(text.to_owned())
            );
        }
    }
}
