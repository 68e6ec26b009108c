//! The verdict of a check.

use std::fmt;

/// The verdict of a check on one network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It examined something, and found nothing wrong.
    Holds,
    /// The network has nothing for it to examine.
    NotApplicable,
    /// Something is wrong: where, its value, and what it must be.
    Violated(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::NotApplicable => f.write_str("not applicable"),
            Self::Violated(what) => write!(f, "violated: {what}"),
        }
    }
}
