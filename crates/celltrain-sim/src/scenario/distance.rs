//! The length of a cable.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use celltrain_proto::units::{Quantity, QuantityError, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::value::Text;

/// A length of cable, kept as the time that a signal takes: 5 us per km.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Distance(Text<Metres>);

#[derive(Clone, Copy, PartialEq, Debug)]
struct Metres(u64);

/// 5 us per km, two thirds of the speed of light.
const PS_PER_METRE: u64 = 5_000;
/// Half way round the world twice over; more is a slip of the unit.
const LONGEST_M: u64 = 1_000_000_000;

impl Distance {
    /// The length in km.
    pub fn km(self) -> f64 {
        self.0.0.0 as f64 / 1e3
    }

    /// The propagation delay.
    pub fn delay(self) -> Span {
        Span::from_ps(self.0.0.0 * PS_PER_METRE)
    }
}

impl Quantity for Metres {
    const EXPECTED: &'static str = "a distance such as \"10 m\" or \"1000 km\"";
}

impl FromStr for Metres {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        let split = text
            .find(|c: char| c.is_alphabetic())
            .ok_or(QuantityError::NoUnit)?;
        let (number, unit) = text.split_at(split);
        // Metres have the text form of octets: whole numbers, and thousands of them.
        let as_bytes = match unit {
            "m" => "B",
            "km" => "kB",
            _ => return Err(QuantityError::UnknownUnit),
        };
        let count: celltrain_proto::units::Bytes = format!("{number}{as_bytes}").parse()?;
        if count.0 <= LONGEST_M {
            Ok(Self(count.0))
        } else {
            Err(QuantityError::TooLarge)
        }
    }
}

impl fmt::Display for Metres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0 && self.0.is_multiple_of(1_000) {
            write!(f, "{} km", self.0 / 1_000)
        } else {
            write!(f, "{} m", self.0)
        }
    }
}

impl JsonSchema for Distance {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Distance".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Text::<Metres>::json_schema(generator)
    }
}
