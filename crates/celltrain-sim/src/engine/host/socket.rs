//! How applications fill and empty the buffers of a connection.

use celltrain_proto::tcp::{Available, Receiver, Sender};
use celltrain_proto::units::{Rate, Span, Time};

use crate::engine::host::application::Session;
use crate::engine::host::slots::Slots;
use crate::scenario::Sockets;

/// How an application fills its send buffer.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Writer {
    /// The octets of one write; `None` to write as much as there is room for.
    chunk: Option<u64>,
    /// The time between two writes.
    interval: Span,
    next: Time,
    /// Whether everything is written.
    done: bool,
    /// Used if the socket buffer holds segments, not octets.
    slots: Option<Slots>,
}

impl Writer {
    /// Writes of `chunk` octets, at most at `rate`.
    pub(in crate::engine) fn new(chunk: Option<u64>, rate: Option<Rate>) -> Self {
        let chunk = chunk.or(rate.map(|_| Sockets::DEFAULT_LENGTH));
        let interval = rate.zip(chunk).map_or(Span::ZERO, |(rate, chunk)| {
            rate.span_of_bits(8.0 * chunk as f64)
        });
        Self {
            chunk,
            interval,
            next: Time::ZERO,
            done: false,
            slots: None,
        }
    }

    /// This writer, with a socket buffer that holds segments.
    pub(in crate::engine) fn with_slots(self, slots: Slots) -> Self {
        Self {
            slots: Some(slots),
            ..self
        }
    }

    /// Begins a transfer.
    pub(in crate::engine) fn restart(&mut self, now: Time) {
        self.next = now;
        self.done = false;
    }

    /// The octets to write next, if `free` fit into the buffer and `left` are to be sent. Writes without time between them
    /// are done at once, because their number can be as large as that of the octets.
    fn next_octets(&self, free: u64, left: u64) -> u64 {
        match self.chunk {
            None => left.min(free),
            Some(chunk) if self.interval > Span::ZERO || left < chunk => left.min(chunk),
            Some(chunk) => free.min(left) / chunk * chunk,
        }
    }

    /// When the next write with an effect can come, if nothing is acknowledged before.
    pub(in crate::engine) fn deadline(&self, sender: &Sender, session: &Session) -> Time {
        if self.done {
            return Time::NEVER;
        }
        if let Some(slots) = &self.slots {
            return slots.deadline(self.next);
        }
        if session.left() == Some(0) {
            return Time::NEVER;
        }
        let chunk = self.chunk.unwrap_or(1);
        let quiet = self.quiet_writes(sender, session);
        if sender.buffer_free() < quiet.saturating_add(1).saturating_mul(chunk) {
            Time::NEVER
        } else {
            let before = self.interval.as_ps().saturating_mul(quiet);
            self.next.saturating_add(Span::from_ps(before))
        }
    }

    /// How many of the next writes only add to the buffer.
    pub(super) fn quiet_writes(&self, sender: &Sender, session: &Session) -> u64 {
        let Some(chunk) = self.chunk.filter(|_| self.interval > Span::ZERO) else {
            return 0;
        };
        let room = sender.buffer_free() / chunk;
        let wanted = sender.octets_until_output();
        let before_output = wanted.map_or(room, |octets| octets.div_ceil(chunk) - 1);
        let left = session.left();
        let before_end = left.map_or(room, |left| left.saturating_sub(1) / chunk);
        room.min(before_output).min(before_end)
    }

    /// Makes the writes that were due up to `until` and have had no effect so far.
    pub(in crate::engine) fn advance(
        &mut self,
        until: Time,
        sender: &mut Sender,
        session: &mut Session,
    ) {
        let Some(chunk) = self.chunk else { return };
        if self.done || self.slots.is_some() || self.next > until || !session.is_sending() {
            return;
        }
        let quiet = self.quiet_writes(sender, session);
        if quiet == 0 {
            return;
        }
        let due = (until - self.next).div_floor(self.interval) + 1;
        let count = quiet.min(due);
        let last = self.next + self.interval * (count - 1);
        sender.write(last, Available::Bytes(count * chunk));
        session.take(count * chunk);
        self.next = last + self.interval;
        let segment = sender.poll_transmit(last);
        debug_assert!(segment.is_none(), "a write had an effect: {segment:?}");
    }

    /// Writes what is due and finds room.
    pub(in crate::engine) fn write(
        &mut self,
        now: Time,
        sender: &mut Sender,
        session: &mut Session,
    ) -> Progress {
        if self.slots.is_some() {
            return self.write_piece(now, sender, session);
        }
        while !self.done && self.next <= now {
            let free = sender.buffer_free();
            let left = session.left();
            if self.chunk.is_none() && free == u64::MAX && left.is_none() {
                sender.write(now, Available::Unlimited);
                self.done = true;
                return Progress::Waits;
            }
            let octets = self.next_octets(free, left.unwrap_or(u64::MAX));
            if octets == 0 || free < octets {
                return Progress::Waits;
            }
            sender.write(now, Available::Bytes(octets));
            session.take(octets);
            self.done = left == Some(octets);
            if self.done {
                return Progress::AtEnd;
            }
            self.next = now.saturating_add(self.interval);
        }
        Progress::Waits
    }

    /// Writes a segment of the present write, or of the next one that is due.
    pub(super) fn write_piece(
        &mut self,
        now: Time,
        sender: &mut Sender,
        session: &mut Session,
    ) -> Progress {
        let Some(slots) = self.slots.as_mut().filter(|_| !self.done) else {
            return Progress::Waits;
        };
        if !slots.is_running(now, sender) {
            return Progress::Waits;
        }
        if slots.left == 0 {
            let chunk = self.chunk.unwrap_or(Sockets::DEFAULT_LENGTH);
            slots.left = session.left().unwrap_or(u64::MAX).min(chunk);
            if self.next > now || slots.left == 0 {
                slots.left = 0;
                return Progress::Waits;
            }
            session.take(slots.left);
            self.next = now.saturating_add(self.interval);
        }
        if !slots.write_piece(now, sender) {
            return Progress::Waits;
        }
        self.done = slots.left == 0 && session.left() == Some(0);
        if self.done {
            Progress::AtEnd
        } else {
            Progress::GoesOn
        }
    }
}

/// The state of a writer after a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Progress {
    /// It waits: for room, or for the time of the next write.
    Waits,
    /// It has written, and may continue when everything that can be sent has left.
    GoesOn,
    /// It has written the last octet of a file.
    AtEnd,
}

/// How an application empties its receive buffer.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Reader {
    chunk: u64,
    rate: Rate,
    next: Time,
}

impl Reader {
    /// Reads of up to `chunk` octets, at `rate`.
    pub(in crate::engine) fn new(chunk: Option<u64>, rate: Rate) -> Self {
        Self {
            chunk: chunk.unwrap_or(Sockets::DEFAULT_LENGTH),
            rate,
            next: Time::ZERO,
        }
    }

    /// When the next read with an effect can come, if nothing arrives before.
    pub(in crate::engine) fn deadline(&self, receiver: &Receiver) -> Time {
        if receiver.readable() == 0 {
            return Time::NEVER;
        }
        receiver.octets_until_news().map_or(Time::NEVER, |octets| {
            let before = octets.div_ceil(self.chunk) - 1;
            self.next.saturating_add(self.span_of(self.chunk) * before)
        })
    }

    /// The time that it takes to read this number of octets.
    pub(super) fn span_of(&self, octets: u64) -> Span {
        self.rate.span_of_bits(8.0 * octets as f64)
    }

    /// Makes the reads that were due up to `until`, of data that had arrived before.
    pub(in crate::engine) fn advance(&mut self, until: Time, receiver: &mut Receiver) {
        while self.next <= until && receiver.readable() > 0 {
            let octets = receiver.read(self.next, self.chunk);
            self.next = self.next.saturating_add(self.span_of(octets));
        }
    }

    /// Reads what is due.
    pub(in crate::engine) fn read(&mut self, now: Time, receiver: &mut Receiver) {
        // Data that could have been read earlier have only arrived now.
        self.next = self.next.max(now);
        self.advance(now, receiver);
    }
}
