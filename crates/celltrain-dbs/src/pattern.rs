//! When a sender writes: a state machine that says what to do now.
//!
//! Times are ns from the flow's start. A write that is late, because the previous one was blocked, is made at once:
//! long-run rates are kept if the network allows.

use serde::{Deserialize, Serialize};

const NS_PER_S: u128 = 1_000_000_000;

/// A traffic pattern.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Each write follows the previous one immediately.
    Greedy,
    /// Writes at this mean rate in bit/s.
    Rate(u64),
    /// Write k is made no earlier than k times this many ns.
    Every(u64),
    /// Writes for `on_ns`, none for `off_ns`, repeated.
    OnOff {
        /// Duration of writing.
        on_ns: u64,
        /// Duration of silence.
        off_ns: u64,
        /// Rate in bit/s during the time of writing; `None`: greedy.
        rate: Option<u64>,
    },
    /// A cyclic sequence of messages.
    Messages(Vec<Message>),
    /// Octets at given times, once.
    Trace(Vec<(u64, u32)>),
}

/// A message of a pattern.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Message {
    /// Its octets.
    pub bytes: u64,
    /// Octets per write.
    pub write: u32,
    /// Minimum time from its first write to the first write of the next message.
    pub interval_ns: u64,
    /// Minimum time from its last write to the first write of the next message.
    pub wait_ns: u64,
}

impl Pattern {
    /// The highest mean rate in bit/s over a second that the pattern can request, with writes of `write` octets; `None`
    /// if only the network limits it.
    pub fn top_rate(&self, write: u32) -> Option<u64> {
        let per_second =
            |bytes: u64, ns: u64| u128::from(bytes) * 8 * NS_PER_S / u128::from(ns.max(1));
        let rate = match self {
            Self::Greedy => return None,
            Self::Rate(rate) => u128::from(*rate),
            Self::Every(every) => per_second(u64::from(write), *every),
            Self::OnOff { rate, .. } => u128::from((*rate)?),
            Self::Messages(messages) => {
                let bytes = messages.iter().map(|it| it.bytes).sum();
                let ns: u64 = messages
                    .iter()
                    .map(|it| it.interval_ns.max(it.wait_ns))
                    .fold(0, u64::saturating_add);
                if ns == 0 {
                    return None;
                }
                per_second(bytes, ns)
            }
            Self::Trace(entries) => {
                let bytes = entries.iter().map(|entry| u64::from(entry.1)).sum();
                let ns = entries.last().map_or(0, |entry| entry.0);
                per_second(bytes, ns.max(1_000_000_000))
            }
        };
        Some(u64::try_from(rate).unwrap_or(u64::MAX))
    }
}

/// What a sender does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Write this many octets.
    Write(u32),
    /// Nothing before this time.
    WaitUntil(u64),
    /// Nothing more.
    Finished,
}

/// A pattern in execution.
#[derive(Clone, Debug)]
pub struct Schedule {
    pattern: Pattern,
    write: u32,
    left: Option<u64>,
    /// Number of writes made, and their octets.
    writes: u64,
    octets: u64,
    /// For messages and traces: the current index, how much of it is left, when it began, and when the next may begin.
    index: usize,
    message_left: u64,
    message_began: u64,
    not_before: u64,
}

impl Schedule {
    /// Creates a schedule of writes of `write` octets, which ends after `bytes` octets if given.
    pub fn new(pattern: Pattern, write: u32, bytes: Option<u64>) -> Self {
        let message_left = match &pattern {
            Pattern::Messages(messages) => messages.first().map_or(0, |it| it.bytes),
            Pattern::Trace(entries) => entries.first().map_or(0, |it| u64::from(it.1)),
            _ => 0,
        };
        Self {
            pattern,
            write,
            left: bytes,
            writes: 0,
            octets: 0,
            index: 0,
            message_left,
            message_began: 0,
            not_before: 0,
        }
    }

    /// What to do at `now`. After [`Step::Write`], [`Self::wrote`] must be called before the next call.
    pub fn step(&self, now: u64) -> Step {
        let step = match &self.pattern {
            Pattern::Greedy => Step::Write(self.write),
            Pattern::Rate(rate) => self.due(now, time_of(self.octets, *rate)),
            Pattern::Every(every) => self.due(now, self.writes.saturating_mul(*every)),
            Pattern::OnOff {
                on_ns,
                off_ns,
                rate,
            } => self.on_off(now, *on_ns, *off_ns, *rate),
            Pattern::Messages(messages) => match messages.get(self.index) {
                Some(message) => self.part(now, message.write, self.not_before),
                None => Step::Finished,
            },
            Pattern::Trace(entries) => match entries.get(self.index) {
                Some(&(at, _)) => self.part(now, self.write, at),
                None => Step::Finished,
            },
        };
        match (step, self.left) {
            (_, Some(0)) => Step::Finished,
            (Step::Write(size), Some(left)) => {
                Step::Write(size.min(u32::try_from(left).unwrap_or(u32::MAX)))
            }
            (step, _) => step,
        }
    }

    fn due(&self, now: u64, due: u64) -> Step {
        if now >= due {
            Step::Write(self.write)
        } else {
            Step::WaitUntil(due)
        }
    }

    fn part(&self, now: u64, write: u32, due: u64) -> Step {
        let size = u64::from(write).min(self.message_left) as u32;
        if now >= due {
            Step::Write(size)
        } else {
            Step::WaitUntil(due)
        }
    }

    fn on_off(&self, now: u64, on: u64, off: u64, rate: Option<u64>) -> Step {
        let period = on.saturating_add(off).max(1);
        let (cycle, phase) = (now / period, now % period);
        if phase >= on {
            return Step::WaitUntil((cycle + 1).saturating_mul(period));
        }
        let Some(rate) = rate else {
            return Step::Write(self.write);
        };
        let due = time_of(self.octets, rate);
        let spent = cycle * on + phase;
        if spent >= due {
            return Step::Write(self.write);
        }
        // `due` only counts time of writing: add the silences.
        Step::WaitUntil((due / on.max(1)).saturating_mul(period) + due % on.max(1))
    }

    /// The write of `octets` requested by [`Self::step`] was completed at `now`; it began at `began`.
    pub fn wrote(&mut self, began: u64, now: u64, octets: u32) {
        self.writes += 1;
        self.octets += u64::from(octets);
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(u64::from(octets));
        }
        let first = self.message_is_whole();
        if first {
            self.message_began = began;
        }
        self.message_left = self.message_left.saturating_sub(u64::from(octets));
        if self.message_left == 0 {
            self.next_message(now);
        }
    }

    fn message_is_whole(&self) -> bool {
        match &self.pattern {
            Pattern::Messages(messages) => messages
                .get(self.index)
                .is_some_and(|it| it.bytes == self.message_left),
            _ => false,
        }
    }

    fn next_message(&mut self, now: u64) {
        match &self.pattern {
            Pattern::Messages(messages) => {
                let Some(done) = messages.get(self.index) else {
                    return;
                };
                let by_interval = self.message_began.saturating_add(done.interval_ns);
                self.not_before = by_interval.max(now.saturating_add(done.wait_ns));
                self.index = (self.index + 1) % messages.len();
                self.message_left = messages[self.index].bytes;
            }
            Pattern::Trace(entries) => {
                self.index += 1;
                self.message_left = entries.get(self.index).map_or(0, |it| u64::from(it.1));
            }
            _ => {}
        }
    }
}

/// The transmission time of `octets` at `rate` bit/s.
fn time_of(octets: u64, rate: u64) -> u64 {
    let ns = u128::from(octets) * 8 * NS_PER_S / u128::from(rate.max(1));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
