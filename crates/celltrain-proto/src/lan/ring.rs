//! A ring on which stations send frames in turn, as the token comes to them (IEEE 802.5).
//!
//! A station that holds the token sends frames as long as the next one ends within the token holding time; then it passes
//! the token on. With early release it does so after its last frame, otherwise when the header of that frame has returned,
//! too. An idle token keeps going round.
//!
//! Left out: priorities and reservations, the active monitor and its timers, frames that are lost or repeated, and the way
//! of a frame around the ring: it has arrived when its sender has sent it.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::units::{Rate, Span, Time};

/// Bits of the token.
const TOKEN: u32 = 24;
/// Bits up to the end of the source address, by which a sender knows its frame.
const HEADER: u32 = 8 * 15;
/// Bits that the active monitor holds so that the token fits on the ring; each station holds one.
const MONITOR: u64 = 24;

/// How the token goes round a ring.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RingRules {
    /// Rate.
    pub rate: Rate,
    /// Stations that send nothing.
    pub idle_stations: u32,
    /// Propagation once around the ring.
    pub propagation: Span,
    /// Token holding time.
    pub holding_time: Span,
    /// Whether the token is released with the end of a frame, before its header has returned.
    pub early_release: bool,
}

impl RingRules {
    fn bits(&self, bits: u32) -> Span {
        self.rate.span_of_bits(bits.into())
    }
}

/// A ring on which stations send frames, each with something of the caller's.
#[derive(Clone, Debug)]
pub struct TokenRing<T> {
    rules: RingRules,
    /// The time of the token from a station to the next.
    hop: Span,
    /// All stations, those that send nothing included.
    stations: u64,
    /// Frames that wait, by station.
    waiting: Vec<VecDeque<Frame<T>>>,
    /// The station that passed the token on last, and when.
    last: usize,
    released: Time,
    /// The frame that is sent, or that will be when the token has come to its station.
    current: Option<Sending>,
}

/// A frame that waits.
#[derive(Clone, Debug)]
struct Frame<T> {
    came: Time,
    /// The time that it takes.
    takes: Span,
    item: T,
}

/// A frame that is sent, the first of its station.
#[derive(Clone, Copy, Debug)]
struct Sending {
    station: usize,
    /// When its station took the token.
    taken: Time,
    start: Time,
    end: Time,
}

impl<T> TokenRing<T> {
    /// The number of frames that wait for the token.
    pub fn waiting(&self) -> usize {
        self.waiting.iter().map(VecDeque::len).sum()
    }

    /// An idle ring with this many sending stations, in their order along the ring, which the token leaves the first of at
    /// time zero.
    pub fn new(rules: RingRules, senders: usize) -> Self {
        let stations = senders as u64 + u64::from(rules.idle_stations);
        let held = rules.rate.span_of_bits((MONITOR + stations) as f64);
        let latency = held + rules.propagation;
        Self {
            rules,
            hop: Span::from_ps((latency.as_ps() / stations.max(1)).max(1)),
            stations,
            waiting: (0..senders).map(|_| VecDeque::new()).collect(),
            last: 0,
            released: Time::ZERO,
            current: None,
        }
    }

    /// The time of the token once around the ring.
    fn latency(&self) -> Span {
        self.hop * self.stations
    }

    /// When the frame that is sent next, or at present, ends.
    pub fn deadline(&self) -> Time {
        self.current.map_or(Time::NEVER, |sending| sending.end)
    }

    /// What belongs to the frame whose end is the deadline.
    pub fn next(&self) -> Option<&T> {
        let station = self.current?.station;
        self.waiting[station].front().map(|frame| &frame.item)
    }

    /// A station has a frame to send from `now` on, which takes this time. The deadline may change.
    pub fn push(&mut self, now: Time, station: usize, takes: Span, item: T) {
        self.waiting[station].push_back(Frame {
            came: now,
            takes,
            item,
        });
        // The token may pass this station before that of a frame which has not begun.
        if self.current.is_none_or(|sending| now < sending.start) {
            self.pass(now);
        }
    }

    /// Ends the frame whose end has come; returns what belongs to it. The next one begins.
    pub fn finish(&mut self, now: Time) -> Option<T> {
        let ended = self.current.take_if(|sending| sending.end <= now)?;
        let queue = &mut self.waiting[ended.station];
        let item = queue.pop_front()?.item;
        // What comes with the end of the frame is too late, whichever of both is noticed first.
        let next = queue.front().filter(|next| next.came < ended.end);
        let next = next.map(|next| ended.end.saturating_add(next.takes));
        let until = ended.taken.saturating_add(self.rules.holding_time);
        if let Some(end) = next.filter(|&end| end <= until) {
            self.current = Some(Sending {
                start: ended.end,
                end,
                ..ended
            });
            return Some(item);
        }
        (self.last, self.released) = (ended.station, self.release(ended));
        self.pass(now);
        Some(item)
    }

    /// When the token follows the last frame of a station.
    fn release(&self, ended: Sending) -> Time {
        if self.rules.early_release {
            return ended.end;
        }
        let header = self.latency() + self.rules.bits(HEADER);
        ended.end.max(ended.start.saturating_add(header))
    }

    /// Gives the token to the first station on its way that has a frame at `now`.
    fn pass(&mut self, now: Time) {
        let stations = self.waiting.iter().enumerate();
        let takes = stations.filter_map(|(station, queue)| {
            let takes = queue.front()?.takes;
            Some((self.taken(now, station), station, takes))
        });
        self.current = takes
            .min_by_key(|it| (it.0, it.1))
            .map(|(start, station, time)| Sending {
                station,
                taken: start,
                start,
                end: start.saturating_add(time),
            });
    }

    /// When the free token has come completely to a station for the first time from `now` on.
    fn taken(&self, now: Time, station: usize) -> Time {
        // All the way round to the station that has passed it on.
        let apart = match (station as u64 + self.stations - self.last as u64) % self.stations {
            0 => self.stations,
            apart => apart,
        };
        let token = self.rules.bits(TOKEN);
        let first = self.released.saturating_add(token + self.hop * apart);
        if first >= now {
            return first;
        }
        let rounds = (now - first).as_ps().div_ceil(self.latency().as_ps());
        first.saturating_add(self.latency() * rounds)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    /// A ring of three stations, whose latency is (24 + 3 bits) / 4 Mbit/s = 6.75 us: 2.25 us from station to station. The
    /// token takes 6 us.
    fn ring(holding_us: u64, early: bool) -> TokenRing<&'static str> {
        TokenRing::new(
            RingRules {
                rate: Rate::bps(4e6),
                idle_stations: 0,
                propagation: Span::ZERO,
                holding_time: Span::from_us(holding_us),
                early_release: early,
            },
            3,
        )
    }

    const FRAME: Span = Span::from_us(200);

    fn ns(ns: u64) -> Time {
        Time::from_ps(1_000 * ns)
    }

    /// The ends of all frames that wait, in ns, with what belongs to them.
    fn ends(ring: &mut TokenRing<&'static str>) -> Vec<(u64, &'static str)> {
        core::iter::from_fn(|| {
            let at = ring.deadline();
            let item = ring.finish(at)?;
            Some(((at - Time::ZERO).as_ps() / 1_000, item))
        })
        .collect()
    }

    #[test]
    fn an_idle_token_goes_round_and_is_taken_when_it_comes() {
        let mut ring = ring(8_900, true);
        // It leaves station 0 at 0 and comes to station 1 at 6 + 2.25 us, then every 6.75 us: 8.25, 15, 21.75 ...
        ring.push(ns(10_000), 1, FRAME, "a");
        assert_eq!(ring.deadline(), ns(15_000 + 200_000));
        assert_eq!(ring.next(), Some(&"a"));
        assert_eq!(ends(&mut ring), [(215_000, "a")]);
        // It left station 1 at 215 us and is at station 1 again 6 + 6.75 us later.
        ring.push(ns(215_000), 1, FRAME, "b");
        assert_eq!(ring.deadline(), ns(215_000 + 12_750 + 200_000));
    }

    #[test]
    fn a_token_that_arrives_with_the_frame_is_taken() {
        let mut ring = ring(8_900, true);
        ring.push(ns(15_000), 1, FRAME, "a");
        assert_eq!(ring.deadline(), ns(215_000));
    }

    #[test]
    fn stations_send_in_turn_whatever_the_order_of_their_frames() {
        let mut ring = ring(0, true);
        // The token comes to 1 at 8.25 us and to 2 at 10.5. While it is free, a frame of 1 still goes before that of 2.
        ring.push(ns(1_000), 2, FRAME, "c");
        assert_eq!(ring.deadline(), ns(210_500));
        ring.push(ns(2_000), 1, FRAME, "a");
        ring.push(ns(3_000), 1, FRAME, "b");
        ring.push(ns(4_000), 0, FRAME, "d");
        // From station to station the token takes 6 + 2.25 us.
        let expected = [
            (208_250, "a"),
            (416_500, "c"),
            (624_750, "d"),
            (833_000, "b"),
        ];
        assert_eq!(ends(&mut ring), expected);
    }

    #[test]
    fn a_station_sends_on_within_the_token_holding_time() {
        // Two frames of 200 us fit into 400 us, but not into 399.
        for (holding, order) in [(400, ["a", "b", "c"]), (399, ["a", "c", "b"])] {
            let mut ring = ring(holding, true);
            for (station, item) in [(1, "a"), (1, "b"), (2, "c")] {
                ring.push(ns(0), station, FRAME, item);
            }
            let items: Vec<_> = ends(&mut ring).into_iter().map(|it| it.1).collect();
            assert_eq!(items, order);
        }
    }

    #[test]
    fn without_early_release_the_token_waits_for_the_header_of_a_short_frame() {
        let long = Span::from_us(500);
        for (early, expected) in [(true, 0), (false, 1)] {
            let mut ring = ring(0, early);
            ring.rules.propagation = long;
            ring.hop = Span::from_ps((Span::from_ps(6_750_000) + long).as_ps() / 3);
            ring.push(ns(0), 1, FRAME, "a");
            let end = ring.deadline();
            let start = Time::from_ps((end - Time::ZERO).as_ps() - 200_000_000);
            ring.push(start, 2, FRAME, "b");
            assert_eq!(ring.finish(end), Some("a"));
            // The header of 15 octets takes 30 us, and comes back 506.75 us after it has left.
            let header = ring.latency() + Span::from_us(30);
            let released = [end, start + header][expected];
            let begins = released + Span::from_us(6) + ring.hop;
            assert_eq!(ring.deadline(), begins + Span::from_us(200), "{early}");
        }
    }

    #[test]
    fn a_frame_that_comes_as_the_token_leaves_waits_whichever_is_noticed_first() {
        for comes_first in [true, false] {
            let mut ring = ring(8_900, true);
            ring.push(ns(0), 1, FRAME, "a");
            let end = ring.deadline();
            if comes_first {
                ring.push(end, 1, FRAME, "b");
            }
            ring.finish(end);
            if !comes_first {
                ring.push(end, 1, FRAME, "b");
            }
            // The token takes 6 us and goes all the way round.
            assert_eq!(
                ring.deadline(),
                end + Span::from_ps(12_750_000) + Span::from_us(200)
            );
        }
    }

    #[test]
    fn idle_stations_make_the_ring_longer() {
        let rules = |idle_stations| RingRules {
            rate: Rate::bps(16e6),
            idle_stations,
            propagation: Span::from_us(10),
            holding_time: Span::from_us(8_900),
            early_release: true,
        };
        let latency = |idle| TokenRing::<()>::new(rules(idle), 2).latency();
        // (24 + 2) / 16 = 1.625 us and 10 us; with 98 more 6.125 us more.
        assert_eq!(latency(0), Span::from_ps(11_625_000));
        assert_eq!(latency(98), Span::from_ps(17_750_000));
    }
}
