//! Active closing: FIN, FIN of the peer, `TIME_WAIT`.
//!
//! A closed sender does not answer any more; BSD would answer a late FIN with a reset, which nobody would take note of.
//!
//! Source: RFC 9293 3.6; 4.3BSD-Reno `tcp_output.c`, `tcp_timer.h`.

use super::Sender;
use super::output::Pending;
use crate::tcp::{Flags, State};
use crate::units::{Span, Time};

/// `FIN_WAIT_2` ends without a FIN of the peer (`TCPTV_MAXIDLE`).
const FIN_WAIT_2_LIMIT: Span = Span::from_secs(600);
/// Twice the lifetime of a segment (2 `TCPTV_MSL`).
const TIME_WAIT: Span = Span::from_secs(60);

impl Sender {
    /// The application closes: a FIN follows the last octet written. A greedy source ends with what it
    /// has sent. Before the connection is established the FIN waits with the data.
    pub fn close(&mut self, now: Time) {
        if self.closing {
            return;
        }
        if self.written == u64::MAX {
            self.written = self.snd_max;
        }
        self.closing = true;
        if self.state == State::Established {
            self.state = State::FinWait1;
        }
        self.request_output(now);
    }

    /// Whether a FIN is what stands at sequence number `seq`.
    pub(super) fn is_fin(&self, seq: u64) -> bool {
        self.closing && seq == self.written
    }

    pub(super) fn on_fin_acknowledged(&mut self, now: Time) {
        if self.state != State::FinWait1 {
            return;
        }
        if self.peer_fin {
            self.enter_time_wait(now);
        } else {
            self.state = State::FinWait2;
            self.deadline = Some(self.rtt.after(now, FIN_WAIT_2_LIMIT));
        }
    }

    /// A FIN of the peer, the first or a repeated one, is acknowledged at once.
    pub(super) fn on_peer_fin(&mut self, now: Time, flags: Flags) {
        if !flags.has(Flags::FIN) {
            return;
        }
        self.peer_fin = true;
        self.pending = Some(Pending::Ack);
        if matches!(self.state, State::FinWait2 | State::TimeWait) {
            self.enter_time_wait(now);
        }
    }

    fn enter_time_wait(&mut self, now: Time) {
        self.state = State::TimeWait;
        self.deadline = Some(self.rtt.after(now, TIME_WAIT));
    }

    /// Whether everything was sent and acknowledged and both FINs are done, or a peer that does not send
    /// its own has been waited for long enough.
    pub fn is_closed(&self) -> bool {
        self.closing && !self.dropped && matches!(self.state, State::TimeWait | State::Closed)
    }
}
