//! A cell as the engine moves it, in two words, and the ring in which a link keeps its cells.

use celltrain_proto::flow::gfc::Command;
use celltrain_proto::frame::LONGEST_PACKET;
use celltrain_proto::units::{Span, Time};

use crate::engine::state::room::{Exhausted, Room, missing};

/// The kinds of cells that a link counts separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Kind {
    Data = 0,
    ForwardRm = 1,
    BackwardRm = 2,
}

/// Number of [`Kind`]s.
pub(in crate::engine) const KINDS: usize = 3;

/// A cell in a queue or in flight; on a link that carries frames, a frame.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Cell {
    /// When it reaches the far end of the link, set as it leaves the queue. Before that, in a managed queue, when it
    /// arrived.
    pub(in crate::engine) at: Time,
    /// From the low bits up: the index of the hop, what the cell is, the flags, the GFC command, and in the upper half the
    /// value of [`Cell::load`]. A single word, so that a cell is passed in registers.
    word: u64,
}

const HOP_BITS: u32 = 24;
const HOP_MASK: u64 = (1 << HOP_BITS) - 1;
const KIND_SHIFT: u32 = HOP_BITS;
/// The two bits that say what a cell is: none for a data cell in the middle of a PDU, and these.
const WHAT: u64 = 3 << KIND_SHIFT;
const END: u64 = 1 << KIND_SHIFT;
const FORWARD_RM: u64 = 2 << KIND_SHIFT;
const BACKWARD_RM: u64 = 3 << KIND_SHIFT;
const EFCI: u64 = 1 << 26;
/// Cell loss priority: may be discarded first.
const CLP: u64 = 1 << 27;
/// A queue has marked the cell's packet (CE, RFC 3168).
const CE: u64 = 1 << 28;
/// Queues may mark the cell's packet instead of dropping it (ECT).
const ECT: u64 = 1 << 29;
const GFC_SHIFT: u32 = 30;
const GFC: u64 = ((1 << Command::BITS) - 1) << GFC_SHIFT;
const LOAD_SHIFT: u32 = 32;
const _: () = assert!(
    GFC_SHIFT + Command::BITS == LOAD_SHIFT,
    "the command must fit between the flags and the load"
);

const _: () = assert!(
    crate::network::MOST_HOPS <= 1 << HOP_BITS,
    "the index of a hop must fit its bits"
);

/// The most frames of a direction of a VC on their way, so that their numbers differ and keep their order.
pub(in crate::engine) const MOST_FRAMES: usize = 1 << (31 - PACKET_BITS);

const PACKET_BITS: u32 = LONGEST_PACKET.count_ones();

/// What [`Cell::load`] is for frame number `number` of a direction with an IP packet of `octets` octets.
pub(in crate::engine) const fn frame_number(number: u32, octets: u32) -> u32 {
    number << PACKET_BITS | octets
}

impl Cell {
    /// A data cell; `end` marks the last one of a PDU.
    #[inline]
    pub(in crate::engine) fn data(hop: u32, number: u32, end: bool) -> Self {
        let end = if end { END } else { 0 };
        Self {
            at: Time::NEVER,
            word: u64::from(hop) | end | u64::from(number) << LOAD_SHIFT,
        }
    }

    /// The octets of the IP packet in a frame, which is the only unit of its PDU.
    #[inline]
    pub(in crate::engine) fn octets(self) -> u32 {
        self.load() & LONGEST_PACKET
    }

    /// An RM cell whose contents are stored at index `contents`.
    pub(in crate::engine) fn rm(hop: u32, kind: Kind, contents: u32) -> Self {
        let what = match kind {
            Kind::Data => 0,
            Kind::ForwardRm => FORWARD_RM,
            Kind::BackwardRm => BACKWARD_RM,
        };
        Self {
            at: Time::NEVER,
            word: u64::from(hop) | what | u64::from(contents) << LOAD_SHIFT,
        }
    }

    #[inline]
    pub(in crate::engine) fn hop(self) -> usize {
        (self.word & HOP_MASK) as usize
    }

    /// For data, the cell's number within its direction of the VC, wrapping; for frames, their number and the octets of their
    /// packet; for RM cells, the index of the contents.
    #[inline]
    pub(in crate::engine) fn load(self) -> u32 {
        (self.word >> LOAD_SHIFT) as u32
    }

    /// This cell, leaving its queue at `departure`.
    #[inline]
    pub(in crate::engine) fn leaving(self, departure: Time) -> Self {
        Self {
            at: departure,
            ..self
        }
    }

    /// This cell with another hop's index.
    #[inline]
    pub(in crate::engine) fn at_hop(mut self, hop: u32) -> Self {
        self.word = self.word & !HOP_MASK | u64::from(hop);
        self
    }

    /// This cell at the next hop of its VC.
    #[inline]
    pub(in crate::engine) fn at_next_hop(mut self) -> Self {
        self.word += 1;
        self
    }

    /// This cell at the hop that is `hops` upstream.
    pub(in crate::engine) fn at_hop_upstream(mut self, hops: u32) -> Self {
        self.word -= u64::from(hops);
        self
    }

    /// This cell at the hop that is `hops` downstream, where it arrives at `at`.
    #[inline]
    pub(in crate::engine) fn at_hop_downstream(mut self, hops: u32, at: Time) -> Self {
        self.word += u64::from(hops);
        self.at = at;
        self
    }

    /// The data cell that is `cells` after this one in its train and arrives `later` after it.
    #[inline]
    pub(in crate::engine) fn after(mut self, later: Span, cells: u32) -> Self {
        self.at += later;
        self.word = self.word.wrapping_add(u64::from(cells) << LOAD_SHIFT);
        self
    }

    /// Whether `next` is the data cell that is `cells` after this one, with equal flags.
    #[inline]
    pub(in crate::engine) fn is_followed_by(self, next: Self, cells: u32) -> bool {
        self.word.wrapping_add(u64::from(cells) << LOAD_SHIFT) == next.word
    }

    #[inline]
    pub(in crate::engine) fn kind(self) -> Kind {
        // A table, because each hop of each cell asks, and comparisons take twice as many instructions. The end of a PDU, 1,
        // is data, too.
        const KIND: [Kind; 4] = [Kind::Data, Kind::Data, Kind::ForwardRm, Kind::BackwardRm];
        KIND[(self.word >> KIND_SHIFT & 3) as usize]
    }

    /// Whether it is an RM cell or the last cell of a PDU.
    #[inline]
    pub(in crate::engine) fn is_event(self) -> bool {
        self.word & WHAT != 0
    }

    /// Whether it is the last cell of a PDU.
    #[inline]
    pub(in crate::engine) fn is_end(self) -> bool {
        self.word & WHAT == END
    }

    #[inline]
    pub(in crate::engine) fn efci(self) -> bool {
        self.word & EFCI != 0
    }

    /// The command in the GFC field.
    #[inline]
    pub(in crate::engine) fn command(self) -> Command {
        Command::from_code((self.word >> GFC_SHIFT) as u8)
    }

    pub(in crate::engine) fn set_efci(&mut self) {
        self.word |= EFCI;
    }

    pub(in crate::engine) fn clear_efci(&mut self) {
        self.word &= !EFCI;
    }

    /// Whether the cell loss priority is 1.
    #[inline]
    pub(in crate::engine) fn clp(self) -> bool {
        self.word & CLP != 0
    }

    pub(in crate::engine) fn set_clp(&mut self) {
        self.word |= CLP;
    }

    /// Whether queues may mark the packet.
    pub(in crate::engine) fn ecn_capable(self) -> bool {
        self.word & ECT != 0
    }

    pub(in crate::engine) fn set_ecn_capable(&mut self) {
        self.word |= ECT;
    }

    /// Whether a queue has marked the packet.
    #[inline]
    pub(in crate::engine) fn congestion_experienced(self) -> bool {
        self.word & CE != 0
    }

    pub(in crate::engine) fn set_congestion_experienced(&mut self) {
        self.word |= CE;
    }

    pub(in crate::engine) fn set_command(&mut self, command: Command) {
        self.word = self.word & !GFC | u64::from(command.code()) << GFC_SHIFT;
    }
}

/// The cells of a link, oldest first: those in flight, then those in the queue.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Ring {
    cells: Box<[Cell]>,
    /// Wrapping positions: in flight from `head` to `served`, queued from `served` to `tail`.
    head: u32,
    served: u32,
    tail: u32,
}

const EMPTY: Cell = Cell {
    at: Time::NEVER,
    word: 0,
};

impl Ring {
    pub(in crate::engine) fn new() -> Self {
        Self {
            // With trains, few links need room here.
            cells: Box::default(),
            head: 0,
            served: 0,
            tail: 0,
        }
    }

    #[inline]
    fn at(&self, position: u32) -> usize {
        position as usize & (self.cells.len() - 1)
    }

    /// Cells in the queue.
    #[inline]
    pub(in crate::engine) fn queued(&self) -> u32 {
        self.tail.wrapping_sub(self.served)
    }

    #[inline]
    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// The oldest cell in flight.
    #[inline]
    pub(in crate::engine) fn first_in_flight(&self) -> Option<&Cell> {
        (self.head != self.served).then(|| &self.cells[self.at(self.head)])
    }

    /// The oldest cell in the queue.
    pub(in crate::engine) fn first_queued(&self) -> Option<&Cell> {
        (self.served != self.tail).then(|| &self.cells[self.at(self.served)])
    }

    /// When the oldest cell in flight arrives.
    #[inline]
    pub(in crate::engine) fn next_arrival(&self) -> Time {
        self.first_in_flight().map_or(Time::NEVER, |cell| cell.at)
    }

    /// Adds a cell to the queue.
    #[inline]
    pub(in crate::engine) fn push(&mut self, cell: Cell) {
        if self.tail.wrapping_sub(self.head) as usize == self.cells.len() {
            self.grow();
        }
        let at = self.at(self.tail);
        self.cells[at] = cell;
        self.tail = self.tail.wrapping_add(1);
    }

    /// Adds a cell directly to those in flight; it arrives at its `at`. The queue must be empty.
    #[inline]
    pub(in crate::engine) fn launch(&mut self, cell: Cell) {
        self.push(cell);
        self.served = self.tail;
    }

    /// Moves the first cell of the queue, which must not be empty, into flight; it arrives at `at`.
    #[inline]
    pub(in crate::engine) fn serve(&mut self, at: Time) -> &mut Cell {
        let served = self.at(self.served);
        self.served = self.served.wrapping_add(1);
        let cell = &mut self.cells[served];
        cell.at = at;
        cell
    }

    /// Lets the last one in flight overtake those that arrive after it.
    pub(in crate::engine) fn overtake(&mut self) {
        let mut last = self.served.wrapping_sub(1);
        while last != self.head {
            let (own, before) = (self.at(last), self.at(last.wrapping_sub(1)));
            if self.cells[before].at <= self.cells[own].at {
                break;
            }
            self.cells.swap(before, own);
            last = last.wrapping_sub(1);
        }
    }

    /// Removes and returns the oldest cell in flight if it has arrived by `now`.
    #[inline]
    pub(in crate::engine) fn pop_arrived(&mut self, now: Time) -> Option<Cell> {
        let cell = *self.first_in_flight()?;
        if cell.at > now {
            return None;
        }
        self.head = self.head.wrapping_add(1);
        Some(cell)
    }

    /// Removes and returns the oldest cell in flight, whenever it arrives.
    #[inline]
    pub(in crate::engine) fn pop_in_flight(&mut self) -> Option<Cell> {
        let cell = *self.first_in_flight()?;
        self.head = self.head.wrapping_add(1);
        Some(cell)
    }

    /// All cells, oldest first, and whether each is still in the queue.
    pub(in crate::engine) fn iter(&self) -> impl Iterator<Item = (Cell, bool)> + '_ {
        let in_flight = self.served.wrapping_sub(self.head);
        (0..self.tail.wrapping_sub(self.head)).map(move |offset| {
            (
                self.cells[self.at(self.head.wrapping_add(offset))],
                offset >= in_flight,
            )
        })
    }

    #[cold]
    fn grow(&mut self) {
        let room = (2 * self.cells.len()).max(16);
        self.refill(vec![EMPTY; room]);
    }

    /// Moves all cells to a larger array.
    fn refill(&mut self, cells: Vec<Cell>) {
        let mut cells = cells.into_boxed_slice();
        for (at, (cell, _)) in self.iter().enumerate() {
            cells[at] = cell;
        }
        (self.served, self.tail) = (
            self.served.wrapping_sub(self.head),
            self.tail.wrapping_sub(self.head),
        );
        self.head = 0;
        self.cells = cells;
    }
}

impl Room for Ring {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        let cells = self.tail.wrapping_sub(self.head) as usize;
        if let Some(more) = missing(cells, self.cells.len(), size_of::<Cell>()) {
            let mut larger = Vec::new();
            let room = (cells + more).next_power_of_two();
            larger.try_reserve_exact(room).map_err(|_| Exhausted)?;
            larger.resize(room, EMPTY);
            self.refill(larger);
        }
        Ok(size_of_val(&*self.cells) as u64)
    }
}

#[cfg(test)]
mod tests;
