//! The receiving end: reassembly, and when to acknowledge.
//!
//! For acknowledgments that travel with data of the other direction, see [`End`](super::End).
//!
//! Source: 4.3BSD-Reno `tcp_input.c`, `tcp_output.c`, `tcp_fasttimo`; RFC 1122 4.2.3.2.

mod beyond_hole;
mod compressed;
mod config;
mod connection;
mod exact_marks;
mod growth;
mod quick;
mod reset;
mod ride;
mod ticks;
mod window;

pub use config::{
    AckPolicy, CloseMode, ReadMode, ReceiverConfig, ReceiverStats, WhenClosed, WindowUpdate,
};

use alloc::vec::Vec;

use super::control_timer::ControlTimer;
use super::opening::Agreed;
use super::rto::RtoEstimator;
use super::{Flags, SackBlocks, Segment, State, Timestamps, reassembly::Reassembly};
use crate::units::Time;
use compressed::Compressed;
use growth::Growth;
use quick::QuickAcks;
use ticks::Timeout;

/// The receiving end of one direction of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    rcv_nxt: u64,
    /// `rcv_nxt` in the last acknowledgment.
    acknowledged: u64,
    /// The highest right edge of the window offered so far.
    rcv_adv: u64,
    /// The next octet that the application will read.
    read: u64,
    held: Reassembly,
    /// An octet of each range held, starting with the range that received data last.
    recent: Vec<u64>,
    /// Data that arrived twice and are not reported yet.
    duplicate: Option<(u64, u64)>,
    /// When a delayed acknowledgment is sent: a tick of the fast timer, or the expiry of its own timer.
    delayed: Option<Time>,
    /// If acknowledgments are sent at ticks: how long to wait for a second segment.
    timeout: Timeout,
    ack_now: bool,
    quick: QuickAcks,
    compressed: Compressed,
    /// Only with quick acknowledgments.
    growth: Option<Growth>,
    stats: ReceiverStats,
    state: State,
    /// The time limit of the opening.
    deadline: Option<Time>,
    /// Retransmits the SYN or the FIN.
    control: ControlTimer,
    agreed: Agreed,
    /// The sequence number of the peer's FIN.
    fin: Option<u64>,
    /// The application has closed.
    app_closed: bool,
    /// The peer's latest timestamp, to be echoed.
    ts_recent: Option<u32>,
    /// Marked data were received, and the peer has not confirmed that it knows (CWR).
    echoes_congestion: bool,
    /// The acknowledgment, and its echo, of data that arrived before the last change of marks.
    before_change: Option<(u64, bool)>,
    /// The sequence and acknowledgment number of the reset to send.
    refused: (u64, u64),
}

impl Receiver {
    /// The octets of memory that data beyond holes take.
    pub fn octets_held(&self) -> u64 {
        self.held.octets()
    }

    /// Creates a receiver that has received nothing. A SYN opens the connection; without one it is established from the
    /// start.
    pub fn new(config: ReceiverConfig) -> Self {
        let rtt = RtoEstimator::new(config.rto_timer, &config.rto, config.slow_timer);
        Self {
            rcv_nxt: 0,
            acknowledged: 0,
            rcv_adv: config.window.into(),
            read: 0,
            held: Reassembly::default(),
            recent: Vec::new(),
            duplicate: None,
            delayed: None,
            timeout: Timeout::default(),
            ack_now: false,
            quick: QuickAcks::new(&config),
            compressed: Compressed::default(),
            growth: config.quick_acks.then(|| Growth::new(&config)),
            stats: ReceiverStats::default(),
            state: State::Established,
            deadline: None,
            control: ControlTimer::new(rtt),
            agreed: Agreed::from_start(config.timestamps, config.ecn),
            fin: None,
            app_closed: false,
            ts_recent: None,
            echoes_congestion: false,
            before_change: None,
            refused: (0, 0),
            config,
        }
    }

    /// Creates a receiver to which no connection can be opened.
    pub fn closed(config: ReceiverConfig) -> Self {
        Self {
            state: State::Closed,
            ..Self::new(config)
        }
    }

    /// A segment arrives. Segments without data need no answer, except a SYN or a FIN.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.on_timer(now);
        if self.state == State::Closed {
            self.refuse(segment);
            return;
        }
        if segment.flags.has_any(Flags::SYN | Flags::RST) {
            if segment.flags.has(Flags::RST) {
                self.on_reset();
            } else {
                self.on_syn(now, segment);
            }
            return;
        }
        self.on_acknowledgment(now, segment);
        let has_fin = segment.flags.has(Flags::FIN);
        self.note_options(segment);
        if segment.len == 0 && !has_fin {
            return;
        }
        let window_end = self.window_end();
        if segment.len > 0 {
            self.on_data(now, segment, window_end);
        }
        if has_fin {
            self.ack_now = true;
            if segment.end() <= window_end {
                self.fin = Some(segment.end());
            }
        }
        if self.config.application == ReadMode::AtOnce {
            self.read = self.rcv_nxt;
        }
        self.close_if_done();
    }

    fn on_data(&mut self, now: Time, segment: &Segment, window_end: u64) {
        self.stats.segments += 1;
        self.quick.on_data(now, self.control.rtt.rto());
        self.note_growth(now, segment);
        let start = segment.seq.max(self.rcv_nxt);
        let end = segment.end().min(window_end);
        self.note_duplicate(segment, end);
        if segment.end() <= self.rcv_nxt {
            self.stats.duplicates += 1;
            self.quick.on_useless_data();
            self.ack_now = true;
        } else if start >= end {
            self.stats.beyond_window += 1;
            self.quick.on_useless_data();
            self.ack_now = true;
        } else if start > self.rcv_nxt {
            if self.held.insert(start, end) {
                self.stats.out_of_order += 1;
            } else {
                self.stats.duplicates += 1;
            }
            self.remember(start);
            self.acknowledge_beyond_hole(now);
        } else if self.held.is_empty() {
            self.rcv_nxt = end;
            self.acknowledge_in_order(now, segment.flags.has(Flags::PSH));
        } else {
            self.rcv_nxt = self.held.release(end);
            self.recent.retain(|&at| at >= self.rcv_nxt);
            self.ack_now = true;
        }
    }

    /// A segment with data arrives: where it lets the window grow, it is acknowledged at once.
    fn note_growth(&mut self, now: Time, segment: &Segment) {
        let Some(growth) = &mut self.growth else {
            return;
        };
        let is_full = segment.len >= self.config.mss;
        if let Some(timestamp) = segment.timestamp.filter(|_| is_full)
            && let Some(rtt) = self.control.rtt.age(timestamp.echo, now)
        {
            growth.measure(timestamp.echo, rtt);
        }
        if growth.on_data(now, segment.len.into(), self.read) {
            self.quick.on_growth();
        }
    }

    /// A segment arrives, of which the window holds all up to `end`: the first part of it that arrived before will be
    /// reported, whether acknowledged already or held beyond a hole (RFC 2883 4.1, 4.2).
    fn note_duplicate(&mut self, segment: &Segment, end: u64) {
        if !self.config.dsack || !self.config.sack {
            return;
        }
        let old_end = segment.end().min(self.rcv_nxt);
        let part = if segment.seq < old_end {
            Some((segment.seq, old_end))
        } else {
            self.held.first_held(segment.seq, end)
        };
        self.duplicate = part.or(self.duplicate);
    }

    /// The range that holds octet `at` has just received data.
    fn remember(&mut self, at: u64) {
        if let Some((start, end)) = self.held.range_at(at).filter(|_| self.config.sack) {
            self.recent.retain(|&other| other < start || end <= other);
            self.recent.insert(0, at);
        }
    }

    /// The ranges held, starting with the one that received data last (RFC 2018 4), after a duplicate if any (RFC 2883
    /// 4); three blocks next to timestamps.
    fn sack_blocks(&mut self) -> SackBlocks {
        let ranges = self.recent.iter().filter_map(|&at| self.held.range_at(at));
        let room = SackBlocks::MAX - usize::from(self.agreed.timestamps);
        let blocks = self.duplicate.take().into_iter().chain(ranges);
        SackBlocks::new(self.rcv_nxt, blocks.take(room))
    }

    fn acknowledge_in_order(&mut self, now: Time, is_pushed: bool) {
        let unacknowledged = self.rcv_nxt - self.acknowledged;
        let two_segments = unacknowledged >= 2 * u64::from(self.config.mss);
        if self.config.ack == AckPolicy::AtTicks {
            let clock = self.config.fast_timer;
            let due = clock.time_of(self.timeout.due(clock.ticks_at(now), two_segments));
            self.delayed = Some(self.delayed.map_or(due, |timer| timer.min(due)));
            return;
        }
        let reads_at_once = self.config.application == ReadMode::AtOnce;
        let at_once = match self.config.ack {
            _ if self.quick.is_left() => true,
            // No more is on its way (Linux `tcp_cleanup_rbuf`).
            _ if is_pushed && self.quick.hears_pushes() && reads_at_once => true,
            AckPolicy::EachSegment => true,
            AckPolicy::AtTicks => false,
            AckPolicy::EverySecondSegment => two_segments,
            // Data that a slow application reads are acknowledged when it reads.
            AckPolicy::Bsd if self.config.application == ReadMode::Manual => false,
            AckPolicy::Bsd => {
                self.read = self.rcv_nxt;
                self.is_window_update_due()
            }
        };
        if at_once {
            self.ack_now = true;
        } else if self.delayed.is_none() {
            let clock = self.config.fast_timer;
            self.delayed = Some(match self.config.ack_delay {
                Some(delay) => now.saturating_add(delay),
                None => clock.time_of(clock.ticks_at(now) + 1),
            });
        }
    }

    /// Processes the options and the IP header of a segment; one without data also carries a timestamp (RFC 7323 4.3).
    fn note_options(&mut self, segment: &Segment) {
        if let Some(timestamp) = segment.timestamp {
            // A delayed acknowledgment echoes the first segment that it acknowledges (RFC 7323 4.3).
            let newer = |recent| timestamp.value.wrapping_sub(recent) < 1 << 31;
            if self.ts_recent.is_none_or(newer) && segment.seq <= self.acknowledged {
                self.ts_recent = Some(timestamp.value);
            }
        }
        if self.agreed.ecn && self.config.echoes_exactly {
            self.note_mark(segment);
        } else if self.agreed.ecn {
            let goes_on = self.echoes_congestion && !segment.flags.has(Flags::CWR);
            if segment.congestion_experienced && !goes_on {
                self.quick.on_mark();
            }
            self.echoes_congestion = goes_on || segment.congestion_experienced;
        }
    }

    /// Advances to `now`; does nothing before [`Receiver::next_timeout`].
    pub fn on_timer(&mut self, now: Time) {
        self.on_control_timer(now);
        if self.delayed.is_some_and(|due| due <= now) {
            self.delayed = None;
            self.ack_now = true;
        }
    }

    /// The segment to send now: an acknowledgment, or this end's SYN or FIN. Drain it after each call that takes `now`,
    /// or two acknowledgments become one.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if self.control.due && matches!(self.state, State::SynReceived | State::Closed) {
            return Some(match self.state {
                State::Closed => self.reset(),
                _ => self.syn(now),
            });
        }
        if let Some((ack, echo)) = self.before_change.take() {
            return Some(self.acknowledge_before_change(now, ack, echo));
        }
        let fin = self.control.due && !self.ack_now;
        if !self.ack_now && !fin {
            return None;
        }
        self.ack_now = false;
        self.delayed = None;
        self.acknowledged = self.rcv_nxt;
        self.stats.acks_sent += u64::from(!fin);
        self.quick.on_ack_sent();
        self.compressed.on_ack_sent();
        if fin {
            self.control.on_sent(now);
        }
        Some(Segment {
            seq: self.next_seq(fin),
            ack: self.rcv_nxt + u64::from(self.has_all()),
            window: self.offer() as u32,
            sack: self.sack_blocks(),
            flags: Flags::FIN.only_if(fin) | Flags::ECE.only_if(self.echoes_congestion),
            timestamp: self.timestamp(now),
            ..Segment::default()
        })
    }

    pub(super) fn timestamp(&self, now: Time) -> Option<Timestamps> {
        self.agreed.timestamps.then(|| Timestamps {
            value: self.control.rtt.timestamp(now),
            echo: self.ts_recent.unwrap_or(0),
        })
    }

    /// When [`Receiver::on_timer`] is due: for a delayed acknowledgment, or a timer of opening and closing. May change
    /// after each call that takes `now`.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Time> {
        let timers = [self.delayed, self.control.next_timeout(), self.deadline];
        timers.into_iter().flatten().min()
    }

    /// The next octet expected, after a FIN if there was one: the number it acknowledges.
    pub fn rcv_nxt(&self) -> u64 {
        self.rcv_nxt + u64::from(self.has_all())
    }

    /// Octets delivered to the application, in order and exactly once.
    pub fn delivered(&self) -> u64 {
        self.read
    }

    /// Counts since the start.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_window;
