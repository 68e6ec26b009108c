//! The network side of generic flow control.

use super::Command;
use crate::units::Cells;

/// Below which queue length a group's cells are let through; `None` for a group that gets no SET.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// SET for group A below this.
    pub a: Option<Cells>,
    /// SET for group B below this, which is at most that of group A.
    pub b: Option<Cells>,
}

/// The controlling equipment: commands that follow from the queue that the terminal fills.
#[derive(Clone, Debug)]
pub struct Controlling {
    high: Cells,
    low: Cells,
    thresholds: Thresholds,
    halt: bool,
    queue: Cells,
}

impl Controlling {
    /// HALT begins above `high` cells and ends below `low`, which is at most `high`.
    pub fn new(high: Cells, low: Cells, thresholds: Thresholds) -> Self {
        Self {
            high,
            low,
            thresholds,
            halt: false,
            queue: Cells(0),
        }
    }

    /// The queue now holds `queue` cells. Call at each change.
    #[inline]
    pub fn on_queue(&mut self, queue: Cells) {
        self.queue = queue;
        if queue > self.high {
            self.halt = true;
        } else if queue < self.low {
            self.halt = false;
        }
    }

    /// The command in a cell to the terminal.
    #[inline]
    pub fn command(&self) -> Command {
        let is_below = |threshold: Option<Cells>| threshold.is_some_and(|it| self.queue < it);
        if self.halt {
            Command::Halt
        } else if is_below(self.thresholds.b) {
            Command::SetBoth
        } else if is_below(self.thresholds.a) {
            Command::SetA
        } else {
            Command::Null
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn commands(controlling: &mut Controlling, queues: &[u64]) -> Vec<Command> {
        let command = |&queue: &u64| {
            controlling.on_queue(Cells(queue));
            controlling.command()
        };
        queues.iter().map(command).collect()
    }

    #[test]
    fn halt_begins_above_the_high_mark_and_ends_below_the_low_one() {
        use Command::{Halt, Null};
        let mut controlling = Controlling::new(Cells(256), Cells(128), Thresholds::default());
        assert_eq!(controlling.command(), Null);
        let queues = [255, 256, 257, 256, 128, 127, 128, 256, 1_024, 0];
        let expected = [Null, Null, Halt, Halt, Halt, Null, Null, Null, Halt, Null];
        assert_eq!(commands(&mut controlling, &queues), expected);
    }

    #[test]
    fn a_group_gets_set_below_its_threshold_and_null_from_it_on() {
        use Command::{Null, SetA, SetBoth};
        let thresholds = Thresholds {
            a: Some(Cells(60)),
            b: Some(Cells(20)),
        };
        let mut controlling = Controlling::new(Cells(256), Cells(128), thresholds);
        let queues = [0, 19, 20, 59, 60, 256];
        let expected = [SetBoth, SetBoth, SetA, SetA, Null, Null];
        assert_eq!(commands(&mut controlling, &queues), expected);
    }

    #[test]
    fn in_the_one_queue_model_group_b_gets_no_set() {
        let thresholds = Thresholds {
            a: Some(Cells(60)),
            b: None,
        };
        let mut controlling = Controlling::new(Cells(256), Cells(128), thresholds);
        let expected = [Command::SetA, Command::Null];
        assert_eq!(commands(&mut controlling, &[0, 60]), expected);
    }

    #[test]
    fn no_group_gets_set_during_halt() {
        use Command::{Halt, SetA};
        let thresholds = Thresholds {
            a: Some(Cells(200)),
            b: None,
        };
        let mut controlling = Controlling::new(Cells(256), Cells(128), thresholds);
        let expected = [Halt, Halt, SetA];
        assert_eq!(commands(&mut controlling, &[257, 128, 127]), expected);
    }
}
