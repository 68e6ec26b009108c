//! Who has acted at the present instant.
//!
//! Of all that are due at one instant the calendar takes the first in its order. So when somebody acts, all before him
//! that were due have acted, too, even if what woke them came at this very instant. A source that is evaluated lazily has
//! sent what it sends now if somebody behind it has acted since it was woken.

/// The last in the order of the calendar that have acted at the present instant, each behind all who acted after him.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Turns {
    /// The last of all, and the event in which he acted.
    last: Turn,
    /// The last of those who acted after him, and so on.
    later: Vec<Turn>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    event: u64,
    actor: usize,
}

impl Turns {
    /// Nobody has acted at an instant that begins with this event.
    pub(in crate::engine) fn begin(&mut self, event: u64) {
        self.last = Turn { event, actor: 0 };
        self.later.clear();
    }

    /// Somebody acts, at the same instant as those before or at another.
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

    /// The last in order who has acted at this instant.
    #[inline]
    pub(in crate::engine) fn last(&self) -> usize {
        self.last.actor
    }

    /// Whether who was due from this event on has acted at this instant: he, or one behind him, has since.
    pub(in crate::engine) fn has_acted(&self, actor: usize, since: u64) -> bool {
        self.last_since(since).is_some_and(|last| actor <= last)
    }

    /// The last in order of those who have acted after an event; none if nobody has.
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
    fn who_is_woken_has_acted_when_one_behind_him_acts_later() {
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
