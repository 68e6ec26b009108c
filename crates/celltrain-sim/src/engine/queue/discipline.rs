//! The common interface of queues whose departures are known when cells arrive, or when their transmission begins.

use celltrain_proto::units::Time;

/// The outcome for an arriving cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Admission {
    /// It leaves at this instant.
    Leaves(Time),
    /// It waits: its departure is not known yet.
    Waits,
    /// It is refused.
    Refused,
}

/// A queue that knows its departures without being advanced to each of them.
pub(in crate::engine) trait Discipline {
    /// Sets the instant of the following readings; it never goes back.
    fn look(&mut self, now: Time);
    /// Cells in the queue, the one in transmission included.
    fn queued(&self) -> u32;
    /// The number of cells that have left.
    fn departed(&self) -> u64;
    /// The integral of the queue since the start, in cell picoseconds.
    fn area(&self) -> i128;
    /// The largest queue since the last call.
    fn take_maximum(&mut self) -> u32;
}
