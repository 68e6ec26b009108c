//! Fragments: which octets of a packet's data each carries (RFC 791 2.3, 3.2).

/// Octets of an IP header without options. Each fragment has one.
pub const HEADER: u32 = 20;
/// Every network forwards packets of this length whole, in octets (RFC 791 3.2).
pub const SMALLEST_MTU: u32 = 68;
/// Offsets count units of this many octets.
const UNIT: u32 = 8;

/// A part of a packet's data, which a header of its own precedes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// The octets of data before it, a multiple of 8.
    pub offset: u32,
    /// The octets of data in it; a multiple of 8 unless it is the last.
    pub data: u32,
    /// Whether others follow it (MF).
    pub more: bool,
}

impl Fragment {
    /// A packet of `octets` octets in one piece.
    pub const fn whole(octets: u32) -> Self {
        Self {
            offset: 0,
            data: octets.saturating_sub(HEADER),
            more: false,
        }
    }

    /// Its length with the header, in octets.
    pub const fn octets(self) -> u32 {
        self.data + HEADER
    }

    /// Whether it is the first of its packet.
    pub const fn is_first(self) -> bool {
        self.offset == 0
    }

    /// Whether it is a whole packet.
    pub const fn is_whole(self) -> bool {
        self.offset == 0 && !self.more
    }

    /// The fragments that cross a network whose packets have at most `mtu` octets, in order: itself if it fits, otherwise
    /// as many full ones as its data need, and the rest. An MTU below [`SMALLEST_MTU`] counts as that.
    ///
    /// ```
    /// use celltrain_proto::ip::Fragment;
    /// // 2048 octets of UDP over an Ethernet.
    /// let octets = Fragment::whole(20 + 8 + 2048).cut(1500).map(Fragment::octets);
    /// assert!(octets.eq([1500, 596]));
    /// ```
    pub fn cut(self, mtu: u32) -> impl Iterator<Item = Self> {
        let most = mtu.max(SMALLEST_MTU) - HEADER;
        let full = if self.data <= most {
            self.data.max(1)
        } else {
            most - most % UNIT
        };
        let end = self.offset + self.data;
        let count = self.data.div_ceil(full).max(1);
        (0..count).map(move |index| {
            let offset = self.offset + index * full;
            let data = full.min(end - offset);
            Self {
                offset,
                data,
                more: self.more || offset + data < end,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn cut(octets: u32, mtus: &[u32]) -> Vec<Fragment> {
        let whole = [Fragment::whole(octets)].to_vec();
        mtus.iter().fold(whole, |parts, &mtu| {
            parts.into_iter().flat_map(|part| part.cut(mtu)).collect()
        })
    }

    fn lengths(octets: u32, mtus: &[u32]) -> Vec<u32> {
        cut(octets, mtus)
            .into_iter()
            .map(Fragment::octets)
            .collect()
    }

    #[test]
    fn a_packet_that_fits_stays_whole() {
        assert_eq!(lengths(1_500, &[1_500]), [1_500]);
        assert!(cut(1_500, &[1_500])[0].is_whole());
        // The empty packet is a header.
        assert_eq!(lengths(20, &[1_500]), [20]);
    }

    #[test]
    fn data_are_cut_at_multiples_of_eight_octets() {
        // 1501 octets carry 1481 of data: 1480, and one more.
        assert_eq!(lengths(1_501, &[1_500]), [1_500, 21]);
        // 1006 - 20 = 986 octets of data, of which 984 are a multiple of 8.
        assert_eq!(lengths(2_000, &[1_006]), [1_004, 1_004, 32]);
        let offsets = cut(2_000, &[1_006]);
        assert_eq!(offsets[2].offset, 1_968);
        assert_eq!(
            offsets.iter().map(|it| it.more).collect::<Vec<_>>(),
            [true, true, false]
        );
    }

    #[test]
    fn the_last_part_of_a_fragment_is_followed_by_the_next_fragment() {
        // 2056 octets of data: 1480 and 576. At 576: 552 + 552 + 376, and 552 + 24.
        assert_eq!(lengths(2_076, &[1_500, 576]), [572, 572, 396, 572, 44]);
        let more: Vec<bool> = cut(2_076, &[1_500, 576]).iter().map(|it| it.more).collect();
        assert_eq!(more, [true, true, true, true, false]);
        // Cut at once there are four.
        assert_eq!(lengths(2_076, &[576]), [572, 572, 572, 420]);
    }

    proptest! {
        #[test]
        fn fragments_cover_the_packet_once_and_fit(
            octets in 20_u32..65_536,
            mtus in prop::collection::vec(68_u32..10_000, 0..4),
        ) {
            let parts = cut(octets, &mtus);
            let mut end = 0;
            for part in &parts {
                prop_assert_eq!(part.offset, end);
                prop_assert_eq!(part.offset % 8, 0);
                prop_assert!(mtus.iter().all(|&mtu| part.octets() <= mtu));
                end += part.data;
                prop_assert_eq!(part.more, end < octets - 20);
            }
            prop_assert_eq!(end, octets - 20);
        }
    }
}
