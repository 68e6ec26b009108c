//! Vectors of values that few networks use: they take no memory until one is set.

use std::ops::Range;

/// Values by index, all equal to the default at first.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Sparse<T> {
    len: usize,
    /// All values; empty while none has been changed.
    values: Vec<T>,
}

impl<T: Copy + Default> Sparse<T> {
    /// `len` default values.
    pub(in crate::engine) fn new(len: usize) -> Self {
        Self {
            len,
            values: Vec::new(),
        }
    }

    /// The value at this index.
    #[inline]
    pub(in crate::engine) fn get(&self, index: usize) -> T {
        self.values.get(index).copied().unwrap_or_default()
    }

    /// The value at this index, mutable.
    #[inline]
    pub(in crate::engine) fn get_mut(&mut self, index: usize) -> &mut T {
        if self.values.is_empty() {
            self.values = vec![T::default(); self.len];
        }
        &mut self.values[index]
    }

    /// Swaps the values in this range with those of another vector.
    pub(in crate::engine) fn exchange(&mut self, other: &mut Self, range: &Range<usize>) {
        if self.values.is_empty() && other.values.is_empty() || range.is_empty() {
            return;
        }
        self.get_mut(range.start);
        other.get_mut(range.start);
        self.values[range.clone()].swap_with_slice(&mut other.values[range.clone()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_default_until_they_are_changed() {
        let mut values = Sparse::new(3);
        assert_eq!((values.get(2), values.values.capacity()), (0, 0));
        *values.get_mut(1) += 5;
        assert_eq!([0, 1, 2].map(|index| values.get(index)), [0, 5, 0]);
    }

    #[test]
    fn ranges_change_places() {
        let (mut one, mut other) = (Sparse::<u32>::new(3), Sparse::new(3));
        one.exchange(&mut other, &(0..3));
        assert_eq!(one.values.capacity(), 0);
        *one.get_mut(0) += 4;
        *one.get_mut(1) += 5;
        one.exchange(&mut other, &(1..3));
        let values = [one, other].map(|it| [0, 1, 2].map(|index| it.get(index)));
        assert_eq!(values, [[4, 0, 0], [0, 5, 0]]);
    }
}
