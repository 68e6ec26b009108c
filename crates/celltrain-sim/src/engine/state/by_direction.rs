//! Values for each direction of a VC. All directions that can never carry a cell share one.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Below this number of directions each has its own value, which avoids the look-up.
const FEW: usize = 512;

/// Where the values of each direction are stored.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Places {
    directions: usize,
    /// By direction: its place. Empty if each has its own.
    of: Arc<[u32]>,
}

impl Places {
    /// A place for each direction that is used, and a shared one for the others.
    pub(in crate::engine) fn new(is_used: &[bool]) -> Self {
        let directions = is_used.len();
        if directions < FEW || is_used.iter().all(|&is_used| is_used) {
            let of = Arc::default();
            return Self { directions, of };
        }
        let mut next = 0;
        let places = is_used.iter().map(|&is_used| {
            if !is_used {
                return 0;
            }
            next += 1;
            next
        });
        Self {
            of: places.collect(),
            directions,
        }
    }

    /// These places, reordered to follow `directions`, which must be all directions that have a place.
    pub(in crate::engine) fn in_order(&self, directions: impl Iterator<Item = usize>) -> Self {
        if self.of.is_empty() {
            return self.clone();
        }
        let mut of = vec![0; self.directions];
        for (direction, place) in directions.zip(1..) {
            of[direction] = place;
        }
        Self {
            directions: self.directions,
            of: of.into(),
        }
    }

    #[inline]
    fn of(&self, direction: usize) -> usize {
        self.of.get(direction).map_or(direction, |&at| at as usize)
    }

    /// Whether a direction has a place of its own.
    fn is_own(&self, direction: usize) -> bool {
        self.of.is_empty() || self.of[direction] > 0
    }
}

/// A value for each direction that has a place of its own: 2 x VC + (0 forward, 1 backward).
#[derive(Clone, Debug)]
pub(in crate::engine) struct ByDirection<T> {
    places: Places,
    items: Vec<T>,
}

impl<T> ByDirection<T> {
    /// Makes the values with `make`; the shared value is that of the first direction that shares it.
    pub(in crate::engine) fn new(places: &Places, make: impl Fn(usize) -> T) -> Self {
        let own = (0..places.directions).filter(|&direction| places.is_own(direction));
        let common = (0..places.directions).find(|&direction| !places.is_own(direction));
        let mut items = Vec::with_capacity(own.clone().count() + 1);
        items.extend(common.into_iter().chain(own).map(make));
        Self {
            places: places.clone(),
            items,
        }
    }

    /// Moves all values to places made with [`Places::in_order`].
    pub(in crate::engine) fn arrange(&mut self, places: &Places) {
        // For each place: where the value that belongs there is now.
        let mut from: Vec<usize> = (0..self.items.len()).collect();
        for direction in 0..self.places.directions {
            from[places.of(direction)] = self.places.of(direction);
        }
        for place in 0..from.len() {
            let mut at = from[place];
            // It was swapped away from a place already done.
            while at < place {
                at = from[at];
            }
            self.items.swap(place, at);
        }
        self.places = places.clone();
    }

    /// The places of all directions.
    pub(in crate::engine) fn places(&self) -> &Places {
        &self.places
    }

    /// The number of directions.
    pub(in crate::engine) fn directions(&self) -> usize {
        self.places.directions
    }

    /// Whether a direction has a value of its own.
    pub(in crate::engine) fn has_own(&self, direction: usize) -> bool {
        self.places.is_own(direction)
    }

    /// All values in the order of directions; a shared one comes first.
    pub(in crate::engine) fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter()
    }

    /// All values, mutable, in the order of directions; a shared one comes first.
    pub(in crate::engine) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }
}

impl<T> Index<usize> for ByDirection<T> {
    type Output = T;

    #[inline]
    fn index(&self, direction: usize) -> &T {
        &self.items[self.places.of(direction)]
    }
}

impl<T> IndexMut<usize> for ByDirection<T> {
    #[inline]
    fn index_mut(&mut self, direction: usize) -> &mut T {
        &mut self.items[self.places.of(direction)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_directions_have_their_own_and_the_others_one_in_common() {
        let is_used: Vec<bool> = (0..FEW).map(|direction| direction % 4 == 2).collect();
        let mut items = ByDirection::new(&Places::new(&is_used), |direction| direction);
        items[2] += 10;
        assert_eq!([2, 6].map(|direction| items[direction]), [12, 6]);
        assert_eq!([0, 1].map(|direction| items.has_own(direction)), [false; 2]);
        assert_eq!(items.iter().count(), FEW / 4 + 1);
    }

    #[test]
    fn what_directions_have_is_moved_to_another_order() {
        let is_used: Vec<bool> = (0..FEW).map(|direction| direction % 4 == 2).collect();
        let mut items = ByDirection::new(&Places::new(&is_used), |direction| direction);
        let backwards = (0..FEW).rev().filter(|&direction| is_used[direction]);
        let places = items.places().in_order(backwards);
        items.arrange(&places);
        let own = (0..FEW).filter(|&direction| is_used[direction]);
        assert!(own.clone().all(|direction| items[direction] == direction));
        assert!(items.iter().skip(1).copied().eq(own.rev()));
        assert_eq!((items[0], items.has_own(0)), (0, false));
    }

    #[test]
    fn among_few_each_has_its_own() {
        let places = Places::new(&[true, false, true]);
        let items = ByDirection::new(&places, |direction| direction);
        assert_eq!([0, 1, 2].map(|direction| items[direction]), [0, 1, 2]);
        assert!(items.places.of.is_empty() && items.iter().count() == 3);
    }
}
