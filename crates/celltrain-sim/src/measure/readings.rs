//! Readings of many like things, counter by counter: most counters of most networks are zero all over.

use std::marker::PhantomData;

/// What is read of one thing: `N` counters, whose bits are zero before anything happens.
pub(crate) trait Reading<const N: usize> {
    /// Its counters.
    fn into_counters(self) -> [u64; N];
    /// The reading that has these counters.
    fn from_counters(counters: [u64; N]) -> Self;
}

/// Readings by the index of what was read. A counter that is zero of all takes no memory.
#[derive(Clone, Debug)]
pub(crate) struct Readings<R, const N: usize> {
    len: usize,
    columns: [Vec<u64>; N],
    reading: PhantomData<R>,
}

impl<R: Reading<N>, const N: usize> Readings<R, N> {
    /// The `len` ones that `readings` gives.
    pub(crate) fn new(len: usize, readings: impl Iterator<Item = R>) -> Self {
        let mut columns = [const { Vec::new() }; N];
        for (index, reading) in readings.take(len).enumerate() {
            for (column, counter) in columns.iter_mut().zip(reading.into_counters()) {
                if counter != 0 && column.is_empty() {
                    *column = vec![0; len];
                }
                if let Some(place) = column.get_mut(index) {
                    *place = counter;
                }
            }
        }
        Self {
            len,
            columns,
            reading: PhantomData,
        }
    }

    /// All of them, in the order of their index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = R> {
        (0..self.len).map(|index| {
            let counter = |column: &Vec<u64>| column.get(index).copied().unwrap_or(0);
            R::from_counters(self.columns.each_ref().map(counter))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Pair(u64, u64);

    impl Reading<2> for Pair {
        fn into_counters(self) -> [u64; 2] {
            [self.0, self.1]
        }
        fn from_counters([first, second]: [u64; 2]) -> Self {
            Self(first, second)
        }
    }

    #[test]
    fn what_was_read_is_given_back_in_order() {
        let pairs = [Pair(0, 0), Pair(3, 0), Pair(0, 0), Pair(4, 0)];
        let readings = Readings::new(4, pairs.into_iter());
        assert_eq!(readings.iter().collect::<Vec<_>>(), pairs);
    }

    #[test]
    fn a_counter_that_is_zero_of_all_takes_no_memory() {
        let readings = Readings::new(2, [Pair(0, 7), Pair(0, 0)].into_iter());
        assert_eq!(readings.columns.map(|column| column.capacity()), [0, 2]);
    }
}
