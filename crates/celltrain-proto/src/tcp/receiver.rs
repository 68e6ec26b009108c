//! The receiving end: reassembly, and when to acknowledge.
//!
//! The application reads at once, so the window offered is constant. Not modelled: acknowledgments
//! that travel with data of the other direction.
//!
//! Source: 4.3BSD-Reno `tcp_input.c`, `tcp_output.c`, `tcp_fasttimo`; RFC 1122 4.2.3.2.

use alloc::vec::Vec;

use super::{SackBlocks, Segment, TickClock, reassembly::Reassembly};
use crate::units::Time;

/// When in-order data are acknowledged while nothing is held. Data out of order, data that fill a hole
/// and repeated data are acknowledged at once under every policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AckPolicy {
    /// Every segment at once.
    EachSegment,
    /// At once when two full segments are unacknowledged, otherwise at the next tick of the fast timer.
    EverySecondSegment,
    /// At once when the window would move by two full segments or by half of itself, otherwise at the
    /// next tick of the fast timer. Differs from [`AckPolicy::EverySecondSegment`] only for windows of
    /// less than four segments.
    #[default]
    Bsd,
}

/// Options of a [`Receiver`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReceiverConfig {
    /// Octets of data in a full segment.
    pub mss: u32,
    /// Octets offered to the sender, constant.
    pub window: u32,
    /// When data are acknowledged.
    pub ack: AckPolicy,
    /// Whether acknowledgments tell of data beyond a hole (RFC 2018).
    pub sack: bool,
    /// The timer of delayed acknowledgments; BSD has 200 ms.
    pub fast_timer: TickClock,
}

impl ReceiverConfig {
    /// A receiver as BSD has it.
    pub fn new(mss: u32, window: u32, fast_timer: TickClock) -> Self {
        Self {
            mss,
            window,
            ack: AckPolicy::Bsd,
            sack: false,
            fast_timer,
        }
    }
}

/// What a receiver has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReceiverStats {
    /// Segments with data.
    pub segments: u64,
    /// Segments that brought nothing new: all delivered or held before.
    pub duplicates: u64,
    /// Segments with new data beyond a hole.
    pub out_of_order: u64,
    /// Segments wholly beyond the window offered, dropped.
    pub beyond_window: u64,
    /// Acknowledgments sent.
    pub acks_sent: u64,
}

/// The receiving end of one direction of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    rcv_nxt: u64,
    /// `rcv_nxt` in the last acknowledgment.
    acknowledged: u64,
    held: Reassembly,
    /// An octet of each range held, the range that received data last first.
    recent: Vec<u64>,
    /// The fast-timer tick at which a delayed acknowledgment leaves.
    delayed: Option<u64>,
    ack_now: bool,
    stats: ReceiverStats,
}

impl Receiver {
    /// A receiver that has received nothing.
    pub fn new(config: ReceiverConfig) -> Self {
        Self {
            config,
            rcv_nxt: 0,
            acknowledged: 0,
            held: Reassembly::default(),
            recent: Vec::new(),
            delayed: None,
            ack_now: false,
            stats: ReceiverStats::default(),
        }
    }

    /// A segment arrives. Segments without data need no answer.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.on_timer(now);
        if segment.len == 0 {
            return;
        }
        self.stats.segments += 1;
        let window_end = self.rcv_nxt + u64::from(self.config.window);
        let start = segment.seq.max(self.rcv_nxt);
        let end = segment.end().min(window_end);
        if segment.end() <= self.rcv_nxt {
            self.stats.duplicates += 1;
            self.ack_now = true;
        } else if start >= end {
            self.stats.beyond_window += 1;
            self.ack_now = true;
        } else if start > self.rcv_nxt {
            if self.held.insert(start, end) {
                self.stats.out_of_order += 1;
            } else {
                self.stats.duplicates += 1;
            }
            self.remember(start);
            self.ack_now = true;
        } else if self.held.is_empty() {
            self.rcv_nxt = end;
            self.acknowledge_in_order(now);
        } else {
            self.rcv_nxt = self.held.release(end);
            self.recent.retain(|&at| at >= self.rcv_nxt);
            self.ack_now = true;
        }
    }

    /// The range that holds octet `at` received data just now.
    fn remember(&mut self, at: u64) {
        if let Some((start, end)) = self.held.range_at(at).filter(|_| self.config.sack) {
            self.recent.retain(|&other| other < start || end <= other);
            self.recent.insert(0, at);
        }
    }

    /// The ranges held, the one that received data last first (RFC 2018 4).
    fn sack_blocks(&self) -> SackBlocks {
        let ranges = self.recent.iter().filter_map(|&at| self.held.range_at(at));
        SackBlocks::new(self.rcv_nxt, ranges)
    }

    fn acknowledge_in_order(&mut self, now: Time) {
        let unacknowledged = self.rcv_nxt - self.acknowledged;
        let two_segments = unacknowledged >= 2 * u64::from(self.config.mss);
        let at_once = match self.config.ack {
            AckPolicy::EachSegment => true,
            AckPolicy::EverySecondSegment => two_segments,
            AckPolicy::Bsd => two_segments || 2 * unacknowledged >= u64::from(self.config.window),
        };
        if at_once {
            self.ack_now = true;
        } else if self.delayed.is_none() {
            self.delayed = Some(self.config.fast_timer.ticks_at(now) + 1);
        }
    }

    /// Time has come to `now`; does nothing before [`Receiver::next_timeout`].
    pub fn on_timer(&mut self, now: Time) {
        let ticks = self.config.fast_timer.ticks_at(now);
        if self.delayed.is_some_and(|tick| tick <= ticks) {
            self.delayed = None;
            self.ack_now = true;
        }
    }

    /// The acknowledgment to send now. Drain it after each call of `on_segment` and `on_timer`, else two
    /// acknowledgments become one.
    #[must_use]
    pub fn poll_transmit(&mut self, _now: Time) -> Option<Segment> {
        if !self.ack_now {
            return None;
        }
        self.ack_now = false;
        self.delayed = None;
        self.acknowledged = self.rcv_nxt;
        self.stats.acks_sent += 1;
        Some(Segment {
            seq: 0,
            len: 0,
            ack: self.rcv_nxt,
            window: self.config.window,
            sack: self.sack_blocks(),
        })
    }

    /// When [`Receiver::on_timer`] is due: the fast-timer tick of a delayed acknowledgment. May change
    /// after each call of `on_segment`, `on_timer` and `poll_transmit`.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Time> {
        self.delayed
            .map(|tick| self.config.fast_timer.time_of(tick))
    }

    /// Octets delivered to the application, in order and each once.
    pub fn delivered(&self) -> u64 {
        self.rcv_nxt
    }

    /// What was counted since the start.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }
}

#[cfg(test)]
mod tests;
