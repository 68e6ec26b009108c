//! Token ring (IEEE 802.5) with LLC and SNAP (RFC 1042): frames of all stations share the ring, one at a time, and the token
//! goes round them in turn.
//!
//! A frame has starting delimiter, access control and frame control 1 octet each, destination and source 6 each, LLC and
//! SNAP 8, the packet, FCS 4, ending delimiter and frame status 1 each. It has no pad, no routing field and no gap.
//!
//! [`TokenRing`](super::TokenRing) has the rules by which the token goes round. Source routing is left out.

use super::framing::Framing;
use super::ieee_802_3::LLC_SNAP;
use super::ring::RingRules;
use crate::parameters::Bounds;
use crate::units::{Rate, Span};

/// Delimiters, access control, frame control, addresses, FCS and frame status.
const AROUND: u64 = 21;

choice! {
    /// The rate of a token ring.
    pub enum RingRate {
        /// 4 Mbit/s.
        #[cfg_attr(feature = "scenario", serde(rename = "4 Mbit/s"))]
        Mbps4,
        /// 16 Mbit/s.
        #[default]
        #[cfg_attr(feature = "scenario", serde(rename = "16 Mbit/s"))]
        Mbps16,
    }
}

parameters! {
    /// The parameters of a token ring.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct TokenRingParameters {
        /// Rate.
        pub rate: RingRate;
        /// Further stations, which send nothing and hold one bit each. The hosts of the group and their router are always
        /// there.
        pub idle_stations: u32 = 0, in Bounds::at_most(1_000);
        /// Propagation once around the ring.
        pub propagation: Span = Span::ZERO, in Bounds::at_most(Span::from_ms(10));
        /// Token holding time: a further frame must end within it after the token was taken.
        pub holding_time: Span = Span::from_us(8_900), in Bounds::at_most(Span::from_secs(1));
        /// Whether the token is released with the end of a frame, before its header has returned. Default: at 16 Mbit/s.
        pub early_release: Option<bool>;
    }
}

impl Framing for TokenRingParameters {
    // RFC 1191 7.1.
    fn mtu(&self) -> u32 {
        match self.rate {
            RingRate::Mbps4 => 4_464,
            RingRate::Mbps16 => 17_914,
        }
    }

    fn frame(octets: u64) -> u64 {
        AROUND + LLC_SNAP + octets
    }

    fn ring(&self) -> Option<RingRules> {
        Some(RingRules {
            rate: self.rate(),
            idle_stations: self.idle_stations,
            propagation: self.propagation,
            holding_time: self.holding_time,
            early_release: self.early_release.unwrap_or(self.rate == RingRate::Mbps16),
        })
    }

    fn rate(&self) -> Rate {
        Rate::bps(match self.rate {
            RingRate::Mbps4 => 4e6,
            RingRate::Mbps16 => 16e6,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_29_octets_around_its_packet() {
        assert_eq!(TokenRingParameters::frame(1_500), 1_529);
        assert_eq!(TokenRingParameters::frame(40), 69);
    }

    #[test]
    fn the_token_is_released_early_at_16_mbit_s_only() {
        for (rate, early) in [(RingRate::Mbps4, false), (RingRate::Mbps16, true)] {
            let ring = |early_release| TokenRingParameters {
                rate,
                idle_stations: 0,
                propagation: Span::ZERO,
                holding_time: Span::ZERO,
                early_release,
            };
            let is_early = |given| ring(given).ring().map(|rules| rules.early_release);
            assert_eq!(is_early(None), Some(early));
            assert_eq!(is_early(Some(!early)), Some(!early));
        }
    }
}
