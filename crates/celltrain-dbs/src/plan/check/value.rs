//! Checks common to several sections: names, keys that need others, ranges.

use std::ops::RangeInclusive;

use celltrain_language::{Problem, Text};
use celltrain_proto::units::{Bytes, Span};

/// Maximum number of members of each section, and of connections of a flow.
pub(super) const MOST: usize = 1_000;
/// Maximum start, duration or pause.
pub(super) const LONGEST: Span = Span::from_secs(7 * 24 * 3_600);
/// Minimum interval of any measurement.
pub(super) const SHORTEST: Span = Span::from_ms(1);

pub(super) fn start_and_duration(
    key: &str,
    start: Text<Span>,
    duration: Text<Span>,
) -> Result<(), Problem> {
    span(&format!("{key}.start"), start, Span::ZERO..=LONGEST)?;
    span(&format!("{key}.duration"), duration, SHORTEST..=LONGEST)
}

/// Names become parts of messages, tables and keys.
pub(super) fn check_name(key: &str, name: &str) -> Result<(), Problem> {
    let good = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if !name.is_empty() && name.len() <= 64 && name.chars().all(good) {
        return Ok(());
    }
    let message = format!(
        "expected a name of up to 64 letters, digits, \".\", \"_\" and \"-\"; found \"{name}\""
    );
    Err(Problem::at(key, message))
}

pub(super) fn needs(
    table: &str,
    [key, other]: [&str; 2],
    given: bool,
    has: bool,
) -> Result<(), Problem> {
    if given && !has {
        let message = format!("\"{key}\" needs the key \"{other}\" beside it");
        return Err(Problem::at(&format!("{table}.{key}"), message));
    }
    Ok(())
}

pub(super) fn size(key: &str, found: usize, range: RangeInclusive<usize>) -> Result<(), Problem> {
    if range.contains(&found) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(Problem::at(
        key,
        format!("expected {least} to {most}, found {found}"),
    ))
}

pub(super) fn octets(
    key: &str,
    found: Text<Bytes>,
    range: RangeInclusive<u64>,
) -> Result<(), Problem> {
    if range.contains(&found.0.0) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    let message = format!("expected {least} to {most} bytes, found {}", found.0);
    Err(Problem::at(key, message))
}

pub(super) fn span(
    key: &str,
    found: Text<Span>,
    range: RangeInclusive<Span>,
) -> Result<(), Problem> {
    if range.contains(&*found) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    let message = format!("expected {least} to {most}, found {}", found.0);
    Err(Problem::at(key, message))
}
