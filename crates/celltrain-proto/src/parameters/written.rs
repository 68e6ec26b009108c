//! How parameters are written to and read from a scenario.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::schema::{Keys, or_null};
use super::text;
use crate::units::{Bytes, Cells, Decibels, Distance, Rate, Span};

/// The type of a parameter.
pub(crate) trait Written: Sized {
    /// Reads a value.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
    /// Writes a value in its canonical form.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    /// The schema of the allowed text.
    fn schema(generator: &mut SchemaGenerator) -> Schema;
    /// The value of an absent parameter, if the type has one.
    fn absent() -> Option<Self> {
        None
    }
    /// Whether the parameter is absent.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A table of parameters, possibly sharing the table with others.
pub(crate) trait Table: Sized {
    /// Its keys.
    const KEYS: &'static [&'static str];
    /// The values found so far.
    type Found: Default;

    /// Reads the value of `key`; false if the table has no such key.
    fn take<'de, A: MapAccess<'de>>(
        found: &mut Self::Found,
        key: &str,
        map: &mut A,
    ) -> Result<bool, A::Error>;
    /// The table, with defaults for values that were not found.
    fn finish<E: Error>(found: Self::Found) -> Result<Self, E>;
    /// Writes all keys, including those with default values.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
    /// Adds a description of all keys.
    fn describe(generator: &mut SchemaGenerator, keys: &mut Keys);
}

/// Reads a map, or the rest of one, as a table.
pub(crate) fn rest<'de, T: Table, A: MapAccess<'de>>(mut map: A) -> Result<T, A::Error> {
    let mut found = T::Found::default();
    while let Some(key) = map.next_key::<String>()? {
        if !T::take(&mut found, &key, &mut map)? {
            return Err(A::Error::unknown_field(&key, T::KEYS));
        }
    }
    T::finish(found)
}

/// A parameter to be read.
struct Seed<T>(PhantomData<T>);

impl<'de, T: Written> DeserializeSeed<'de> for Seed<T> {
    type Value = T;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::read(deserializer)
    }
}

/// Reads the next value of a map.
pub(crate) fn next<'de, T: Written, A: MapAccess<'de>>(map: &mut A) -> Result<T, A::Error> {
    map.next_value_seed(Seed(PhantomData))
}

/// Returns a value without a default; an error if it is missing and may not be absent.
pub(crate) fn required<T: Written, E: Error>(found: Option<T>, key: &'static str) -> Result<T, E> {
    found
        .or_else(T::absent)
        .ok_or_else(|| E::missing_field(key))
}

/// Writes a key and its value, unless absent.
pub(crate) fn field<T: Written, M: SerializeMap>(
    map: &mut M,
    key: &'static str,
    value: &T,
) -> Result<(), M::Error> {
    if value.is_absent() {
        return Ok(());
    }
    map.serialize_entry(key, &AsWritten(value))
}

/// A parameter for serde.
pub(crate) struct AsWritten<'a, T>(pub(crate) &'a T);

impl<T: Written> Serialize for AsWritten<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

/// A value in canonical form, for a schema.
pub(crate) fn canonical<T: Written>(value: &T) -> serde_json::Value {
    serde_json::to_value(AsWritten(value)).expect("a parameter is plain data")
}

/// The schema of the table of one member of a family.
pub(crate) fn member<T: Table>(
    generator: &mut SchemaGenerator,
    tag: &str,
    keyword: &str,
    title: &str,
    about: &str,
) -> serde_json::Value {
    let mut keys = Keys::default();
    T::describe(generator, &mut keys);
    keys.into_member(tag, keyword, title, about)
}

/// Concatenates lists of names; `N` is their total length.
pub(crate) const fn join<const N: usize>(lists: &[&[&'static str]]) -> [&'static str; N] {
    let mut all = [""; N];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        let mut name = 0;
        while name < lists[list].len() {
            all[at] = lists[list][name];
            (name, at) = (name + 1, at + 1);
        }
        list += 1;
    }
    all
}

/// A parameter that may be absent.
impl<T: Written> Written for Option<T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Optional<T>(PhantomData<T>);
        impl<'de, T: Written> Visitor<'de> for Optional<T> {
            type Value = Option<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
                Ok(None)
            }
            fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
                Ok(None)
            }
            fn visit_some<D: Deserializer<'de>>(self, it: D) -> Result<Option<T>, D::Error> {
                T::read(it).map(Some)
            }
        }
        deserializer.deserialize_option(Optional(PhantomData))
    }
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => value.write(serializer),
            None => serializer.serialize_none(),
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        or_null(T::schema(generator))
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl Written for bool {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::Deserialize::deserialize(deserializer)
    }
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(*self)
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Self::json_schema(generator)
    }
}

/// Text, such as a trace.
impl Written for String {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::Deserialize::deserialize(deserializer)
    }
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Self::json_schema(generator)
    }
}

/// A list.
impl<T: Written> Written for Vec<T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List<T>(PhantomData<T>);
        impl<'de, T: Written> Visitor<'de> for List<T> {
            type Value = Vec<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
                let mut found = Vec::new();
                while let Some(item) = list.next_element_seed(Seed(PhantomData))? {
                    found.push(item);
                }
                Ok(found)
            }
        }
        deserializer.deserialize_seq(List(PhantomData))
    }
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(AsWritten))
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "array", "items": T::schema(generator)})
    }
}

/// A table inside of a table, such as an item of a list.
impl<T: Table> Written for T {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keyed<T>(PhantomData<T>);
        impl<'de, T: Table> Visitor<'de> for Keyed<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                rest(map)
            }
        }
        deserializer.deserialize_map(Keyed(PhantomData))
    }
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        Table::write(self, &mut map)?;
        map.end()
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let mut keys = Keys::default();
        T::describe(generator, &mut keys);
        keys.into_table()
            .try_into()
            .expect("the schema of a table is an object")
    }
}

/// A quantity is text with a unit.
macro_rules! quantities {
    ($($quantity:ty),+) => {$(
        impl Written for $quantity {
            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                text::read_quantity(deserializer)
            }
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
            fn schema(_: &mut SchemaGenerator) -> Schema {
                text::quantity_schema::<Self>()
            }
        }
    )+};
}
quantities!(Span, Cells, Rate, Bytes, Distance);

/// A dimensionless number, at least 0, is a number or a fraction such as `"1/16"`.
impl Written for f64 {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::read_fraction(deserializer)
    }
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(*self)
    }
    fn schema(_: &mut SchemaGenerator) -> Schema {
        text::fraction_schema()
    }
}

/// A number with its own JSON form.
macro_rules! numbers {
    ($($number:ty: $inner:ty, $value:expr, $made:expr;)+) => {$(
        impl Written for $number {
            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$inner as serde::Deserialize>::deserialize(deserializer).map($made)
            }
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $value(self).serialize(serializer)
            }
            fn schema(generator: &mut SchemaGenerator) -> Schema {
                <$inner>::json_schema(generator)
            }
        }
    )+};
}
numbers! {
    u32: u32, |it: &u32| *it, |it| it;
    Decibels: f64, |it: &Decibels| it.0, Decibels;
}
