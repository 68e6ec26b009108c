//! The logs that the controller collects from the hosts after a run.

use std::collections::BTreeMap;

use crate::log::{Entry, Part};
use crate::order::{Kind, Role};
use crate::plan::Stream;

/// One end of a connection: stream, connection from 0, and whether it is the receiver.
type End = (u32, u32, bool);

/// The logs of all connections, as far as they were collected.
#[derive(Clone, Debug, Default)]
pub struct Logs(BTreeMap<End, Vec<Entry>>);

impl Logs {
    /// The entries of the log of one end of a connection, numbered from 0.
    pub fn of(&self, stream: u32, connection: u32, role: Role) -> &[Entry] {
        let end = (stream, connection, role == Role::Receive);
        self.0.get(&end).map_or(&[], Vec::as_slice)
    }

    /// Adds a part that `host` sent, or returns what is wrong with it: no host can fill the controller's memory.
    pub(super) fn add(
        &mut self,
        streams: &[Stream],
        host: usize,
        part: &Part,
    ) -> Result<(), &'static str> {
        let stream = streams
            .get(part.stream as usize)
            .filter(|it| it.order.kind != Kind::Probe && part.connection < it.order.connections);
        let is_receiver = match stream {
            Some(stream) if stream.from == host => false,
            Some(stream) if stream.to == host => true,
            _ => return Err("is of no connection that it has"),
        };
        let most = stream.map_or(0, |it| it.order.log as usize);
        let own = self
            .0
            .entry((part.stream, part.connection, is_receiver))
            .or_default();
        let entries = part.entries(own.last().map_or(0, |last| last.at_ns))?;
        if entries.len() > most - own.len() {
            return Err("is longer than ordered");
        }
        own.extend(entries);
        Ok(())
    }
}
