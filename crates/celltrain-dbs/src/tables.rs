//! The measurements of a repetition, as tables with units. Times are in s from the common start.

mod connection;
mod flows;
mod hosts;
mod logs;
mod missing;
mod registry;
mod series;

use celltrain_language::entry::Entry;
use celltrain_language::{Field, Table};

use crate::controller::{Controller, Repetition};
use registry::Run;

/// All tables of one repetition: `hosts`, `flows`, `intervals`, `tcp_info`, `latency`, `logs`, `log_entries` and
/// `missing`.
pub fn tables(controller: &Controller, number: u32, repetition: &Repetition) -> Vec<Table> {
    let run = Run {
        controller,
        session: &repetition.session,
        number,
    };
    let connections = connection::connections(controller.streams(), run.session);
    vec![
        hosts::hosts(&run),
        flows::flows(&run, &connections),
        series::intervals(&run, &connections),
        series::tcp_info(&run),
        series::latency(&run),
        logs::logs(&run),
        logs::entries(&run),
        missing::missing(&run, &connections, repetition.cancelled),
    ]
}

/// The tables of a repetition: the name of each, and its columns in order.
pub fn fields() -> Vec<(&'static str, Vec<&'static Field>)> {
    fn of<R>(entries: &'static [Entry<R>]) -> Vec<&'static Field> {
        entries.iter().map(|entry| &entry.field).collect()
    }
    vec![
        ("hosts", of(hosts::COLUMNS)),
        ("flows", of(flows::COLUMNS)),
        ("intervals", of(series::INTERVALS)),
        ("tcp_info", of(series::TCP_INFO)),
        ("latency", of(series::LATENCY)),
        ("logs", of(logs::LOGS)),
        ("log_entries", of(logs::ENTRIES)),
        ("missing", of(missing::COLUMNS)),
    ]
}
