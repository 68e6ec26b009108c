//! The path from a queue to the far end of its link.

use celltrain_proto::line::VaryingDelay;
use celltrain_proto::units::{Span, Time};

/// The path from the queue to the far end.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Path {
    /// The shortest delay.
    pub(in crate::engine) delay: Span,
    /// What differs from cell to cell, or from frame to frame.
    pub(in crate::engine) varying: Option<Box<VaryingDelay>>,
}

impl Path {
    /// Whether one that departs later may arrive earlier.
    #[inline]
    pub(in crate::engine) fn is_overtaking(&self) -> bool {
        self.varying.as_ref().is_some_and(|it| it.is_overtaking())
    }

    /// When a cell that departs at `now` arrives.
    #[inline]
    pub(in crate::engine) fn arrival(&mut self, now: Time) -> Time {
        match &mut self.varying {
            None => now.saturating_add(self.delay),
            Some(varying) => varying.arrival(now, self.delay),
        }
    }
}
