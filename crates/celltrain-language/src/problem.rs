//! Errors that state the place, the key, what was expected and what was found.

use std::fmt;

/// A text that cannot be read, or whose content is not possible: a [`Problem`] with its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct SourceError {
    /// File (or another name of the source) as the caller gave it.
    pub origin: String,
    /// Dotted path of the key at fault; empty if the whole text is.
    pub key: String,
    /// Line and column, from 1, if the text is TOML.
    pub position: Option<(usize, usize)>,
    /// What is wrong, what was expected and what to do.
    pub message: String,
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// An error at a key, before its place in the text is known.
#[derive(Clone, PartialEq, Eq, Debug, Default, thiserror::Error)]
#[error("{}: {message}", .path.join("."))]
pub struct Problem {
    /// Path from the root to the key at fault.
    pub path: Vec<String>,
    /// What is wrong.
    pub message: String,
}

impl Problem {
    /// A problem at the dotted `path`.
    pub fn at(path: &str, message: impl Into<String>) -> Self {
        let path = path
            .split('.')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        Self {
            path,
            message: message.into(),
        }
    }

    /// The same problem, one level further from the root.
    #[must_use]
    pub(crate) fn under(mut self, key: &str) -> Self {
        self.path.insert(0, key.to_owned());
        self
    }
}

/// `; did you mean "NAME"?` if one of `known` is close to `name`, otherwise the list of known names.
pub fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let close = known
        .iter()
        .map(|&candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= 1 + candidate.len() / 3)
        .min();
    match close {
        Some((_, candidate)) => format!("; did you mean \"{candidate}\"?"),
        None if known.is_empty() => "; there are none".to_owned(),
        None => format!("; expected one of {}", quoted(&known)),
    }
}

/// Whether `name` can only be meant as `candidate`: closer than for a suggestion, since it may be a key of its own.
pub(crate) fn is_misspelt(name: &str, candidate: &str) -> bool {
    distance(name, candidate) <= candidate.len() / 3
}

/// The distance of a candidate from the name that was written; a candidate that starts with the name is close.
fn distance(name: &str, candidate: &str) -> usize {
    if name.len() > 2 && candidate.starts_with(name) {
        return 1;
    }
    strsim::damerau_levenshtein(name, candidate)
}

pub(crate) fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ")
}
