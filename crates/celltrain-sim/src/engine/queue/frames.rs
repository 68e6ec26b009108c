//! Discard policy in front of a queue that takes whole trains: it decides only at the first cell of a frame, and at the
//! first cell that finds no room.

use celltrain_proto::discard::{Arriving, Discard, QueueView};
use celltrain_proto::units::Time;

use crate::engine::queue::fifo::{Fifo, Outcome};
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::train::Train;

/// The discard policy of a queue, which decides at the start of a frame.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Frames {
    discard: Discard,
    buffer: u32,
    /// By VC: whether its cells form AAL5 frames.
    is_framed: Box<[bool]>,
}

impl Frames {
    /// `None` if `discard` examines more than the first cells of frames.
    pub(in crate::engine) fn new(
        discard: &Discard,
        buffer: u32,
        is_framed: Box<[bool]>,
    ) -> Option<Self> {
        discard.decides_at_start().then(|| Self {
            discard: discard.clone(),
            buffer,
            is_framed,
        })
    }

    /// When a cell of VC number `vc` that arrives at `at` leaves; `None` if it is refused.
    pub(in crate::engine) fn accept(
        &mut self,
        fifo: &mut Fifo,
        cell: Cell,
        at: Time,
        vc: u32,
    ) -> Option<Time> {
        if self.admits(fifo, cell, at, vc) {
            fifo.accept(at)
        } else {
            None
        }
    }

    /// The outcome for the first cells of a train of VC number `vc` that contains no last cell of a PDU.
    pub(in crate::engine) fn accept_train(
        &mut self,
        fifo: &mut Fifo,
        train: &Train,
        vc: u32,
    ) -> Outcome {
        let first = train.first;
        // Once its first cell is admitted, a frame loses cells only where there is no room.
        if self.admits(fifo, first, first.at, vc) {
            return fifo.accept_train(first.at, train.gap, train.count);
        }
        let loses_rest = self.is_framed[vc as usize] && self.discard.refuses_rest(vc);
        Outcome::Lost(if loses_rest { train.count } else { 1 })
    }

    fn admits(&mut self, fifo: &Fifo, cell: Cell, at: Time, vc: u32) -> bool {
        let queued = fifo.queued_at(at);
        let view = QueueView {
            queued,
            buffer: self.buffer,
            of_vc: 0,
            active_vcs: 0,
        };
        let arriving = Arriving {
            is_data: self.is_framed[vc as usize] && cell.kind() == Kind::Data,
            is_end: cell.is_end(),
            clp: cell.clp(),
        };
        self.discard.admits(at, vc, arriving, &view)
    }
}

#[cfg(test)]
mod tests {
    use celltrain_proto::discard::{EarlyPacketParameters, Parameters, Port};
    use celltrain_proto::random::Stream;
    use celltrain_proto::units::{Cells, Span};

    use super::*;

    const CELL: u64 = 10;

    /// A queue of `buffer` cells that rejects frames from `threshold` cells on, with one VC.
    fn queue(buffer: u32, threshold: u32) -> (Fifo, Frames) {
        let parameters = Parameters::EarlyPacket(EarlyPacketParameters {
            threshold: Cells(threshold.into()),
            partial: true,
        });
        let policy = parameters.build(&Port {
            frame: Cells(32),
            frame_time: Span::from_ms(1),
            weights: &[],
            stream: Stream::named(1, "frames"),
        });
        let discard = Discard::new(Some(policy), None, 1);
        let frames = Frames::new(&discard, buffer, [true].into());
        (
            Fifo::new(Span::from_ps(CELL), buffer),
            frames.expect("this policy decides at the start of a frame"),
        )
    }

    /// `count` cells that all arrive at `at`.
    fn train(at: u64, count: u32) -> Train {
        let mut first = Cell::data(0, 0, false);
        first.at = Time::from_ps(at);
        Train {
            count,
            ..Train::single(first, false)
        }
    }

    fn end(at: u64) -> (Cell, Time) {
        (Cell::data(0, 0, true), Time::from_ps(at))
    }

    #[test]
    fn a_frame_that_starts_at_the_threshold_is_lost_with_its_end() {
        let (mut fifo, mut frames) = queue(9, 3);
        let outcome = frames.accept_train(&mut fifo, &train(0, 2), 0);
        assert!(matches!(outcome, Outcome::Leave { count: 2, .. }));
        let (cell, at) = end(0);
        assert_eq!(
            frames.accept(&mut fifo, cell, at, 0),
            Some(Time::from_ps(30))
        );
        // The queue now holds three cells.
        assert_eq!(
            frames.accept_train(&mut fifo, &train(0, 4), 0),
            Outcome::Lost(4)
        );
        // The queue is empty again, but the frame is still the same.
        assert_eq!(
            frames.accept_train(&mut fifo, &train(50, 4), 0),
            Outcome::Lost(4)
        );
        let (cell, at) = end(60);
        assert_eq!(frames.accept(&mut fifo, cell, at, 0), None);
        assert!(frames.accept(&mut fifo, cell, at, 0).is_some());
    }

    #[test]
    fn what_follows_a_cell_without_room_is_lost_up_to_the_end() {
        let (mut fifo, mut frames) = queue(3, 3);
        let outcome = frames.accept_train(&mut fifo, &train(0, 5), 0);
        assert!(matches!(outcome, Outcome::Leave { count: 3, .. }));
        assert_eq!(
            frames.accept_train(&mut fifo, &train(0, 2), 0),
            Outcome::Lost(2)
        );
        let (cell, at) = end(40);
        assert!(frames.accept(&mut fifo, cell, at, 0).is_some());
    }
}
