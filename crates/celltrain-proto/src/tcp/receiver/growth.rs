//! The growth of Linux's receive buffer, as far as acknowledgments show it: each segment that lets the offered window grow
//! is acknowledged at once.
//!
//! A new receiver offers some 64 kilobytes. Each segment adds two to the window until the buffer is full, and the buffer is
//! enlarged once in a round trip in which the application has read more than ever before: to twice as much, and more while
//! that is still growing. The window that this receiver offers is always that of its full buffer.
//!
//! Source: Linux 6 `tcp_input.c` (`tcp_grow_window`, `tcp_rcv_space_adjust`, `tcp_rcvbuf_grow`, `tcp_rcv_rtt_update`).

use super::ReceiverConfig;
use crate::units::{Span, Time};

/// The window at first, and what the buffer at first holds: of `tcp_rmem` 128 KiB, less the overhead of segments.
const FIRST_WINDOW: u64 = 65_160;
const FIRST_LIMIT: u64 = 80_896;
/// Segments that count as read in the first round trip.
const FIRST_ROUND: u64 = 10;
/// Shorter segments do not enlarge the window.
const SHORTEST: u64 = 128;

/// The window that Linux would offer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    mss: u64,
    window: u64,
    /// What the buffer holds, and may hold at most.
    limit: u64,
    most: u64,
    /// The most octets read in a round trip.
    read: u64,
    /// The start of the present round trip, and the first octet read in it.
    round: (Time, u64),
    /// The timestamp that was echoed last.
    echo: Option<u32>,
    /// The smoothed round-trip time from an acknowledgment to the data that echo it; none without timestamps.
    rtt: Option<Span>,
}

impl Growth {
    pub(super) fn new(config: &ReceiverConfig) -> Self {
        let (mss, most) = (u64::from(config.mss), u64::from(config.window));
        Self {
            mss,
            window: FIRST_WINDOW.min(most),
            limit: FIRST_LIMIT.min(most),
            most,
            read: FIRST_ROUND * mss,
            round: (Time::ZERO, 0),
            echo: None,
            rtt: None,
        }
    }

    /// A full segment arrives, `rtt` after an acknowledgment whose timestamp it echoes. Only the first one with this `echo`
    /// shows a round trip: the others have waited for it.
    pub(super) fn measure(&mut self, echo: u32, rtt: Span) {
        if self.echo != Some(echo) {
            self.echo = Some(echo);
            // A shorter one counts at once, or the buffer would be enlarged for more than a round trip.
            self.rtt = Some(self.rtt.map_or(rtt, |mean| rtt.min((mean * 7 + rtt) / 8)));
        }
    }

    /// The smoothed round-trip time; none before the first full segment with a timestamp.
    pub(super) fn round_trip(&self) -> Option<Span> {
        self.rtt
    }

    /// A segment of `len` octets arrives, and the application has read up to `read`; returns whether the window grows.
    pub(super) fn on_data(&mut self, now: Time, len: u64, read: u64) -> bool {
        let grows = len >= SHORTEST && self.window < self.limit;
        if grows {
            self.window = (self.window + 2 * self.mss).min(self.limit);
        }
        if let Some(rtt) = self.rtt
            && now.saturating_since(self.round.0) >= rtt
        {
            self.enlarge(read - self.round.1);
            self.round = (now, read);
        }
        grows
    }

    /// `read` octets were read in a round trip.
    fn enlarge(&mut self, read: u64) {
        if read > self.read {
            let window = 2 * read;
            let growth = 2 * window * (read - self.read) / self.read.max(1);
            self.limit = self.limit.max(window + growth).min(self.most);
            self.read = read;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::TickClock;

    const MSS: u64 = 1_000;
    const RTT: Span = Span::from_ms(100);

    /// How many segments of each round trip let the window grow, where these numbers of them arrive.
    fn growing(window: u32, rounds: &[u64]) -> alloc::vec::Vec<u64> {
        let clock = TickClock::new(Span::from_ms(200), Span::ZERO);
        let mut growth = Growth::new(&ReceiverConfig::new(MSS as u32, window, clock));
        let (mut now, mut read) = (Time::ZERO + RTT, 0);
        let counts = rounds.iter().map(|&segments| {
            growth.measure(now.as_ps() as u32, RTT);
            let grows = (0..segments).map(|_| {
                read += MSS;
                u64::from(growth.on_data(now, MSS, read))
            });
            let count = grows.sum();
            now += RTT;
            count
        });
        counts.collect()
    }

    #[test]
    fn linux_lets_two_segments_more_be_sent_for_each_that_arrives_until_the_buffer_is_full() {
        // From 65,160 to 80,896 octets.
        assert_eq!(growing(1_000_000, &[6, 6]), [6, 2]);
        assert_eq!(growing(70_000, &[6, 6]), [3, 0]);
        assert_eq!(growing(65_160, &[6, 6]), [0, 0]);
    }

    #[test]
    fn linux_enlarges_the_buffer_to_twice_what_is_read_in_a_round_trip_and_ahead_of_a_sender_that_doubles()
     {
        // In the second round trip 40 segments are read, 30 more than assumed of the first: 80 + 2 x 80 x 30 / 10 = 560
        // kilobytes, then all that the window may have.
        assert_eq!(growing(1_000_000, &[40, 1, 300, 300]), [8, 0, 240, 220]);
        // A constant rate enlarges nothing more.
        assert_eq!(growing(1_000_000, &[40; 9])[8], 0);
    }

    #[test]
    fn linux_does_not_enlarge_the_window_for_short_segments() {
        let clock = TickClock::new(Span::from_ms(200), Span::ZERO);
        let mut growth = Growth::new(&ReceiverConfig::new(MSS as u32, 100_000, clock));
        assert!(!growth.on_data(Time::ZERO, 127, 127));
        assert!(growth.on_data(Time::ZERO, 128, 255));
    }

    #[test]
    fn linux_measures_the_first_segment_with_a_timestamp_and_smooths_longer_round_trips() {
        let clock = TickClock::new(Span::from_ms(200), Span::ZERO);
        let mut growth = Growth::new(&ReceiverConfig::new(MSS as u32, 100_000, clock));
        for (echo, ms, mean) in [(1, 100, 100), (1, 180, 100), (2, 180, 110), (3, 105, 105)] {
            growth.measure(echo, Span::from_ms(ms));
            assert_eq!(growth.rtt, Some(Span::from_ms(mean)));
        }
    }
}
