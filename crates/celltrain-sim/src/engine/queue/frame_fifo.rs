//! A FIFO queue of frames, which wait in the ring of their link: its room, and what it counts in octets.

use celltrain_proto::frame::Framing;
use celltrain_proto::units::{Time, Unit};

use crate::engine::state::cell::Cell;

/// A FIFO queue of frames.
#[derive(Clone, Debug)]
pub(in crate::engine) struct FrameFifo {
    framing: Framing,
    /// The most octets that it holds, those of the frame in transmission included.
    room: u64,
    /// The octets that it holds.
    queued: u64,
    counts: OctetCounts,
}

/// Octets on the line of frames, since the start of the run.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct OctetCounts {
    /// Of frames that came.
    pub(in crate::engine) offered: u64,
    /// Of frames that found no room.
    pub(in crate::engine) lost: u64,
    /// Of frames that left.
    pub(in crate::engine) departed: u64,
    /// Of the IP packets in these.
    pub(in crate::engine) packets: u64,
    /// The integral of the queue, in octet picoseconds.
    pub(in crate::engine) area: i128,
    /// The most that the queue held since the last reset.
    pub(in crate::engine) most: u64,
}

impl FrameFifo {
    /// An empty queue with room for so many octets.
    pub(in crate::engine) fn new(framing: Framing, room: u64) -> Self {
        Self {
            framing,
            room,
            queued: 0,
            counts: OctetCounts::default(),
        }
    }

    fn octets(&self, frame: Cell) -> u64 {
        self.framing.octets(frame.octets()).into()
    }

    /// The length of a frame on the line.
    pub(in crate::engine) fn unit(&self, frame: Cell) -> Unit {
        Unit::octets(self.octets(frame))
    }

    /// Takes a frame that comes at `now`; false if it finds no room among `free` frames and the free octets.
    pub(in crate::engine) fn admit(&mut self, now: Time, frame: Cell, free: u32) -> bool {
        let octets = self.octets(frame);
        self.counts.offered += octets;
        if free == 0 || octets > self.room - self.queued {
            self.counts.lost += octets;
            return false;
        }
        self.queued += octets;
        self.counts.most = self.counts.most.max(self.queued);
        self.counts.area -= i128::from(octets) * i128::from(now.as_ps());
        true
    }

    /// Lets a frame leave at `now`.
    pub(in crate::engine) fn depart(&mut self, now: Time, frame: Cell) {
        let octets = self.octets(frame);
        self.queued -= octets;
        self.counts.departed += octets;
        self.counts.packets += u64::from(frame.octets());
        self.counts.area += i128::from(octets) * i128::from(now.as_ps());
    }

    /// The octets that it holds.
    pub(in crate::engine) fn queued(&self) -> u64 {
        self.queued
    }

    /// Its counts at `now`; restarts the search for the longest queue.
    pub(in crate::engine) fn read(&mut self, now: Time) -> OctetCounts {
        let counts = self.counts;
        self.counts.most = self.queued;
        OctetCounts {
            area: counts.area + i128::from(self.queued) * i128::from(now.as_ps()),
            ..counts
        }
    }

    /// Whether each octet that came has left, was lost, or is in one of the frames that wait.
    pub(in crate::engine) fn is_balanced(&self, waiting: impl Iterator<Item = Cell>) -> bool {
        let here: u64 = waiting.map(|frame| self.octets(frame)).sum();
        let OctetCounts {
            offered,
            lost,
            departed,
            ..
        } = self.counts;
        offered == lost + departed + here && here == self.queued
    }
}

#[cfg(test)]
mod tests {
    use celltrain_proto::units::Span;

    use super::*;
    use crate::engine::state::cell::frame_number;

    #[test]
    fn room_is_counted_in_octets_on_the_line() {
        let mut queue = FrameFifo::new(Framing::Ethernet, 1_538 + 84);
        let frame = |octets| Cell::data(0, frame_number(0, octets), true);
        let [long, short] = [1_500, 40].map(frame);
        let at = |us: u64| Time::ZERO + Span::from_us(us);
        assert!(queue.admit(at(0), long, 9));
        assert!(!queue.admit(at(0), long, 9));
        assert!(queue.admit(at(1), short, 8));
        assert!(!queue.admit(at(1), short, 7));
        queue.depart(at(2), long);
        assert!(!queue.admit(at(2), short, 0));
        assert!(queue.is_balanced([short].into_iter()));
        assert!(!queue.is_balanced([long].into_iter()));
        let counts = queue.read(at(3));
        assert_eq!(
            (counts.offered, counts.lost),
            (2 * 1_538 + 3 * 84, 1_538 + 2 * 84)
        );
        assert_eq!((counts.departed, counts.packets), (1_538, 1_500));
        assert_eq!((counts.most, queue.queued()), (1_538 + 84, 84));
        // The long one was there for 2 us, the short one for 2 us so far.
        assert_eq!(counts.area, 2_000_000 * (1_538 + 84));
        assert_eq!(queue.read(at(3)).most, 84);
    }
}
