//! Applications above TCP: what they send and when, and how fast they write and read.

use celltrain_proto::random::Stream;
use celltrain_proto::tcp::{Available, Receiver, Sender};
use celltrain_proto::units::{Rate, Span, Time};

use crate::engine::host::slots::Slots;

/// What an application sends.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Session {
    /// More than will ever be sent.
    Greedy(Greedy),
    /// File after file, each over a connection of its own.
    Files(Files),
}

/// An application that always has something to send, from one instant to another.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Greedy {
    start: Time,
    stop: Time,
    is_sending: bool,
}

impl Greedy {
    /// From `start` until `stop`.
    pub(in crate::engine) fn new(start: Time, stop: Time) -> Self {
        Self {
            start,
            stop,
            is_sending: false,
        }
    }
}

/// File transfers with think time.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Files {
    pub(in crate::engine) size: Law,
    pub(in crate::engine) think: Law,
    pub(in crate::engine) stream: Stream,
    phase: Phase,
    has_begun: bool,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// From `since` until the next transfer.
    Thinking { since: Time, until: Time },
    /// Since `started` a file of `size` octets, of which `left` are still to be written.
    Sending { started: Time, size: u64, left: u64 },
}

/// A random length or time, in octets or seconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Law {
    /// Always the same.
    Fixed(f64),
    /// Exponential with this mean.
    Exponential(f64),
    /// Geometric on 1, 2, 3 ... with this mean.
    Geometric(f64),
}

impl Law {
    fn draw(self, stream: &mut Stream) -> f64 {
        match self {
            Self::Fixed(value) => value,
            Self::Exponential(mean) => stream.exponential(mean),
            Self::Geometric(mean) => stream.geometric(mean),
        }
    }
}

impl Files {
    /// The first transfer begins `first` after `start`, or a think time without it.
    pub(in crate::engine) fn new(
        size: Law,
        think: Law,
        first: Option<Span>,
        mut stream: Stream,
        start: Time,
    ) -> Self {
        let drawn = Span::from_secs_f64(think.draw(&mut stream));
        let first = start.saturating_add(first.unwrap_or(drawn));
        Self {
            size,
            think,
            stream,
            phase: Phase::Thinking {
                since: start,
                until: first,
            },
            has_begun: false,
        }
    }
}

impl Session {
    /// When the next transfer begins, or the present one is to end.
    pub(in crate::engine) fn deadline(&self) -> Time {
        match self {
            Self::Greedy(greedy) if greedy.is_sending => greedy.stop,
            Self::Greedy(greedy) => greedy.start,
            Self::Files(files) => match files.phase {
                Phase::Thinking { until, .. } => until,
                Phase::Sending { .. } => Time::NEVER,
            },
        }
    }

    /// Whether there is something to write.
    pub(in crate::engine) fn is_sending(&self) -> bool {
        match self {
            Self::Greedy(greedy) => greedy.is_sending,
            Self::Files(files) => matches!(files.phase, Phase::Sending { .. }),
        }
    }

    /// Since when a file is being sent, and its length; none for a greedy source.
    pub(in crate::engine) fn started(&self) -> Option<(Time, u64)> {
        match self {
            Self::Files(Files {
                phase: Phase::Sending { started, size, .. },
                ..
            }) => Some((*started, *size)),
            _ => None,
        }
    }

    /// Since when the application thinks; none while it sends.
    pub(in crate::engine) fn thinks_since(&self) -> Option<Time> {
        match self {
            Self::Files(Files {
                phase: Phase::Thinking { since, .. },
                ..
            }) => Some(*since),
            _ => None,
        }
    }

    /// Whether its time to send is over.
    pub(in crate::engine) fn is_over(&self, now: Time) -> bool {
        matches!(self, Self::Greedy(greedy) if greedy.is_sending && greedy.stop <= now)
    }

    /// A transfer begins; whether it needs a connection of its own, after one that is closed.
    pub(in crate::engine) fn begin(&mut self, now: Time) -> bool {
        match self {
            Self::Greedy(greedy) => {
                greedy.is_sending = true;
                false
            }
            Self::Files(files) => {
                let size = files.size.draw(&mut files.stream).max(1.0) as u64;
                files.phase = Phase::Sending {
                    started: now,
                    size,
                    left: size,
                };
                std::mem::replace(&mut files.has_begun, true)
            }
        }
    }

    /// A transfer has ended: think, or be silent for good.
    pub(in crate::engine) fn end(&mut self, now: Time) {
        match self {
            Self::Greedy(greedy) => {
                (greedy.is_sending, greedy.start) = (false, Time::NEVER);
            }
            Self::Files(files) => {
                let think = Span::from_secs_f64(files.think.draw(&mut files.stream));
                files.phase = Phase::Thinking {
                    since: now,
                    until: now.saturating_add(think),
                };
            }
        }
    }

    /// Octets still to be written; none where there is no end.
    fn left(&self) -> Option<u64> {
        match self {
            Self::Files(Files {
                phase: Phase::Sending { left, .. },
                ..
            }) => Some(*left),
            _ => None,
        }
    }

    fn take(&mut self, octets: u64) {
        if let Self::Files(Files {
            phase: Phase::Sending { left, .. },
            ..
        }) = self
        {
            *left -= octets;
        }
    }
}

/// How an application fills its send buffer.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Writer {
    /// Octets of one write; as much as there is room for without it.
    chunk: Option<u64>,
    /// From one write to the next.
    interval: Span,
    next: Time,
    /// Everything is written.
    done: bool,
    /// Where the socket buffer holds segments, not octets.
    slots: Option<Slots>,
}

/// How far a writer has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Progress {
    /// It waits: for room, or for the time of the next write.
    Waits,
    /// It has written, and may go on when what can be sent has left.
    GoesOn,
    /// It has written the last octet of a file.
    AtEnd,
}

impl Writer {
    /// Writes of `chunk` octets, at `rate` at most.
    pub(in crate::engine) fn new(chunk: Option<u64>, rate: Option<Rate>) -> Self {
        let chunk = chunk.or(rate.map(|_| DEFAULT_CHUNK));
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

    /// The same for a socket buffer that holds segments.
    pub(in crate::engine) fn with_slots(self, slots: Slots) -> Self {
        Self {
            slots: Some(slots),
            ..self
        }
    }

    /// A transfer begins.
    pub(in crate::engine) fn restart(&mut self, now: Time) {
        self.next = now;
        self.done = false;
    }

    /// When the next write can come that makes a difference, if nothing is acknowledged before.
    pub(in crate::engine) fn deadline(&self, sender: &Sender, session: &Session) -> Time {
        if self.done {
            return Time::NEVER;
        }
        if let Some(slots) = &self.slots {
            return slots.deadline(self.next);
        }
        let chunk = self.chunk.unwrap_or(1);
        let quiet = self.quiet_writes(sender, session);
        if sender.buffer_free() < (quiet + 1).saturating_mul(chunk) {
            Time::NEVER
        } else {
            let before = self.interval.as_ps().saturating_mul(quiet);
            self.next.saturating_add(Span::from_ps(before))
        }
    }

    /// How many of the next writes make no difference but to what is in the buffer.
    fn quiet_writes(&self, sender: &Sender, session: &Session) -> u64 {
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

    /// Writes what was due up to `until` and has made no difference so far.
    pub(in crate::engine) fn catch_up(
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
        debug_assert!(segment.is_none(), "a write made a difference: {segment:?}");
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
            let octets = left.unwrap_or(u64::MAX).min(self.chunk.unwrap_or(free));
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
    fn write_piece(&mut self, now: Time, sender: &mut Sender, session: &mut Session) -> Progress {
        let Some(slots) = self.slots.as_mut().filter(|_| !self.done) else {
            return Progress::Waits;
        };
        if !slots.is_running(now, sender) {
            return Progress::Waits;
        }
        if slots.left == 0 {
            let chunk = self.chunk.unwrap_or(DEFAULT_CHUNK);
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

/// Octets of a write where only its rate is given: a cluster of 4.4BSD.
const DEFAULT_CHUNK: u64 = 2_048;

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
            chunk: chunk.unwrap_or(DEFAULT_CHUNK),
            rate,
            next: Time::ZERO,
        }
    }

    /// When the next read can come that makes a difference, if nothing arrives before.
    pub(in crate::engine) fn deadline(&self, receiver: &Receiver) -> Time {
        if receiver.readable() == 0 {
            return Time::NEVER;
        }
        receiver.octets_until_news().map_or(Time::NEVER, |octets| {
            let before = octets.div_ceil(self.chunk) - 1;
            self.next.saturating_add(self.span_of(self.chunk) * before)
        })
    }

    /// What it takes to read so many octets.
    fn span_of(&self, octets: u64) -> Span {
        self.rate.span_of_bits(8.0 * octets as f64)
    }

    /// Reads what was due up to `until`, of which all had come before.
    pub(in crate::engine) fn catch_up(&mut self, until: Time, receiver: &mut Receiver) {
        while self.next <= until && receiver.readable() > 0 {
            let octets = receiver.read(self.next, self.chunk);
            self.next = self.next.saturating_add(self.span_of(octets));
        }
    }

    /// Reads what is due.
    pub(in crate::engine) fn read(&mut self, now: Time, receiver: &mut Receiver) {
        // What it might have read before has only come now.
        self.next = self.next.max(now);
        self.catch_up(now, receiver);
    }
}
