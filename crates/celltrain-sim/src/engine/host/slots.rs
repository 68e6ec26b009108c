//! A writer whose socket buffer holds a number of segments, whatever their lengths.

use celltrain_proto::tcp::{Available, Sender};
use celltrain_proto::units::{Span, Time};

/// When the writer is blocked, and how much of the present write is done.
///
/// It is blocked when all segments are in use, even in the middle of a write, and woken some time after enough of them
/// are free.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Slots {
    /// The number of segments in use at which it is woken.
    wake_at: usize,
    /// The delay until it wakes.
    after: Span,
    state: State,
    /// Octets of the current write that are not yet written.
    pub(in crate::engine) left: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Running,
    Blocked,
    WokenAt(Time),
}

impl Slots {
    pub(in crate::engine) fn new(wake_at: usize, after: Span) -> Self {
        Self {
            wake_at,
            after,
            state: State::Running,
            left: 0,
        }
    }

    /// When it continues by itself: at `next` unless it is blocked.
    pub(in crate::engine) fn deadline(&self, next: Time) -> Time {
        match self.state {
            State::Running => next,
            State::Blocked => Time::NEVER,
            State::WokenAt(at) => at,
        }
    }

    /// Examines the segments in use; returns whether the writer can write at `now`.
    pub(in crate::engine) fn is_running(&mut self, now: Time, sender: &Sender) -> bool {
        if self.state == State::Blocked && sender.segments_held() <= self.wake_at {
            self.state = State::WokenAt(now.saturating_add(self.after));
        }
        if matches!(self.state, State::WokenAt(at) if at <= now) {
            self.state = State::Running;
        }
        self.state == State::Running
    }

    /// Writes the next piece of the present write, or blocks; returns whether it has written.
    pub(in crate::engine) fn write_piece(&mut self, now: Time, sender: &mut Sender) -> bool {
        let piece = sender.next_piece(self.left);
        if piece == 0 {
            self.state = State::Blocked;
            return false;
        }
        sender.write(now, Available::Bytes(piece));
        self.left -= piece;
        true
    }
}
