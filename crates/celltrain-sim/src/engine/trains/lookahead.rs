//! Lookahead: lower bounds on the next arrivals at a stage (K. M. Chandy and J. Misra, 1979; R. E. Bryant, 1977).
//!
//! The invariant: **no bound is ever later than the true next arrival.** A bound that is too early costs a request
//! upstream; one that is too late changes the order of cells. So whatever makes something happen earlier lowers the
//! bounds downstream before the next event (`propagate.rs`), and a stage that has asked upstream raises its bounds with
//! the answer.

use celltrain_proto::units::{Span, Time};

/// Lower bounds on the next arrival by one input.
#[derive(Clone, Copy, Debug)]
struct InputBounds {
    /// The arrival of the first cell in its channel, which is known exactly.
    first: Time,
    /// The lookahead of the channel's origin: no cell that is not yet in the channel arrives earlier, except event cells.
    upstream: Time,
}

/// An input with an empty channel, from which nothing is expected.
const NOTHING: InputBounds = InputBounds {
    first: Time::NEVER,
    upstream: Time::NEVER,
};

/// Lower bounds on the next arrivals at a stage.
///
/// Of many inputs only a few bring cells at a time; only these are examined.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Lookahead {
    /// For any cell by any input; never later than the earliest of the bounds below. A cell put into a channel or a null
    /// message lowers it. Only [`Lookahead::renew`] raises it, after the stage has taken what has arrived.
    earliest: Time,
    inputs: Box<[InputBounds]>,
    /// A bit for each input; where it is not set, the bounds are [`NOTHING`].
    live: Box<[u64]>,
    /// For cells of the source group that the group does not hold yet. A source that sends earlier than expected lowers
    /// it; filling the group raises it.
    group: Time,
    /// The minimum time from arrival to departure of a cell. It is zero unless every cell certainly takes it, to the
    /// picosecond; otherwise the lookahead passed downstream would be too late.
    pub(in crate::engine) latency: Span,
    /// The channels filled by the stage that only some of its inputs feed: their bounds may become earlier while that of
    /// the stage does not.
    pub(in crate::engine) partly_fed: Box<[u32]>,
}

const TOGETHER: usize = u64::BITS as usize;

impl Lookahead {
    /// The lookahead of a stage with `inputs` inputs, none of which brings anything.
    pub(in crate::engine) fn new(inputs: usize, latency: Span) -> Self {
        Self {
            earliest: Time::NEVER,
            inputs: vec![NOTHING; inputs].into(),
            live: vec![0; inputs.div_ceil(TOGETHER)].into(),
            group: Time::NEVER,
            latency,
            partly_fed: Box::default(),
        }
    }

    /// A lower bound on the next arrival by any input.
    #[inline]
    pub(in crate::engine) fn lower_bound(&self) -> Time {
        self.earliest
    }

    /// A lower bound on the next arrival by `input`, which must not be in the source group.
    #[inline]
    pub(in crate::engine) fn lower_bound_of(&self, input: usize) -> Time {
        let InputBounds { first, upstream } = self.inputs[input];
        first.min(upstream)
    }

    /// Lowers the bound of the stage to `at` if that is earlier, and returns whether it was.
    #[inline]
    pub(in crate::engine) fn lower(&mut self, at: Time) -> bool {
        let is_earlier = at < self.earliest;
        if is_earlier {
            self.earliest = at;
        }
        is_earlier
    }

    /// Sets the arrival of the first cell in the channel of `input`.
    #[inline]
    pub(in crate::engine) fn set_first(&mut self, input: usize, at: Time) {
        self.inputs[input].first = at;
        self.enliven(input);
    }

    /// Receives a null message from upstream: a cell may enter the channel of `input` and arrive at `at`. Returns whether
    /// this is earlier than known.
    #[inline]
    pub(in crate::engine) fn receive(&mut self, input: usize, at: Time) -> bool {
        // A later bound is ignored. It is asked for when the earlier one has passed, so that a busy stage does not send
        // null messages downstream for each cell.
        at < self.inputs[input].upstream && self.set_upstream(input, at)
    }

    /// Sets the bound, earlier or later, on cells not yet in the channel of `input`: the answer to a request, or what a
    /// source knows of itself. Returns whether it changed.
    #[inline]
    pub(in crate::engine) fn set_upstream(&mut self, input: usize, at: Time) -> bool {
        let has_changed = at != self.inputs[input].upstream;
        self.inputs[input].upstream = at;
        self.enliven(input);
        has_changed
    }

    #[inline]
    fn enliven(&mut self, input: usize) {
        self.live[input / TOGETHER] |= 1 << (input % TOGETHER);
    }

    /// Receives a null message from a source of the group; returns whether it is earlier than known.
    #[inline]
    pub(in crate::engine) fn receive_of_group(&mut self, at: Time) -> bool {
        let is_earlier = at < self.group;
        self.group = self.group.min(at);
        is_earlier
    }

    /// Notes that the group holds all cells that arrive before `end`.
    pub(in crate::engine) fn set_group(&mut self, end: Time) {
        self.group = end;
    }

    /// A lower bound on the next arrival of cells that the source group does not hold yet.
    #[inline]
    pub(in crate::engine) fn group(&self) -> Time {
        self.group
    }

    /// Recomputes the bound of the stage after it has taken what has arrived; the first cell that its source group holds
    /// arrives at `group`.
    #[inline]
    pub(in crate::engine) fn renew(&mut self, group: Time) {
        let mut earliest = Time::NEVER;
        for (live, word) in self.live.iter_mut().zip(0..) {
            for bit in bits(*live) {
                let InputBounds { first, upstream } = self.inputs[TOGETHER * word + bit];
                let next = first.min(upstream);
                earliest = earliest.min(next);
                // An input that expects nothing is looked at again when something is set for it.
                *live &= !(u64::from(next == Time::NEVER) << bit);
            }
        }
        self.earliest = earliest.min(group.min(self.group));
    }

    /// The first input, from number `from` on, that may bring more cells by `time` than its channel holds. Its origin
    /// must be asked.
    #[inline]
    pub(in crate::engine) fn next_to_ask(&self, from: usize, time: Time) -> Option<usize> {
        let word = from / TOGETHER;
        let mut skipped = !0 << (from % TOGETHER);
        for (live, word) in self.live.iter().zip(0..).skip(word) {
            let mut inputs = bits(live & skipped).map(|bit| TOGETHER * word + bit);
            // An input whose bound is later brings nothing in time and need not be asked.
            if let Some(input) = inputs.find(|&input| self.inputs[input].upstream <= time) {
                return Some(input);
            }
            skipped = !0;
        }
        None
    }

    /// The inputs, in order, whose channels hold cells that arrive up to `time`.
    #[inline]
    pub(in crate::engine) fn in_time(&self, time: Time) -> impl Iterator<Item = usize> {
        self.live.iter().zip(0..).flat_map(move |(&live, word)| {
            // Without branches, which would be unpredictable.
            let in_time = bits(live).fold(0, |in_time, bit| {
                let is_in_time = self.inputs[TOGETHER * word + bit].first <= time;
                in_time | u64::from(is_in_time) << bit
            });
            bits(in_time).map(move |bit| TOGETHER * word + bit)
        })
    }
}

/// The positions of the set bits of a word.
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
    fn lookahead() -> Lookahead {
        let mut lookahead = Lookahead::new(130, Span::ZERO);
        lookahead.set_first(3, at(10));
        lookahead.set_upstream(3, at(20));
        lookahead.set_upstream(64, at(5));
        lookahead.set_first(129, at(7));
        lookahead
    }

    #[test]
    fn those_are_found_by_which_cells_come_in_time() {
        let found = |time| lookahead().in_time(at(time)).collect::<Vec<_>>();
        assert!(found(6).is_empty());
        assert_eq!(found(7), [129]);
        assert_eq!(found(99), [3, 129]);
    }

    #[test]
    fn those_are_asked_that_may_have_more() {
        let next = |from, time| lookahead().next_to_ask(from, at(time));
        assert_eq!(next(0, 4), None);
        assert_eq!(next(0, 19), Some(64));
        assert_eq!(next(0, 20), Some(3));
        assert_eq!(next(4, 20), Some(64));
        assert_eq!(next(65, 20), None);
    }

    #[test]
    fn what_has_come_to_an_end_is_looked_at_again_when_something_comes() {
        let mut lookahead = lookahead();
        lookahead.renew(Time::NEVER);
        assert_eq!(lookahead.lower_bound(), at(5));
        lookahead.set_upstream(64, Time::NEVER);
        lookahead.set_first(129, Time::NEVER);
        lookahead.renew(Time::NEVER);
        assert_eq!(
            (lookahead.lower_bound(), lookahead.lower_bound_of(3)),
            (at(10), at(10))
        );
        assert_eq!(lookahead.live.as_ref(), [1 << 3, 0, 0]);
        lookahead.set_first(129, at(9));
        lookahead.renew(Time::NEVER);
        assert_eq!(lookahead.lower_bound(), at(9));
    }

    #[test]
    fn a_null_message_lowers_bounds_and_an_answer_may_raise_them() {
        let mut lookahead = lookahead();
        assert!(!lookahead.receive(64, at(6)));
        assert_eq!(lookahead.lower_bound_of(64), at(5));
        assert!(lookahead.receive(64, at(4)));
        assert!(lookahead.set_upstream(64, at(8)));
        assert_eq!(lookahead.lower_bound_of(64), at(8));
        assert!(lookahead.lower(at(4)) && !lookahead.lower(at(6)));
        assert_eq!(lookahead.lower_bound(), at(4));
    }

    #[test]
    fn the_source_group_counts_with_what_it_holds_and_what_it_lacks() {
        let mut lookahead = lookahead();
        lookahead.set_group(at(4));
        lookahead.renew(at(9));
        assert_eq!(lookahead.lower_bound(), at(4));
        assert!(!lookahead.receive_of_group(at(5)) && lookahead.receive_of_group(at(3)));
        lookahead.renew(at(2));
        assert_eq!((lookahead.group(), lookahead.lower_bound()), (at(3), at(2)));
    }
}
