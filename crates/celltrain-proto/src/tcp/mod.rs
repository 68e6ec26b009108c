//! TCP sender and receiver, with the timers and variants of BSD, and modern ones.
//!
//! One direction of data on a connection that is established from the start: a [`Sender`] and a
//! [`Receiver`], each without a clock. Both BSD timers are modelled tick by tick ([`TickClock`]), but
//! lazily: a timer is the number of the tick at which it expires, so a fine granularity costs nothing.
//!
//! Ticks come first: a tick at an instant has happened before any call at that instant. Where
//! [`Sender::next_timeout`] (or the receiver's) is at or before the arrival of a segment, call
//! `on_timer`, drain `poll_transmit`, and only then hand over the segment.
//!
//! Sequence numbers have 64 bits and start at zero; window and lengths are in octets. Not modelled yet:
//! flags, opening and closing, persist timer, options but selective acknowledgments.
//!
//! Source: 4.3BSD-Reno (`tcp_input.c`, `tcp_output.c`, `tcp_timer.c`, 1990); RFC 9293; RFC 1122 4.2; the variants name theirs.
//!
//! ```
//! use celltrain_proto::tcp::{
//!     Available, Receiver, ReceiverConfig, Sender, SenderConfig, TickClock,
//! };
//! use celltrain_proto::units::{Span, Time};
//!
//! let slow = TickClock::new(Span::from_ms(500), Span::from_ms(120));
//! let fast = TickClock::new(Span::from_ms(200), Span::from_ms(30));
//! let mut sender = Sender::new(SenderConfig::new(9_140, slow));
//! let mut receiver = Receiver::new(ReceiverConfig::new(9_140, 65_535, fast));
//!
//! sender.write(Time::ZERO, Available::Unlimited);
//! while let Some(segment) = sender.poll_transmit(Time::ZERO) {
//!     receiver.on_segment(Time::ZERO + Span::from_ms(50), &segment);
//! }
//! assert_eq!(receiver.delivered(), 9_140); // the first window is one segment
//! assert_eq!(receiver.next_timeout(), Some(Time::ZERO + Span::from_ms(230))); // its ACK is delayed
//! ```

mod clock;
pub mod delivery;
mod outstanding;
mod reassembly;
mod receiver;
mod rto;
mod rtt;
mod sack;
mod sender;
mod variant;

pub use clock::TickClock;
pub use receiver::{AckPolicy, Receiver, ReceiverConfig, ReceiverStats};
pub use rto::{Rfc6298, RtoFloor, RtoTimer};
pub use rtt::{MinRto, RtoConfig, RtoGain, SrttFold};
pub use sack::SackBlocks;
pub use sender::{
    Available, BackoffLimit, OutputRule, Rearm, RttSamples, Sender, SenderConfig, SenderStats,
};
pub use variant::bbr;
pub use variant::{
    AvoidanceIncrement, CubicOptions, Deflation, RenoOptions, TahoeOptions, Variant,
};

/// A TCP segment without its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    /// Sequence number of the first octet of data.
    pub seq: u64,
    /// Octets of data; zero in a pure ACK.
    pub len: u32,
    /// The next octet that the segment's sender expects.
    pub ack: u64,
    /// Octets from `ack` on that the segment's sender is ready to receive.
    pub window: u32,
    /// Data that the segment's sender holds beyond `ack`.
    pub sack: SackBlocks,
}

impl Segment {
    /// The sequence number behind the last octet of data.
    pub fn end(&self) -> u64 {
        self.seq + u64::from(self.len)
    }

    /// Start and end of each block of data held beyond `ack`, the most recent first.
    pub fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> {
        self.sack.from(self.ack)
    }

    /// Octets of TCP options: none, or the SACK option padded to whole words (RFC 2018 3).
    pub fn options_len(&self) -> u32 {
        match self.sack_blocks().count() as u32 {
            0 => 0,
            blocks => 4 + 8 * blocks,
        }
    }
}
