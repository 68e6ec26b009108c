//! The calendar: which actor is due next.
//!
//! Every actor has exactly one deadline. Among equal deadlines the lower actor number comes first, so the order of events
//! never depends on history. A calendar can be divided into parts, which take turns.

mod tree;

use celltrain_proto::units::Time;

use crate::engine::schedule::calendar::tree::Tree;

/// The deadlines of all actors.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Calendar {
    /// The part that is active: the whole calendar if it is not divided.
    present: Tree,
    /// The other parts; an empty tree stands in for the active one.
    parts: Box<[Tree]>,
    /// The index of the active part; `None` while no part is active.
    turn: Option<usize>,
    /// By actor: its place within its part. Empty if the calendar is not divided.
    places: Box<[u32]>,
}

impl Calendar {
    /// A calendar for `actors` actors, without deadlines.
    pub(in crate::engine) fn new(actors: usize) -> Self {
        Self {
            present: Tree::new(actors),
            parts: Box::default(),
            turn: None,
            places: Box::default(),
        }
    }

    /// The earliest deadline in the active part, and its actor.
    #[inline]
    pub(in crate::engine) fn next(&self) -> (Time, usize) {
        self.present.next()
    }

    /// Sets the deadline of `actor`, which must be in the active part if there is one.
    #[inline]
    pub(in crate::engine) fn set(&mut self, actor: usize, deadline: Time) {
        let mut place = actor;
        if let Some(&within) = self.places.get(actor) {
            if self.turn.is_none() {
                return self.set_at_rest(actor, deadline);
            }
            place = within as usize;
            debug_assert_eq!(self.present.actors()[place], actor as u32);
        }
        self.present.set(place, actor, deadline);
    }

    #[cold]
    fn set_at_rest(&mut self, actor: usize, deadline: Time) {
        let place = self.places[actor] as usize;
        let mut parts = self.parts.iter_mut();
        let has_actor = |part: &&mut Tree| part.actors().get(place) == Some(&(actor as u32));
        if let Some(part) = parts.find(has_actor) {
            part.set(place, actor, deadline);
        }
    }

    /// Divides the calendar into parts with the given actors, in ascending order. All other actors must never have a
    /// deadline.
    pub(in crate::engine) fn divide(&mut self, parts: Vec<Box<[u32]>>) {
        let all = std::mem::replace(&mut self.present, Tree::new(0));
        self.places = vec![u32::MAX; all.count()].into();
        let parts = parts.into_iter().map(|actors| {
            let mut part = Tree::of(actors, all.count());
            for place in 0..part.actors().len() {
                let actor = part.actors()[place] as usize;
                self.places[actor] = place as u32;
                part.set(place, actor, all.deadline(actor));
            }
            part
        });
        self.parts = parts.collect();
    }

    /// Reunites the parts.
    pub(in crate::engine) fn unite(&mut self) {
        if self.parts.is_empty() {
            return;
        }
        self.rest();
        let mut all = Self::new(self.places.len());
        for part in &self.parts {
            for (place, &actor) in part.actors().iter().enumerate() {
                all.set(actor as usize, part.deadline(place));
            }
        }
        *self = all;
    }

    /// Swaps a part with that of another calendar of the same actors. No part of either may be active.
    pub(in crate::engine) fn exchange(&mut self, other: &mut Self, part: usize) {
        std::mem::swap(&mut self.parts[part], &mut other.parts[part]);
    }

    /// Makes this part the active one.
    pub(in crate::engine) fn turn_to(&mut self, part: usize) {
        self.rest();
        if let Some(next) = self.parts.get_mut(part) {
            std::mem::swap(next, &mut self.present);
            self.turn = Some(part);
        }
    }

    /// Leaves no part active.
    pub(in crate::engine) fn rest(&mut self) {
        if let Some(part) = self.turn.take() {
            std::mem::swap(&mut self.parts[part], &mut self.present);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    /// Six actors: 1, 3 and 4 in one part, 0 and 5 in another, and 2 without a deadline.
    fn divided() -> Calendar {
        let mut calendar = Calendar::new(6);
        for (actor, ps) in [(0, 50), (1, 40), (3, 70), (4, 40)] {
            calendar.set(actor, at(ps));
        }
        calendar.divide(vec![[1, 3, 4].into(), [0, 5].into()]);
        calendar
    }

    #[test]
    fn each_part_has_its_own_next_actor() {
        let mut calendar = divided();
        calendar.turn_to(0);
        assert_eq!(calendar.next(), (at(40), 1));
        calendar.set(1, at(80));
        assert_eq!(calendar.next(), (at(40), 4));
        calendar.set(4, Time::NEVER);
        calendar.turn_to(1);
        assert_eq!(calendar.next(), (at(50), 0));
        calendar.turn_to(0);
        assert_eq!(calendar.next(), (at(70), 3));
    }

    #[test]
    fn deadlines_are_set_while_all_parts_rest() {
        let mut calendar = divided();
        calendar.turn_to(1);
        calendar.rest();
        assert_eq!(calendar.next().0, Time::NEVER);
        calendar.set(3, at(10));
        calendar.set(5, at(20));
        calendar.set(2, Time::NEVER);
        let next = [0, 1].map(|part| {
            calendar.turn_to(part);
            calendar.next()
        });
        assert_eq!(next, [(at(10), 3), (at(20), 5)]);
    }

    #[test]
    fn parts_become_one_again() {
        let mut calendar = divided();
        calendar.turn_to(0);
        calendar.set(1, at(60));
        calendar.unite();
        assert_eq!(calendar.next(), (at(40), 4));
        calendar.set(4, at(55));
        assert_eq!(calendar.next(), (at(50), 0));
    }
}
