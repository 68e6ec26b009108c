//! The text form of quantities and fractions, for serde and for a JSON Schema.

use alloc::format;
use core::fmt;
use core::marker::PhantomData;

use schemars::{Schema, json_schema};
use serde::de::{Deserializer, Error, Visitor};

use crate::quantity::Quantity;

/// The description of a dimensionless number, with examples, for messages and the schema.
pub const FRACTION: &str = "a number such as 0.0625 or a fraction such as \"1/16\"";

/// Reads a quantity: text with a unit, such as `"10 ms"`.
///
/// # Errors
///
/// States what is expected and what is wrong with the text.
pub fn read_quantity<'de, T: Quantity, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(AmountText(PhantomData))
}

/// The schema of a quantity.
pub fn quantity_schema<T: Quantity>() -> Schema {
    json_schema!({
        "title": T::EXPECTED,
        "type": "string",
        "pattern": r"^\s*[0-9][0-9_]*(\.[0-9]+)?\s*[A-Za-zµ/]+$",
    })
}

/// Reads a dimensionless number, at least 0: a number, or a fraction such as `"1/16"`.
///
/// # Errors
///
/// States what is expected and what was found.
pub fn read_fraction<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    deserializer.deserialize_any(Fraction)
}

/// The schema of a dimensionless number.
pub fn fraction_schema() -> Schema {
    json_schema!({
        "anyOf": [
            { "type": "number", "minimum": 0 },
            { "type": "string", "pattern": r"^\s*[0-9]+\s*/\s*[1-9][0-9]*\s*$" },
        ],
    })
}

struct AmountText<T>(PhantomData<T>);

impl<T: Quantity> Visitor<'_> for AmountText<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::parse(text).map_err(E::custom)
    }
}

struct Fraction;

impl Visitor<'_> for Fraction {
    type Value = f64;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(FRACTION)
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        let message = format!("expected {FRACTION}, found {value}: it is negative");
        Err(E::custom(message))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        let good = value.is_finite() && value >= 0.0;
        good.then_some(value)
            .ok_or_else(|| E::custom(format!("expected {FRACTION}, found {value}")))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        let wrong = || E::custom(format!("expected {FRACTION}, found \"{text}\""));
        let (over, under) = text.split_once('/').ok_or_else(wrong)?;
        let number = |part: &str| part.trim().parse::<u32>().map(f64::from);
        match (number(over), number(under)) {
            (Ok(over), Ok(under)) if under > 0.0 => Ok(over / under),
            _ => Err(wrong()),
        }
    }
}
