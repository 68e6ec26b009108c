//! The JSON Schema of parameters.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Bound;

use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

use super::bounds::Bounds;
use crate::units::{Bytes, Cells, Decibels, Rate, Span};

/// The keys of a table, in order.
#[derive(Default)]
pub(crate) struct Keys {
    keys: Vec<Key>,
}

/// A key of a table.
pub(crate) struct Key {
    name: &'static str,
    schema: Schema,
    is_required: bool,
}

impl Keys {
    /// Adds a key; `about` is its meaning.
    pub(crate) fn add(
        &mut self,
        name: &'static str,
        schema: &Schema,
        about: &str,
        is_required: bool,
    ) -> &mut Key {
        let mut described = Schema::default();
        described.insert("description".to_owned(), one_line(about).into());
        for (key, value) in schema.as_object().into_iter().flatten() {
            described.insert(key.clone(), value.clone());
        }
        self.keys.push(Key {
            name,
            schema: described,
            is_required,
        });
        self.keys.last_mut().expect("one was just added")
    }

    /// The schema of a table with these keys, in which `tag` has the value `keyword`.
    pub(crate) fn into_member(self, tag: &str, keyword: &str, title: &str, about: &str) -> Value {
        let mut member = json!({"title": title, "description": one_line(about)});
        let chosen = json!({"type": "string", "const": keyword});
        let table = self.with_first(Some((tag, chosen)));
        member.as_object_mut().expect("it is one").extend(table);
        member
    }

    /// The schema of a table with these keys.
    pub(crate) fn into_table(self) -> Value {
        self.with_first(None).into()
    }

    fn with_first(self, first: Option<(&str, Value)>) -> Map<String, Value> {
        let mut properties = Map::new();
        let mut required: Vec<Value> = Vec::new();
        if let Some((name, schema)) = first {
            properties.insert(name.to_owned(), schema);
            required.push(name.into());
        }
        for key in self.keys {
            properties.insert(key.name.to_owned(), key.schema.to_value());
            required.extend(key.is_required.then(|| key.name.into()));
        }
        Map::from_iter([
            ("type".to_owned(), "object".into()),
            ("properties".to_owned(), properties.into()),
            ("additionalProperties".to_owned(), false.into()),
            ("required".to_owned(), required.into()),
        ])
    }
}

impl Key {
    /// Gives the key a default.
    pub(crate) fn by_default(&mut self, value: Value) -> &mut Self {
        self.schema.insert("default".to_owned(), value);
        self.is_required = false;
        self
    }

    /// Gives the key bounds.
    pub(crate) fn within<T: Bounded>(&mut self, bounds: &Bounds<T>) -> &mut Self {
        if let Some(Value::String(text)) = self.schema.get_mut("description") {
            *text = format!("{text} Allowed: {bounds}.");
        }
        let (low, high) = bounds.ends();
        let ends = [
            (low, "minimum", "exclusiveMinimum"),
            (high, "maximum", "exclusiveMaximum"),
        ];
        // A fraction has two forms, of which one is a number.
        let has_forms = self.schema.get("anyOf").is_some();
        let numbers = if has_forms {
            self.schema
                .pointer_mut("/anyOf/0")
                .and_then(Value::as_object_mut)
        } else {
            self.schema.as_object_mut()
        };
        let Some(numbers) = numbers else {
            return self;
        };
        for (end, including, excluding) in ends {
            let (key, value) = match end {
                Bound::Included(value) => (including, value.number()),
                Bound::Excluded(value) => (excluding, value.number()),
                Bound::Unbounded => continue,
            };
            if let Some(value) = value {
                // An explicit bound replaces "not negative".
                if key.ends_with("inimum") {
                    numbers.remove("minimum");
                }
                numbers.insert(key.to_owned(), value.into());
            }
        }
        self
    }
}

/// An ordered type that can have bounds.
pub(crate) trait Bounded: PartialOrd + fmt::Display + Copy {
    /// The number that a schema compares, if the value is written as a number.
    fn number(self) -> Option<f64> {
        None
    }
}

impl Bounded for f64 {
    fn number(self) -> Option<f64> {
        Some(self)
    }
}
impl Bounded for Decibels {
    fn number(self) -> Option<f64> {
        Some(self.0)
    }
}
impl Bounded for u32 {
    fn number(self) -> Option<f64> {
        Some(self.into())
    }
}
impl Bounded for Rate {}
impl Bounded for Span {}
impl Bounded for Cells {}
impl Bounded for Bytes {}

/// Any of the members of a family.
pub(crate) fn any_of(members: impl Iterator<Item = Value>, about: &str) -> Schema {
    let members: Vec<Value> = members.collect();
    json_schema!({"description": one_line(about), "oneOf": members})
}

/// A keyword that stands alone.
pub(crate) fn name(keyword: &str, about: &str) -> Value {
    json!({"description": one_line(about), "type": "string", "const": keyword})
}

/// The schema with null also allowed.
pub(crate) fn or_null(mut schema: Schema) -> Schema {
    match schema.get("type").cloned() {
        Some(one @ Value::String(_)) => {
            schema.insert("type".to_owned(), json!([one, "null"]));
            schema
        }
        _ => match schema.get_mut("anyOf") {
            Some(Value::Array(all)) => {
                all.push(json!({"type": "null"}));
                schema
            }
            _ => json_schema!({"anyOf": [schema, {"type": "null"}]}),
        },
    }
}

/// Documentation as one line of text.
fn one_line(text: &str) -> String {
    text.trim().to_owned()
}
