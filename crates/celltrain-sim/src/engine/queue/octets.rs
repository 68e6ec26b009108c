//! What a queue of frames counts in octets.

use celltrain_proto::frame::Framing;
use celltrain_proto::units::{Time, Unit};

use crate::engine::state::cell::Cell;

/// Counts the octets of a queue of frames.
#[derive(Clone, Debug)]
pub(in crate::engine) struct OctetMeter {
    framing: Framing,
    /// The octets in the queue, those of the frame in transmission included.
    queued: u64,
    counts: OctetCounts,
}

/// Octets on the line of frames, since the start of the run.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct OctetCounts {
    /// Of frames that came.
    pub(in crate::engine) offered: u64,
    /// Of frames that found no room, or were dropped later.
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

impl OctetMeter {
    /// An empty queue.
    pub(in crate::engine) fn new(framing: Framing) -> Self {
        Self {
            framing,
            queued: 0,
            counts: OctetCounts::default(),
        }
    }

    /// The length of a frame on the line, in octets.
    pub(in crate::engine) fn octets(&self, frame: Cell) -> u64 {
        self.framing.octets(frame.octets()).into()
    }

    /// The same, as a unit of transmission.
    pub(in crate::engine) fn unit(&self, frame: Cell) -> Unit {
        Unit::octets(self.octets(frame))
    }

    /// Its framing.
    pub(in crate::engine) fn framing(&self) -> Framing {
        self.framing
    }

    /// Notes a frame that comes at `now`; [`OctetMeter::note_longest`] is to be called when those have gone that go for it.
    pub(in crate::engine) fn admit(&mut self, now: Time, frame: Cell) {
        let octets = self.octets(frame);
        self.counts.offered += octets;
        self.queued += octets;
        self.counts.area -= i128::from(octets) * i128::from(now.as_ps());
    }

    /// Notes how long the queue is now.
    pub(in crate::engine) fn note_longest(&mut self) {
        self.counts.most = self.counts.most.max(self.queued);
    }

    /// Notes a frame that finds no room.
    pub(in crate::engine) fn refuse(&mut self, frame: Cell) {
        let octets = self.octets(frame);
        self.counts.offered += octets;
        self.counts.lost += octets;
    }

    /// Notes a frame that leaves at `now`.
    pub(in crate::engine) fn depart(&mut self, now: Time, frame: Cell) {
        self.counts.departed += self.octets(frame);
        self.counts.packets += u64::from(frame.octets());
        self.end_stay(now, frame);
    }

    /// Notes a frame that is dropped at `now`, after it has waited.
    pub(in crate::engine) fn drop_waiting(&mut self, now: Time, frame: Cell) {
        self.counts.lost += self.octets(frame);
        self.end_stay(now, frame);
    }

    fn end_stay(&mut self, now: Time, frame: Cell) {
        let octets = self.octets(frame);
        self.queued -= octets;
        self.counts.area += i128::from(octets) * i128::from(now.as_ps());
    }

    /// The octets in the queue.
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
    fn a_queue_counts_the_octets_of_its_frames_and_how_long_they_stay() {
        let mut meter = OctetMeter::new(Framing::Ethernet);
        let frame = |octets| Cell::data(0, frame_number(0, octets), true);
        let [long, short] = [1_500, 40].map(frame);
        let at = |us: u64| Time::ZERO + Span::from_us(us);
        meter.admit(at(0), long);
        meter.refuse(long);
        meter.admit(at(1), short);
        meter.admit(at(1), short);
        meter.note_longest();
        meter.depart(at(2), long);
        meter.drop_waiting(at(2), short);
        assert!(meter.is_balanced([short].into_iter()));
        assert!(!meter.is_balanced([long].into_iter()));
        let counts = meter.read(at(3));
        assert_eq!(counts.offered, 2 * 1_538 + 2 * 84);
        assert_eq!(counts.lost, 1_538 + 84);
        assert_eq!((counts.departed, counts.packets), (1_538, 1_500));
        assert_eq!((counts.most, meter.queued()), (1_538 + 2 * 84, 84));
        // The long one was there for 2 us, the short ones for 1 and, so far, 2 us.
        assert_eq!(counts.area, 1_000_000 * (2 * 1_538 + 84 + 2 * 84));
        assert_eq!(meter.read(at(3)).most, 84);
    }
}
