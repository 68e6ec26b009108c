//! What all queues answer whose departures are known as cells come, or as they begin service.

use celltrain_proto::units::Time;

/// A queue that knows its departures without being looked at, at each of them.
pub(in crate::engine) trait Discipline {
    /// From now on readings are about this instant, which does not go back.
    fn look(&mut self, now: Time);
    /// Cells in the queue, the one in transmission included.
    fn queued(&self) -> u32;
    /// Cells that have left.
    fn departed(&self) -> u64;
    /// Integral of the queue since the start, in cell picoseconds.
    fn area(&self) -> i128;
    /// The largest queue since the last call.
    fn take_maximum(&mut self) -> u32;
}
