//! Datagrams of a measurement: their header, and what a receiver derives from them.

use serde::{Deserialize, Serialize};

use crate::nonce::Nonce;
use crate::order::SMALLEST_DATAGRAM;

const HEADER: usize = SMALLEST_DATAGRAM as usize;

/// The header of each datagram: the first 8 octets of the receiver's nonce, connection, sequence number and time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Proves that the sender belongs to the session.
    pub token: [u8; 8],
    /// The number of the parallel connection.
    pub connection: u32,
    /// Sequence number of the datagram, from 0.
    pub sequence: u64,
    /// When it was sent, on the sender's clock.
    pub sent_ns: u64,
}

impl Header {
    /// Writes the header to the first octets of `datagram`, which has at least [`SMALLEST_DATAGRAM`].
    pub fn write(&self, datagram: &mut [u8]) {
        datagram[..8].copy_from_slice(&self.token);
        datagram[8..12].copy_from_slice(&self.connection.to_be_bytes());
        datagram[12..20].copy_from_slice(&self.sequence.to_be_bytes());
        datagram[20..HEADER].copy_from_slice(&self.sent_ns.to_be_bytes());
    }

    /// Parses the header of a datagram; `None` if it is too short.
    pub fn read(datagram: &[u8]) -> Option<Self> {
        let (token, rest) = datagram.split_first_chunk()?;
        let (connection, rest) = rest.split_first_chunk()?;
        let (sequence, rest) = rest.split_first_chunk()?;
        let (sent_ns, _) = rest.split_first_chunk()?;
        Some(Self {
            token: *token,
            connection: u32::from_be_bytes(*connection),
            sequence: u64::from_be_bytes(*sequence),
            sent_ns: u64::from_be_bytes(*sent_ns),
        })
    }
}

/// The token of a nonce.
pub fn token(nonce: Nonce) -> [u8; 8] {
    let (token, _) = nonce.0.split_first_chunk().expect("a nonce has 16 octets");
    *token
}

/// How many sequence numbers are remembered to distinguish duplicates from late arrivals.
const WINDOW: u64 = 1 << 12;

/// Sums of one-way delays, in ns; they include the offset between the two clocks, which the caller subtracts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delays {
    /// The number of delays.
    pub count: u64,
    /// Their sum.
    pub sum: i64,
    /// The minimum.
    pub least: i64,
    /// The maximum.
    pub most: i64,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            count: 0,
            sum: 0,
            least: i64::MAX,
            most: i64::MIN,
        }
    }
}

impl Delays {
    fn add(&mut self, delay: i64) {
        self.count += 1;
        self.sum = self.sum.saturating_add(delay);
        self.least = self.least.min(delay);
        self.most = self.most.max(delay);
    }
}

/// Counts the datagrams of one connection at the receiver.
#[derive(Clone, Debug)]
pub struct Datagrams {
    seen: Vec<u64>,
    next: u64,
    previous_delay: Option<i64>,
    counts: Counts,
    interval: Delays,
}

/// Counts of one connection's datagrams.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Distinct datagrams.
    pub received: u64,
    /// Datagrams that arrived before, or are too old to tell (4096 numbers behind).
    pub duplicates: u64,
    /// Datagrams with a number below that of an earlier arrival (RFC 4737, type-P-reordered).
    pub reordered: u64,
    /// Mean deviation of delays, RFC 3550 section 6.4.1, in ns.
    pub jitter_ns: f64,
    /// One-way delays.
    pub delays: Delays,
}

impl Default for Datagrams {
    fn default() -> Self {
        Self {
            seen: vec![0; (WINDOW / 64) as usize],
            next: 0,
            previous_delay: None,
            counts: Counts::default(),
            interval: Delays::default(),
        }
    }
}

impl Datagrams {
    /// A datagram with this number arrived `delay` ns after it was sent. Returns whether it is new.
    pub fn add(&mut self, sequence: u64, delay: i64) -> bool {
        if !self.is_new(sequence) {
            self.counts.duplicates += 1;
            return false;
        }
        if sequence < self.next {
            self.counts.reordered += 1;
        } else {
            self.next = sequence.saturating_add(1);
        }
        self.counts.received += 1;
        self.counts.delays.add(delay);
        self.interval.add(delay);
        if let Some(previous) = self.previous_delay.replace(delay) {
            let change = delay.abs_diff(previous) as f64;
            self.counts.jitter_ns += (change - self.counts.jitter_ns) / 16.0;
        }
        true
    }

    fn is_new(&mut self, sequence: u64) -> bool {
        if sequence.saturating_add(WINDOW) < self.next {
            return false;
        }
        // Numbers that the window advances over have not been seen; at most the whole window is cleared.
        for skipped in self.next.max(sequence.saturating_sub(WINDOW - 1))..=sequence {
            let (word, bit) = place(skipped);
            self.seen[word] &= !bit;
            if skipped == u64::MAX {
                break;
            }
        }
        let (word, bit) = place(sequence);
        let new = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        new
    }

    /// All counts.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The highest number that has arrived, plus one.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The delays since the last call.
    pub fn take_interval(&mut self) -> Delays {
        std::mem::take(&mut self.interval)
    }
}

fn place(sequence: u64) -> (usize, u64) {
    let index = sequence % WINDOW;
    ((index / 64) as usize, 1 << (index % 64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counted(numbers: &[u64]) -> Counts {
        let mut datagrams = Datagrams::default();
        for &number in numbers {
            datagrams.add(number, 0);
        }
        datagrams.counts()
    }

    #[test]
    fn a_late_datagram_is_reordered_and_not_lost() {
        let counts = counted(&[0, 2, 1, 3]);
        assert_eq!(
            (counts.received, counts.reordered, counts.duplicates),
            (4, 1, 0)
        );
    }

    #[test]
    fn a_second_copy_is_a_duplicate() {
        let counts = counted(&[0, 1, 1, 0, 2]);
        assert_eq!(
            (counts.received, counts.reordered, counts.duplicates),
            (3, 0, 2)
        );
    }

    #[test]
    fn a_jump_of_numbers_forgets_none_of_the_new_ones() {
        let counts = counted(&[5, 5 + WINDOW, 6 + WINDOW, 7, 8, 7]);
        assert_eq!(
            (counts.received, counts.reordered, counts.duplicates),
            (5, 2, 1)
        );
    }

    #[test]
    fn jitter_goes_a_sixteenth_of_the_way_to_each_change_of_delay() {
        let mut datagrams = Datagrams::default();
        for (number, delay) in [(0, 100), (1, 260), (2, 260)] {
            datagrams.add(number, delay);
        }
        // 160 / 16 = 10, then 10 - 10 / 16.
        assert_eq!(datagrams.counts().jitter_ns, 9.375);
    }

    proptest! {
        #[test]
        fn what_is_counted_is_what_came(mut numbers in prop::collection::vec(0..3_000_u64, 0..400)) {
            let counts = counted(&numbers);
            let all = numbers.len() as u64;
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert_eq!(counts.received, numbers.len() as u64);
            prop_assert_eq!(counts.received + counts.duplicates, all);
        }

        #[test]
        fn no_numbers_make_the_count_panic(numbers in prop::collection::vec((any::<u64>(), any::<i64>()), 0..50)) {
            let mut datagrams = Datagrams::default();
            for (number, delay) in numbers {
                datagrams.add(number, delay);
            }
        }

        #[test]
        fn a_header_reads_back(token: [u8; 8], connection: u32, sequence: u64, sent_ns: u64) {
            let header = Header { token, connection, sequence, sent_ns };
            let mut datagram = [0; HEADER];
            header.write(&mut datagram);
            prop_assert_eq!(Header::read(&datagram), Some(header));
            prop_assert_eq!(Header::read(&datagram[..HEADER - 1]), None);
        }
    }
}
