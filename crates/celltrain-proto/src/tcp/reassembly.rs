//! Data that arrived beyond a hole.

use alloc::collections::VecDeque;

/// Disjoint ranges of octets in order, separated by gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Reassembly {
    ranges: VecDeque<(u64, u64)>,
}

impl Reassembly {
    /// Whether it holds nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The octets of memory that it holds.
    pub(super) fn octets(&self) -> u64 {
        (self.ranges.capacity() * size_of::<(u64, u64)>()) as u64
    }

    /// The ranges in order.
    pub(super) fn ranges(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        self.ranges.iter().copied()
    }

    /// The range that holds octet `at`.
    pub(super) fn range_at(&self, at: u64) -> Option<(u64, u64)> {
        let index = self.ranges.partition_point(|range| range.1 <= at);
        self.ranges
            .get(index)
            .copied()
            .filter(|range| range.0 <= at)
    }

    /// The first part of `start..end` that it holds.
    pub(super) fn first_held(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let index = self.ranges.partition_point(|range| range.1 <= start);
        let range = self.ranges.get(index).filter(|range| range.0 < end)?;
        Some((range.0.max(start), range.1.min(end)))
    }

    /// Adds `start..end`; returns false if all of it was held before.
    pub(super) fn insert(&mut self, start: u64, end: u64) -> bool {
        // The ranges from `low` to `high` overlap or touch the new one.
        let low = self.ranges.partition_point(|range| range.1 < start);
        let high = self.ranges.partition_point(|range| range.0 <= end);
        if low == high {
            self.ranges.insert(low, (start, end));
            return true;
        }
        let (first, last) = (self.ranges[low], self.ranges[high - 1]);
        if first.0 <= start && end <= first.1 {
            return false;
        }
        self.ranges[low] = (first.0.min(start), last.1.max(end));
        self.ranges.drain(low + 1..high);
        true
    }

    /// Given contiguous data up to `end`, returns the new end of contiguous data, and releases the ranges that are no
    /// longer beyond a hole.
    pub(super) fn release(&mut self, mut end: u64) -> u64 {
        while let Some(&range) = self.ranges.front().filter(|range| range.0 <= end) {
            end = end.max(range.1);
            self.ranges.pop_front();
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn held(ranges: &[(u64, u64)]) -> Reassembly {
        let mut r = Reassembly::default();
        for &(start, end) in ranges {
            r.insert(start, end);
        }
        r
    }

    #[test]
    fn ranges_that_touch_become_one() {
        assert_eq!(held(&[(30, 40), (10, 20), (20, 30)]).ranges, [(10, 40)]);
        assert_eq!(held(&[(30, 40), (10, 20)]).ranges, [(10, 20), (30, 40)]);
        assert_eq!(held(&[(10, 20), (30, 40), (5, 50)]).ranges, [(5, 50)]);
    }

    #[test]
    fn data_held_already_are_nothing_new() {
        let mut r = held(&[(10, 20), (30, 40)]);
        assert!(!r.insert(10, 20));
        assert!(!r.insert(32, 38));
        assert!(r.insert(15, 35));
    }

    #[test]
    fn the_first_part_held_of_a_range_lies_within_both() {
        let r = held(&[(10, 20), (30, 40)]);
        for (start, end, part) in [
            (0, 10, None),
            (0, 11, Some((10, 11))),
            (12, 50, Some((12, 20))),
            (20, 30, None),
            (20, 50, Some((30, 40))),
            (40, 50, None),
        ] {
            assert_eq!(r.first_held(start, end), part, "{start} {end}");
        }
    }

    #[test]
    fn release_stops_at_the_next_hole() {
        let mut r = held(&[(10, 20), (30, 40)]);
        assert_eq!(r.release(5), 5);
        assert_eq!(r.release(10), 20);
        assert!(!r.is_empty());
        assert_eq!(r.release(35), 40);
        assert!(r.is_empty());
    }

    proptest! {
        #[test]
        fn ranges_hold_exactly_the_octets_inserted(pieces in prop::collection::vec((0_u64..60, 1_u64..12), 0..20)) {
            let (mut r, mut octets) = (Reassembly::default(), [false; 80]);
            for (start, len) in pieces {
                let piece = &mut octets[start as usize..(start + len) as usize];
                prop_assert_eq!(r.insert(start, start + len), piece.contains(&false));
                piece.fill(true);
            }
            let is_held = |i: u64| r.ranges.iter().any(|&(start, end)| (start..end).contains(&i));
            for (i, &octet) in (0..).zip(&octets) {
                prop_assert_eq!(is_held(i), octet);
            }
            prop_assert!(r.ranges.iter().zip(r.ranges.iter().skip(1)).all(|(a, b)| a.1 < b.0));
        }
    }
}
