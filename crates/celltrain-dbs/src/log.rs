//! The log of each write or read at one end of a connection: its time and octets.
//!
//! Intervals are chosen afterwards, so nothing is summed up in advance while there is room: three quarters of the
//! entries hold one operation each. Then the log becomes coarse: each remaining entry holds the operations of an
//! equal part of the time that may still come. No octet is ever left out, and [`Facts`] say from when on it is coarse.
//!
//! Times are ns from the common start, on the clock of the host.

use serde::{Deserialize, Serialize};

use crate::order::Order;

/// Maximum number of entries of a log.
pub const LONGEST: u32 = 10_000_000;
/// Minimum number of entries of a log, if there is one.
pub const SHORTEST: u32 = 64;
/// Entries of a block, which becomes one message.
pub const BLOCK: usize = 4_096;
/// Octets of an entry in memory.
pub const OCTETS_OF_AN_ENTRY: u64 = size_of::<Entry>() as u64;
/// How long data may arrive after the end of a flow, in ns.
const LATEST_NS: u64 = 6_000_000_000;

/// An operation, or several after the log has become coarse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// When the last of them returned.
    pub at_ns: u64,
    /// Their octets.
    pub bytes: u64,
}

/// What a log holds.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Operations: writes of a sender, reads of a receiver, datagrams.
    pub operations: u64,
    /// Octets of all operations.
    pub bytes: u64,
    /// Number of entries.
    pub entries: u64,
    /// Set if an entry may hold several operations.
    pub coarse: Option<Coarse>,
}

/// From when on an entry holds several operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coarse {
    /// The time of the first operation that may share its entry.
    pub since_ns: u64,
    /// The length of the time that an entry covers.
    pub every_ns: u64,
}

/// The log of one end of a connection.
#[derive(Clone, Debug)]
pub struct Log {
    blocks: Vec<Vec<Entry>>,
    /// The number of entries with one operation each, and of all entries.
    fine: u64,
    most: u64,
    /// The latest time at which an operation is expected.
    horizon: u64,
    /// The part of the coarse time that the last entry covers.
    part: u64,
    facts: Facts,
}

impl Log {
    /// An empty log of up to `most` entries, for operations up to about `horizon` ns.
    pub fn new(most: u32, horizon: u64) -> Self {
        let most = u64::from(most);
        Self {
            blocks: Vec::new(),
            fine: most - most / 4,
            most,
            horizon,
            part: 0,
            facts: Facts::default(),
        }
    }

    /// An empty log of the length that an order allows.
    pub fn of(order: &Order) -> Self {
        Self::new(order.log, order.end_ns().saturating_add(LATEST_NS))
    }

    /// Adds an operation of `bytes` octets that returned at `at_ns`. Times do not decrease.
    pub fn add(&mut self, at_ns: u64, bytes: u64) {
        self.facts.operations += 1;
        self.facts.bytes += bytes;
        if self.facts.entries < self.fine {
            self.push(at_ns, bytes);
        } else {
            self.add_coarsely(at_ns, bytes);
        }
    }

    fn add_coarsely(&mut self, at_ns: u64, bytes: u64) {
        let begins = self.facts.coarse.is_none();
        let left = self.most - self.fine;
        let (horizon, since_ns) = (self.horizon, at_ns);
        let coarse = *self.facts.coarse.get_or_insert_with(|| Coarse {
            since_ns,
            every_ns: horizon
                .saturating_sub(since_ns)
                .div_ceil(left.max(1))
                .max(1),
        });
        let part = at_ns.saturating_sub(coarse.since_ns) / coarse.every_ns;
        if (begins || part > self.part) && self.facts.entries < self.most {
            self.part = part;
            self.push(at_ns, bytes);
        } else if let Some(last) = self.blocks.last_mut().and_then(|block| block.last_mut()) {
            last.at_ns = at_ns;
            last.bytes += bytes;
        }
    }

    fn push(&mut self, at_ns: u64, bytes: u64) {
        // A vector that grows would be copied during the measurement.
        match self.blocks.last_mut() {
            Some(block) if block.len() < BLOCK => block.push(Entry { at_ns, bytes }),
            _ => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(Entry { at_ns, bytes });
                self.blocks.push(block);
            }
        }
        self.facts.entries += 1;
    }

    /// What it holds.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// Its entries in blocks of up to [`BLOCK`].
    pub fn into_blocks(self) -> Vec<Vec<Entry>> {
        self.blocks
    }
}

/// Part of a log in a message: a block of entries.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The number of the stream.
    pub stream: u32,
    /// The number of the connection, from 0.
    pub connection: u32,
    /// The time of each entry, as the difference from the entry before it; the first one, from the last entry of the
    /// previous part, or from the common start.
    pub waits_ns: Vec<u64>,
    /// The octets of each entry.
    pub bytes: Vec<u64>,
}

impl Part {
    /// The part of a log with these entries, which follow an entry at `before`.
    pub fn new(stream: u32, connection: u32, before: u64, entries: &[Entry]) -> Self {
        let mut before = before;
        let wait = |entry: &Entry| {
            let wait = entry.at_ns.saturating_sub(before);
            before = before.max(entry.at_ns);
            wait
        };
        Self {
            stream,
            connection,
            waits_ns: entries.iter().map(wait).collect(),
            bytes: entries.iter().map(|entry| entry.bytes).collect(),
        }
    }

    /// Its entries, which follow an entry at `before`; an error if it is not a part that a daemon sends.
    pub fn entries(&self, before: u64) -> Result<Vec<Entry>, &'static str> {
        if self.waits_ns.len() != self.bytes.len() {
            return Err("has times without octets");
        }
        if self.bytes.len() > BLOCK {
            return Err("has a part that is too long");
        }
        let mut at_ns = before;
        let entries = self.waits_ns.iter().zip(&self.bytes).map(|(wait, &bytes)| {
            at_ns = at_ns.checked_add(*wait)?;
            Some(Entry { at_ns, bytes })
        });
        entries
            .collect::<Option<_>>()
            .ok_or("has times beyond all bounds")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries(log: Log) -> Vec<Entry> {
        log.into_blocks().concat()
    }

    #[test]
    fn each_operation_has_an_entry_while_there_is_room() {
        let mut log = Log::new(8, 1_000);
        for at in 0..6 {
            log.add(at, at + 1);
        }
        assert_eq!(log.facts().coarse, None);
        let found: Vec<_> = entries(log).iter().map(|it| (it.at_ns, it.bytes)).collect();
        assert_eq!(found, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]);
    }

    #[test]
    fn a_full_log_becomes_coarse_and_says_since_when() {
        // 6 of 8 entries hold one operation. At 100 the remaining two cover (900 - 100) / 2 = 400 ns each.
        let mut log = Log::new(8, 900);
        for at in [1, 2, 3, 4, 5, 6, 100, 499, 500, 899, 2_000] {
            log.add(at, 1);
        }
        let facts = log.facts();
        let coarse = Coarse {
            since_ns: 100,
            every_ns: 400,
        };
        assert_eq!(facts.coarse, Some(coarse));
        assert_eq!((facts.operations, facts.bytes, facts.entries), (11, 11, 8));
        let found: Vec<_> = entries(log)[6..]
            .iter()
            .map(|it| (it.at_ns, it.bytes))
            .collect();
        // What comes after all expected time is in the last entry.
        assert_eq!(found, [(499, 2), (2_000, 3)]);
    }

    #[test]
    fn parts_that_no_daemon_sends_are_errors() {
        let part = |waits_ns: Vec<u64>, bytes: Vec<u64>| Part {
            stream: 0,
            connection: 0,
            waits_ns,
            bytes,
        };
        assert!(part(vec![1], vec![]).entries(0).is_err());
        assert!(part(vec![u64::MAX, 1], vec![1, 1]).entries(0).is_err());
        let long = BLOCK + 1;
        assert!(part(vec![1; long], vec![1; long]).entries(0).is_err());
        assert!(part(vec![1; BLOCK], vec![1; BLOCK]).entries(0).is_ok());
    }

    proptest! {
        #[test]
        fn no_octet_is_left_out_and_no_limit_is_exceeded(
            most in 1..50_u32,
            horizon in 0..3_000_u64,
            gaps in prop::collection::vec((0..50_u64, 1..1_000_u64), 0..200),
        ) {
            let mut log = Log::new(most, horizon);
            let (mut now, mut sum) = (0, 0);
            for &(gap, bytes) in &gaps {
                now += gap;
                sum += bytes;
                log.add(now, bytes);
            }
            let facts = log.facts();
            let found = entries(log);
            prop_assert_eq!(found.iter().map(|it| it.bytes).sum::<u64>(), sum);
            prop_assert_eq!((facts.bytes, facts.entries), (sum, found.len() as u64));
            prop_assert_eq!(facts.operations, gaps.len() as u64);
            prop_assert!(found.len() <= most as usize);
            prop_assert!(found.windows(2).all(|pair| pair[0].at_ns <= pair[1].at_ns));
            let fine = facts.coarse.map_or(u64::MAX, |it| it.since_ns);
            let single = found.iter().filter(|it| it.at_ns < fine).count();
            prop_assert!(facts.coarse.is_none() == (gaps.len() == found.len()) || single < found.len());
        }

        #[test]
        fn parts_read_back(gaps in prop::collection::vec((0..u64::from(u32::MAX), any::<u64>()), 0..300), cut in 1..50_usize) {
            let mut now = 0;
            let all: Vec<_> = gaps.iter().map(|&(gap, bytes)| {
                now += gap;
                Entry { at_ns: now, bytes }
            }).collect();
            let (mut before, mut found) = (0, Vec::new());
            for block in all.chunks(cut) {
                let part = Part::new(3, 1, before, block);
                let text = serde_json::to_vec(&part).unwrap();
                let read: Part = serde_json::from_slice(&text).unwrap();
                prop_assert_eq!(&read, &part);
                found.extend(read.entries(before).unwrap());
                before = found.last().map_or(0, |it: &Entry| it.at_ns);
            }
            prop_assert_eq!(found, all);
        }
    }
}
