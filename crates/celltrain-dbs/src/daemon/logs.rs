//! The logs that a daemon keeps after a run, until its controller collects them.

use std::collections::VecDeque;

use crate::log::{Entry, Log, Part};

/// Blocks of logs, in the order in which they are sent.
#[derive(Debug, Default)]
pub(super) struct Logs(VecDeque<Block>);

#[derive(Debug)]
struct Block {
    stream: u32,
    connection: u32,
    /// The time of the entry before it.
    before: u64,
    entries: Vec<Entry>,
}

impl Logs {
    /// Adds the log of a connection.
    pub(super) fn add(&mut self, stream: u32, connection: u32, log: Log) {
        let mut before = 0;
        for entries in log.into_blocks() {
            let last = entries.last().map_or(before, |entry| entry.at_ns);
            self.0.push_back(Block {
                stream,
                connection,
                before,
                entries,
            });
            before = last;
        }
    }

    /// The next part, which is then forgotten.
    pub(super) fn next_part(&mut self) -> Option<Part> {
        let block = self.0.pop_front()?;
        let Block {
            stream,
            connection,
            before,
            entries,
        } = block;
        Some(Part::new(stream, connection, before, &entries))
    }
}
