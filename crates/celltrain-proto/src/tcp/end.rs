//! One end of a connection with data in both directions: a sender and a receiver that share one stream of segments.
//!
//! Data segments carry acknowledgments, so that a delayed acknowledgment needs no segment of its own while data flow
//! the other way. The end that opens the connection opens both directions: the peer's sender may send when its receiver
//! has been answered. Each direction closes separately; the receivers of such ends have [`CloseMode::Manual`], and an
//! end's FIN is sent by its sender.
//!
//! Not modelled: simultaneous opening, and window scales that differ.
//!
//! [`CloseMode::Manual`]: super::CloseMode::Manual
//!
//! Source: RFC 9293 3.5, 3.6, 3.8.6.3; RFC 1122 4.2.3.2; 4.3BSD-Reno `tcp_input.c`, `tcp_output.c`.

use super::{Flags, Receiver, Segment, Sender, State};
use crate::units::Time;

/// The sender and the receiver of one end.
#[derive(Debug)]
pub struct End<'a> {
    /// Sends the data of this end.
    pub sender: &'a mut Sender,
    /// Receives the data of the other end.
    pub receiver: &'a mut Receiver,
}

impl End<'_> {
    /// A segment arrives, with its data and its acknowledgment.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        if self.sender.refuses(segment) {
            self.receiver.correct();
            return;
        }
        let opens = segment.flags.has(Flags::SYN) && self.sender.state() == State::SynSent;
        let answers = self.receiver.state() == State::SynReceived;
        if opens {
            self.sender.on_segment(now, segment);
            if let Some(agreed) = self.sender.opened() {
                self.receiver.agree(agreed, segment.timestamp);
            }
            return;
        }
        // A retransmitted SYN is answered by the receiver, or by the sender if that opened the connection.
        if !segment.flags.has(Flags::SYN) || self.sender.stats().syns_sent == 0 {
            self.receiver.on_segment(now, segment);
        }
        if answers && self.receiver.state() == State::Established {
            self.sender.accept(now, self.receiver.answered(), segment);
        }
        self.sender.on_segment(now, segment);
    }

    /// Advances to `now`; does nothing before [`End::next_timeout`].
    pub fn on_timer(&mut self, now: Time) {
        self.sender.on_timer(now);
        self.receiver.on_timer(now);
    }

    /// When [`End::on_timer`] is due. May change after each call that takes `now`.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Time> {
        let timers = [self.sender.next_timeout(), self.receiver.next_timeout()];
        timers.into_iter().flatten().min()
    }

    /// The next segment to send now: data with an acknowledgment, or an acknowledgment alone.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        if let Some(mut segment) = self.sender.poll_transmit(now) {
            self.ride(now, &mut segment);
            return Some(segment);
        }
        let mut segment = self.receiver.poll_transmit(now)?;
        self.number(&mut segment);
        Some(segment)
    }

    /// Adds the acknowledgment to a segment of the sender.
    pub fn ride(&mut self, now: Time, segment: &mut Segment) {
        let room = (self.sender.mss() as u32).saturating_sub(segment.len);
        self.receiver.ride(now, segment, room);
    }

    /// Gives an acknowledgment without data the sequence number after the highest one sent, so that the peer can tell
    /// which window is the newest.
    pub fn number(&self, segment: &mut Segment) {
        if !segment.flags.has(Flags::SYN) {
            segment.seq = self.sender.snd_max();
        }
    }
}

#[cfg(test)]
mod tests;
