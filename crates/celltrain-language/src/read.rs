//! Reads plain data (JSON values) into the types of a document, with errors that contain the path of the key.
//!
//! serde's own formats report an error as a single text; this deserializer keeps the path of the key and turns each
//! kind of error into a sentence that states what was expected and the nearest name.

use std::fmt;

use serde::Deserialize;
use serde::de::{
    self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

use crate::problem::{Problem, is_misspelt, quoted, suggestion};

/// Keys that select the kind of a table. They are passed on first, whatever their order in the text, so that the kind
/// is known before the other keys are read.
const KIND_KEYS: [&str; 5] = ["service", "process", "algorithm", "policy", "kind"];

/// Reads `value` as a `T`.
pub(crate) fn read<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T, Problem> {
    T::deserialize(Reader(value))
}

impl de::Error for Problem {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            path: Vec::new(),
            message: message.to_string(),
        }
    }
    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::custom(format_args!(
            "expected {}, found {}",
            in_words(expected),
            Found(found)
        ))
    }
    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::custom(format_args!(
            "expected {}, found {}",
            in_words(expected),
            Found(found)
        ))
    }
    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        Self::custom(format_args!(
            "unknown value \"{found}\"{}",
            suggestion(found, known.iter().copied())
        ))
    }
    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Self::custom(format_args!(
            "unknown key{}",
            suggestion(field, known.iter().copied())
        ))
        .under(field)
    }
    fn missing_field(field: &'static str) -> Self {
        Self::custom(format_args!("the key \"{field}\" is missing"))
    }
}

/// What was expected, without the names of Rust types.
fn in_words(expected: &dyn de::Expected) -> String {
    let text = expected.to_string();
    match text.as_str() {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 up".to_owned(),
        "f64" => "a number".to_owned(),
        _ if text.starts_with("struct ") || text == "a map" => "a table".to_owned(),
        _ => text,
    }
}

/// What was found, in TOML terms.
struct Found<'a>(de::Unexpected<'a>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use de::Unexpected as U;
        match self.0 {
            U::Str(text) => write!(f, "\"{text}\""),
            U::Bool(value) => write!(f, "{value}"),
            U::Unsigned(value) => write!(f, "{value}"),
            U::Signed(value) => write!(f, "{value}"),
            U::Float(value) => write!(f, "{value}"),
            U::Map => f.write_str("a table"),
            U::Seq => f.write_str("an array"),
            other => write!(f, "{other}"),
        }
    }
}

struct Reader<'de>(&'de Value);

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), _, _) => visitor.visit_u64(value),
                (_, Some(value), _) => visitor.visit_i64(value),
                (_, _, value) => visitor.visit_f64(value.unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(Items { items, next: 0 }),
            Value::Object(table) => visitor.visit_map(Entries::new(table)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        if let Value::String(text) = self.0 {
            return visitor.visit_enum(text.as_str().into_deserializer());
        }
        self.deserialize_any(Expected(quoted(known)))
            .and_then(|()| Err(de::Error::custom("expected a name")))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A visitor that accepts nothing: its error lists the names that were expected.
struct Expected(String);

impl Visitor<'_> for Expected {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", self.0)
    }
}

struct Items<'de> {
    items: &'de [Value],
    next: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Problem;
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Problem> {
        let Some(item) = self.items.get(self.next) else {
            return Ok(None);
        };
        let index = self.next;
        self.next += 1;
        seed.deserialize(Reader(item))
            .map(Some)
            .map_err(|problem| problem.under(&index.to_string()))
    }
}

struct Entries<'de> {
    entries: Vec<(&'de str, &'de Value)>,
    next: usize,
}

impl<'de> Entries<'de> {
    fn new(table: &'de Map<String, Value>) -> Self {
        let mut entries: Vec<_> = table
            .iter()
            .map(|(key, value)| (key.as_str(), value))
            .collect();
        entries.sort_by_key(|(key, _)| !KIND_KEYS.contains(key));
        Self { entries, next: 0 }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Problem;
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Problem> {
        let Some(&(key, _)) = self.entries.get(self.next) else {
            return Ok(None);
        };
        seed.deserialize(de::value::BorrowedStrDeserializer::new(key))
            .map(Some)
    }
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Problem> {
        let (key, value) = self.entries[self.next];
        self.next += 1;
        seed.deserialize(Reader(value))
            .map_err(|problem| problem.under(key))
    }
}

/// The error of a table without the key that selects its kind: a key that is written nearly like it, or its absence.
///
/// # Arguments
///
/// * `kind` - the key that selects the kind
/// * `first` - the first key of the table, whose value was not read yet
/// * `rest` - the rest of the table
#[doc(hidden)]
pub fn no_kind<'de, A: MapAccess<'de>>(
    kind: &'static [&'static str; 1],
    first: Option<String>,
    mut rest: A,
) -> A::Error {
    let mut next = Ok(first);
    while let Ok(Some(key)) = next {
        if is_misspelt(&key, kind[0]) {
            return de::Error::unknown_field(&key, kind);
        }
        next = rest
            .next_value::<de::IgnoredAny>()
            .and_then(|_| rest.next_key());
    }
    de::Error::missing_field(kind[0])
}

/// Reads a table whose key `$key` selects the struct that the other keys form. serde's own internally tagged enums lose
/// the path of an error; this one keeps it. `$key` is one of the keys that are read first: `service`, `process`,
/// `algorithm`, `policy` and `kind`.
///
/// The calling crate must have serde as a dependency.
#[macro_export]
macro_rules! read_by_kind {
    ($name:ident, $key:literal, { $($text:literal => $variant:ident),+ $(,)? }) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct ByKind;
                impl<'de> serde::de::Visitor<'de> for ByKind {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("a table with the key \"", $key, "\""))
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        use serde::de::Error;
                        let first = map.next_key::<String>()?;
                        if first.as_deref() != Some($key) {
                            return Err($crate::no_kind(&[$key], first, map));
                        }
                        let kind: String = map.next_value()?;
                        let rest = serde::de::value::MapAccessDeserializer::new(map);
                        match kind.as_str() {
                            $($text => serde::Deserialize::deserialize(rest).map($name::$variant),)+
                            other => Err(A::Error::unknown_variant(other, &[$($text),+])),
                        }
                    }
                }
                deserializer.deserialize_map(ByKind)
            }
        }
    };
}
