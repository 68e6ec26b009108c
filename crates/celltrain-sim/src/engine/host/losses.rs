//! Which segments of a connection have lost a cell, and the time-outs that were spurious because none had.

use std::collections::BTreeSet;

/// The losses of a connection, which a real sender cannot know.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Losses {
    /// The first octets of outstanding segments whose newest copy has lost a cell.
    lost: BTreeSet<u64>,
    spurious_timeouts: u64,
}

impl Losses {
    /// Notes that a copy of the segment at `seq` is on its way.
    pub(in crate::engine) fn on_copy(&mut self, seq: u64) {
        self.lost.remove(&seq);
    }

    /// Notes that the newest copy of the segment at `seq` has lost a cell.
    pub(in crate::engine) fn on_loss(&mut self, seq: u64) {
        self.lost.insert(seq);
    }

    /// Notes that everything below `ack` is acknowledged.
    pub(in crate::engine) fn on_acknowledged(&mut self, ack: u64) {
        while self.lost.first().is_some_and(|&seq| seq < ack) {
            self.lost.pop_first();
        }
    }

    /// Notes that the timer of the segment at `oldest` has expired.
    pub(in crate::engine) fn on_timeout(&mut self, oldest: u64) {
        self.spurious_timeouts += u64::from(!self.lost.contains(&oldest));
    }

    /// Starts over for a new connection, whose octets are numbered from the start.
    pub(in crate::engine) fn begin_anew(&mut self) {
        self.lost.clear();
    }

    /// The number of time-outs of segments whose newest copy had lost no cell.
    pub(in crate::engine) fn spurious_timeouts(&self) -> u64 {
        self.spurious_timeouts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_out_is_spurious_unless_the_newest_copy_has_lost_a_cell() {
        let mut losses = Losses::default();
        losses.on_copy(0);
        losses.on_copy(100);
        losses.on_loss(100);
        losses.on_timeout(0);
        assert_eq!(losses.spurious_timeouts(), 1);
        losses.on_acknowledged(100);
        losses.on_timeout(100);
        assert_eq!(losses.spurious_timeouts(), 1);
        losses.on_copy(100);
        losses.on_timeout(100);
        assert_eq!(losses.spurious_timeouts(), 2);
    }

    #[test]
    fn what_is_acknowledged_is_forgotten() {
        let mut losses = Losses::default();
        losses.on_loss(100);
        losses.on_acknowledged(200);
        assert!(losses.lost.is_empty());
    }
}
