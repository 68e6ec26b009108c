//! What a check says.

use std::fmt;

/// What a check says of one network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It looked at something, and that is as it must be.
    Holds,
    /// The network has nothing of which it says anything.
    NotApplicable,
    /// Something is not as it must be: where, what it is, and what it must be.
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
