//! The PDUs of a source that are on their way: until they arrive, or are known to be lost.

use crate::engine::source::{Pdu, PduQueue, Source};

impl Source {
    /// The PDU whose last cell was the last to leave.
    pub(in crate::engine) fn last_sent(&self) -> Option<&Pdu> {
        let queue = self.queue.as_ref()?;
        queue.pdus.get(queue.left.checked_sub(1)?)
    }

    /// Takes the PDU whose last cell has this number; forgets those before it, whose ends were lost.
    pub(in crate::engine) fn take_pdu(&mut self, last: u32) -> Option<Pdu> {
        let sends_frames = self.sends_frames;
        let queue = self.queue.as_mut()?;
        if sends_frames {
            return queue.take_frame(last);
        }
        while let Some(pdu) = queue.pdus.pop_front() {
            queue.left -= 1;
            if pdu.last == last {
                return Some(pdu);
            }
        }
        None
    }

    /// The PDU to which the data cell with this number belongs, and the cell's index in it, if the PDU is still known.
    pub(in crate::engine) fn pdu_of(&self, number: u32) -> Option<(&Pdu, u32)> {
        let queue = self.queue.as_ref()?;
        let pdu = queue.pdus.get(queue.index_of(number))?;
        let before_last = pdu.last.wrapping_sub(number);
        Some((pdu, (pdu.cells - 1).checked_sub(before_last)?))
    }

    /// Notes the loss of the cell with this number. Returns its PDU if that carries data, had lost no other cell, and is
    /// the latest copy of its segment.
    pub(in crate::engine) fn damage(&mut self, number: u32) -> Option<Pdu> {
        let queue = self.queue.as_mut()?;
        let index = queue.index_of(number);
        let pdu = queue.pdus.get_mut(index)?;
        if std::mem::replace(&mut pdu.is_damaged, true) {
            return None;
        }
        queue.counts.damaged += 1;
        let pdu = *pdu;
        let mut newer = queue.pdus.range(index + 1..);
        let is_newest = pdu.is_data && !newer.any(|newer| pdu.is_copied_by(newer));
        if self.sends_frames {
            queue.forget_frames();
        }
        is_newest.then_some(pdu)
    }
}

impl PduQueue {
    /// Takes the frame with this number. Others that left before it may still be on their way, since queues by flow let it
    /// overtake them.
    fn take_frame(&mut self, number: u32) -> Option<Pdu> {
        let index = self.index_of(number);
        let frame = self.pdus.get_mut(index)?;
        frame.has_arrived = true;
        let frame = *frame;
        self.forget_frames();
        Some(frame)
    }

    /// Forgets the first frames, up to the first one that is on its way or waits.
    fn forget_frames(&mut self) {
        let is_gone = |frame: &Pdu| frame.has_arrived || frame.is_damaged;
        while self.left > 0 && self.pdus.front().is_some_and(is_gone) {
            self.pdus.pop_front();
            self.left -= 1;
        }
    }

    /// The index of the first PDU whose last cell is not before this cell.
    fn index_of(&self, number: u32) -> usize {
        // Numbers wrap; those in flight span less than half of the range.
        let is_before = |pdu: &Pdu| pdu.last.wrapping_sub(number).cast_signed() < 0;
        self.pdus.partition_point(is_before)
    }
}
