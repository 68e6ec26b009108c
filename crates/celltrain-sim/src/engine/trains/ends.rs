//! The hops at the end of a channel, usually one.

use std::ops::Deref;

/// Hops in the order in which they were added; a single one needs no allocation.
#[derive(Clone, Debug)]
pub(in crate::engine) enum EndHops {
    /// None or one.
    Few(Option<u32>),
    /// Several.
    Many(Vec<u32>),
}

impl EndHops {
    pub(in crate::engine) const fn new() -> Self {
        Self::Few(None)
    }

    pub(in crate::engine) fn push(&mut self, end: u32) {
        match self {
            Self::Few(one @ None) => *one = Some(end),
            Self::Few(Some(one)) => *self = Self::Many(vec![*one, end]),
            Self::Many(all) => all.push(end),
        }
    }
}

impl Deref for EndHops {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match self {
            Self::Few(one) => one.as_slice(),
            Self::Many(all) => all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_come_in_the_order_in_which_they_were_added() {
        let mut ends = EndHops::new();
        for (count, end) in [7, 8, 9].into_iter().enumerate() {
            assert_eq!(*ends, [7, 8, 9][..count]);
            ends.push(end);
        }
        assert_eq!(*ends, [7, 8, 9]);
    }
}
