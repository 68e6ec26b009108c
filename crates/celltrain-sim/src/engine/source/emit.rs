//! Emission of the next cell of a source.

use celltrain_proto::abr::NextCell;
use celltrain_proto::units::Time;

use crate::engine::source::pace::Pace;
use crate::engine::source::{Emission, Source};

impl Source {
    /// Emits the cell that leaves at `now`, at or after [`Source::deadline`].
    #[inline]
    pub(in crate::engine) fn emit(&mut self, now: Time) -> Option<Emission> {
        let waits = self.waiting > 0;
        match &mut self.pace {
            Pace::Ubr { gap } => self.next = now.saturating_add(*gap),
            Pace::Shaped(shaper) => {
                shaper.on_departure(now);
                self.next = shaper.earliest(now);
            }
            Pace::Process(process) => {
                self.next = process.after(now);
                self.cells += 1;
                return Some(self.unframed_cell());
            }
            Pace::Abr(source) => match source.next_cell(now, waits) {
                None => {
                    let rm = source.out_of_rate_cell(now, waits)?;
                    self.cells += 1;
                    self.queue().counts.forward_rm += 1;
                    return Some(Emission::OutOfRate(rm));
                }
                Some(NextCell::Data) => {}
                Some(NextCell::ForwardRm(rm)) => {
                    self.cells += 1;
                    let queue = self.queue();
                    queue.counts.forward_rm += 1;
                    queue.requested = Some(rm.er);
                    return Some(Emission::ForwardRm(rm));
                }
                Some(NextCell::BackwardRm(rm)) => {
                    self.cells += 1;
                    self.queue().counts.backward_rm += 1;
                    return Some(Emission::BackwardRm(rm));
                }
            },
        }
        if waits { self.data_cell() } else { None }
    }

    #[inline]
    pub(super) fn data_cell(&mut self) -> Option<Emission> {
        let Some(queue) = &mut self.queue else {
            return self.other_cell();
        };
        let Some(pdu) = queue.pdus.get(queue.left) else {
            return self.other_cell();
        };
        // The number of a frame also holds its length, so it does not follow from that of the one before.
        let number = if self.sends_frames {
            pdu.last
        } else {
            self.number
        };
        let (end, ecn_capable) = (pdu.last == number, pdu.segment.ecn_capable);
        let dropped = pdu.cells - pdu.kept;
        let completes = pdu.last.wrapping_sub(number) == dropped;
        queue.left += usize::from(completes);
        // The numbers of dropped cells are skipped, so that their loss is noticed.
        let skipped = if completes { dropped } else { 0 };
        self.number = number.wrapping_add(1 + skipped);
        self.waiting -= 1;
        self.cells += 1;
        Some(Emission::Data {
            number,
            end,
            completes,
            ecn_capable,
        })
    }

    /// Emits the next cell of a source that has no PDUs of its own.
    #[inline(never)]
    pub(super) fn other_cell(&mut self) -> Option<Emission> {
        self.cells += 1;
        if self.is_greedy {
            return Some(self.unframed_cell());
        }
        self.waiting -= 1;
        let aggregate = self.queue.as_mut()?.aggregate.as_mut()?;
        let cell = aggregate.first()?.first;
        aggregate.skip(1);
        Some(Emission::Aggregate(cell))
    }

    /// Emits the next cell that belongs to no PDU.
    pub(super) fn unframed_cell(&mut self) -> Emission {
        self.number = self.number.wrapping_add(1);
        Emission::Data {
            number: self.number,
            end: false,
            completes: false,
            ecn_capable: false,
        }
    }
}
