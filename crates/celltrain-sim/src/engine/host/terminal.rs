//! Controlled equipment of generic flow control: an end system whose sources obey the same commands.

use celltrain_proto::flow::gfc::{Controlled, Group};

/// An end system under generic flow control.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Terminal {
    /// The state that commands change.
    pub(in crate::engine) controlled: Controlled,
    /// The directions that start here, in ascending order.
    pub(in crate::engine) members: Box<[u32]>,
    /// Whether some of them are in a group.
    pub(in crate::engine) has_groups: bool,
    /// By group: the place among the members of the one whose cell left last.
    last: [usize; 2],
}

impl Terminal {
    /// An end system at which the directions `members` start.
    pub(in crate::engine) fn new(
        controlled: Controlled,
        members: Box<[u32]>,
        has_groups: bool,
    ) -> Self {
        Self {
            controlled,
            // The first member has the first turn.
            last: [members.len().saturating_sub(1); 2],
            members,
            has_groups,
        }
    }

    /// The place of a direction among the members.
    pub(in crate::engine) fn place(&self, direction: usize) -> Option<usize> {
        self.members.binary_search(&(direction as u32)).ok()
    }

    /// How many turns the member at `place` comes after the one of the group whose cell left last.
    pub(in crate::engine) fn turn(&self, group: Group, place: usize) -> usize {
        let count = self.members.len();
        (place + count - self.last[group as usize] - 1) % count
    }

    /// A cell of the group leaves the member at `place`.
    pub(in crate::engine) fn on_send(&mut self, group: Group, place: usize) {
        self.controlled.on_send(group);
        self.last[group as usize] = place;
    }
}

#[cfg(test)]
mod tests {
    use celltrain_proto::units::Span;

    use super::*;

    #[test]
    fn members_take_turns_by_group() {
        let controlled = Controlled::new(Span::from_secs(5), [1, 1]);
        let mut terminal = Terminal::new(controlled, Box::new([0, 4, 6]), true);
        let turns = |terminal: &Terminal, group| [0, 1, 2].map(|at| terminal.turn(group, at));
        assert_eq!(turns(&terminal, Group::A), [0, 1, 2]);
        terminal.on_send(Group::A, 1);
        assert_eq!(turns(&terminal, Group::A), [1, 2, 0]);
        assert_eq!(turns(&terminal, Group::B), [0, 1, 2]);
        assert_eq!(terminal.place(4), Some(1));
        assert_eq!(terminal.place(5), None);
    }
}
