//! The findings of a check.

use std::fmt;

use crate::verdict::Verdict;

/// A value that violates an invariant.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    /// The table.
    pub table: String,
    /// The row, from 0.
    pub row: usize,
    /// The names of the row.
    pub of: String,
    /// The column.
    pub column: String,
    /// The value.
    pub value: f64,
    /// What it must be.
    pub expected: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} row {} ({}) {}: {}, expected {}",
            self.table, self.row, self.of, self.column, self.value, self.expected
        )
    }
}

/// The most violations kept, because one defect may appear in every row of a trace.
const KEPT: usize = 50;

/// What a check examined, and what it found wrong.
#[derive(Clone, Default, Debug)]
pub struct Report {
    /// The number of values examined.
    pub looked_at: usize,
    /// The first violations.
    pub violations: Vec<Violation>,
}

/// The place of a value in a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) table: &'a str,
    pub(super) row: usize,
    pub(super) of: &'a str,
    pub(super) column: &'a str,
}

impl Report {
    /// Records an examined value, and what was expected unless it `holds`.
    pub(super) fn expect(
        &mut self,
        at: Place,
        value: f64,
        holds: bool,
        expected: impl FnOnce() -> String,
    ) {
        self.looked_at += 1;
        if holds || self.violations.len() >= KEPT {
            return;
        }
        self.violations.push(Violation {
            table: at.table.to_owned(),
            row: at.row,
            of: at.of.to_owned(),
            column: at.column.to_owned(),
            value,
            expected: expected(),
        });
    }

    /// Expects the value to equal this number; all NaNs are equal.
    pub(super) fn equal(&mut self, at: Place, value: f64, to: f64, what: &str) {
        let holds = value == to || (value.is_nan() && to.is_nan());
        self.expect(at, value, holds, || format!("{to}: {what}"));
    }

    /// Expects the value to be at most this number.
    pub(super) fn at_most(&mut self, at: Place, value: f64, most: f64, what: &str) {
        self.expect(at, value, value <= most, || {
            format!("at most {most}: {what}")
        });
    }

    /// Expects the value to be at least this number.
    pub(super) fn at_least(&mut self, at: Place, value: f64, least: f64, what: &str) {
        self.expect(at, value, value >= least, || {
            format!("at least {least}: {what}")
        });
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        match self.violations.first() {
            Some(violation) => Verdict::Violated(violation.to_string()),
            None if self.looked_at > 0 => Verdict::Holds,
            None => Verdict::NotApplicable,
        }
    }
}
