//! Reassembly at the destination (RFC 791 2.3, 3.2).

use super::Fragment;

/// Reassembles the packets of one sender that arrive over a path which keeps their order.
///
/// A hole in such a packet is never filled, so the first fragment of another packet discards what was there. The timer of
/// RFC 791 would decide nothing but when memory is freed, and is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reassembly {
    /// The packet under way: its identification, the offset of the fragment that is missing next (0: none is under way),
    /// and whether a fragment was marked.
    packet: u32,
    next: u32,
    is_marked: bool,
}

impl Reassembly {
    /// A fragment of the packet with this identification arrives; `is_marked` tells whether a queue has marked it (CE). If
    /// it completes the packet, returns whether any of its fragments was marked (RFC 3168 5.3).
    pub fn on_fragment(&mut self, packet: u32, part: Fragment, is_marked: bool) -> Option<bool> {
        if part.is_first() {
            (self.packet, self.next, self.is_marked) = (packet, 0, false);
        } else if self.next == 0 || self.packet != packet || self.next != part.offset {
            self.next = 0;
            return None;
        }
        self.is_marked |= is_marked;
        self.next = part.offset + part.data;
        if part.more {
            return None;
        }
        self.next = 0;
        Some(self.is_marked)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    /// The identifications of the packets that are complete when these fragments of packets of 2000 octets arrive, each
    /// cut in three at 1006 octets: packet and index of the fragment.
    fn complete(arriving: &[(u32, usize)]) -> Vec<u32> {
        let parts: Vec<Fragment> = Fragment::whole(2_000).cut(1_006).collect();
        let mut reassembly = Reassembly::default();
        let done = |&&(packet, index): &&(u32, usize)| {
            reassembly
                .on_fragment(packet, parts[index], false)
                .is_some()
        };
        arriving.iter().filter(done).map(|it| it.0).collect()
    }

    #[test]
    fn a_packet_is_complete_with_its_last_fragment() {
        let arriving = [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)];
        assert_eq!(complete(&arriving), [1, 2]);
    }

    #[test]
    fn a_lost_fragment_loses_its_packet_and_no_other() {
        for lost in 0..3 {
            let all = (0..3).flat_map(|packet| (0..3).map(move |index| (packet, index)));
            let arriving: Vec<_> = all.filter(|&it| it != (1, lost)).collect();
            assert_eq!(complete(&arriving), [0, 2], "{lost}");
        }
    }

    #[test]
    fn fragments_of_two_packets_never_make_one() {
        assert_eq!(complete(&[(1, 0), (2, 1), (2, 2)]), [0_u32; 0]);
        assert_eq!(complete(&[(1, 0), (1, 1), (2, 2), (1, 2)]), [0_u32; 0]);
        assert_eq!(complete(&[(1, 1), (1, 2)]), [0_u32; 0]);
    }

    #[test]
    fn a_mark_on_any_fragment_marks_the_packet_alone() {
        let parts: Vec<Fragment> = Fragment::whole(2_000).cut(1_006).collect();
        let mut reassembly = Reassembly::default();
        for (packet, marked, expected) in [(1, 1, true), (2, 9, false), (3, 2, true)] {
            let verdicts = parts
                .iter()
                .enumerate()
                .map(|(index, &part)| reassembly.on_fragment(packet, part, index == marked));
            assert_eq!(verdicts.last(), Some(Some(expected)), "{packet}");
        }
    }

    #[test]
    fn a_whole_packet_is_complete_at_once() {
        let mut reassembly = Reassembly::default();
        let whole = Fragment::whole(100);
        assert_eq!(reassembly.on_fragment(7, whole, false), Some(false));
    }
}
