//! A writer whose socket buffer holds a number of segments, whatever their length.

use celltrain_proto::tcp::{Available, Sender};
use celltrain_proto::units::{Span, Time};

/// When it is blocked, and how far it has come with a write.
///
/// It is blocked when all segments are in use, in the middle of a write too, and woken some time after few
/// enough of them still are.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Slots {
    /// Segments in use at which it is woken.
    wake_at: usize,
    /// How long that takes.
    after: Span,
    state: State,
    /// Octets of the present write that are still to be written.
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

    /// When it goes on of itself: at `next` unless it is blocked.
    pub(in crate::engine) fn deadline(&self, next: Time) -> Time {
        match self.state {
            State::Running => next,
            State::Blocked => Time::NEVER,
            State::WokenAt(at) => at,
        }
    }

    /// Looks at the segments in use; whether it can write `now`.
    pub(in crate::engine) fn is_running(&mut self, now: Time, sender: &Sender) -> bool {
        if self.state == State::Blocked && sender.segments_held() <= self.wake_at {
            self.state = State::WokenAt(now.saturating_add(self.after));
        }
        if matches!(self.state, State::WokenAt(at) if at <= now) {
            self.state = State::Running;
        }
        self.state == State::Running
    }

    /// Writes the next piece of the present write, or is blocked; whether it has written.
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
