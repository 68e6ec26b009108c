//! Generic flow control at the user-network interface (ITU-T I.361, 2.2.2 and 4.1; I.150).
//!
//! The network side, the *controlling equipment*, writes a command into the GFC field of each cell that it sends to the
//! terminal; a terminal that obeys is *controlled equipment*. HALT stops every cell of the terminal. The connections of a
//! terminal are *uncontrolled*, which only HALT stops, or *controlled*: these belong to group A or B, and a cell of a group
//! leaves only while the group's counter (`GO_CNTR`) is above zero, which it decrements. SET loads the counter with
//! `GO_VALUE`; NULL leaves it as it is. With one group (A) this is the one-queue model, with both the two-queue model.
//!
//! Three choices are ours, because the standard leaves to the network side when it gives which command. HALT has a
//! hysteresis on a queue, and SET a threshold there for each group. A terminal sends again a time-out after the last HALT,
//! so that a lost NO HALT does not stop it forever. A cell with HALT carries no SET, which a halted terminal could not use.
//!
//! The GFC field of cells from the terminal (its group, and whether it is controlled) is not modelled: nothing reads it.

mod controlled;
mod controlling;

pub use controlled::Controlled;
pub use controlling::{Controlling, Thresholds};

/// A group of controlled connections of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// The group of the one-queue model, and the first of the two-queue model.
    A,
    /// The second group of the two-queue model.
    B,
}

/// What the GFC field of a cell to a terminal says. The codes are ours; [`Command::field`] is the standard's.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Command {
    /// NO HALT, and NULL for both groups.
    #[default]
    Null = 0,
    /// NO HALT, and SET for group A.
    SetA = 1,
    /// NO HALT, and SET for both groups.
    SetBoth = 2,
    /// HALT.
    Halt = 3,
}

impl Command {
    /// The number of bits that [`Command::code`] takes.
    pub const BITS: u32 = 2;

    /// The four bits of the GFC field, first to last: HALT, SET for group A, SET for group B, zero (I.361, 2.2.2).
    ///
    /// ```
    /// use celltrain_proto::flow::gfc::Command;
    /// assert_eq!(Command::SetBoth.field(), 0b0110);
    /// ```
    pub const fn field(self) -> u8 {
        match self {
            Self::Null => 0b0000,
            Self::SetA => 0b0100,
            Self::SetBoth => 0b0110,
            Self::Halt => 0b1000,
        }
    }

    /// The command in [`Command::BITS`] bits.
    #[inline]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The command with this code; only the lowest [`Command::BITS`] bits count.
    #[inline]
    pub const fn from_code(code: u8) -> Self {
        match code & 3 {
            0 => Self::Null,
            1 => Self::SetA,
            2 => Self::SetBoth,
            _ => Self::Halt,
        }
    }

    /// Whether the command loads the counter of `group`.
    pub fn sets(self, group: Group) -> bool {
        match group {
            Group::A => matches!(self, Self::SetA | Self::SetBoth),
            Group::B => self == Self::SetBoth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_has_a_bit_for_halt_and_one_for_the_set_of_each_group() {
        for (command, halt, a, b) in [
            (Command::Null, 0, 0, 0),
            (Command::SetA, 0, 1, 0),
            (Command::SetBoth, 0, 1, 1),
            (Command::Halt, 1, 0, 0),
        ] {
            assert_eq!(command.field(), halt << 3 | a << 2 | b << 1);
            assert_eq!(command.sets(Group::A), a == 1);
            assert_eq!(command.sets(Group::B), b == 1);
        }
    }

    #[test]
    fn every_code_reads_back() {
        for code in 0..1 << Command::BITS {
            assert_eq!(Command::from_code(code).code(), code);
        }
    }
}
