//! Selective acknowledgments: the blocks in a segment, and the sender's scoreboard.
//!
//! Source: RFC 2018 3-5, 8; RFC 2883 4 (duplicates, "D-SACK"); RFC 6675 4.

use super::reassembly::Reassembly;

/// Blocks of data that arrived beyond a hole, the most recent first; empty without the option. A block of duplicate
/// data may precede them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SackBlocks {
    /// Start and end relative to the acknowledgment number, modulo 2^32; an empty entry is not a block.
    offsets: [(u32, u32); Self::MAX],
}

impl SackBlocks {
    /// The number of blocks that fit into the option without timestamps.
    pub const MAX: usize = 4;

    /// The first of `blocks`, which all begin beyond `ack`, except for a duplicate.
    pub fn new(ack: u64, blocks: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut offsets = [(0, 0); Self::MAX];
        for (offset, (start, end)) in offsets.iter_mut().zip(blocks) {
            *offset = (start.wrapping_sub(ack) as u32, end.wrapping_sub(ack) as u32);
        }
        Self { offsets }
    }

    /// Start and end of each block in a segment that acknowledges `ack`.
    pub(super) fn from(&self, ack: u64) -> impl Iterator<Item = (u64, u64)> {
        let written = self.offsets.iter().take_while(|block| block.0 != block.1);
        let at = move |offset: u32| ack.wrapping_add_signed(i64::from(offset.cast_signed()));
        written.map(move |&(start, end)| (at(start), at(end)))
    }

    /// The duplicate data reported by a segment that acknowledges `ack`, if any: the first block, if it lies below
    /// `ack` or within the second (RFC 2883 4).
    pub(super) fn duplicate(&self, ack: u64) -> Option<(u64, u64)> {
        let mut blocks = self.from(ack);
        let first = blocks.next()?;
        let is_within = |second: (u64, u64)| second.0 <= first.0 && first.1 <= second.1;
        (first.1 <= ack || blocks.next().is_some_and(is_within)).then_some(first)
    }
}

/// What the receiver has reported as received beyond `snd_una`.
#[derive(Clone, Debug)]
pub(super) struct Scoreboard {
    mss: u64,
    sacked: Reassembly,
}

impl Scoreboard {
    pub(super) fn new(mss: u64) -> Self {
        Self {
            mss,
            sacked: Reassembly::default(),
        }
    }

    /// Adds the blocks of an acknowledgment; returns whether they are new. Data beyond `snd_max` were never sent.
    pub(super) fn update(
        &mut self,
        blocks: impl Iterator<Item = (u64, u64)>,
        snd_max: u64,
    ) -> bool {
        let mut is_news = false;
        for (start, end) in blocks.filter(|block| block.1 <= snd_max) {
            let holds = |range: (u64, u64)| range.0 <= start && end <= range.1;
            if !self.sacked.ranges().any(holds) {
                self.sacked.insert(start, end);
                is_news = true;
            }
        }
        is_news
    }

    /// Everything below `snd_una` is acknowledged.
    pub(super) fn acknowledge(&mut self, snd_una: u64) {
        self.sacked.release(snd_una);
    }

    /// Clears the scoreboard: the receiver may have discarded what it held (RFC 2018 8).
    pub(super) fn clear(&mut self) {
        self.sacked = Reassembly::default();
    }

    /// Octets that the receiver holds.
    pub(super) fn octets(&self) -> u64 {
        self.sacked.ranges().map(|(start, end)| end - start).sum()
    }

    /// The octet after the highest that the receiver holds; zero if it holds nothing.
    pub(super) fn highest(&self) -> u64 {
        self.sacked.ranges().next_back().map_or(0, |range| range.1)
    }

    /// Octets below this that the receiver does not hold are lost: three ranges, or more than two segments, are held
    /// above them (`IsLost`).
    pub(super) fn lost_below(&self) -> u64 {
        let (mut runs, mut octets) = (0, 0);
        for (start, end) in self.sacked.ranges().rev() {
            runs += 1;
            octets += end - start;
            if runs >= 3 || octets > 2 * self.mss {
                return start;
            }
        }
        0
    }

    /// The first octets at or after `from` that the receiver does not hold, up to the next range that it holds.
    pub(super) fn hole(&self, from: u64) -> (u64, u64) {
        let mut start = from;
        for range in self.sacked.ranges() {
            if range.0 > start {
                return (start, range.0);
            }
            start = start.max(range.1);
        }
        (start, u64::MAX)
    }

    /// The last octets below `end` that the receiver does not hold.
    pub(super) fn last_hole(&self, start: u64, end: u64) -> (u64, u64) {
        let mut hole = (start, end);
        for range in self.sacked.ranges().rev() {
            if range.1 < hole.1 {
                return (range.1.max(start), hole.1);
            }
            hole.1 = hole.1.min(range.0);
        }
        hole
    }

    /// Octets of `start..end` that the receiver does not hold.
    fn missing(&self, start: u64, end: u64) -> u64 {
        let held = |range: (u64, u64)| range.1.min(end).saturating_sub(range.0.max(start));
        end.saturating_sub(start) - self.sacked.ranges().map(held).sum::<u64>()
    }

    /// Octets presumed to be in flight (`pipe`): those neither held nor lost, plus retransmitted ones, below
    /// `high_rxt`.
    pub(super) fn pipe(&self, snd_una: u64, snd_max: u64, high_rxt: u64) -> u64 {
        self.missing(self.lost_below().max(snd_una), snd_max) + self.missing(snd_una, high_rxt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Twenty octets per segment; `blocks` in segments.
    fn board(blocks: &[(u64, u64)]) -> Scoreboard {
        let mut board = Scoreboard::new(20);
        board.update(blocks.iter().map(|&(s, e)| (20 * s, 20 * e)), 400);
        board
    }

    #[test]
    fn blocks_travel_with_the_acknowledgment_number_and_at_most_four_fit() {
        let all = [(70, 80), (50, 60), (30, 40), (90, 100), (110, 120)];
        let blocks = SackBlocks::new(20, all);
        assert_eq!(blocks.from(20).collect::<Vec<_>>(), all[..4]);
        assert_eq!(SackBlocks::default().from(20).count(), 0);
    }

    #[test]
    fn data_are_lost_below_three_runs_or_more_than_two_segments() {
        assert_eq!(board(&[(5, 6), (8, 9)]).lost_below(), 0);
        assert_eq!(board(&[(5, 7)]).lost_below(), 0);
        assert_eq!(board(&[(5, 8)]).lost_below(), 100);
        let mut thin = Scoreboard::new(20);
        thin.update([(50, 51), (60, 61), (70, 71), (80, 81)].into_iter(), 400);
        assert_eq!(thin.lost_below(), 60);
    }

    #[test]
    fn the_pipe_leaves_out_what_is_held_or_lost_and_adds_what_was_sent_again() {
        // Segments 0 to 9; 3, 4 and 5 are held, so 0 to 2 are lost.
        let b = board(&[(3, 6)]);
        assert_eq!(b.pipe(0, 200, 0), 4 * 20);
        assert_eq!(b.pipe(0, 200, 20), 5 * 20);
        // Two segments held: none is lost.
        assert_eq!(board(&[(3, 5)]).pipe(0, 200, 0), 8 * 20);
    }

    #[test]
    fn holes_lie_between_what_is_held() {
        let b = board(&[(1, 2), (4, 6)]);
        assert_eq!(b.hole(0), (0, 20));
        assert_eq!(b.hole(20), (40, 80));
        assert_eq!(b.hole(100), (120, u64::MAX));
        assert_eq!(b.last_hole(0, 160), (120, 160));
        assert_eq!(b.last_hole(0, 120), (40, 80));
        assert_eq!(b.highest(), 120);
    }

    #[test]
    fn blocks_of_data_never_sent_are_ignored() {
        let mut b = board(&[]);
        b.update([(390, 410)].into_iter(), 400);
        assert_eq!(b.octets(), 0);
    }
}
