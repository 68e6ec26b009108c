//! Files that a plan names.

/// Gives the text of a file that a plan names, or says why there is none.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<String, String>;
