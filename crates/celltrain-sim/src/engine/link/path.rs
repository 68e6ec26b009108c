//! The path from a queue to the far end of its link.

use celltrain_proto::line::VaryingDelay;
use celltrain_proto::units::{Span, Time};

/// The path from the queue to the far end.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Path {
    /// The shortest delay.
    pub(in crate::engine) delay: Span,
    /// What differs from cell to cell.
    pub(in crate::engine) varying: Option<Box<VaryingDelay>>,
}

impl Path {
    /// When a cell that departs at `now` arrives.
    #[inline]
    pub(in crate::engine) fn arrival(&mut self, now: Time) -> Time {
        match &mut self.varying {
            None => now.saturating_add(self.delay),
            Some(varying) => varying.arrival(now, self.delay),
        }
    }
}
