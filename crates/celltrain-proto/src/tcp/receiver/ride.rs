//! Acknowledgments that travel with data of the other direction.
//!
//! Source: RFC 1122 4.2.3.2; RFC 9293 3.8.6.3; 4.3BSD-Reno `tcp_output.c`.

use super::Receiver;
use crate::tcp::opening::{Agreed, Answered};
use crate::tcp::{Flags, SackBlocks, Segment, Timestamps};
use crate::units::Time;

impl Receiver {
    /// Adds this end's acknowledgment and window to a segment of its sender, which is sent now. This includes an
    /// acknowledgment that was due or delayed.
    ///
    /// `room` is the space in octets that the segment has left for options. If it is too small for due selective
    /// acknowledgments, these are sent separately, without data: the data then carry only the cumulative
    /// acknowledgment.
    pub fn ride(&mut self, now: Time, segment: &mut Segment, room: u32) {
        if segment.flags.has(Flags::SYN) {
            // The first SYN acknowledges nothing; its window is not scaled (RFC 7323 2.2).
            segment.window = self.config.window.min(65_535);
            return;
        }
        if segment.len > 0 {
            self.quick.on_data_sent(now);
        }
        segment.ack = self.rcv_nxt();
        segment.window = self.offer() as u32;
        segment.flags |= Flags::ECE.only_if(self.echoes_congestion);
        if let Some(timestamp) = &mut segment.timestamp {
            timestamp.echo = self.ts_recent.unwrap_or(0);
        }
        let options = segment.options_len();
        segment.sack = self.sack_blocks();
        if segment.options_len() - options > room {
            segment.sack = SackBlocks::default();
        } else {
            self.ack_now = false;
            self.compressed.on_ack_sent();
        }
        self.delayed = None;
        self.acknowledged = self.rcv_nxt;
    }

    /// A segment acknowledges what was never sent: it is ignored, and the answer states the correct numbers (RFC 9293
    /// 3.10.7.4).
    pub(in crate::tcp) fn correct(&mut self) {
        self.ack_now = true;
    }

    /// The other direction has opened the connection with these agreed options; the peer's SYN carried this timestamp.
    pub(in crate::tcp) fn agree(&mut self, agreed: Agreed, clock: Option<Timestamps>) {
        self.agreed = agreed;
        self.ts_recent = clock.map(|clock| clock.value);
        self.rcv_adv = u64::from(self.config.window).min(65_535);
    }

    /// The result of the opening.
    pub(in crate::tcp) fn answered(&self) -> Answered {
        Answered {
            agreed: self.agreed,
            rtt: self.control.rtt.clone(),
            was_repeated: self.control.was_repeated,
        }
    }
}
