//! How long what is on its way is awaited after the end of a stream: a state machine without a clock.
//!
//! A datagram may only be called lost once it could have arrived. A fixed time cannot tell: a path of a satellite and a
//! full queue delays by seconds. The base of the time is therefore the longest round trip of the stream, measured when
//! its ends greeted, plus the longest queueing since.

/// How long data are awaited at most after the end of their stream, in ns.
pub const LATEST_NS: u64 = 15_000_000_000;
/// The round trip that is assumed where none was measured, in ns: the longest with which ends can greet.
const UNKNOWN_NS: u64 = 5_000_000_000;
/// The minimum wait for further data after the end, or after the last that arrived, in ns.
const QUIET_NS: u64 = 2_000_000_000;
/// The minimum wait after the sender's announcement of its end, for datagrams that it overtook, in ns.
const OVERTAKEN_NS: u64 = 300_000_000;

/// The wait for one connection's last data.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    round_trip: Option<u64>,
    queueing: u64,
    last: u64,
    announced: Option<u64>,
}

impl Patience {
    /// With the round trip of the greeting, in ns, or `None` if it is not known yet.
    pub fn new(round_trip: Option<u64>) -> Self {
        Self {
            round_trip,
            queueing: 0,
            last: 0,
            announced: None,
        }
    }

    /// Keeps the round trip of the greeting, in ns; of several, the first.
    pub fn on_round_trip(&mut self, round_trip: u64) {
        self.round_trip.get_or_insert(round_trip);
    }

    /// Data arrived at `now`, after `queueing` ns in addition to the shortest delay.
    pub fn on_arrival(&mut self, now: u64, queueing: u64) {
        self.last = self.last.max(now);
        self.queueing = self.queueing.max(queueing);
    }

    /// The sender announced its end; of several announcements, the first counts.
    pub fn on_end(&mut self, now: u64) {
        self.announced.get_or_insert(now);
    }

    /// The longest round trip in ns.
    fn longest(&self) -> u64 {
        let round_trip = self.round_trip.unwrap_or(UNKNOWN_NS);
        round_trip.saturating_add(self.queueing)
    }

    /// When a stream that ends at `end` has waited long enough.
    #[must_use]
    pub fn deadline(&self, end: u64) -> u64 {
        self.wanted(end).min(end.saturating_add(LATEST_NS))
    }

    /// The deadline without the limit of [`LATEST_NS`].
    fn wanted(&self, end: u64) -> u64 {
        if let Some(at) = self.announced {
            return at.saturating_add(self.longest().max(OVERTAKEN_NS));
        }
        let quiet = self.longest().saturating_mul(2).max(QUIET_NS);
        self.last.max(end).saturating_add(quiet)
    }

    /// Whether the limit cuts the wait while data still arrive: then nothing is known of those that did not.
    #[must_use]
    pub fn is_cut(&self, end: u64) -> bool {
        self.last > end && self.wanted(end) > end.saturating_add(LATEST_NS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const END: u64 = 60_000 * MS;

    #[test]
    fn a_short_path_is_awaited_for_two_seconds_or_300_ms_after_the_announced_end() {
        let mut patience = Patience::new(Some(20 * MS));
        patience.on_arrival(END - 100 * MS, 5 * MS);
        assert_eq!(patience.deadline(END), END + 2_000 * MS);
        patience.on_end(END + 10 * MS);
        patience.on_end(END + 30 * MS);
        assert_eq!(patience.deadline(END), END + 310 * MS);
    }

    #[test]
    fn a_long_path_is_awaited_for_twice_its_round_trip_with_the_queue_it_built() {
        let mut patience = Patience::new(Some(1_500 * MS));
        patience.on_arrival(END - 100 * MS, 1_200 * MS);
        assert_eq!(patience.deadline(END), END + 2 * 2_700 * MS);
        patience.on_end(END + 2_000 * MS);
        assert_eq!(patience.deadline(END), END + 4_700 * MS);
    }

    #[test]
    fn arrivals_after_the_end_extend_the_wait_up_to_its_limit() {
        let mut patience = Patience::new(Some(100 * MS));
        patience.on_arrival(END + 12_000 * MS, 0);
        assert_eq!(patience.deadline(END), END + 14_000 * MS);
        assert!(!patience.is_cut(END));
        patience.on_arrival(END + 14_000 * MS, 0);
        assert_eq!(patience.deadline(END), END + 15_000 * MS);
        assert!(patience.is_cut(END));
    }

    #[test]
    fn a_path_that_fell_silent_is_not_cut() {
        let mut patience = Patience::new(Some(10_000 * MS));
        patience.on_arrival(END - MS, 0);
        assert_eq!(patience.deadline(END), END + 15_000 * MS);
        assert!(!patience.is_cut(END));
    }

    #[test]
    fn an_unknown_round_trip_is_taken_for_the_longest_until_it_is_measured() {
        let mut patience = Patience::new(None);
        assert_eq!(patience.deadline(END), END + 10_000 * MS);
        patience.on_round_trip(1_200 * MS);
        patience.on_round_trip(9 * MS);
        assert_eq!(patience.deadline(END), END + 2_400 * MS);
    }
}
