//! Types of keys: quantities with units, fractions, sections with named members.

use std::borrow::Cow;
use std::ops::Deref;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use celltrain_proto::parameters::text::{self, FRACTION};
use celltrain_proto::quantity::Quantity;

/// Members of a section by name, in the order of the text.
pub type Named<T> = IndexMap<String, T>;

/// A quantity written as text with its unit, such as `"10 ms"`.
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
        text::read_quantity(deserializer).map(Text)
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
        described(text::quantity_schema::<T>(), T::EXPECTED)
    }
}

fn described(mut schema: Schema, about: &str) -> Schema {
    schema.insert("description".to_owned(), about.into());
    schema
}

/// A dimensionless number, at least 0, written as a number or as a fraction such as `"1/16"`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fraction(pub f64);

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::read_fraction(deserializer).map(Fraction)
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
        described(text::fraction_schema(), FRACTION)
    }
}
