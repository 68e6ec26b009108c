//! TCP sender and receiver, with the timers and variants of BSD, and modern ones.
//!
//! One direction of data: a [`Sender`], which opens and closes the connection, and a [`Receiver`], neither with a clock
//! of its own. Two of each form a connection with data in both directions: see [`End`]. A connection is established
//! from the start unless `SenderConfig::handshake` says otherwise. Both BSD timers are modelled tick by tick
//! ([`TickClock`]), but lazily: a timer is the number of the tick at which it expires, so a fine granularity costs
//! nothing.
//!
//! Ticks come first: a tick at an instant happens before any call at that instant. If [`Sender::next_timeout`] (or the
//! receiver's) is at or before the arrival of a segment, call `on_timer`, drain `poll_transmit`, and only then pass the
//! segment.
//!
//! Sequence numbers have 64 bits and start after the SYN, so that data start at zero with and without one; a FIN takes
//! the number after the last octet of data. Windows and lengths are in octets. Not modelled: urgent data, simultaneous
//! opening.
//!
//! Source: 4.3BSD-Reno (`tcp_input.c`, `tcp_output.c`, `tcp_timer.c`, 1990); RFC 9293; RFC 1122 4.2; the variants name
//! their own.
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
mod control_timer;
pub mod delivery;
mod end;
mod opening;
mod outstanding;
#[cfg(test)]
mod pair;
mod real_ticks;
mod reassembly;
mod receiver;
mod rto;
mod rtt;
mod sack;
mod segment;
mod sender;
mod variant;

pub use clock::TickClock;
pub use end::End;
pub use opening::State;
pub use receiver::{
    AckPolicy, CloseMode, ReadMode, Receiver, ReceiverConfig, ReceiverStats, WhenClosed,
    WindowUpdate,
};
pub use rto::{Rfc6298, RtoFloor, RtoFormula, RtoTimer};
pub use rtt::{MinRto, RtoConfig, RtoGain, RtoSlack, SrttFold};
pub use sack::SackBlocks;
pub use segment::{Flags, Segment, Timestamps};
pub use sender::{
    Available, BackoffLimit, InitialWindow, LossRecovery, LossWindow, OutputRule, Phase, Rearm,
    RouteCache, RouteMetrics, RttSamples, RttTiming, Sender, SenderConfig, SenderStats,
    SlowStartExit, SlowStartLimit, TimerEvent, Writes,
};
pub use variant::*;
