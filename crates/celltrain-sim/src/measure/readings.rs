//! Readings of many elements of one kind, stored by counter, because in most networks most counters are zero everywhere.

use std::marker::PhantomData;

/// The reading of one element: `N` counters, all zero before anything happens.
pub(crate) trait Reading<const N: usize> {
    /// Its counters.
    fn into_counters(self) -> [u64; N];
    /// The reading with these counters.
    fn from_counters(counters: [u64; N]) -> Self;
}

/// The values of one counter, in the narrowest type that holds them.
#[derive(Clone, Debug)]
enum Column {
    /// All are zero.
    Zero,
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Column {
    fn get(&self, index: usize) -> u64 {
        match self {
            Self::Zero => 0,
            Self::Narrow(values) => u64::from(values[index]),
            Self::Wide(values) => values[index],
        }
    }

    /// Sets a value that is still zero, one of `len`.
    fn set(&mut self, index: usize, value: u64, len: usize) {
        match (&mut *self, u32::try_from(value)) {
            (_, Ok(0)) => {}
            (Self::Narrow(values), Ok(value)) => values[index] = value,
            (Self::Wide(values), _) => values[index] = value,
            (Self::Zero, Ok(_)) => {
                *self = Self::Narrow(vec![0; len]);
                self.set(index, value, len);
            }
            (Self::Zero, Err(_)) => {
                *self = Self::Wide(vec![0; len]);
                self.set(index, value, len);
            }
            (Self::Narrow(values), Err(_)) => {
                let mut values: Vec<u64> = values.iter().copied().map(u64::from).collect();
                values[index] = value;
                *self = Self::Wide(values);
            }
        }
    }
}

/// Readings by the index of the element. A counter that is zero everywhere takes no memory.
#[derive(Clone, Debug)]
pub(crate) struct Readings<R, const N: usize> {
    len: usize,
    columns: [Column; N],
    reading: PhantomData<R>,
}

impl<R: Reading<N>, const N: usize> Readings<R, N> {
    /// The first `len` of `readings`.
    pub(crate) fn new(len: usize, readings: impl Iterator<Item = R>) -> Self {
        let mut columns = [const { Column::Zero }; N];
        for (index, reading) in readings.take(len).enumerate() {
            for (column, counter) in columns.iter_mut().zip(reading.into_counters()) {
                column.set(index, counter, len);
            }
        }
        Self {
            len,
            columns,
            reading: PhantomData,
        }
    }

    /// All readings, in the order of their index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = R> {
        // Each column of a table goes over all readings: only counters that are not zero everywhere are looked up.
        let counted = self.columns.iter().enumerate();
        let counted = counted.filter(|(_, column)| !matches!(column, Column::Zero));
        let counted: Vec<(usize, &Column)> = counted.collect();
        (0..self.len).map(move |index| {
            let mut counters = [0; N];
            for &(number, column) in &counted {
                counters[number] = column.get(index);
            }
            R::from_counters(counters)
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
        let pairs = [Pair(0, 0), Pair(3, 0), Pair(u64::MAX, u64::MAX), Pair(4, 0)];
        let readings = Readings::new(4, pairs.into_iter());
        assert_eq!(readings.iter().collect::<Vec<_>>(), pairs);
    }

    #[test]
    fn a_counter_takes_as_little_memory_as_its_values_need() {
        let readings = Readings::new(2, [Pair(0, 7), Pair(0, 0)].into_iter());
        let [Column::Zero, Column::Narrow(values)] = readings.columns else {
            panic!("{:?}", readings.columns)
        };
        assert_eq!(values, [7, 0]);
    }
}
