//! The terminal's side of generic flow control.

use super::{Command, Group};
use crate::units::{Span, Time};

/// The controlled equipment: whether its connections may send.
#[derive(Clone, Debug)]
pub struct Controlled {
    timeout: Span,
    halted_until: Option<Time>,
    /// `GO_VALUE` of groups A and B.
    go_values: [u32; 2],
    /// `GO_CNTR` of groups A and B; `None` until the first command, when the equipment is still uncontrolled.
    counters: Option<[u32; 2]>,
}

impl Controlled {
    /// Creates a terminal that resumes `timeout` after the last HALT. SET loads the counters of groups A and B with
    /// `go_values`; 1 is the standard's default.
    pub fn new(timeout: Span, go_values: [u32; 2]) -> Self {
        Self {
            timeout,
            halted_until: None,
            go_values,
            counters: None,
        }
    }

    /// A cell with this command has arrived. The first that is not [`Command::Null`] makes the equipment controlled, with
    /// counters of zero.
    #[inline]
    pub fn on_command(&mut self, now: Time, command: Command) {
        let halt = command == Command::Halt;
        self.halted_until = halt.then(|| now.saturating_add(self.timeout));
        if command == Command::Null {
            return;
        }
        let counters = self.counters.get_or_insert_default();
        for group in [Group::A, Group::B] {
            if command.sets(group) {
                counters[group as usize] = self.go_values[group as usize];
            }
        }
    }

    /// The instant from which the terminal may send again if no command arrives first; `None` if the last command was
    /// not HALT, or if there was none. If it lies in the past, the timer has expired and the terminal may send. Only
    /// [`Controlled::on_command`] changes it.
    #[inline]
    #[must_use]
    pub fn halted_until(&self) -> Option<Time> {
        self.halted_until
    }

    /// How many cells of a group may leave before the next SET, if the terminal is not halted; `None` if there is no limit
    /// because the equipment is uncontrolled.
    #[inline]
    #[must_use]
    pub fn credit(&self, group: Group) -> Option<u32> {
        self.counters.map(|counters| counters[group as usize])
    }

    /// A cell of a group leaves. Call only if [`Controlled::credit`] is not zero.
    #[inline]
    pub fn on_send(&mut self, group: Group) {
        if let Some(counters) = &mut self.counters {
            debug_assert!(counters[group as usize] > 0);
            counters[group as usize] = counters[group as usize].saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn terminal() -> Controlled {
        Controlled::new(Span::from_secs(5), [3, 1])
    }

    fn credits(terminal: &Controlled) -> [Option<u32>; 2] {
        [Group::A, Group::B].map(|group| terminal.credit(group))
    }

    #[test]
    fn a_terminal_without_a_command_is_free() {
        assert_eq!(terminal().halted_until(), None);
        assert_eq!(credits(&terminal()), [None, None]);
    }

    #[test]
    fn each_halt_restarts_the_timer() {
        let mut terminal = terminal();
        terminal.on_command(ms(1_000), Command::Halt);
        assert_eq!(terminal.halted_until(), Some(ms(6_000)));
        terminal.on_command(ms(4_000), Command::Halt);
        assert_eq!(terminal.halted_until(), Some(ms(9_000)));
        terminal.on_command(ms(20_000), Command::Halt);
        assert_eq!(terminal.halted_until(), Some(ms(25_000)));
    }

    #[test]
    fn every_other_command_ends_halt_at_once() {
        for command in [Command::Null, Command::SetA, Command::SetBoth] {
            let mut terminal = terminal();
            terminal.on_command(ms(1_000), Command::Halt);
            terminal.on_command(ms(1_001), command);
            assert_eq!(terminal.halted_until(), None);
        }
    }

    #[test]
    fn a_timer_of_any_length_does_not_overflow() {
        let mut terminal = Controlled::new(Span::MAX, [1, 1]);
        terminal.on_command(ms(1), Command::Halt);
        assert_eq!(terminal.halted_until(), Some(Time::NEVER));
    }

    #[test]
    fn null_leaves_uncontrolled_equipment_uncontrolled() {
        let mut terminal = terminal();
        terminal.on_command(ms(1), Command::Null);
        assert_eq!(credits(&terminal), [None, None]);
    }

    #[test]
    fn the_first_other_command_makes_equipment_controlled_with_counters_of_zero() {
        let mut terminal = terminal();
        terminal.on_command(ms(1), Command::Halt);
        assert_eq!(credits(&terminal), [Some(0), Some(0)]);
    }

    #[test]
    fn set_loads_the_counter_of_its_group_with_go_value() {
        let mut terminal = terminal();
        terminal.on_command(ms(1), Command::SetA);
        assert_eq!(credits(&terminal), [Some(3), Some(0)]);
        terminal.on_command(ms(2), Command::SetBoth);
        assert_eq!(credits(&terminal), [Some(3), Some(1)]);
    }

    #[test]
    fn a_second_set_does_not_add_to_the_first() {
        let mut terminal = terminal();
        terminal.on_command(ms(1), Command::SetA);
        terminal.on_send(Group::A);
        terminal.on_command(ms(2), Command::SetA);
        assert_eq!(credits(&terminal), [Some(3), Some(0)]);
    }

    #[test]
    fn each_cell_decrements_the_counter_of_its_group_only() {
        let mut terminal = terminal();
        terminal.on_command(ms(1), Command::SetBoth);
        terminal.on_send(Group::A);
        assert_eq!(credits(&terminal), [Some(2), Some(1)]);
        terminal.on_send(Group::B);
        assert_eq!(credits(&terminal), [Some(2), Some(0)]);
    }

    #[test]
    fn null_and_halt_leave_the_counters_as_they_are() {
        let mut terminal = terminal();
        terminal.on_command(ms(1), Command::SetBoth);
        terminal.on_send(Group::A);
        terminal.on_command(ms(2), Command::Null);
        terminal.on_command(ms(3), Command::Halt);
        assert_eq!(credits(&terminal), [Some(2), Some(1)]);
    }

    #[test]
    fn cells_that_leave_before_the_first_command_are_not_counted() {
        let mut terminal = terminal();
        terminal.on_send(Group::A);
        terminal.on_command(ms(1), Command::SetA);
        assert_eq!(credits(&terminal), [Some(3), Some(0)]);
    }
}
