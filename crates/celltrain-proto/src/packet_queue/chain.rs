//! Lists of numbers that take no memory of their own: each number is in one list of its chain at most.

use alloc::vec::Vec;

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// The numbers before and after one in its list.
#[derive(Clone, Copy, Debug)]
struct Neighbours {
    before: u32,
    after: u32,
}

/// What joins numbers to lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    neighbours: Vec<Neighbours>,
}

/// A list of numbers of a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    first: u32,
    last: u32,
}

impl List {
    /// A list without numbers.
    pub(super) const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
    };

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.first == NONE
    }

    #[inline]
    pub(super) fn first(self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    #[inline]
    pub(super) fn last(self) -> Option<u32> {
        (self.last != NONE).then_some(self.last)
    }
}

impl Chain {
    /// The numbers below `count`, in no list.
    pub(super) fn new(count: u32) -> Self {
        let mut chain = Self::default();
        (0..count).for_each(|_| {
            chain.add();
        });
        chain
    }

    /// One more number.
    #[inline]
    pub(super) fn add(&mut self) -> u32 {
        self.neighbours.push(Neighbours {
            before: NONE,
            after: NONE,
        });
        self.neighbours.len() as u32 - 1
    }

    /// The list of all numbers.
    pub(super) fn all(&mut self) -> List {
        let mut all = List::EMPTY;
        (0..self.neighbours.len() as u32).for_each(|number| self.push_back(&mut all, number));
        all
    }

    /// Puts a number that is in no list behind a list.
    #[inline]
    pub(super) fn push_back(&mut self, list: &mut List, number: u32) {
        self.neighbours[number as usize] = Neighbours {
            before: list.last,
            after: NONE,
        };
        match list.last() {
            Some(before) => self.neighbours[before as usize].after = number,
            None => list.first = number,
        }
        list.last = number;
    }

    /// Puts a number that is in no list before a list.
    #[inline]
    pub(super) fn push_front(&mut self, list: &mut List, number: u32) {
        self.neighbours[number as usize] = Neighbours {
            before: NONE,
            after: list.first,
        };
        match list.first() {
            Some(after) => self.neighbours[after as usize].before = number,
            None => list.last = number,
        }
        list.first = number;
    }

    /// Takes a number out of its list.
    #[inline]
    pub(super) fn remove(&mut self, list: &mut List, number: u32) {
        let Neighbours { before, after } = self.neighbours[number as usize];
        if before == NONE {
            list.first = after;
        } else {
            self.neighbours[before as usize].after = after;
        }
        if after == NONE {
            list.last = before;
        } else {
            self.neighbours[after as usize].before = before;
        }
    }

    /// Takes the first number out of a list.
    #[inline]
    pub(super) fn pop_front(&mut self, list: &mut List) -> Option<u32> {
        let first = list.first()?;
        self.remove(list, first);
        Some(first)
    }

    /// Moves the first number of one list behind another one.
    #[inline]
    pub(super) fn move_first(&mut self, from: &mut List, to: &mut List) {
        if let Some(first) = self.pop_front(from) {
            self.push_back(to, first);
        }
    }

    /// Moves the first number of a list behind it.
    #[inline]
    pub(super) fn rotate(&mut self, list: &mut List) {
        if let Some(first) = self.pop_front(list) {
            self.push_back(list, first);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn numbers(chain: &Chain, list: List) -> Vec<u32> {
        let after = |number: &u32| Some(chain.neighbours[*number as usize].after);
        let next = |number: &u32| after(number).filter(|&after| after != NONE);
        core::iter::successors(list.first(), next).collect()
    }

    #[test]
    fn numbers_stay_in_order_whichever_is_taken_out() {
        for (taken, left) in [(0, [1, 2, 3]), (2, [0, 1, 3]), (3, [0, 1, 2])] {
            let mut chain = Chain::new(4);
            let mut list = chain.all();
            chain.remove(&mut list, taken);
            assert_eq!(numbers(&chain, list), left);
            assert_eq!(list.last(), Some(left[2]));
            chain.push_front(&mut list, taken);
            chain.rotate(&mut list);
            assert_eq!(numbers(&chain, list)[..3], left);
        }
    }

    #[test]
    fn a_list_can_become_empty_and_full_again() {
        let mut chain = Chain::new(2);
        let (mut one, mut other) = (chain.all(), List::EMPTY);
        chain.move_first(&mut one, &mut other);
        chain.move_first(&mut one, &mut other);
        assert!(one.is_empty() && one.last().is_none());
        assert_eq!(numbers(&chain, other), [0, 1]);
        assert_eq!(chain.pop_front(&mut one), None);
        assert_eq!(chain.pop_front(&mut other), Some(0));
        chain.push_front(&mut one, 0);
        assert_eq!(numbers(&chain, one), [0]);
    }
}
