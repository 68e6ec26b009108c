//! End systems under generic flow control: commands arrive, and controlled sources take turns.

use celltrain_proto::flow::gfc::{Command, Group};
use celltrain_proto::units::Time;

use crate::engine::host::EndSystems;
use crate::engine::simulation::Simulation;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;

impl Simulation<'_> {
    /// Handles a command that a cell has brought to the end system where `direction` starts.
    #[inline(never)]
    pub(in crate::engine) fn obey_gfc(&mut self, direction: usize, command: Command) {
        let Some(number) = self.sources[direction].terminal() else {
            return;
        };
        let now = self.schedule.now;
        self.ends.terminals[number]
            .controlled
            .on_command(now, command);
        self.release(number);
    }

    /// Whether the source of a direction may send a cell now as far as its terminal is concerned. If not, it is held until
    /// another source of the terminal has sent or has changed.
    #[inline(never)]
    pub(in crate::engine) fn has_turn(&mut self, direction: usize) -> bool {
        let Some(held) = self.sources[direction].gfc.as_deref() else {
            return true;
        };
        let (number, group) = (held.terminal as usize, held.group);
        let (ends, sources, now) = (&self.ends, &self.sources, self.schedule.now);
        if group.is_none_or(|group| ends.comes_next(number, group, direction, sources, now)) {
            return true;
        }
        if let Some(held) = &mut self.sources[direction].gfc {
            held.until = Time::NEVER;
        }
        self.set_source_deadline(direction);
        false
    }

    /// Counts the cell that leaves the source of a direction, if it `sends` one in its turn, and lets the other sources of
    /// its terminal try again.
    #[inline(never)]
    pub(in crate::engine) fn after_turn(&mut self, direction: usize, sends: bool) {
        let Some(number) = self.sources[direction].terminal() else {
            return;
        };
        let terminal = &mut self.ends.terminals[number];
        if sends
            && let Some(group) = group_of(&self.sources[direction])
            && let Some(place) = terminal.place(direction)
        {
            terminal.on_send(group, place);
        }
        self.release_groups(direction);
    }

    /// Lets the sources of a terminal try again after the source of a direction has sent or has changed: those of its
    /// groups may have waited for it.
    #[inline(never)]
    pub(in crate::engine) fn release_groups(&mut self, direction: usize) {
        if let Some(number) = self.sources[direction].terminal()
            && self.ends.terminals[number].has_groups
        {
            self.release(number);
        }
    }

    /// Sets until when each source of a terminal is held: by HALT, or because the counter of its group is zero.
    fn release(&mut self, number: usize) {
        for at in 0..self.ends.terminals[number].members.len() {
            let terminal = &self.ends.terminals[number];
            let direction = terminal.members[at] as usize;
            let controlled = &terminal.controlled;
            let Some(held) = &mut self.sources[direction].gfc else {
                continue;
            };
            let is_spent = held
                .group
                .is_some_and(|group| controlled.credit(group) == Some(0));
            let until = if is_spent {
                Time::NEVER
            } else {
                controlled.halted_until().unwrap_or(Time::ZERO)
            };
            // These sources send cell by cell, so nothing but their deadlines depends on it.
            if std::mem::replace(&mut held.until, until) != until {
                self.set_source_deadline(direction);
            }
        }
    }
}

impl EndSystems {
    /// Whether a cell of a controlled source leaves now: uncontrolled cells go first, and the sources of a group take turns
    /// while its counter is above zero.
    fn comes_next(
        &self,
        number: usize,
        group: Group,
        direction: usize,
        sources: &ByDirection<Source>,
        now: Time,
    ) -> bool {
        let terminal = &self.terminals[number];
        let Some(credit) = terminal.controlled.credit(group) else {
            return true;
        };
        let Some(own) = terminal.place(direction) else {
            return true;
        };
        let own_turn = terminal.turn(group, own);
        let is_before = |(place, &member): (usize, &u32)| {
            let source = &sources[member as usize];
            let is_ready = place != own && source.ready() <= now;
            is_ready
                && group_of(source)
                    .is_none_or(|other| other == group && terminal.turn(group, place) < own_turn)
        };
        credit > 0 && !terminal.members.iter().enumerate().any(is_before)
    }
}

/// The group of the VC of a source under generic flow control.
fn group_of(source: &Source) -> Option<Group> {
    source.gfc.as_deref().and_then(|held| held.group)
}
