//! How long data cells are on their way, measured without time stamps in the cells: from the sum of the instants at which
//! they leave the source, and of those at which they arrive or are lost.

use celltrain_proto::units::{Span, Time};

/// Data cells that have passed one end of a direction of a VC.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[repr(Rust, packed(8))]
pub(in crate::engine) struct Transit {
    count: u64,
    /// The sum of the instants, in ps.
    sum: u128,
}

impl Transit {
    /// Counts a cell that passes at `now`.
    #[inline]
    pub(in crate::engine) fn pass(&mut self, now: Time) {
        self.count += 1;
        self.sum += u128::from(now.as_ps());
    }

    /// Counts `n` cells, at least one, that pass one `gap` apart from `at` on.
    #[inline]
    pub(in crate::engine) fn pass_train(&mut self, at: Time, gap: Span, n: u32) {
        self.count += u64::from(n);
        self.sum += sum_of_instants(at, gap, n);
    }

    /// Adds other cells that have passed.
    pub(in crate::engine) fn add(&mut self, others: &Self) {
        self.count += others.count;
        self.sum += others.sum;
    }

    /// The same cells as they pass a place `span` later.
    pub(in crate::engine) fn later(&self, span: Span) -> Self {
        let (count, sum) = (self.count, self.sum);
        let sum = sum + u128::from(count) * u128::from(span.as_ps());
        Self { count, sum }
    }

    /// The number of cells that passed.
    pub(in crate::engine) fn count(&self) -> u64 {
        self.count
    }

    /// The total time that the cells have been on their way up to `now`, in cell picoseconds; `left` are those no longer
    /// on their way.
    pub(in crate::engine) fn area(&self, left: &Self, now: Time) -> u128 {
        let on_the_way = u128::from(self.count - left.count);
        left.sum + on_the_way * u128::from(now.as_ps()) - self.sum
    }
}

/// The sum of `n` instants in ps, at least one, one `gap` apart from `first` on.
#[inline]
pub(in crate::engine) fn sum_of_instants(first: Time, gap: Span, n: u32) -> u128 {
    let n = u128::from(n);
    n * u128::from(first.as_ps()) + u128::from(gap.as_ps()) * (n * (n - 1) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_counts_cells_that_are_still_on_their_way() {
        let (mut entered, mut left) = (Transit::default(), Transit::default());
        let at = Time::from_ps;
        entered.pass(at(10));
        entered.pass(at(20));
        left.pass(at(50));
        // One cell for 40, another from 20 to 70.
        assert_eq!(entered.area(&left, at(70)), 40 + 50);
        assert_eq!(left.count(), 1);
    }

    #[test]
    fn cells_pass_another_place_later() {
        let (mut here, mut there) = (Transit::default(), Transit::default());
        for at in [10, 25] {
            here.pass(Time::from_ps(at));
            there.pass(Time::from_ps(at + 7));
        }
        assert_eq!(here.later(Span::from_ps(7)), there);
    }

    #[test]
    fn a_train_passes_as_its_cells_do() {
        let (mut whole, mut single) = (Transit::default(), Transit::default());
        whole.pass_train(Time::from_ps(7), Span::from_ps(3), 4);
        for at in [7, 10, 13, 16] {
            single.pass(Time::from_ps(at));
        }
        assert_eq!(whole, single);
    }
}
