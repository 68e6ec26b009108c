//! Applications above TCP: what they send and when, and how fast they write and read.

use celltrain_proto::random::Stream;
use celltrain_proto::units::{Span, Time};

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
    pub(super) fn left(&self) -> Option<u64> {
        match self {
            Self::Files(Files {
                phase: Phase::Sending { left, .. },
                ..
            }) => Some(*left),
            _ => None,
        }
    }

    pub(super) fn take(&mut self, octets: u64) {
        if let Self::Files(Files {
            phase: Phase::Sending { left, .. },
            ..
        }) = self
        {
            *left -= octets;
        }
    }
}
