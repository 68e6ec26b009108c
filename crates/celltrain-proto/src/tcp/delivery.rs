//! Delivery rate: how fast the network delivers data, measured at each acknowledgment.
//!
//! Each transmission carries a [`PacketState`]: what had been delivered when it was sent, and when. Its acknowledgment
//! then yields what was delivered in between, over the longer of the send and the acknowledgment interval, so that
//! neither a burst of transmissions nor a burst of acknowledgments makes the network look faster than it is. Rates are
//! of TCP payload, not of the line.
//!
//! Source: draft-cheng-iccrg-delivery-rate-estimation; where one acknowledgment covers several segments sent at the
//! same count of delivered octets, the last one sent gives the sample, as in Linux.
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

/// The state recorded with a segment at its last transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketState {
    sent: Time,
    delivered: u64,
    delivered_time: Time,
    first_sent: Time,
    is_app_limited: bool,
    is_retransmission: bool,
}

/// The delivery rate sampled by one acknowledgment.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RateSample {
    /// Octets delivered since the newest acknowledged segment was sent.
    pub delivered: u64,
    /// The longer of the send and the acknowledgment interval.
    pub interval: Span,
    /// `delivered` over `interval`, in bit/s of TCP payload; `None` if the interval is shorter than any round trip,
    /// because then an earlier transmission was acknowledged.
    pub rate: Option<Rate>,
    /// Round-trip time of the newest acknowledged segment; `None` if it was retransmitted.
    pub rtt: Option<Span>,
    /// Octets delivered in the connection when that segment was sent.
    pub prior_delivered: u64,
    /// Whether the rate may have been limited by the application instead of the network.
    pub is_app_limited: bool,
    /// Octets newly acknowledged by this acknowledgment, cumulatively or selectively.
    pub newly_acked: u64,
}

impl RateSample {
    /// Octets delivered in the connection so far.
    pub fn delivered_total(&self) -> u64 {
        self.prior_delivered + self.delivered
    }
}

/// A connection's counters for sampling its delivery rate.
#[derive(Clone, Debug, Default)]
pub struct DeliveryRate {
    delivered: u64,
    delivered_time: Time,
    /// When the newest acknowledged segment was sent.
    first_sent: Time,
    /// The count of delivered octets after which samples are no longer application-limited.
    app_limited_until: Option<u64>,
    min_rtt: Option<Span>,
    /// The newest segment of the current acknowledgment.
    newest: Option<PacketState>,
    newly_acked: u64,
}

impl DeliveryRate {
    /// Octets delivered in the connection, that is, acknowledged cumulatively or selectively.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// A segment of new data is sent; `inflight_is_zero` refers to the state before. Store the result with the segment.
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

    /// As [`Self::on_send`], for a retransmission; the result replaces the stored state.
    pub fn on_retransmit(&mut self, now: Time, inflight_is_zero: bool) -> PacketState {
        PacketState {
            is_retransmission: true,
            ..self.on_send(now, inflight_is_zero)
        }
    }

    /// A segment is acknowledged for the first time. Call for each, in sequence order.
    pub fn on_packet_acked(&mut self, now: Time, octets: u64, packet: &PacketState) {
        self.delivered += octets;
        self.newly_acked += octets;
        self.delivered_time = now;
        if self.newest.is_none_or(|newest| packet.sent >= newest.sent) {
            self.newest = Some(*packet);
            self.first_sent = packet.sent;
        }
    }

    /// The sample of an acknowledgment, after all its segments are reported; `None` if it covers no new ones.
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

    /// The sender may send but has no data, with `inflight` octets in flight. What is sent until these are acknowledged
    /// shows the application's rate instead of the network's.
    pub fn on_app_limited(&mut self, inflight: u64) {
        self.app_limited_until = Some(self.delivered + inflight);
    }
}

#[cfg(test)]
mod tests;
