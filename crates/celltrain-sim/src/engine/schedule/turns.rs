//! Who has acted at the present instant.
//!
//! Of all actors that are due at one instant the calendar takes the first in its order. So when one acts, all due actors
//! before it in the order have acted too, even those woken at this very instant. A lazily evaluated source has sent its
//! cells of this instant if, since it was woken or sent a cell by an event, it or an actor after it in the order has acted.

/// The actors that have acted at the present instant and after which no actor later in the order has acted; the last in
/// the order comes first.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Turns {
    /// The last actor in the order that has acted, and the event in which it acted.
    last: Turn,
    /// The last of those that acted after it, and so on.
    later: Vec<Turn>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    event: u64,
    actor: usize,
}

impl Turns {
    /// Begins an instant, with this event, at which no actor has acted yet.
    pub(in crate::engine) fn begin(&mut self, event: u64) {
        self.last = Turn { event, actor: 0 };
        self.later.clear();
    }

    /// Notes that an actor acts; `is_same` tells whether it acts at the same instant as the previous actor.
    #[inline]
    pub(in crate::engine) fn act(&mut self, event: u64, actor: usize, is_same: bool) {
        if !is_same || actor >= self.last.actor {
            self.last = Turn { event, actor };
            self.later.clear();
            return;
        }
        while self.later.last().is_some_and(|turn| turn.actor <= actor) {
            self.later.pop();
        }
        self.later.push(Turn { event, actor });
    }

    /// The last actor in the order that has acted at this instant.
    #[inline]
    pub(in crate::engine) fn last(&self) -> usize {
        self.last.actor
    }

    /// Whether an actor that has been due since event `since` has acted at this instant: either it or an actor after it
    /// in the order has acted since.
    pub(in crate::engine) fn has_acted(&self, actor: usize, since: u64) -> bool {
        self.last_since(since).is_some_and(|last| actor <= last)
    }

    /// The last actor in the order of those that have acted since an event, if any.
    fn last_since(&self, event: u64) -> Option<usize> {
        if self.last.event > event {
            return Some(self.last.actor);
        }
        let later = self.later.iter().find(|turn| turn.event > event);
        later.map(|turn| turn.actor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_woken_now_has_acted_when_one_after_it_acts_later() {
        let mut turns = Turns::default();
        turns.act(10, 7, false);
        for (event, actor) in [(11, 2), (12, 5), (13, 4)] {
            turns.act(event, actor, true);
        }
        assert_eq!(turns.last(), 7);
        let since = |event| turns.last_since(event);
        assert_eq!(
            [9, 10, 11, 12].map(since),
            [Some(7), Some(5), Some(5), Some(4)]
        );
        assert_eq!(since(13), None);
    }

    #[test]
    fn another_instant_begins_anew() {
        let mut turns = Turns::default();
        turns.act(10, 7, false);
        turns.act(11, 3, true);
        turns.act(12, 1, false);
        assert_eq!((turns.last(), turns.last_since(11)), (1, Some(1)));
    }
}
