//! Types of keys: quantities with units, fractions, sections whose members have names.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

use celltrain_proto::quantity::Quantity;

/// Members of a section by name, in the order of the text.
pub type Named<T> = IndexMap<String, T>;

/// A quantity that is written as text with its unit, such as `"10 ms"`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Text<T>(pub T);

impl<T> Deref for Text<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Quantity> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de, T: Quantity> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_str(QuantityVisitor(std::marker::PhantomData))
            .map(Text)
    }
}

struct QuantityVisitor<T>(std::marker::PhantomData<T>);

impl<T: Quantity> Visitor<'_> for QuantityVisitor<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::parse(text).map_err(E::custom)
    }
}

impl<T: Quantity> JsonSchema for Text<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::EXPECTED.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": T::EXPECTED,
            "type": "string",
            "pattern": r"^\s*[0-9][0-9_]*(\.[0-9]+)?\s*[A-Za-zµ/]+$",
            "description": T::EXPECTED,
        })
    }
}

/// A dimensionless number from 0 up, written as a number or as a fraction such as `"1/16"`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fraction(pub f64);

const FRACTION: &str = "a number such as 0.0625 or a fraction such as \"1/16\"";

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FractionVisitor;
        impl Visitor<'_> for FractionVisitor {
            type Value = f64;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(FRACTION)
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
                Ok(value as f64)
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
                Err(E::custom(format!(
                    "expected {FRACTION}, found {value}: it is negative"
                )))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
                let good = value.is_finite() && value >= 0.0;
                good.then_some(value)
                    .ok_or_else(|| E::custom(format!("expected {FRACTION}, found {value}")))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
                let wrong = || E::custom(format!("expected {FRACTION}, found \"{text}\""));
                let (over, under) = text.split_once('/').ok_or_else(wrong)?;
                let parse = |part: &str| {
                    part.trim()
                        .parse::<u32>()
                        .map(f64::from)
                        .map_err(|_| wrong())
                };
                let (over, under) = (parse(over)?, parse(under)?);
                if under > 0.0 {
                    Ok(over / under)
                } else {
                    Err(wrong())
                }
            }
        }
        deserializer.deserialize_any(FractionVisitor).map(Fraction)
    }
}

impl JsonSchema for Fraction {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Fraction".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "number", "minimum": 0 },
                { "type": "string", "pattern": r"^\s*[0-9]+\s*/\s*[1-9][0-9]*\s*$" },
            ],
            "description": FRACTION,
        })
    }
}
