//! Active closing: the FIN, the peer's FIN, `TIME_WAIT`.
//!
//! A closed sender does not answer; BSD would answer a late FIN with a reset, which would have no effect.
//!
//! Source: RFC 9293 3.6; 4.3BSD-Reno `tcp_output.c`, `tcp_timer.h`.

use super::Sender;
use super::output::Pending;
use crate::tcp::{Flags, State};
use crate::units::{Span, Time};

/// `FIN_WAIT_2` ends after this time even without the peer's FIN (`TCPTV_MAXIDLE`).
const FIN_WAIT_2_LIMIT: Span = Span::from_secs(600);
/// Twice the maximum segment lifetime (2 `TCPTV_MSL`).
const TIME_WAIT: Span = Span::from_secs(60);

impl Sender {
    /// The application closes: a FIN follows the last octet written. A greedy source ends with the data already sent.
    /// Before the connection is established the FIN waits together with the data.
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

    /// Whether sequence number `seq` is the FIN.
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

    /// The peer's FIN, whether first or retransmitted, is acknowledged at once.
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

    /// Whether everything was sent and acknowledged and both FINs are acknowledged, or the wait for the peer's FIN has
    /// expired.
    pub fn is_closed(&self) -> bool {
        self.closing && !self.dropped && matches!(self.state, State::TimeWait | State::Closed)
    }
}
