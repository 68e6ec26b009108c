//! A FIFO queue of frames, which wait in the ring of their link.

use celltrain_proto::frame::Framing;
use celltrain_proto::units::{Rate, Time};

use crate::engine::queue::foreseen_frames::ForeseenFrames;
use crate::engine::queue::octets::OctetMeter;
use crate::engine::state::cell::Cell;

/// A FIFO queue of frames.
#[derive(Clone, Debug)]
pub(in crate::engine) struct FrameFifo {
    /// The most octets that it holds, those of the frame in transmission included.
    room: u64,
    pub(in crate::engine) meter: OctetMeter,
}

impl FrameFifo {
    /// An empty queue with room for so many octets.
    pub(in crate::engine) fn new(framing: Framing, room: u64) -> Self {
        Self {
            room,
            meter: OctetMeter::new(framing),
        }
    }

    /// This queue, with room for `most` frames, at a constant rate; it must be empty.
    pub(in crate::engine) fn foreseen(&self, rate: Rate, most: u32) -> ForeseenFrames {
        ForeseenFrames::new(self.meter.framing(), rate, (most, self.room))
    }

    /// Takes a frame that comes at `now`; false if it finds no room among `free` frames and the free octets.
    pub(in crate::engine) fn admit(&mut self, now: Time, frame: Cell, free: u32) -> bool {
        let has_room = free > 0 && self.meter.octets(frame) <= self.room - self.meter.queued();
        if has_room {
            self.meter.admit(now, frame);
            self.meter.note_longest();
        } else {
            self.meter.refuse(frame);
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::state::cell::frame_number;

    #[test]
    fn room_is_counted_in_octets_on_the_line_and_in_frames() {
        let mut queue = FrameFifo::new(Framing::Ethernet, 1_538 + 84);
        let frame = |octets| Cell::data(0, frame_number(0, octets), true);
        let [long, short] = [1_500, 40].map(frame);
        assert!(queue.admit(Time::ZERO, long, 9));
        assert!(!queue.admit(Time::ZERO, long, 9));
        assert!(queue.admit(Time::ZERO, short, 8));
        assert!(!queue.admit(Time::ZERO, short, 7));
        queue.meter.depart(Time::ZERO, long);
        assert!(!queue.admit(Time::ZERO, short, 0));
        assert!(queue.admit(Time::ZERO, short, 1));
    }
}
