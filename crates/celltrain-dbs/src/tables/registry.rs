//! The registry of columns of measurements: how a column is read, and how a table is built from its rows.

use celltrain_language::entry::{Entry, count, table, text};
use celltrain_language::{Table, Values};

use crate::controller::Controller;
use crate::controller_session::ControllerSession;
use crate::plan::Stream;

/// One repetition of a plan.
pub(super) struct Run<'a> {
    pub(super) controller: &'a Controller,
    pub(super) session: &'a ControllerSession,
    /// From 1.
    pub(super) number: u32,
}

/// The row type of a table. The columns of a table are constants, but its rows borrow from the repetition.
pub(super) trait Rows {
    /// The data of a row.
    type Row<'a>;
}

/// How a column of a table is read.
pub(super) enum Reading<T: Rows> {
    /// A name.
    Name(for<'a> fn(&Run<'a>, &T::Row<'a>) -> String),
    /// A number.
    Number(for<'a> fn(&Run<'a>, &T::Row<'a>) -> f64),
    /// A number that rows may lack.
    Maybe(for<'a> fn(&Run<'a>, &T::Row<'a>) -> Option<f64>),
}

/// All columns of a table, in their order.
pub(super) type Columns<T> = [Entry<Reading<T>>];

/// The first column of every table.
pub(super) const fn repetition<T: Rows>() -> Entry<Reading<T>> {
    count(
        "repetition",
        "1",
        "repetition",
        "number of the repetition, from 1",
        Reading::Number(|run, _| f64::from(run.number)),
    )
}

/// Rows about a connection of a flow, or about a probe.
pub(super) trait OfStream: Rows {
    /// The flow or probe, and the number of the connection, from 1.
    fn stream<'a>(row: &Self::Row<'a>) -> (&'a Stream, u32);
}

/// The flow of a row.
pub(super) const fn flow<T: OfStream>() -> Entry<Reading<T>> {
    text(
        "flow",
        "",
        "flow",
        "the flow; `NAME-back` is the reverse direction of a bidirectional one",
        Reading::Name(|_, row| T::stream(row).0.name.clone()),
    )
}

/// The sending host of a row.
pub(super) const fn from<T: OfStream>() -> Entry<Reading<T>> {
    text(
        "from",
        "",
        "from",
        "the host that sends",
        Reading::Name(|run, row| run.controller.host(T::stream(row).0.from)),
    )
}

/// The receiving host of a row.
pub(super) const fn to<T: OfStream>() -> Entry<Reading<T>> {
    text(
        "to",
        "",
        "to",
        "the host that receives",
        Reading::Name(|run, row| run.controller.host(T::stream(row).0.to)),
    )
}

/// The number of a row's connection.
pub(super) const fn connection<T: OfStream>() -> Entry<Reading<T>> {
    count(
        "connection",
        "1",
        "connection",
        "number of the connection of the flow, from 1",
        Reading::Number(|_, row| f64::from(T::stream(row).1)),
    )
}

/// The table `name` with a row for each of `rows`.
pub(super) fn filled<'a, T: Rows>(
    name: &str,
    columns: &Columns<T>,
    run: &Run<'a>,
    rows: &[T::Row<'a>],
) -> Table {
    table(name, columns, |reading| match *reading {
        Reading::Name(of) => Values::Names(rows.iter().map(|row| of(run, row)).collect()),
        Reading::Number(of) => Values::Numbers(rows.iter().map(|row| of(run, row)).collect()),
        Reading::Maybe(of) => {
            let values = rows.iter().map(|row| of(run, row).unwrap_or(f64::NAN));
            Values::Numbers(values.collect())
        }
    })
}

/// Nanoseconds in s.
pub(super) fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Nanoseconds before or after an instant, in s.
pub(super) fn signed_seconds(ns: i64) -> f64 {
    ns as f64 / 1e9
}
