//! A winner tree over actors, with four players in each match, finds the earliest deadline. When a deadline changes, only
//! the matches on its path to the root are replayed.

use std::hint::select_unpredictable;

use celltrain_proto::units::{Span, Time};

/// A winner tree over a fixed number of actors. Each has one deadline and one place.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The matches: those between actors, then those between their winners, and so on to the last.
    matches: Box<[[Key; 4]]>,
    /// The number of actors.
    count: usize,
    /// The number of places in the first round of matches, a power of four.
    places: usize,
    /// The winner of the last match.
    first: Key,
    /// The deadlines, by place.
    deadlines: Box<[Time]>,
    /// The actors by place, in ascending order; empty if each actor's place is its number.
    actors: Box<[u32]>,
    /// The instant from which keys count. No deadline is earlier.
    base: Time,
    /// The number of bits of a key that hold the actor.
    actor_bits: u32,
    /// The longest time that a key can hold. It stands for everything at least as far away, including no deadline.
    far: u64,
    /// Whether some deadline other than [`Time::NEVER`] is that far away.
    has_far: bool,
}

/// Time since the base in ps, with the actor in the low bits. The smaller key wins: among equal deadlines, that of the
/// lower actor.
type Key = u64;

/// The earlier of two keys. A branch would be mispredicted half the time.
#[inline]
fn earlier(a: Key, b: Key) -> Key {
    select_unpredictable(b < a, b, a)
}

#[inline]
fn earliest([a, b, c, d]: [Key; 4]) -> Key {
    earlier(earlier(a, b), earlier(c, d))
}

impl Tree {
    /// A tree of `actors` actors without deadlines, where each actor's place is its number.
    pub(super) fn new(actors: usize) -> Self {
        Self::with_places(actors, Box::default(), actors)
    }

    /// A tree of the given actors, in ascending order and below `all`, without deadlines.
    pub(super) fn of(actors: Box<[u32]>, all: usize) -> Self {
        Self::with_places(actors.len(), actors, all)
    }

    fn with_places(count: usize, actors: Box<[u32]>, all: usize) -> Self {
        let mut places = 4;
        while places < count {
            places *= 4;
        }
        let actor_bits = all.max(places).next_power_of_two().ilog2();
        let mut tree = Self {
            // A quarter of the places, a quarter of that, and so on down to one.
            matches: vec![[0; 4]; (places - 1) / 3].into_boxed_slice(),
            count,
            places,
            first: 0,
            deadlines: vec![Time::NEVER; places].into_boxed_slice(),
            actors,
            base: Time::ZERO,
            actor_bits,
            far: Key::MAX >> actor_bits,
            has_far: false,
        };
        tree.play_all();
        tree
    }

    /// The earliest deadline and its actor.
    #[inline]
    pub(super) fn next(&self) -> (Time, usize) {
        self.read(self.first)
    }

    /// Sets the deadline of `actor`, which has this place.
    #[inline]
    pub(super) fn set(&mut self, mut place: usize, actor: usize, deadline: Time) {
        if self.deadlines[place] == deadline {
            return;
        }
        self.deadlines[place] = deadline;
        if deadline < self.base {
            return self.move_base();
        }
        let mut winner = self.key(actor, deadline);
        while let Some(players) = self.matches.get_mut(place / 4) {
            // The others play first, so they need not wait for the winner of the previous match.
            let player = &mut players[place % 4];
            *player = Key::MAX;
            let others = earliest(*players);
            players[place % 4] = winner;
            winner = earlier(others, winner);
            place = self.places + place / 4;
        }
        self.first = winner;
        if self.has_far {
            self.look_far();
        }
    }

    /// The number of actors.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The actors by place, in ascending order; empty if each actor's place is its number.
    pub(super) fn actors(&self) -> &[u32] {
        &self.actors
    }

    /// The deadline of the actor at this place.
    pub(super) fn deadline(&self, place: usize) -> Time {
        self.deadlines[place]
    }

    #[inline]
    fn key(&mut self, actor: usize, deadline: Time) -> Key {
        let mut since = (deadline - self.base).as_ps();
        if since >= self.far {
            self.has_far |= deadline != Time::NEVER;
            since = self.far;
        }
        since << self.actor_bits | actor as Key
    }

    #[inline]
    fn read(&self, key: Key) -> (Time, usize) {
        let since = key >> self.actor_bits;
        let actor = key & ((1 << self.actor_bits) - 1);
        let deadline = if since == self.far {
            Time::NEVER
        } else {
            self.base + Span::from_ps(since)
        };
        (deadline, actor as usize)
    }

    /// Moves the base forward if all deadlines are far away from it.
    #[cold]
    fn look_far(&mut self) {
        if self.first >> self.actor_bits == self.far {
            self.move_base();
        }
    }

    /// Makes keys count from the earliest deadline.
    #[cold]
    fn move_base(&mut self) {
        self.base = self.deadlines.iter().copied().min().unwrap_or(Time::ZERO);
        self.has_far = false;
        self.play_all();
    }

    fn play_all(&mut self) {
        for place in 0..self.places {
            let actor = self.actors.get(place);
            let actor = actor.map_or(place, |&actor| actor as usize);
            self.matches[place / 4][place % 4] = self.key(actor, self.deadlines[place]);
        }
        for number in 0..self.matches.len() {
            let winner = earliest(self.matches[number]);
            let place = self.places + number;
            match self.matches.get_mut(place / 4) {
                Some(players) => players[place % 4] = winner,
                None => self.first = winner,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_next_actor_is_the_earliest_and_lowest(
            actors in 1_usize..40,
            changes in prop::collection::vec((0_usize..40, 0_u64..20), 1..200),
            // Includes times that do not fit in a key.
            unit in prop::sample::select(vec![1, 1 << 54, 1 << 59]),
            step in 1..4_usize,
        ) {
            let mut tree = match step {
                1 => Tree::new(actors),
                _ => Tree::of((0..actors).map(|place| (step * place) as u32).collect(), 120),
            };
            let mut model = vec![Time::NEVER; actors];
            for (place, at) in changes {
                let place = place % actors;
                let deadline = if at == 0 { Time::NEVER } else { Time::from_ps(at * unit) };
                tree.set(place, step * place, deadline);
                model[place] = deadline;
                let expected = model.iter().copied().zip(0..).min().unwrap();
                let (next, actor) = tree.next();
                prop_assert_eq!(next, expected.0);
                if next != Time::NEVER {
                    prop_assert_eq!(actor, step * expected.1);
                }
            }
        }
    }
}
