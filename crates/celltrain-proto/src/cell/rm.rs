//! The fields of an RM cell that end systems and switches act on (TM 4.0 §5.10.3.1).

use crate::units::Rate;

/// Which way an RM cell travels: with the data of its loop, or back to their source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// DIR = 0: made by the source, travels with its data.
    Forward,
    /// DIR = 1: turned round by the destination, or made by a switch.
    Backward,
}

/// An RM cell's contents.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RmCell {
    /// Which way it travels.
    pub direction: Direction,
    /// BN: made by a switch or a destination on its own, not turned round.
    pub bn: bool,
    /// CI: congestion indication; lowers the source's rate.
    pub ci: bool,
    /// NI: no increase.
    pub ni: bool,
    /// ER: the explicit rate, only ever lowered on the way.
    pub er: Rate,
    /// CCR: the ACR of the source when it made the cell.
    pub ccr: Rate,
    /// MCR: the rate guaranteed to the source.
    pub mcr: Rate,
}
