//! The path from a queue to the far end of its link.

use celltrain_proto::line::Jitter;
use celltrain_proto::units::{Span, Time};

/// The path from the queue to the far end.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Path {
    pub(in crate::engine) delay: Span,
    pub(in crate::engine) jitter: Option<Box<Jitter>>,
}

impl Path {
    /// When a cell that departs at `now` arrives.
    #[inline]
    pub(in crate::engine) fn arrival(&mut self, now: Time) -> Time {
        match &mut self.jitter {
            None => now.saturating_add(self.delay),
            Some(jitter) => jitter.arrival(now, self.delay),
        }
    }
}
