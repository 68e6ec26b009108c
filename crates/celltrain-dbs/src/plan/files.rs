//! Files that a plan refers to.

/// Returns the text of a file that a plan refers to, or why it cannot be read.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<String, String>;
