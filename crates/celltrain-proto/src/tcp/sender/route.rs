//! What a host remembers of a route: a connection of 4.4BSD leaves its round-trip time and its slow-start threshold in the
//! routing entry of the destination, and the next one begins with them.
//!
//! Here an entry is updated when a connection ends, without `TIME_WAIT`, as in FreeBSD; 4.4BSD waits for it.
//!
//! Source: 4.4BSD-Lite `tcp_subr.c` (`tcp_close`), `tcp_input.c` (`tcp_mss`); Wright and Stevens, TCP/IP Illustrated,
//! volume 2, chapter 27; RFC 2140 3.1.

use super::{CongestionControl, Sender, SenderConfig};
use crate::units::Span;

/// Which measurements of earlier connections a sender begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RouteCache {
    /// None.
    #[default]
    Off,
    /// The round-trip time and its mean deviation: 4.4BSD as delivered, whose routing entries name no length of the pipe.
    RoundTrip,
    /// Also the threshold, from the first connection on that ends with less than half of the send buffer: 4.4BSD with
    /// `rmx_sendpipe` set to the size of the buffer, or FreeBSD.
    RoundTripAndThreshold,
}

/// A routing entry. Zero means that nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RouteMetrics {
    /// The smoothed round-trip time (`rmx_rtt`).
    pub srtt: Span,
    /// Its mean deviation (`rmx_rttvar`).
    pub rttvar: Span,
    /// The slow-start threshold in octets, where each segment counts with 40 octets of headers (`rmx_ssthresh`).
    pub ssthresh: u64,
}

/// Windows that a connection must have sent before its measurements count.
const ENOUGH_WINDOWS: u64 = 16;
/// Octets of the TCP and IP headers.
const HEADERS: u64 = 40;

/// Half of the old and half of the new value; the new one alone if either is unknown.
fn filtered(old: Span, new: Span) -> Span {
    if old == Span::ZERO || new == Span::ZERO {
        new
    } else {
        (old + new) / 2
    }
}

impl Sender {
    /// The routing entry that this connection leaves: the one that it began with, updated if enough data were sent.
    pub fn route_metrics(&self) -> RouteMetrics {
        let SenderConfig {
            route, route_cache, ..
        } = self.config;
        let buffer = u64::from(self.config.send_buffer.unwrap_or(self.config.max_window));
        // The SYN takes one number, which `snd_max` does not count.
        let has_sent_enough = self.snd_max + 1 > ENOUGH_WINDOWS * buffer;
        if route_cache == RouteCache::Off || !has_sent_enough {
            return route;
        }
        let (srtt, rttvar) = self.rtt.measured().unwrap_or_default();
        RouteMetrics {
            srtt: filtered(route.srtt, srtt),
            rttvar: filtered(route.rttvar, rttvar),
            ssthresh: if route_cache == RouteCache::RoundTripAndThreshold {
                self.kept_threshold(route.ssthresh, buffer)
            } else {
                0
            },
        }
    }

    /// The threshold of the entry after this connection, if it was `old`.
    fn kept_threshold(&self, old: u64, buffer: u64) -> u64 {
        let ssthresh = self.ssthresh();
        if old == 0 && ssthresh >= buffer / 2 {
            return 0;
        }
        let mss = self.control.window().mss;
        let segments = ((ssthresh + mss / 2) / mss).max(2);
        let new = segments * (mss + HEADERS);
        if old == 0 {
            new
        } else {
            u64::midpoint(old, new)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::pair::{Pair, To};
    use crate::tcp::{Available, Receiver, ReceiverConfig, Segment, TickClock};
    use crate::units::Time;

    /// Ticks of 100 ms, the first at 30 ms; a send buffer of eight segments.
    fn config(route: RouteMetrics) -> SenderConfig {
        let clock = TickClock::new(Span::from_ms(100), Span::from_ms(30));
        SenderConfig {
            send_buffer: Some(8_000),
            route_cache: RouteCache::RoundTripAndThreshold,
            route,
            ..SenderConfig::new(1_000, clock)
        }
    }

    /// What a connection leaves that sends `octets` over a round trip of 100 ms; at `lost` of its segments, if any, one is
    /// lost.
    fn left_by(octets: u64, lost: Option<usize>, route: RouteMetrics) -> RouteMetrics {
        let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
        let sender = Sender::new(config(route));
        let receiver = Receiver::new(ReceiverConfig::new(1_000, 8_000, fast));
        let wire = move |to, number, _: &mut Segment| to == To::Sender || Some(number) != lost;
        let mut pair = Pair::new(sender, receiver, 50).with_wire(wire);
        let mut left = octets;
        while pair.sender.snd_una() < octets {
            let free = pair.sender.buffer_free().min(left);
            if free > 0 {
                pair.sender.write(pair.now, Available::Bytes(free));
                left -= free;
            }
            let now = (pair.now - Time::ZERO).as_ps() / 1_000_000_000;
            pair.run_until(now + 50);
            assert!(now < 100_000, "the transfer ends");
        }
        pair.sender.route_metrics()
    }

    #[test]
    fn a_connection_leaves_its_round_trip_if_it_sent_more_than_sixteen_windows() {
        assert_eq!(
            left_by(127_000, None, RouteMetrics::default()),
            RouteMetrics::default()
        );
        let left = left_by(128_000, None, RouteMetrics::default());
        // Samples of two ticks each, as BSD counts from one: 100 ms and what the estimator adds to it.
        assert!(left.srtt >= Span::from_ms(100) && left.srtt <= Span::from_ms(200));
        assert_eq!(left.ssthresh, 0, "nothing was lost");
    }

    #[test]
    fn an_entry_is_half_of_the_old_and_half_of_the_new() {
        let first = left_by(128_000, None, RouteMetrics::default());
        let old = RouteMetrics {
            srtt: Span::from_ms(900),
            rttvar: Span::from_ms(300),
            ssthresh: 4 * 1_040,
        };
        assert_eq!(filtered(old.srtt, first.srtt), (old.srtt + first.srtt) / 2);
        assert_eq!(filtered(Span::ZERO, first.srtt), first.srtt);
        assert_eq!(filtered(old.srtt, Span::ZERO), Span::ZERO);
        // A connection that begins with a threshold keeps it without a loss: 4,160 octets are four segments.
        assert_eq!(left_by(128_000, None, old).ssthresh, 4 * 1_040);
    }

    #[test]
    fn a_threshold_below_half_of_the_buffer_is_kept_in_whole_segments() {
        // Eight segments are in flight at the loss, so the threshold becomes four, half of the buffer, which is not below.
        let route = RouteMetrics::default();
        let left = left_by(128_000, Some(60), route);
        assert_eq!(left.ssthresh, 0);
        // With an entry of six segments, six are averaged with four.
        let route = RouteMetrics {
            ssthresh: 6 * 1_040,
            ..RouteMetrics::default()
        };
        let left = left_by(128_000, Some(60), route);
        assert_eq!(left.ssthresh, u64::midpoint(6 * 1_040, 4 * 1_040));
    }

    #[test]
    fn a_connection_begins_with_the_threshold_and_the_time_out_of_its_route() {
        let sender = Sender::new(config(RouteMetrics {
            srtt: Span::from_ms(400),
            rttvar: Span::from_ms(100),
            ssthresh: 3_120,
        }));
        assert_eq!(sender.ssthresh(), 3_120);
        assert_eq!(sender.srtt(), Some(Span::from_ms(400)));
        // `((srtt >> 2) + rttvar) >> 1` with srtt = 32 eighths and rttvar = 4 quarters of a tick: six ticks.
        assert_eq!(sender.rto(), Span::from_ms(600));
        // At least two segments; without a deviation it is the round trip: (8 + 16) / 2 ticks.
        let sender = Sender::new(config(RouteMetrics {
            srtt: Span::from_ms(400),
            rttvar: Span::ZERO,
            ssthresh: 1_040,
        }));
        assert_eq!(sender.ssthresh(), 2_000);
        assert_eq!(sender.rto(), Span::from_ms(1_200));
    }

    #[test]
    fn without_a_cache_nothing_is_left() {
        let mut sender = Sender::new(SenderConfig {
            route_cache: RouteCache::Off,
            ..config(RouteMetrics::default())
        });
        sender.snd_max = 1_000_000;
        assert_eq!(sender.route_metrics(), RouteMetrics::default());
    }
}
