//! Delivery rate: how fast the network delivers, measured on every acknowledgment.
//!
//! Each transmission takes a [`PacketState`] along: what was delivered when it left, and when. Its
//! acknowledgment then yields what was delivered in between, over the longer of two intervals, that of
//! the transmissions and that of the acknowledgments, so that neither a burst sent nor acknowledgments
//! that come in a clump make the network look faster than it is. Rates are of TCP payload, not of the
//! line.
//!
//! Source: draft-cheng-iccrg-delivery-rate-estimation; where one acknowledgment covers several segments
//! that left with the same count of delivered octets, the last sent of them gives the sample, as in Linux.
//!
//! ```
//! use celltrain_proto::tcp::delivery::DeliveryRate;
//! use celltrain_proto::units::{Rate, Span, Time};
//!
//! let mut delivery = DeliveryRate::default();
//! let packet = delivery.on_send(Time::ZERO, true);
//! let now = Time::ZERO + Span::from_ms(10);
//! delivery.on_packet_acked(now, 1_000, &packet);
//! let sample = delivery.take_sample(now).expect("a segment was acknowledged");
//! assert_eq!(sample.rate, Some(Rate::kbps(800))); // 8000 bit in 10 ms
//! ```

use crate::units::{Rate, Span, Time};

/// What a segment remembers of the moment of its last transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketState {
    sent: Time,
    delivered: u64,
    delivered_time: Time,
    first_sent: Time,
    is_app_limited: bool,
    is_retransmission: bool,
}

/// The delivery rate that one acknowledgment shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RateSample {
    /// Octets delivered since the newest segment acknowledged was sent.
    pub delivered: u64,
    /// The longer of the intervals in which they were sent and acknowledged.
    pub interval: Span,
    /// `delivered` over `interval`, in bit/s of TCP payload; none where the interval is shorter than any
    /// round trip, because then it was an earlier transmission that was acknowledged.
    pub rate: Option<Rate>,
    /// Round-trip time of the newest segment acknowledged; none if it was sent more than once.
    pub rtt: Option<Span>,
    /// Octets delivered in the connection when that segment was sent.
    pub prior_delivered: u64,
    /// Whether the application, not the network, may have set the rate.
    pub is_app_limited: bool,
    /// Octets that this acknowledgment is the first to acknowledge, cumulatively or selectively.
    pub newly_acked: u64,
}

impl RateSample {
    /// Octets delivered in the connection up to now.
    pub fn delivered_total(&self) -> u64 {
        self.prior_delivered + self.delivered
    }
}

/// What a connection counts in order to sample its delivery rate.
#[derive(Clone, Debug, Default)]
pub struct DeliveryRate {
    delivered: u64,
    delivered_time: Time,
    /// When the segment was sent whose acknowledgment is the newest.
    first_sent: Time,
    /// The count of delivered octets beyond which samples no longer show the application's pauses.
    app_limited_until: Option<u64>,
    min_rtt: Option<Span>,
    /// The newest segment of the acknowledgment at hand.
    newest: Option<PacketState>,
    newly_acked: u64,
}

impl DeliveryRate {
    /// Octets delivered in the connection: acknowledged, cumulatively or selectively.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// A segment of new data leaves; `inflight_is_zero` before it does. Keep the result with the segment.
    pub fn on_send(&mut self, now: Time, inflight_is_zero: bool) -> PacketState {
        if inflight_is_zero {
            self.first_sent = now;
            self.delivered_time = now;
        }
        PacketState {
            sent: now,
            delivered: self.delivered,
            delivered_time: self.delivered_time,
            first_sent: self.first_sent,
            is_app_limited: self.app_limited_until.is_some(),
            is_retransmission: false,
        }
    }

    /// As [`Self::on_send`], for a segment sent before; the result replaces what the segment kept.
    pub fn on_retransmit(&mut self, now: Time, inflight_is_zero: bool) -> PacketState {
        PacketState {
            is_retransmission: true,
            ..self.on_send(now, inflight_is_zero)
        }
    }

    /// A segment is acknowledged for the first time. Call it for each, in the order of the sequence numbers.
    pub fn on_packet_acked(&mut self, now: Time, octets: u64, packet: &PacketState) {
        self.delivered += octets;
        self.newly_acked += octets;
        self.delivered_time = now;
        if self.newest.is_none_or(|newest| packet.sent >= newest.sent) {
            self.newest = Some(*packet);
            self.first_sent = packet.sent;
        }
    }

    /// The sample of an acknowledgment, once all its segments are reported; none if it covers no new ones.
    pub fn take_sample(&mut self, now: Time) -> Option<RateSample> {
        if self
            .app_limited_until
            .is_some_and(|until| self.delivered > until)
        {
            self.app_limited_until = None;
        }
        let packet = self.newest.take()?;
        let rtt = (!packet.is_retransmission).then_some(now - packet.sent);
        if let Some(rtt) = rtt {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        }
        let delivered = self.delivered - packet.delivered;
        let interval = (packet.sent - packet.first_sent).max(now - packet.delivered_time);
        let is_plausible =
            interval > Span::ZERO && self.min_rtt.is_none_or(|min_rtt| interval >= min_rtt);
        Some(RateSample {
            delivered,
            interval,
            rate: is_plausible.then(|| Rate::bps(8.0 * delivered as f64 / interval.as_secs())),
            rtt,
            prior_delivered: packet.delivered,
            is_app_limited: packet.is_app_limited,
            newly_acked: core::mem::take(&mut self.newly_acked),
        })
    }

    /// The sender may send but has nothing to, with `inflight` octets on their way. What is sent until
    /// these are acknowledged shows the application's rate rather than the network's.
    pub fn on_app_limited(&mut self, inflight: u64) {
        self.app_limited_until = Some(self.delivered + inflight);
    }
}

#[cfg(test)]
mod tests;
