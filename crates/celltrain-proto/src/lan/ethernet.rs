//! Ethernet II (RFC 894): destination and source 6 octets each, type 2, 46 to 1500 octets of packet and pad, FCS 4; before
//! each frame a preamble of 8 octets, after it a gap of 12.

use super::framing::Framing;
use crate::parameters::Bounds;
use crate::units::Rate;

/// Header, FCS, preamble and gap.
pub(super) const AROUND: u64 = 14 + 4 + 8 + 12;
/// The shortest payload of a frame, which the sender pads.
pub(super) const SHORTEST: u64 = 46;

parameters! {
    /// The parameters of an Ethernet.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct EthernetParameters {
        /// Rate.
        pub rate: Rate, in Bounds::above(Rate::ZERO);
    }
}

impl Framing for EthernetParameters {
    fn mtu(&self) -> u32 {
        1_500
    }

    fn frame(octets: u64) -> u64 {
        AROUND + octets.max(SHORTEST)
    }

    fn rate(&self) -> Rate {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    #[test]
    fn a_full_frame_takes_1538_octets_and_a_short_packet_is_padded_to_84() {
        let frames = [1_500, 47, 46, 40].map(EthernetParameters::frame);
        assert_eq!(frames, [1_538, 85, 84, 84]);
        let rate = Rate::bps(10e6);
        let time = EthernetParameters { rate }.frame_time(1_500);
        assert_eq!(time, Span::from_ps(1_230_400_000));
    }
}
