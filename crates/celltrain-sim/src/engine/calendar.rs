//! The calendar: which actor is due next.
//!
//! Every actor has exactly one deadline. A winner tree over the actors gives the earliest; a change of
//! one deadline replays the matches on its way to the root.
//! Equal deadlines are won by the lower actor number, so the order of events never depends on history.

use celltrain_proto::units::Time;

/// A winner tree over a fixed number of actors.
#[derive(Clone, Debug)]
pub(super) struct Calendar {
    /// `tree[1]` is the root, `tree[leaves + actor]` the actor's leaf.
    tree: Box<[Key]>,
    leaves: usize,
}

/// Deadline and actor in one number: the smaller wins, and at equal deadlines the lower actor. Its
/// minimum is found without a branch, which would be taken at random.
type Key = u128;

const ACTOR_BITS: u32 = 32;

fn key(deadline: Time, actor: usize) -> Key {
    Key::from(deadline.as_ps()) << ACTOR_BITS | actor as Key
}

impl Calendar {
    /// A calendar of `actors` actors without deadlines.
    pub(super) fn new(actors: usize) -> Self {
        let leaves = actors.next_power_of_two().max(2);
        let mut tree = vec![0; 2 * leaves].into_boxed_slice();
        for (actor, leaf) in tree[leaves..].iter_mut().enumerate() {
            *leaf = key(Time::NEVER, actor);
        }
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node].min(tree[2 * node + 1]);
        }
        Self { tree, leaves }
    }

    /// The earliest deadline and its actor.
    #[inline]
    pub(super) fn next(&self) -> (Time, usize) {
        let winner = self.tree[1];
        (
            Time::from_ps((winner >> ACTOR_BITS) as u64),
            winner as u32 as usize,
        )
    }

    /// The deadline of `actor`.
    pub(super) fn deadline(&self, actor: usize) -> Time {
        Time::from_ps((self.tree[self.leaves + actor] >> ACTOR_BITS) as u64)
    }

    /// The earliest deadline but that of `actor`, which is the earliest of all, and whose it is.
    #[inline]
    pub(super) fn runner_up(&self, actor: usize) -> (Time, usize) {
        let mut node = self.leaves + actor;
        let mut second = key(Time::NEVER, usize::MAX & u32::MAX as usize);
        while node > 1 {
            second = second.min(self.tree[node ^ 1]);
            node >>= 1;
        }
        (
            Time::from_ps((second >> ACTOR_BITS) as u64),
            second as u32 as usize,
        )
    }

    /// Gives `actor` another deadline.
    #[inline]
    pub(super) fn set(&mut self, actor: usize, deadline: Time) {
        let mut node = self.leaves + actor;
        let mut winner = key(deadline, actor);
        self.tree[node] = winner;
        while node > 1 {
            winner = winner.min(self.tree[node ^ 1]);
            node >>= 1;
            self.tree[node] = winner;
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
        ) {
            let mut calendar = Calendar::new(actors);
            let mut model = vec![Time::NEVER; actors];
            for (actor, at) in changes {
                let actor = actor % actors;
                let deadline = if at == 0 { Time::NEVER } else { Time::from_ps(at) };
                calendar.set(actor, deadline);
                model[actor] = deadline;
                let expected = model.iter().copied().zip(0..).min().unwrap();
                let (next, actor) = calendar.next();
                prop_assert_eq!(next, expected.0);
                if next != Time::NEVER {
                    prop_assert_eq!(actor, expected.1);
                }
                let others = model.iter().copied().zip(0..).filter(|it| it.1 != actor);
                let second = calendar.runner_up(actor);
                prop_assert_eq!(second.0, others.min().map_or(Time::NEVER, |it| it.0));
            }
        }
    }
}
