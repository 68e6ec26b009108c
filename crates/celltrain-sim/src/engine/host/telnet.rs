//! A user who types: short messages at random instants over a connection that stays open, each timed until its last octet
//! is acknowledged.

use std::collections::VecDeque;

use celltrain_proto::random::Stream;
use celltrain_proto::units::{Span, Time};

use crate::engine::host::law::Law;
use crate::measure::Responses;

/// The law of the gaps between messages: Pareto with exponent `shape` between two bounds.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Gaps {
    pub(in crate::engine) shape: f64,
    pub(in crate::engine) shortest: Span,
    pub(in crate::engine) longest: Span,
}

impl Gaps {
    fn draw(self, stream: &mut Stream) -> Span {
        let [least, most] = [self.shortest, self.longest].map(Span::as_secs);
        let gap = Span::from_secs_f64(stream.pareto(self.shape, least, most));
        // Rounding must not lead beyond the bounds.
        gap.clamp(self.shortest, self.longest)
    }
}

/// A user who types between two instants.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Telnet {
    size: Law,
    gaps: Gaps,
    /// Of the lengths and of the gaps. They are separate, so that the instants do not depend on the lengths.
    streams: [Stream; 2],
    /// When it opens the connection or types the next message.
    next: Time,
    stop: Time,
    is_open: bool,
    /// Octets typed so far, and those of them that the send buffer has not taken yet.
    typed: u64,
    left: u64,
    /// The messages that are not acknowledged, in order: the octet after each and when it was typed.
    waiting: VecDeque<(u64, Time)>,
    responses: Responses,
}

impl Telnet {
    /// Opens its connection at `start` and types the first message a gap later, the last before `stop`.
    pub(in crate::engine) fn new(
        size: Law,
        gaps: Gaps,
        streams: [Stream; 2],
        [start, stop]: [Time; 2],
    ) -> Self {
        Self {
            size,
            gaps,
            streams,
            next: start,
            stop,
            is_open: false,
            typed: 0,
            left: 0,
            waiting: VecDeque::new(),
            responses: Responses::default(),
        }
    }

    /// When it acts next.
    pub(super) fn deadline(&self) -> Time {
        if self.is_open {
            self.next.min(self.stop)
        } else {
            self.next
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether the time in which it types is over.
    pub(super) fn is_over(&self, now: Time) -> bool {
        self.is_open && self.stop <= now
    }

    /// Opens the connection, or types the message that is due.
    pub(super) fn act(&mut self, now: Time) {
        let [sizes, gaps] = &mut self.streams;
        if std::mem::replace(&mut self.is_open, true) {
            let size = self.size.draw(sizes).max(1.0) as u64;
            self.typed += size;
            self.left += size;
            self.waiting.push_back((self.typed, now));
            self.responses.typed += 1;
        }
        self.next = now.saturating_add(self.gaps.draw(gaps));
    }

    /// Types no more.
    pub(super) fn end(&mut self) {
        (self.is_open, self.next) = (false, Time::NEVER);
    }

    /// Octets that the send buffer has not taken yet.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    pub(super) fn take(&mut self, octets: u64) {
        self.left -= octets;
    }

    /// Notes that all octets before `octet` are acknowledged.
    pub(super) fn on_acknowledged(&mut self, now: Time, octet: u64) {
        while let Some(&(end, typed)) = self.waiting.front()
            && end <= octet
        {
            self.waiting.pop_front();
            self.responses.add(now - typed);
        }
    }

    /// The responses so far; restarts the search for the longest.
    pub(in crate::engine) fn take_responses(&mut self) -> Responses {
        let responses = self.responses;
        self.responses.longest = Span::ZERO;
        responses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A user who types three octets every second from 5 s until 9 s.
    fn user() -> Telnet {
        let gaps = Gaps {
            shape: 1.0,
            shortest: Span::from_secs(1),
            longest: Span::from_secs(1),
        };
        let streams = ["sizes", "messages"].map(|name| Stream::named(1, name));
        Telnet::new(Law::Fixed(3.0), gaps, streams, [at(5), at(9)])
    }

    fn at(seconds: u64) -> Time {
        Time::ZERO + Span::from_secs(seconds)
    }

    #[test]
    fn the_first_message_comes_a_gap_after_the_start_and_the_last_before_the_stop() {
        let mut user = user();
        let mut instants = Vec::new();
        while !user.is_over(user.deadline()) {
            instants.push(user.deadline());
            user.act(user.deadline());
        }
        assert_eq!(instants, [5, 6, 7, 8].map(at));
        assert_eq!((user.left(), user.take_responses().typed), (9, 3));
        user.end();
        assert_eq!(user.deadline(), Time::NEVER);
    }

    #[test]
    fn an_acknowledgment_answers_each_message_that_it_covers_entirely() {
        let mut user = user();
        (5..=8).for_each(|second| user.act(at(second)));
        // Messages end after octets 3, 6 and 9, and were typed at 6 s, 7 s and 8 s.
        user.on_acknowledged(at(10), 8);
        let first = user.take_responses();
        assert_eq!((first.answered, first.sum_ps), (2, 7_000_000_000_000));
        assert_eq!(first.longest, Span::from_secs(4));
        user.on_acknowledged(at(11), 9);
        let second = user.take_responses();
        assert_eq!((second.answered, second.sum_ps), (3, 10_000_000_000_000));
        assert_eq!(second.longest, Span::from_secs(3), "since the last reading");
    }

    #[test]
    fn gaps_stay_within_their_bounds() {
        let gaps = Gaps {
            shape: 0.9,
            shortest: Span::from_ms(120),
            longest: Span::from_secs(120),
        };
        let mut stream = Stream::named(3, "messages");
        let drawn: Vec<Span> = (0..10_000).map(|_| gaps.draw(&mut stream)).collect();
        assert!(
            drawn
                .iter()
                .all(|gap| (gaps.shortest..=gaps.longest).contains(gap))
        );
        // 0.12^0.9 = 0.148 exceed a second in the law without an upper bound: (0.148 - 0.002) / 0.998 with it.
        let long = drawn
            .iter()
            .filter(|gap| **gap > Span::from_secs(1))
            .count();
        assert!((1_300..=1_640).contains(&long), "{long}");
    }
}
