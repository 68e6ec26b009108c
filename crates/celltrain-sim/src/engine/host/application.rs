//! Applications above TCP: what they send and when.

use celltrain_proto::random::Stream;
use celltrain_proto::units::{Span, Time};

use crate::engine::host::law::Law;
use crate::engine::host::telnet::Telnet;
use crate::measure::Responses;

/// What an application sends.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Session {
    /// Unlimited data.
    Greedy(Greedy),
    /// One file after another, each over a new connection.
    Files(Files),
    /// Messages over a connection that stays open.
    Telnet(Box<Telnet>),
}

/// An application that always has something to send between two instants.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Greedy {
    start: Time,
    stop: Time,
    is_sending: bool,
}

impl Greedy {
    /// An application that sends from `start` until `stop`.
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
    /// Thinking from `since` until the next transfer.
    Thinking { since: Time, until: Time },
    /// Sending, since `started`, a file of `size` octets, of which `left` have yet to be written.
    Sending { started: Time, size: u64, left: u64 },
}

impl Files {
    /// The first transfer begins `first` after `start`, or after a think time if that is `None`.
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
    /// When the next transfer or message begins, or the present time of sending must end.
    pub(in crate::engine) fn deadline(&self) -> Time {
        match self {
            Self::Greedy(greedy) if greedy.is_sending => greedy.stop,
            Self::Greedy(greedy) => greedy.start,
            Self::Files(files) => match files.phase {
                Phase::Thinking { until, .. } => until,
                Phase::Sending { .. } => Time::NEVER,
            },
            Self::Telnet(telnet) => telnet.deadline(),
        }
    }

    /// Whether its connection is in use: it has something to write, or may have at any time.
    pub(in crate::engine) fn is_sending(&self) -> bool {
        match self {
            Self::Greedy(greedy) => greedy.is_sending,
            Self::Files(files) => matches!(files.phase, Phase::Sending { .. }),
            Self::Telnet(telnet) => telnet.is_open(),
        }
    }

    /// Whether it closes the connection when everything is written.
    pub(in crate::engine) fn closes_when_written(&self) -> bool {
        !matches!(self, Self::Telnet(_))
    }

    /// When the present transfer started, and the length of its file; `None` for a greedy source.
    pub(in crate::engine) fn started(&self) -> Option<(Time, u64)> {
        match self {
            Self::Files(Files {
                phase: Phase::Sending { started, size, .. },
                ..
            }) => Some((*started, *size)),
            _ => None,
        }
    }

    /// When the application began to think; `None` while it sends.
    pub(in crate::engine) fn thinks_since(&self) -> Option<Time> {
        match self {
            Self::Files(Files {
                phase: Phase::Thinking { since, .. },
                ..
            }) => Some(*since),
            _ => None,
        }
    }

    /// Whether its sending time is over.
    pub(in crate::engine) fn is_over(&self, now: Time) -> bool {
        match self {
            Self::Greedy(greedy) => greedy.is_sending && greedy.stop <= now,
            Self::Files(_) => false,
            Self::Telnet(telnet) => telnet.is_over(now),
        }
    }

    /// Begins a transfer or types a message; returns whether it needs a new connection in place of a closed one.
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
            Self::Telnet(telnet) => {
                telnet.act(now);
                false
            }
        }
    }

    /// Ends a transfer: begins to think, or falls silent for good.
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
            Self::Telnet(telnet) => telnet.end(),
        }
    }

    /// Octets that have yet to be written; `None` if unlimited.
    pub(super) fn left(&self) -> Option<u64> {
        match self {
            Self::Files(Files {
                phase: Phase::Sending { left, .. },
                ..
            }) => Some(*left),
            Self::Telnet(telnet) => Some(telnet.left()),
            _ => None,
        }
    }

    pub(super) fn take(&mut self, octets: u64) {
        match self {
            Self::Files(Files {
                phase: Phase::Sending { left, .. },
                ..
            }) => *left -= octets,
            Self::Telnet(telnet) => telnet.take(octets),
            _ => {}
        }
    }

    /// Notes that all octets before `octet` are acknowledged.
    pub(super) fn on_acknowledged(&mut self, now: Time, octet: u64) {
        if let Self::Telnet(telnet) = self {
            telnet.on_acknowledged(now, octet);
        }
    }

    /// The answered messages of a telnet application; restarts the search for the longest response.
    pub(in crate::engine) fn take_responses(&mut self) -> Option<Responses> {
        match self {
            Self::Telnet(telnet) => Some(telnet.take_responses()),
            _ => None,
        }
    }
}
