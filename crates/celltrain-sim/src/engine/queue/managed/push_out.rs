//! Dropping a waiting frame to make room for a cell that arrives at a full queue.

use std::ops::RangeInclusive;

use crate::engine::queue::managed::{Managed, Waiting};
use crate::engine::state::cell::{Cell, Kind};

/// A frame whose cells all wait.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    queue: usize,
    vc: u32,
    /// The positions in the queue from its first cell to its last; cells of other VCs can lie between.
    places: RangeInclusive<usize>,
}

impl Managed {
    /// The frame to drop for a data cell of `vc`: the first in its queue of which no cell has left. Dropping the rest of
    /// a frame that has begun to leave would waste the cells already sent.
    pub(super) fn first_frame(&self, vc: u32) -> Option<Frame> {
        let queue = self.queue_of(vc) as usize;
        let waiting = &self.queues[queue].waiting;
        let is_data = |at: &Waiting| self.is_data(&at.cell, at.vc);
        waiting.iter().enumerate().find_map(|(first, front)| {
            let of_vc = |other: &&Waiting| other.vc == front.vc && is_data(other);
            let mut before = waiting.range(..first).rev();
            let is_first = match before.find(of_vc) {
                Some(before) => before.cell.is_end(),
                None => self.vcs[front.vc as usize].at_start,
            };
            if !is_first || !is_data(front) {
                return None;
            }
            let mut rest = waiting.iter().enumerate().skip(first);
            let (last, _) = rest.find(|(_, it)| of_vc(it) && it.cell.is_end())?;
            Some(Frame {
                queue,
                vc: front.vc,
                places: first..=last,
            })
        })
    }

    /// Drops the cells of a frame; `forgotten` is called with each.
    pub(super) fn push_out(&mut self, frame: &Frame, mut forgotten: impl FnMut(Cell)) {
        let (mut place, mut gone) = (0, 0);
        self.queues[frame.queue].waiting.retain(|it| {
            let is_within = frame.places.contains(&place);
            place += 1;
            let goes = is_within && it.vc == frame.vc && it.cell.kind() == Kind::Data;
            if goes {
                forgotten(it.cell);
                gone += 1;
            }
            !goes
        });
        for _ in 0..gone {
            self.leave(frame.vc);
        }
        self.vcs[frame.vc as usize].dropped += gone;
    }
}

#[cfg(test)]
mod tests {
    use celltrain_proto::discard::{Discard, DropFrontParameters, Parameters, Port};
    use celltrain_proto::random::Stream;
    use celltrain_proto::schedule::Parameters as Scheduling;
    use celltrain_proto::units::{Cells, Span, Time};

    use super::*;
    use crate::engine::queue::managed::{Buffers, PortVc};

    /// A queue with room for `buffer` cells of two VCs.
    fn queue(buffer: u32) -> Managed {
        let policy = Parameters::DropFront(DropFrontParameters {}).build(&Port {
            frame: Cells(3),
            frame_time: Span::from_us(1),
            weights: &[],
            stream: Stream::named(1, "discard"),
        });
        let vcs = vec![PortVc::new(0, true, None), PortVc::new(0, true, None)];
        Managed::new(
            Scheduling::default().build(&[1.0]),
            Buffers::Shared(buffer),
            vcs,
            Discard::new(Some(policy), None, 2),
            None,
        )
    }

    /// Offers a data cell: returns whether it is admitted, and the numbers of the cells dropped for it.
    fn offer(queue: &mut Managed, vc: u32, number: u32, is_end: bool) -> (bool, Vec<u32>) {
        let mut gone = Vec::new();
        let cell = Cell::data(vc, number, is_end);
        let is_taken = queue.enqueue(Time::ZERO, cell, vc, |cell| gone.push(cell.load()));
        (is_taken, gone)
    }

    fn numbers(queue: &Managed) -> Vec<u32> {
        let mut numbers: Vec<u32> = queue.cells().map(Cell::load).collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn the_first_frame_goes_that_has_not_begun_to_leave() {
        let mut queue = queue(6);
        // Two frames of three cells: 0 1 2, 3 4 5. Cell 0 is in transmission.
        for number in 0..6 {
            assert_eq!(
                offer(&mut queue, 0, number, number % 3 == 2),
                (true, vec![])
            );
            if number == 0 {
                assert!(queue.start(Time::ZERO, |_| {}));
            }
        }
        assert_eq!(offer(&mut queue, 0, 6, false), (true, vec![3, 4, 5]));
        assert_eq!(numbers(&queue), [0, 1, 2, 6]);
        assert_eq!(queue.dropped(0), 3);
    }

    #[test]
    fn only_cells_of_the_vc_of_the_frame_go() {
        let mut queue = queue(5);
        for (vc, number, is_end) in [(0, 0, false), (1, 1, false), (0, 2, true), (1, 3, false)] {
            assert!(offer(&mut queue, vc, number, is_end).0);
        }
        assert!(offer(&mut queue, 1, 4, true).0);
        assert_eq!(offer(&mut queue, 1, 5, false), (true, vec![0, 2]));
        assert_eq!((queue.dropped(0), queue.dropped(1)), (2, 0));
        assert_eq!(numbers(&queue), [1, 3, 4, 5]);
    }

    #[test]
    fn without_a_frame_that_waits_whole_the_arriving_cell_is_lost_and_the_rest_of_its_frame() {
        let mut queue = queue(3);
        for number in 0..3 {
            assert!(offer(&mut queue, 0, number, false).0);
        }
        assert_eq!(offer(&mut queue, 0, 3, false), (false, vec![]));
        assert!(queue.start(Time::ZERO, |_| {}));
        assert!(queue.finish(Time::ZERO).is_some());
        assert_eq!(offer(&mut queue, 0, 4, false), (false, vec![]));
        assert_eq!(offer(&mut queue, 0, 5, true), (true, vec![]));
    }

    #[test]
    fn an_rm_cell_drops_no_frame() {
        let mut queue = queue(2);
        assert!(offer(&mut queue, 0, 0, false).0);
        assert!(offer(&mut queue, 0, 1, true).0);
        let rm = Cell::rm(0, Kind::ForwardRm, 0);
        let mut gone = 0;
        assert!(!queue.enqueue(Time::ZERO, rm, 0, |_| gone += 1));
        assert_eq!(gone, 0);
    }
}
