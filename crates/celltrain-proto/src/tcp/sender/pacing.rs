//! Pacing and delivery-rate measurement, for model-based congestion control.
//!
//! Source: draft-cheng-iccrg-delivery-rate-estimation; draft-cardwell-iccrg-bbr-congestion-control-00 4.2.

use alloc::collections::VecDeque;

use super::Sender;
use crate::tcp::State;
use crate::tcp::delivery::{DeliveryRate, PacketState};
use crate::tcp::sack::Scoreboard;
use crate::tcp::variant::{CongestionControl, Delivery};
use crate::units::{Rate, Time};

/// Segments of the first window of a connection.
const FIRST_SEGMENTS: u64 = 10;

/// A segment in flight, with the boundaries of its first transmission.
#[derive(Clone, Copy, Debug)]
struct OnTheWay {
    start: u64,
    end: u64,
    packet: PacketState,
    is_delivered: bool,
}

/// The delivery state, and the time before which nothing may be sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Pacing {
    delivery: DeliveryRate,
    segments: VecDeque<OnTheWay>,
    next_send: Time,
    /// The start of the last burst, and its octets.
    burst: (Time, u64),
    /// Octets below this were found lost and have been counted.
    lost_below: u64,
}

impl Pacing {
    /// `start..end` is sent at `now`, and occupies the line for a while at `rate`.
    fn on_sent(&mut self, now: Time, start: u64, end: u64, inflight: u64, rate: Rate) {
        let is_idle = inflight == 0;
        let known = self.segments.back().map_or(0, |last| last.end);
        if start < known {
            let packet = self.delivery.on_retransmit(now, is_idle);
            let resent = |it: &&mut OnTheWay| it.start < end && it.end > start && !it.is_delivered;
            for segment in self.segments.iter_mut().filter(resent) {
                segment.packet = packet;
            }
        }
        if end > known {
            let packet = self.delivery.on_send(now, is_idle);
            self.segments.push_back(OnTheWay {
                start: start.max(known),
                end,
                packet,
                is_delivered: false,
            });
        }
        if self.next_send <= now {
            self.burst = (now, 0);
        }
        self.burst.1 += end - start;
        let span = rate.span_of_bits(8.0 * (end - start) as f64);
        self.next_send = self.next_send.max(now).saturating_add(span);
    }

    /// Everything below `snd_una`, and what `holds` reports, is delivered.
    fn on_delivered(&mut self, now: Time, snd_una: u64, holds: impl Fn(u64, u64) -> bool) {
        for segment in &mut self.segments {
            let arrived = segment.end <= snd_una || holds(segment.start, segment.end);
            if arrived && !segment.is_delivered {
                segment.is_delivered = true;
                let octets = segment.end - segment.start;
                self.delivery.on_packet_acked(now, octets, &segment.packet);
            }
        }
        while self.segments.front().is_some_and(|it| it.end <= snd_una) {
            self.segments.pop_front();
        }
    }
}

impl Sender {
    /// The time before which pacing holds back due segments; `None` if nothing is due or the sender does not pace. Poll
    /// again then.
    #[must_use]
    pub fn next_transmit(&self) -> Option<Time> {
        let pacing = self.pacing.as_ref()?;
        let is_open = matches!(self.state, State::Established | State::FinWait1);
        (is_open && self.is_output_due()).then_some(pacing.next_send)
    }

    /// Whether pacing holds everything back at `now`.
    pub(super) fn is_paced(&self, now: Time) -> bool {
        self.pacing.as_ref().is_some_and(|pacing| {
            let (start, octets) = pacing.burst;
            let continues = start == now && octets < self.control.pacing_quantum();
            pacing.next_send > now && !continues
        })
    }

    /// A segment is sent.
    pub(super) fn pace(&mut self, now: Time, start: u64, end: u64) {
        if let Some(pacing) = &mut self.pacing {
            let inflight = self.snd_max - self.snd_una;
            // What leaves in quanta leaves at once as long as the first window is not sent (Linux).
            let is_first =
                self.control.pacing_quantum() > 0 && self.stats.data_segments_sent < FIRST_SEGMENTS;
            let rate = self.control.pacing_rate().filter(|_| !is_first);
            let rate = rate.unwrap_or(Rate::bps(f64::MAX));
            pacing.on_sent(now, start, end, inflight, rate);
        }
    }

    /// The window has room but no data are available.
    pub(super) fn note_app_limit(&mut self) {
        let inflight = self.pipe();
        let room = self.window() > inflight;
        let has_no_data = self.buffered_end() <= self.snd_nxt;
        if let Some(pacing) = self.pacing.as_mut().filter(|_| room && has_no_data) {
            pacing.delivery.on_app_limited(inflight);
        }
    }

    /// Reports to congestion control what a processed acknowledgment reveals about the network.
    pub(super) fn report_delivery(&mut self, now: Time) {
        let Some(pacing) = &mut self.pacing else {
            return;
        };
        let board = self.sack.as_ref().map(|sack| &sack.board);
        let by_time = self.modern.as_mut().filter(|modern| modern.rack.is_some());
        pacing.on_delivered(now, self.snd_una, |start, end| {
            board.is_some_and(|board| board.hole(start).0 >= end)
        });
        let lost_below = board.map_or(0, Scoreboard::lost_below);
        let by_number = lost_below.saturating_sub(pacing.lost_below.max(self.snd_una));
        pacing.lost_below = pacing.lost_below.max(lost_below);
        let sample = pacing.delivery.take_sample(now);
        if let Some(sample) = sample {
            let lost = by_time.map_or(by_number, |it| core::mem::take(&mut it.lost));
            let next_send = pacing.next_send;
            let inflight = self.pipe();
            self.control.on_delivery(&Delivery {
                now,
                sample,
                lost,
                inflight,
                next_send,
            });
            if self.control.limits_inflight()
                && let Some(pacing) = &mut self.pacing
            {
                pacing.delivery.on_app_limited(inflight);
            }
        }
    }
}
