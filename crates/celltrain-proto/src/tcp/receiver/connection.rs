//! Passive opening and closing.
//!
//! Source: RFC 9293 3.5, 3.6; RFC 3168 6.1.1; 4.3BSD-Reno `tcp_input.c`.

use super::{CloseMode, Receiver};
use crate::tcp::opening::WindowField;
use crate::tcp::{Flags, Segment, State};
use crate::units::Time;

impl Receiver {
    /// The peer's SYN arrives. A first one opens the connection, a retransmitted one is answered again, and a later one
    /// is acknowledged like any old segment.
    pub(super) fn on_syn(&mut self, now: Time, segment: &Segment) {
        match self.state {
            State::SynReceived => self.control.repeat(),
            State::Established if self.is_fresh() => {
                self.state = State::SynReceived;
                self.deadline = Some(self.control.rtt.after(now, self.config.setup_limit));
                let scale = self
                    .config
                    .window_scale
                    .filter(|_| segment.window_scale.is_some());
                let proposal = Flags::ECE | Flags::CWR;
                self.agreed = self.agreed.after_syn(segment, proposal, scale);
                self.rcv_adv = u64::from(self.config.window).min(65_535);
                self.control.due = true;
            }
            _ => {
                self.ack_now = true;
                return;
            }
        }
        self.ts_recent = segment.timestamp.map(|timestamp| timestamp.value);
    }

    /// Neither a SYN nor anything else has arrived.
    fn is_fresh(&self) -> bool {
        self.agreed.window == WindowField::Exact && self.stats.segments == 0 && self.fin.is_none()
    }

    /// This end's SYN, with the options that both ends want. Its window is not scaled.
    pub(super) fn syn(&mut self, now: Time) -> Segment {
        self.control.on_sent(now);
        Segment {
            window: self.config.window.min(65_535),
            flags: Flags::SYN | Flags::ECE.only_if(self.agreed.ecn),
            mss: self.config.told_mss,
            window_scale: match self.agreed.window {
                WindowField::Scaled(shift) => Some(shift),
                _ => None,
            },
            timestamp: self.timestamp(now),
            ..Segment::default()
        }
    }

    /// A non-SYN segment acknowledges this end's SYN, and perhaps its FIN.
    pub(super) fn on_acknowledgment(&mut self, now: Time, segment: &Segment) {
        if self.state == State::SynReceived {
            self.state = State::Established;
            self.deadline = None;
            self.control.on_acknowledged(now);
        } else if self.state == State::LastAck && segment.ack > 0 {
            self.state = State::Closed;
            self.control.on_acknowledged(now);
        }
    }

    /// The application closes its side; this takes effect when it has read everything up to the peer's FIN.
    pub fn close(&mut self, _now: Time) {
        self.app_closed = true;
        self.close_if_done();
    }

    /// Whether everything up to the peer's FIN has arrived.
    pub(super) fn has_all(&self) -> bool {
        self.fin == Some(self.rcv_nxt)
    }

    pub(super) fn close_if_done(&mut self) {
        if self.has_all() && self.state == State::Established {
            self.state = State::CloseWait;
        }
        let closes = self.app_closed || self.config.close == CloseMode::WithPeer;
        if self.state == State::CloseWait && self.is_finished() && closes {
            self.state = State::LastAck;
            self.control.due = true;
        }
    }

    /// The sequence number of this end's segments, whose only octet is its FIN.
    pub(super) fn next_seq(&self, fin: bool) -> u64 {
        let fin_sent = self.state == State::LastAck && self.control.next_timeout().is_some();
        u64::from(fin_sent && !fin)
    }

    pub(super) fn on_control_timer(&mut self, now: Time) {
        let late = self.deadline.is_some_and(|limit| limit <= now);
        if late || !self.control.on_timer(now) {
            self.state = State::Closed;
            self.deadline = None;
            self.control.stop();
        }
    }

    /// Whether the application has read everything that the peer sent before its FIN.
    pub fn is_finished(&self) -> bool {
        self.has_all() && self.read == self.rcv_nxt
    }

    /// The state of the connection as this end sees it.
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether nothing remains to be done: both FINs are acknowledged, or the peer did not answer.
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }
}
