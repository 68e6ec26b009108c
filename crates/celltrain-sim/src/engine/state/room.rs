//! The memory that containers hold which grow during a run, and more of it where the system can refuse it.

use std::collections::VecDeque;
use std::mem::size_of;

/// The octets from which on a container gets its next room when it is looked at, where the system may refuse it. Smaller
/// ones grow where they are filled.
const LARGE: u64 = 32 << 20;

/// The system has no more memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) struct Exhausted;

/// Something that grows during a run.
pub(in crate::engine) trait Room {
    /// Makes room for what may come until the next look; returns the octets that it holds then.
    ///
    /// # Errors
    ///
    /// [`Exhausted`] if the system refuses the memory.
    fn make_room(&mut self) -> Result<u64, Exhausted>;
}

/// The octets of everything that is looked at.
pub(in crate::engine) fn make_room_in<'a, T: Room + 'a>(
    all: impl IntoIterator<Item = &'a mut T>,
) -> Result<u64, Exhausted> {
    all.into_iter().map(Room::make_room).sum()
}

/// The number of elements for which a container with `len` of `capacity` elements of `size` octets needs more room now.
///
/// Between two looks a large container cannot fill its last quarter: that has hundreds of thousands of elements.
pub(super) fn missing(len: usize, capacity: usize, size: usize) -> Option<usize> {
    let is_large = (capacity * size) as u64 >= LARGE;
    (is_large && len > capacity / 4 * 3).then(|| 2 * capacity - len)
}

macro_rules! room {
    ($container:ident) => {
        impl<T> Room for $container<T> {
            fn make_room(&mut self) -> Result<u64, Exhausted> {
                if let Some(more) = missing(self.len(), self.capacity(), size_of::<T>()) {
                    self.try_reserve_exact(more).map_err(|_| Exhausted)?;
                }
                Ok((self.capacity() * size_of::<T>()) as u64)
            }
        }
    };
}

room!(Vec);
room!(VecDeque);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_container_gets_more_room_before_it_is_full() {
        let mut small: Vec<u64> = vec![0; 100];
        assert_eq!(small.make_room(), Ok(800));
        let mut large: VecDeque<u64> = VecDeque::with_capacity(LARGE as usize / 8);
        let before = (large.capacity() * 8) as u64;
        assert_eq!(large.make_room(), Ok(before));
        large.resize(large.capacity() * 4 / 5, 0);
        let after = large.make_room().expect("64 MiB are there");
        assert!(after >= 2 * before, "{after}");
    }

    #[test]
    fn more_than_the_system_has_is_an_error() {
        // More than an address space.
        let mut too_large = Refuses;
        assert_eq!(make_room_in([&mut too_large]), Err(Exhausted));
    }

    struct Refuses;

    impl Room for Refuses {
        fn make_room(&mut self) -> Result<u64, Exhausted> {
            let mut octets: Vec<u8> = Vec::new();
            octets
                .try_reserve_exact(usize::MAX)
                .map_err(|_| Exhausted)?;
            octets.make_room()
        }
    }
}
