//! The tables of the logs of writes and reads: what each holds, and their entries.

use celltrain_language::Table;
use celltrain_language::entry::{count, number, text};

use super::registry::Reading::{Maybe, Name, Number};
use super::registry::{
    Columns, OfStream, Rows, Run, connection, filled, flow, from, repetition, seconds, to,
};
use crate::log::{Entry, Facts};
use crate::message::What;
use crate::order::Role;
use crate::plan::Stream;

/// The log of one end of a connection.
pub(super) struct Log<'a> {
    stream: &'a Stream,
    /// From 1.
    connection: u32,
    role: Role,
    facts: &'a Facts,
    entries: &'a [Entry],
}

impl Log<'_> {
    fn is_complete(&self) -> bool {
        let sum = |sum: u64, entry: &Entry| sum.saturating_add(entry.bytes);
        self.entries.len() as u64 == self.facts.entries
            && self.entries.iter().fold(0, sum) == self.facts.bytes
    }
}

/// A row is a log, with its number.
pub(super) struct Logs;

impl Rows for Logs {
    type Row<'a> = (u32, Log<'a>);
}

impl OfStream for Logs {
    fn stream<'a>((_, log): &Self::Row<'a>) -> (&'a Stream, u32) {
        (log.stream, log.connection)
    }
}

/// Columns of the table of logs, in its order.
pub(super) const LOGS: &Columns<Logs> = &[
    repetition(),
    count(
        "log",
        "1",
        "log",
        "number of the log in its repetition, from 1",
        Number(|_, (number, _)| f64::from(*number)),
    ),
    flow(),
    from(),
    to(),
    connection(),
    text(
        "end",
        "",
        "end",
        "`sender`: the log has writes, or datagrams sent; `receiver`: it has reads, or datagrams that arrived for the first time",
        Name(|_, (_, log)| {
            let is_sender = log.role == Role::Send;
            if is_sender { "sender" } else { "receiver" }.to_owned()
        }),
    ),
    text(
        "state",
        "",
        "state",
        "`complete`, or `incomplete` if entries are missing because contact to the host was lost",
        Name(|_, (_, log)| {
            let state = if log.is_complete() {
                "complete"
            } else {
                "incomplete"
            };
            state.to_owned()
        }),
    ),
    count(
        "operations",
        "1",
        "operations",
        "writes, reads or datagrams",
        Number(|_, (_, log)| log.facts.operations as f64),
    ),
    count(
        "logged_bytes",
        "bytes",
        "octets",
        "octets of all operations",
        Number(|_, (_, log)| log.facts.bytes as f64),
    ),
    count(
        "entries",
        "1",
        "entries",
        "entries of the log; as many as operations while it is exact",
        Number(|_, (_, log)| log.facts.entries as f64),
    ),
    number(
        "exact_until_s",
        "s",
        "exact until",
        "when the log became coarse, because `measure.log` entries or the memory of the daemon would not last; none if each operation has an entry",
        Maybe(|_, (_, log)| log.facts.coarse.map(|it| seconds(it.since_ns))),
    ),
    number(
        "coarse_s",
        "s",
        "coarse",
        "the time that an entry covers after `exact_until_s`; none if each operation has an entry",
        Maybe(|_, (_, log)| log.facts.coarse.map(|it| seconds(it.every_ns))),
    ),
];

/// All logs, in the order of the plan; the sender's log of a connection is before the receiver's.
fn all<'a>(run: &Run<'a>) -> Vec<(u32, Log<'a>)> {
    let logs = run.session.reports.iter().filter_map(|(host, report)| {
        let What::Logged(facts) = &report.what else {
            return None;
        };
        let stream = run.controller.streams().get(report.stream as usize)?;
        let role = if stream.from == *host {
            Role::Send
        } else {
            Role::Receive
        };
        let entries = run.session.logs.of(report.stream, report.connection, role);
        Some(Log {
            stream,
            connection: report.connection.saturating_add(1),
            role,
            facts,
            entries,
        })
    });
    let mut logs: Vec<_> = logs.collect();
    let key = |it: &Log<'_>| {
        let is_receiver = it.role == Role::Receive;
        (it.stream.order.stream, it.connection, is_receiver)
    };
    logs.sort_by_key(key);
    // Only a daemon that does not follow the protocol reports a log twice.
    logs.dedup_by_key(|it| key(it));
    (1..).zip(logs).collect()
}

/// A row for each log.
pub(super) fn logs(run: &Run<'_>) -> Table {
    filled("logs", LOGS, run, &all(run))
}

/// A row is an entry of a log, with the number of the log.
pub(super) struct Entries;

impl Rows for Entries {
    type Row<'a> = (u32, Entry);
}

/// Columns of the table of entries, in its order.
pub(super) const ENTRIES: &Columns<Entries> = &[
    repetition(),
    count(
        "log",
        "1",
        "log",
        "number of the log in its repetition, as in `logs`",
        Number(|_, (log, _)| f64::from(*log)),
    ),
    count(
        "time_ns",
        "ns",
        "time",
        "when the operation returned, from the common start; of several in one entry, the last",
        Number(|_, (_, entry)| entry.at_ns as f64),
    ),
    count(
        "entry_bytes",
        "bytes",
        "octets",
        "octets written or read",
        Number(|_, (_, entry)| entry.bytes as f64),
    ),
];

/// A row for each entry of each log.
pub(super) fn entries(run: &Run<'_>) -> Table {
    let logs = all(run);
    let rows = logs
        .iter()
        .flat_map(|(number, log)| log.entries.iter().map(|entry| (*number, *entry)));
    filled("log_entries", ENTRIES, run, &rows.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use celltrain_language::Source;

    use super::*;
    use crate::plan::Plan;

    #[test]
    fn a_log_is_complete_if_all_its_entries_and_octets_have_arrived() {
        let text =
            "[hosts]\na = {}\nb = {}\n[flows.f]\nfrom = \"a\"\nto = \"b\"\nduration = \"1 s\"\n";
        let plan = Plan::read(&Source::toml(text, "plan"), &|_| Err(String::new())).unwrap();
        let streams = plan.streams();
        let facts = Facts {
            operations: 3,
            bytes: 30,
            entries: 2,
            coarse: None,
        };
        let is_complete = |octets: &[u64]| {
            let entry = |&bytes: &u64| Entry { at_ns: 0, bytes };
            let entries: Vec<_> = octets.iter().map(entry).collect();
            let log = Log {
                stream: &streams[0],
                connection: 1,
                role: Role::Send,
                facts: &facts,
                entries: &entries,
            };
            log.is_complete()
        };
        assert!(is_complete(&[10, 20]));
        assert!(!is_complete(&[30]));
        assert!(!is_complete(&[10, 19]));
        assert!(!is_complete(&[u64::MAX, 31]));
    }
}
