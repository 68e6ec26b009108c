//! IEEE 802.3 with LLC and SNAP (RFC 1042): the header has the length of the payload in place of Ethernet's type, and the
//! payload of 46 to 1500 octets begins with LLC (AA AA 03) and SNAP (00 00 00, type), so that 38 to 1492 remain for packet
//! and pad.

use super::ethernet::{AROUND, SHORTEST};
use super::framing::Framing;
use crate::parameters::Bounds;
use crate::units::Rate;

/// LLC and SNAP, in octets.
pub(super) const LLC_SNAP: u64 = 3 + 5;

parameters! {
    /// The parameters of a LAN of IEEE 802.3.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Ieee8023Parameters {
        /// Rate.
        pub rate: Rate, in Bounds::above(Rate::ZERO);
    }
}

impl Framing for Ieee8023Parameters {
    fn mtu(&self) -> u32 {
        1_492
    }

    fn frame(octets: u64) -> u64 {
        AROUND + (octets + LLC_SNAP).max(SHORTEST)
    }

    fn rate(&self) -> Rate {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn llc_and_snap_take_eight_octets_of_the_payload_of_a_frame() {
        // The longest frame is Ethernet's, and so is the shortest.
        let frames = [1_492, 40, 39, 38, 37].map(Ieee8023Parameters::frame);
        assert_eq!(frames, [1_538, 86, 85, 84, 84]);
    }
}
