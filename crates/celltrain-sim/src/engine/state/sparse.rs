//! What is kept by hop, but in few networks: it takes no memory before something is.

/// Values by index, all of which are the default at first.
#[derive(Debug)]
pub(in crate::engine) struct Rare<T> {
    len: usize,
    /// All of them, or none while none has been changed.
    values: Vec<T>,
}

impl<T: Copy + Default> Rare<T> {
    /// So many.
    pub(in crate::engine) fn new(len: usize) -> Self {
        Self {
            len,
            values: Vec::new(),
        }
    }

    /// The value of this index.
    #[inline]
    pub(in crate::engine) fn get(&self, index: usize) -> T {
        self.values.get(index).copied().unwrap_or_default()
    }

    /// The same, to be changed.
    #[inline]
    pub(in crate::engine) fn get_mut(&mut self, index: usize) -> &mut T {
        if self.values.is_empty() {
            self.values = vec![T::default(); self.len];
        }
        &mut self.values[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_default_until_they_are_changed() {
        let mut values = Rare::new(3);
        assert_eq!((values.get(2), values.values.capacity()), (0, 0));
        *values.get_mut(1) += 5;
        assert_eq!([0, 1, 2].map(|index| values.get(index)), [0, 5, 0]);
    }
}
