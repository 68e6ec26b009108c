//! The sending end of one direction of a VC: PDUs that wait, and the rate at which their cells leave.

use std::collections::VecDeque;

use celltrain_proto::abr::{self, NextCell, TurnRound};
use celltrain_proto::cell::RmCell;
use celltrain_proto::flow::gfc;
use celltrain_proto::police::Shaper;
use celltrain_proto::tcp::Segment;
use celltrain_proto::units::{Rate, Span, Time};

use crate::engine::host::transit::Transit;
use crate::engine::state::cell::Cell;
use crate::engine::trains::train::Train;
use crate::scenario::SourceDrop;
use carried::Carried;

mod carried;
mod process;
mod trains;

pub(in crate::engine) use process::Process;

/// A segment on its way as an AAL5 PDU.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Pdu {
    /// The connection.
    pub(in crate::engine) flow: u32,
    /// Whether it carries data to the receiver, or an ACK back to the sender.
    pub(in crate::engine) is_data: bool,
    /// Number of its cells.
    pub(in crate::engine) cells: u32,
    /// When the host was given it.
    pub(in crate::engine) handed_over: Time,
    /// Which of the flow's connections it belongs to.
    pub(in crate::engine) incarnation: u32,
    /// The number of its last cell within the VC's direction.
    last: u32,
    /// How many of its cells found room at the host; the others, its last ones, never leave.
    kept: u32,
    /// Whether one of its cells is lost.
    is_damaged: bool,
    pub(in crate::engine) segment: Segment,
}

impl Pdu {
    /// A segment that is handed to the host `now`.
    pub(in crate::engine) fn new(
        now: Time,
        flow: u32,
        is_data: bool,
        cells: u32,
        segment: Segment,
    ) -> Self {
        Self {
            flow,
            is_data,
            cells,
            handed_over: now,
            incarnation: 0,
            last: 0,
            kept: cells,
            is_damaged: false,
            segment,
        }
    }

    /// The same for a later connection of its flow.
    pub(in crate::engine) fn of_incarnation(self, incarnation: u32) -> Self {
        Self {
            incarnation,
            ..self
        }
    }
}

/// How the cells of a source are spaced.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Pace {
    /// A fixed gap; zero without a PCR.
    Ubr { gap: Span },
    /// ABR: the gap follows ACR.
    Abr(Box<abr::Source>),
    /// VBR: as the leaky buckets of its contract allow.
    Shaped(Box<Shaper>),
    /// Cells of a process, without PDUs.
    Process(Process),
}

/// How far the marked cells of a source that is evaluated lazily get before one of them is an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Ahead {
    /// It has none: it is a process, whose cells the crowd of a port takes as they leave.
    Crowd,
    /// Each is one as it leaves.
    No,
    /// Up to the end of their channel.
    Channel,
    /// Through the queue of this link, which no other fills, and up to the end of the channel behind it.
    Queue(u32),
}

/// The source of one direction of a VC.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Source {
    pub(in crate::engine) pace: Pace,
    /// The first hop of the direction.
    pub(in crate::engine) first_hop: u32,
    /// Number of the next data cell, wrapping.
    number: u32,
    /// Cells that wait; 1 for a process or a greedy source, which always have a next one.
    waiting: u64,
    /// Earliest instant of the next cell (UBR and processes).
    next: Time,
    /// Since when it may send what it was given last.
    not_before: Time,
    /// The event in which it was woken last.
    pub(in crate::engine) woken: u64,
    /// Where its cells go next and how many hops ahead that is, where they need not be looked at on the way.
    pub(in crate::engine) way: Option<(u32, u32)>,
    /// Where the cells of other VCs that it carries come, if it is evaluated lazily.
    pub(in crate::engine) port: Option<u32>,
    /// Whether its unmarked cells leave as trains when somebody asks for them: only marked ones are events.
    pub(in crate::engine) is_lazy: bool,
    /// How far its marked ones do, too.
    pub(in crate::engine) ahead: Ahead,
    /// Whether there is always something to send.
    is_greedy: bool,
    /// The host's end of GFC, where the VC passes a queue that gives its commands.
    pub(in crate::engine) gfc: Option<Box<gfc::Controlled>>,
    /// Data cells that left.
    pub(in crate::engine) transit: Transit,
    /// Cells that left, of all kinds.
    cells: u64,
    /// What it was given to send; none before it is given something.
    queue: Option<Box<Queue>>,
}

/// What is given to a source to send, and what has become of it.
#[derive(Clone, Debug)]
struct Queue {
    /// PDUs in flight, then those that wait, wholly or in part.
    pdus: VecDeque<Pdu>,
    /// How many of `pdus` have left wholly.
    left: usize,
    /// Number that the last cell of the next PDU will have.
    next_last: u32,
    /// Cells of other VCs, at the hops that brought them here, where the source carries those on.
    carried: Option<Carried>,
    /// Most cells that can wait, and what is dropped of a segment that finds no room.
    buffer: u64,
    drop: SourceDrop,
    /// Most cells that waited since the last reset.
    waiting_max: u64,
    /// The rate that it asked for in its last forward RM cell.
    requested: Option<Rate>,
    /// But for `cells`, which the source counts.
    counts: SourceCounts,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            pdus: VecDeque::new(),
            left: 0,
            next_last: u32::MAX,
            carried: None,
            buffer: u64::MAX,
            drop: SourceDrop::Cell,
            waiting_max: 0,
            requested: None,
            counts: SourceCounts::default(),
        }
    }
}

/// Cells sent since the start of the run.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct SourceCounts {
    pub(in crate::engine) cells: u64,
    pub(in crate::engine) forward_rm: u64,
    pub(in crate::engine) backward_rm: u64,
    pub(in crate::engine) backward_rm_overwritten: u64,
    pub(in crate::engine) backward_rm_received: u64,
    pub(in crate::engine) pdus: u64,
    /// PDUs of which a cell was lost, at the host or on the way.
    pub(in crate::engine) damaged: u64,
    /// Cells of PDUs and of other VCs, and those of them that found no room.
    pub(in crate::engine) offered: u64,
    pub(in crate::engine) dropped: u64,
}

/// A cell that leaves.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Emission {
    Data {
        number: u32,
        /// Whether it is the last cell of a PDU.
        end: bool,
        /// Whether no cell of its PDU waits any more, though its end may have been dropped.
        completes: bool,
        /// Whether queues may mark its packet.
        ecn_capable: bool,
    },
    ForwardRm(RmCell),
    /// A cell of another VC, at the hop that brought it here.
    Carried(Cell),
    /// A forward RM cell with CLP = 1.
    OutOfRate(RmCell),
    BackwardRm(RmCell),
}

impl Source {
    pub(in crate::engine) fn new(pace: Pace, first_hop: u32, start: Time) -> Self {
        let waiting = u64::from(matches!(pace, Pace::Process(_)));
        Self {
            pace,
            first_hop,
            number: 0,
            waiting,
            next: start,
            not_before: Time::ZERO,
            woken: 0,
            way: None,
            port: None,
            is_lazy: false,
            ahead: Ahead::No,
            is_greedy: false,
            gfc: None,
            transit: Transit::default(),
            cells: 0,
            queue: None,
        }
    }

    /// What it is given to send, from now on.
    #[inline]
    fn queue(&mut self) -> &mut Queue {
        self.queue.get_or_insert_default()
    }

    /// From now on it carries cells of other VCs.
    pub(in crate::engine) fn carry(&mut self) {
        self.queue().carried = Some(Carried::default());
    }

    /// There is always something to send, from `start` on.
    pub(in crate::engine) fn be_greedy(&mut self, start: Time) {
        self.is_greedy = true;
        self.next = start;
        self.waiting = 1;
    }

    /// Takes a cell of another VC behind those that wait; false if there is no room.
    pub(in crate::engine) fn take_up(&mut self, cell: Cell) -> bool {
        let waiting = self.waiting;
        let queue = self.queue();
        queue.counts.offered += 1;
        if let Some(carried) = &mut queue.carried
            && waiting < queue.buffer
        {
            carried.push(Train::single(cell, cell.is_marked()));
            queue.waiting_max = queue.waiting_max.max(waiting + 1);
            self.waiting += 1;
            return true;
        }
        queue.counts.dropped += 1;
        false
    }

    /// The cells of other VCs that wait.
    pub(in crate::engine) fn carried(&self) -> impl Iterator<Item = Cell> {
        let queue = self.queue.iter();
        let carried = queue.flat_map(|queue| &queue.carried);
        carried.flat_map(Carried::cells)
    }

    /// Bounds the cells that can wait.
    pub(in crate::engine) fn limit(&mut self, buffer: u64, drop: SourceDrop) {
        if buffer < u64::MAX {
            let queue = self.queue();
            (queue.buffer, queue.drop) = (buffer, drop);
        }
    }

    /// Takes a PDU behind those that wait, as far as there is room for its cells.
    /// Whether there was room for all.
    pub(in crate::engine) fn push(&mut self, pdu: Pdu) -> bool {
        let waiting = self.waiting;
        let queue = self.queue();
        let room = queue.buffer.saturating_sub(waiting);
        let kept = match queue.drop {
            _ if room >= u64::from(pdu.cells) => pdu.cells,
            SourceDrop::Cell => room as u32,
            SourceDrop::Segment => 0,
        };
        queue.counts.pdus += 1;
        queue.counts.offered += u64::from(pdu.cells);
        queue.counts.dropped += u64::from(pdu.cells - kept);
        queue.counts.damaged += u64::from(kept < pdu.cells);
        if kept == 0 {
            return false;
        }
        queue.next_last = queue.next_last.wrapping_add(pdu.cells);
        let waiting = waiting + u64::from(kept);
        queue.waiting_max = queue.waiting_max.max(waiting);
        queue.pdus.push_back(Pdu {
            last: queue.next_last,
            kept,
            is_damaged: kept < pdu.cells,
            ..pdu
        });
        self.waiting = waiting;
        kept == pdu.cells
    }

    /// Whether what waits are cells that it was given, not those of a process or of a greedy source.
    fn is_fed(&self) -> bool {
        !self.is_greedy && !matches!(self.pace, Pace::Process(_))
    }

    /// Cells of PDUs that wait.
    pub(in crate::engine) fn cells_waiting(&self) -> u64 {
        if self.is_fed() { self.waiting } else { 0 }
    }

    /// The most cells that waited since the last call.
    pub(in crate::engine) fn take_waiting_max(&mut self) -> u64 {
        let (is_fed, waiting) = (self.is_fed(), self.waiting);
        let queue = self.queue.as_mut().filter(|_| is_fed);
        queue.map_or(0, |queue| {
            std::mem::replace(&mut queue.waiting_max, waiting)
        })
    }

    /// What it has counted since the start of the run.
    pub(in crate::engine) fn counts(&self) -> SourceCounts {
        let counts = self.queue.as_ref().map(|queue| queue.counts);
        SourceCounts {
            cells: self.cells,
            ..counts.unwrap_or_default()
        }
    }

    /// Whole and partial PDUs that wait.
    pub(in crate::engine) fn pdus_waiting(&self) -> usize {
        let queue = self.queue.as_ref();
        queue.map_or(0, |queue| queue.pdus.len() - queue.left)
    }

    /// When the next cell can leave; [`Time::NEVER`] while there is none.
    #[inline]
    pub(in crate::engine) fn deadline(&self) -> Time {
        let next = match &self.pace {
            Pace::Ubr { .. } | Pace::Process(_) | Pace::Shaped(_) if self.waiting == 0 => {
                Time::NEVER
            }
            Pace::Ubr { .. } | Pace::Process(_) | Pace::Shaped(_) => self.next,
            Pace::Abr(source) => match source.next_deadline(self.waiting > 0) {
                // Not before a greedy source starts.
                Some(at) => at.max(self.next),
                None => source
                    .next_out_of_rate(self.waiting > 0)
                    .unwrap_or(Time::NEVER),
            },
        };
        match self.gfc.as_ref().and_then(|gfc| gfc.halted_until()) {
            Some(until) if next != Time::NEVER => next.max(until),
            _ => next,
        }
    }

    /// When the next cell leaves.
    #[inline]
    pub(in crate::engine) fn next_emission(&self) -> Time {
        self.deadline().max(self.not_before)
    }

    /// When it is to act next.
    #[inline]
    pub(in crate::engine) fn next_event(&self) -> Time {
        if self.is_lazy {
            self.next_marked()
        } else {
            self.deadline()
        }
    }

    /// Something has changed `now` that may let it send.
    pub(in crate::engine) fn wake(&mut self, now: Time) {
        self.not_before = self.not_before.max(now);
    }

    /// The cell that leaves `now`, at or after [`Source::deadline`].
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
    fn data_cell(&mut self) -> Option<Emission> {
        let number = self.number;
        let Some(queue) = &mut self.queue else {
            return self.other_cell();
        };
        let Some(pdu) = queue.pdus.get(queue.left) else {
            return self.other_cell();
        };
        let (end, ecn_capable) = (pdu.last == number, pdu.segment.ecn_capable);
        let dropped = pdu.cells - pdu.kept;
        let completes = pdu.last.wrapping_sub(number) == dropped;
        queue.left += usize::from(completes);
        // The numbers of cells that were dropped are left out, so that their loss is seen.
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

    /// The next cell of a source that has no PDUs of its own.
    #[inline(never)]
    fn other_cell(&mut self) -> Option<Emission> {
        self.cells += 1;
        if self.is_greedy {
            return Some(self.unframed_cell());
        }
        self.waiting -= 1;
        let carried = self.queue.as_mut()?.carried.as_mut()?;
        let cell = carried.first()?.first;
        carried.skip(1);
        Some(Emission::Carried(cell))
    }

    /// The next cell that is part of no PDU.
    fn unframed_cell(&mut self) -> Emission {
        self.number = self.number.wrapping_add(1);
        Emission::Data {
            number: self.number,
            end: false,
            completes: false,
            ecn_capable: false,
        }
    }

    /// The PDU whose last cell left last.
    pub(in crate::engine) fn last_sent(&self) -> Option<&Pdu> {
        let queue = self.queue.as_ref()?;
        queue.pdus.get(queue.left.checked_sub(1)?)
    }

    /// The PDU whose last cell has this number; forgets those before it, whose ends were lost.
    pub(in crate::engine) fn take_pdu(&mut self, last: u32) -> Option<Pdu> {
        let queue = self.queue.as_mut()?;
        while let Some(pdu) = queue.pdus.pop_front() {
            queue.left -= 1;
            if pdu.last == last {
                return Some(pdu);
            }
        }
        None
    }

    /// The PDU of which the data cell of this number is one, and which one, if it is not yet forgotten.
    pub(in crate::engine) fn pdu_of(&self, number: u32) -> Option<(&Pdu, u32)> {
        let queue = self.queue.as_ref()?;
        let pdu = queue.pdus.get(queue.index_of(number))?;
        let before_last = pdu.last.wrapping_sub(number);
        Some((pdu, (pdu.cells - 1).checked_sub(before_last)?))
    }

    /// A cell of this number is lost; the PDU with data that it damages, if it is the first of its cells and
    /// no newer copy of the segment was handed over.
    pub(in crate::engine) fn damage(&mut self, number: u32) -> Option<Pdu> {
        let queue = self.queue.as_mut()?;
        let index = queue.index_of(number);
        let pdu = queue.pdus.get_mut(index)?;
        if std::mem::replace(&mut pdu.is_damaged, true) {
            return None;
        }
        queue.counts.damaged += 1;
        if !pdu.is_data {
            return None;
        }
        let pdu = *pdu;
        let is_copy = |newer: &Pdu| {
            newer.is_data && newer.flow == pdu.flow && newer.segment.seq == pdu.segment.seq
        };
        let mut newer = queue.pdus.range(index + 1..);
        (!newer.any(is_copy)).then_some(pdu)
    }

    /// A backward RM cell has come back to this source.
    pub(in crate::engine) fn on_backward_rm(&mut self, now: Time, rm: &RmCell) {
        self.queue().counts.backward_rm_received += 1;
        if let Pace::Abr(source) = &mut self.pace {
            source.on_backward_rm(now, rm);
        }
    }

    /// A forward RM cell of the other direction, which came out-of-rate or not, is to be turned round in
    /// this one; the backward RM cell that leaves at once, outside of the rate, if there is one.
    pub(in crate::engine) fn turn_round(
        &mut self,
        rm: RmCell,
        out_of_rate: bool,
    ) -> Option<RmCell> {
        let Pace::Abr(source) = &mut self.pace else {
            return None;
        };
        let turned = if out_of_rate {
            source.turn_round_out_of_rate(rm)
        } else {
            source.turn_round(rm)
        };
        let counts = &mut self.queue().counts;
        counts.backward_rm_overwritten += u64::from(turned.overwrites());
        match turned {
            TurnRound::Waits | TurnRound::Overwrites => None,
            TurnRound::OutOfRate { rm, .. } | TurnRound::Ideal(rm) => {
                counts.backward_rm += 1;
                self.cells += 1;
                Some(rm)
            }
        }
    }

    /// The rate that an ABR source asked for in its last forward RM cell, MCR before the first.
    pub(in crate::engine) fn requested_rate(&self) -> Option<Rate> {
        match &self.pace {
            Pace::Abr(source) => {
                let requested = self.queue.as_ref().and_then(|queue| queue.requested);
                Some(requested.unwrap_or(source.mcr()))
            }
            _ => None,
        }
    }

    /// The rate at which the source may send.
    pub(in crate::engine) fn allowed_rate(&self) -> Rate {
        match &self.pace {
            Pace::Ubr { gap } => {
                Rate::bps(celltrain_proto::units::CELL_BITS as f64 / gap.as_secs())
            }
            Pace::Abr(source) => source.acr(),
            Pace::Shaped(shaper) => shaper.pcr(),
            Pace::Process(_) => Rate::ZERO,
        }
    }
}

impl Queue {
    /// Index of the first PDU whose last cell is not before this one.
    fn index_of(&self, number: u32) -> usize {
        // Numbers wrap; those in flight lie within half of their range.
        let is_before = |pdu: &Pdu| pdu.last.wrapping_sub(number).cast_signed() < 0;
        self.pdus.partition_point(is_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source of which `buffer` cells can wait, and PDUs of `cells` cells each in turn.
    fn source(buffer: u64, drop: SourceDrop, cells: &[u32]) -> Source {
        let mut source = Source::new(Pace::Ubr { gap: Span::ZERO }, 0, Time::ZERO);
        source.limit(buffer, drop);
        for &cells in cells {
            source.push(pdu(cells));
        }
        source
    }

    fn pdu(cells: u32) -> Pdu {
        Pdu::new(Time::ZERO, 0, true, cells, Segment::default())
    }

    /// Number, end mark and completion of all cells that wait.
    fn leave(source: &mut Source) -> Vec<(u32, bool, bool)> {
        std::iter::from_fn(|| match source.emit(Time::ZERO)? {
            Emission::Data {
                number,
                end,
                completes,
                ..
            } => Some((number, end, completes)),
            _ => None,
        })
        .collect()
    }

    #[test]
    fn cells_that_find_no_room_are_dropped_and_leave_a_gap_in_the_numbers() {
        let mut source = source(5, SourceDrop::Cell, &[3, 4, 6]);
        assert_eq!((source.counts().offered, source.counts().dropped), (13, 8));
        let first = [(0, false, false), (1, false, false), (2, true, true)];
        let cut = [(3, false, false), (4, false, true)];
        assert_eq!(leave(&mut source), [&first[..], &cut[..]].concat());
        // Of the third nothing was kept: it takes no numbers. The second had 3 to 6.
        assert!(source.push(pdu(1)));
        assert_eq!(leave(&mut source), [(7, true, true)]);
        assert_eq!(source.pdus_waiting(), 0);
    }

    #[test]
    fn a_segment_without_room_for_all_can_be_dropped_whole() {
        let mut source = source(5, SourceDrop::Segment, &[3, 4, 2]);
        assert_eq!((source.counts().offered, source.counts().dropped), (9, 4));
        assert_eq!(source.cells_waiting(), 5);
        let ends = leave(&mut source).into_iter().filter(|cell| cell.1);
        assert_eq!(ends.map(|cell| cell.0).collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn the_longest_queue_starts_anew_with_what_waits() {
        let mut source = source(u64::MAX, SourceDrop::Cell, &[3, 4]);
        source.emit(Time::ZERO);
        assert_eq!(source.take_waiting_max(), 7);
        assert_eq!(source.take_waiting_max(), 6);
    }
}
