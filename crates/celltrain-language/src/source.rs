//! The text of a document, TOML or JSON, and the positions of its keys.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, de::DeString};

use crate::problem::{Problem, SourceError};
use crate::read::read;

/// Maximum number of octets in a text; a real scenario has a few thousand.
const LONGEST_TEXT: usize = 16 << 20;

/// The content of a whole text, such as a scenario or a plan.
pub trait Document: DeserializeOwned {
    /// Expands shorthand in the plain data of a text, before its keys are read.
    fn expand(_data: &mut Value) {}
}

/// A document's text with the name of its origin, for messages.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    text: &'a str,
    origin: &'a str,
    is_toml: bool,
}

impl<'a> Source<'a> {
    /// TOML text from `origin` (a file name).
    pub fn toml(text: &'a str, origin: &'a str) -> Self {
        Self {
            text,
            origin,
            is_toml: true,
        }
    }

    /// JSON text from `origin`.
    pub fn json(text: &'a str, origin: &'a str) -> Self {
        Self {
            text,
            origin,
            is_toml: false,
        }
    }

    /// Reads the text. Checks that need more than one key, such as references to undefined names, are left to the
    /// document; [`Source::locate`] adds the place to their problems.
    pub fn read<T: Document>(&self) -> Result<T, SourceError> {
        from_data(self.data()?).map_err(|problem| self.locate(&problem))
    }

    /// The text as plain data.
    pub fn data(&self) -> Result<Value, SourceError> {
        if self.text.len() > LONGEST_TEXT {
            let message = format!(
                "the text has {} octets, more than {LONGEST_TEXT}",
                self.text.len()
            );
            return Err(self.error("", None, &message));
        }
        if self.is_toml {
            let table = DeTable::parse(self.text).map_err(|error| self.syntax(&error))?;
            plain_table(table.get_ref()).map_err(|problem| self.locate(&problem))
        } else {
            serde_json::from_str(self.text).map_err(|error| {
                let position = Some((error.line(), error.column()));
                self.error("", position, &format!("not valid JSON: {error}"))
            })
        }
    }

    /// Adds the place in the text to a problem.
    pub fn locate(&self, problem: &Problem) -> SourceError {
        let offset = if self.is_toml {
            offset_of(self.text, &problem.path)
        } else {
            None
        };
        let position = offset.map(|offset| line_and_column(self.text, offset));
        self.error(&problem.path.join("."), position, &problem.message)
    }

    fn syntax(&self, error: &toml::de::Error) -> SourceError {
        let position = error
            .span()
            .map(|span| line_and_column(self.text, span.start));
        self.error(
            "",
            position,
            &format!("not valid TOML: {}", error.message()),
        )
    }

    fn error(&self, key: &str, position: Option<(usize, usize)>, message: &str) -> SourceError {
        // Names and values from the text are shown on terminals, so control characters must be removed.
        let printable = |text: &str| text.replace(char::is_control, "\u{fffd}");
        SourceError {
            origin: self.origin.to_owned(),
            key: printable(key),
            position,
            message: printable(message),
        }
    }
}

/// Reads plain data, with the checks of [`Source::read`].
pub fn from_data<T: Document>(mut data: Value) -> Result<T, Problem> {
    T::expand(&mut data);
    read(&data)
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

/// The position of the deepest key of `path` that the text contains.
fn offset_of(text: &str, path: &[String]) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut offset = None;
    let mut table = Some(root.get_ref());
    let mut array: Option<&[Spanned<DeValue<'_>>]> = None;
    for part in path {
        let value = if let Some(items) = array {
            let item = part
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get(index))?;
            offset = Some(item.span().start);
            item
        } else {
            let Some((key, value)) = table.and_then(|table| entry(table, part)) else {
                break;
            };
            offset = Some(key.span().start);
            value
        };
        table = value.get_ref().as_table();
        array = value.get_ref().as_array().map(|items| &**items);
    }
    offset
}

fn entry<'t, 'i>(
    table: &'t DeTable<'i>,
    key: &str,
) -> Option<(&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
    table
        .iter()
        .find(|(name, _)| name.get_ref().as_ref() == key)
}

/// The table as plain JSON data, with keys in the order of the text.
fn plain_table(table: &DeTable<'_>) -> Result<Value, Problem> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let pairs = entries.into_iter().map(|(key, value)| {
        let key = key.get_ref().as_ref();
        plain(value.get_ref())
            .map(|value| (key.to_owned(), value))
            .map_err(|problem| problem.under(key))
    });
    pairs.collect::<Result<Map<_, _>, _>>().map(Value::Object)
}

fn plain(value: &DeValue<'_>) -> Result<Value, Problem> {
    let unreadable = |what: &str| Problem {
        path: Vec::new(),
        message: format!("expected {what}"),
    };
    Ok(match value {
        DeValue::String(text) => Value::String(text.as_ref().to_owned()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Integer(integer) => {
            let value = i64::from_str_radix(integer.as_str(), integer.radix());
            value
                .map_err(|_| unreadable("a whole number below 2^63"))?
                .into()
        }
        DeValue::Float(float) => {
            let value = float
                .as_str()
                .parse::<f64>()
                .ok()
                .and_then(serde_json::Number::from_f64);
            Value::Number(value.ok_or_else(|| unreadable("a finite number"))?)
        }
        DeValue::Datetime(date) => {
            return Err(unreadable(&format!("no date or time of day, found {date}")));
        }
        DeValue::Array(items) => {
            let items = items.iter().enumerate().map(|(index, item)| {
                plain(item.get_ref()).map_err(|problem| problem.under(&index.to_string()))
            });
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => plain_table(table)?,
    })
}
