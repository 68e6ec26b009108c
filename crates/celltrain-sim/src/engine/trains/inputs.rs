//! When cells can come by the inputs of a port. Of many inputs few bring cells at a time: only these are looked at.

use celltrain_proto::units::Time;

/// What is known of an input.
#[derive(Clone, Copy, Debug)]
struct Expected {
    /// When the first cell in its channel arrives.
    arrival: Time,
    /// When a cell that is not yet in the channel can arrive at the earliest, event cells aside.
    more: Time,
}

const NOTHING: Expected = Expected {
    arrival: Time::NEVER,
    more: Time::NEVER,
};

/// The inputs of a port, but for those of its source group, of which nothing is known here.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Inputs {
    all: Box<[Expected]>,
    /// A bit for each: none of the others has anything to expect.
    live: Box<[u64]>,
}

const TOGETHER: usize = u64::BITS as usize;

impl Inputs {
    /// So many inputs, by none of which anything comes.
    pub(in crate::engine) fn new(count: usize) -> Self {
        Self {
            all: vec![NOTHING; count].into(),
            live: vec![0; count.div_ceil(TOGETHER)].into(),
        }
    }

    /// From now on the first cell in the channel of `input` arrives `at`.
    #[inline]
    pub(in crate::engine) fn set_arrival(&mut self, input: usize, at: Time) {
        self.all[input].arrival = at;
        self.enliven(input);
    }

    /// From now on no cell that is not yet in the channel of `input` arrives before `at`, event cells aside.
    #[inline]
    pub(in crate::engine) fn set_more(&mut self, input: usize, at: Time) {
        self.all[input].more = at;
        self.enliven(input);
    }

    #[inline]
    fn enliven(&mut self, input: usize) {
        self.live[input / TOGETHER] |= 1 << (input % TOGETHER);
    }

    /// When a cell that is not yet in the channel of `input` can arrive at the earliest, event cells aside.
    #[inline]
    pub(in crate::engine) fn more(&self, input: usize) -> Time {
        self.all[input].more
    }

    /// No cell arrives by `input` before.
    #[inline]
    pub(in crate::engine) fn quiet_of(&self, input: usize) -> Time {
        let Expected { arrival, more } = self.all[input];
        arrival.min(more)
    }

    /// No cell arrives before by any input.
    #[inline]
    pub(in crate::engine) fn quiet(&mut self) -> Time {
        let mut quiet = Time::NEVER;
        for (live, word) in self.live.iter_mut().zip(0..) {
            for bit in bits(*live) {
                let Expected { arrival, more } = self.all[TOGETHER * word + bit];
                let next = arrival.min(more);
                quiet = quiet.min(next);
                *live &= !(u64::from(next == Time::NEVER) << bit);
            }
        }
        quiet
    }

    /// The first input from number `from` on of which more cells than its channel holds may arrive up to `time`.
    #[inline]
    pub(in crate::engine) fn next_with_more(&self, from: usize, time: Time) -> Option<usize> {
        let first = from / TOGETHER;
        let mut skipped = !0 << (from % TOGETHER);
        for (live, word) in self.live.iter().zip(0..).skip(first) {
            let mut inputs = bits(live & skipped).map(|bit| TOGETHER * word + bit);
            if let Some(input) = inputs.find(|&input| self.all[input].more <= time) {
                return Some(input);
            }
            skipped = !0;
        }
        None
    }

    /// The inputs by which cells arrive up to `time`, in their order.
    #[inline]
    pub(in crate::engine) fn in_time(&self, time: Time) -> impl Iterator<Item = usize> {
        self.live.iter().zip(0..).flat_map(move |(&live, word)| {
            // Without branches, which would be taken at random.
            let in_time = bits(live).fold(0, |in_time, bit| {
                let is_in_time = self.all[TOGETHER * word + bit].arrival <= time;
                in_time | u64::from(is_in_time) << bit
            });
            bits(in_time).map(move |bit| TOGETHER * word + bit)
        })
    }
}

/// The numbers of the bits of a word that are set.
#[inline]
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    /// 130 inputs, of which three bring cells.
    fn inputs() -> Inputs {
        let mut inputs = Inputs::new(130);
        inputs.set_arrival(3, at(10));
        inputs.set_more(3, at(20));
        inputs.set_more(64, at(5));
        inputs.set_arrival(129, at(7));
        inputs
    }

    #[test]
    fn those_are_found_by_which_cells_come_in_time() {
        let found = |time| inputs().in_time(at(time)).collect::<Vec<_>>();
        assert!(found(6).is_empty());
        assert_eq!(found(7), [129]);
        assert_eq!(found(99), [3, 129]);
    }

    #[test]
    fn those_are_found_that_may_have_more() {
        let next = |from, time| inputs().next_with_more(from, at(time));
        assert_eq!(next(0, 4), None);
        assert_eq!(next(0, 19), Some(64));
        assert_eq!(next(0, 20), Some(3));
        assert_eq!(next(4, 20), Some(64));
        assert_eq!(next(65, 20), None);
    }

    #[test]
    fn what_has_come_to_an_end_is_looked_at_again_when_something_comes() {
        let mut inputs = inputs();
        assert_eq!(inputs.quiet(), at(5));
        inputs.set_more(64, Time::NEVER);
        inputs.set_arrival(129, Time::NEVER);
        assert_eq!((inputs.quiet(), inputs.quiet_of(3)), (at(10), at(10)));
        assert_eq!(inputs.live.as_ref(), [1 << 3, 0, 0]);
        inputs.set_arrival(129, at(9));
        assert_eq!((inputs.quiet(), inputs.more(129)), (at(9), Time::NEVER));
    }
}
