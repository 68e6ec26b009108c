//! The table of missing data, with reasons.

use celltrain_language::Table;
use celltrain_language::entry::text;

use super::connection::Connection;
use super::registry::Reading::Name;
use super::registry::{Columns, Rows, Run, filled, repetition};

/// A row is a missing item: its host and flow, if they apply, and the reason.
pub(super) struct Missing;

impl Rows for Missing {
    type Row<'a> = (String, String, String);
}

/// All columns, in the order of the table.
pub(super) const COLUMNS: &Columns<Missing> = &[
    repetition(),
    text(
        "host",
        "",
        "host",
        "the host with missing data; empty if a whole connection is missing",
        Name(|_, row| row.0.clone()),
    ),
    text(
        "flow",
        "",
        "flow",
        "the flow, `NAME (N)` for connection N of several; empty if a whole host is missing",
        Name(|_, row| row.1.clone()),
    ),
    text("why", "", "why", "the reason", Name(|_, row| row.2.clone())),
];

/// A row for each missing item.
pub(super) fn missing(run: &Run<'_>, connections: &[Connection<'_>], is_cancelled: bool) -> Table {
    let (controller, session) = (run.controller, run.session);
    let mut rows: Vec<(String, String, String)> = Vec::new();
    for (link, state) in controller.links.iter().zip(&session.hosts) {
        rows.extend(
            state
                .lost
                .iter()
                .map(|why| (link.name.clone(), String::new(), why.clone())),
        );
    }
    for (stream, at, why) in &session.failed {
        let name = controller
            .streams()
            .get(*stream as usize)
            .map_or_else(String::new, |it| it.name.clone());
        rows.push((controller.host(*at), name, why.clone()));
    }
    for connection in connections {
        let name = || match connection.stream.order.connections {
            1 => connection.stream.name.clone(),
            _ => format!("{} ({})", connection.stream.name, connection.number + 1),
        };
        for why in &connection.failed {
            rows.push((String::new(), name(), (*why).to_owned()));
        }
        let told = session
            .failed
            .iter()
            .any(|it| it.0 == connection.stream.order.stream);
        if connection.failed.is_empty() && !told && !connection.is_complete() {
            let why = match (connection.sent, connection.received) {
                _ if is_cancelled => "the run was interrupted",
                (None, None) => "it did not run: one of its hosts was lost",
                (None, _) => "the sender's totals are missing",
                (_, _) => "the receiver's totals are missing",
            };
            rows.push((String::new(), name(), why.to_owned()));
        }
    }
    filled("missing", COLUMNS, run, &rows)
}
