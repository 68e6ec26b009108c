//! Congestion control: one file for each variant, behind one trait, dispatched by an enum.
//!
//! A variant moves `cwnd` and `ssthresh` and says what a duplicate acknowledgment calls for. Timers,
//! sequence numbers and the segments themselves are the sender's.

mod reno;
mod window;

pub use reno::{AvoidanceIncrement, Deflation, RenoOptions};

use reno::Reno;
pub(super) use window::Window;

/// The congestion control of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// Slow start, congestion avoidance, fast retransmit and fast recovery (4.3BSD-Reno, 1990).
    Reno(RenoOptions),
}

impl Default for Variant {
    fn default() -> Self {
        Self::Reno(RenoOptions::default())
    }
}

/// What the sender does about a duplicate acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reaction {
    /// Nothing out of the ordinary.
    None,
    /// It sends the segment at `snd_una` again, that one only.
    FastRetransmit,
    /// It sends what the window, now larger, allows.
    Output,
}

/// A congestion-control variant.
pub(super) trait CongestionControl {
    /// `cwnd` and `ssthresh` as they are.
    fn window(&self) -> &Window;
    /// Duplicate acknowledgment number `count` in a row; the peer offers `snd_wnd` octets.
    fn on_duplicate_ack(&mut self, count: u32, snd_wnd: u64) -> Reaction;
    /// An acknowledgment ends a row of `count` duplicates, possibly none.
    fn on_duplicates_end(&mut self, count: u32);
    /// New data are acknowledged.
    fn on_ack(&mut self);
    /// The retransmission timer has expired; the peer offers `snd_wnd` octets.
    fn on_timeout(&mut self, snd_wnd: u64);
    /// Output begins after nothing was outstanding or heard for a retransmission time-out.
    fn on_idle(&mut self);
}

/// The state of a variant.
#[derive(Clone, Debug)]
pub(super) enum Control {
    Reno(Reno),
}

impl Control {
    pub(super) fn new(variant: Variant, window: Window) -> Self {
        match variant {
            Variant::Reno(options) => Self::Reno(Reno::new(options, window)),
        }
    }
}

impl CongestionControl for Control {
    fn window(&self) -> &Window {
        match self {
            Self::Reno(reno) => reno.window(),
        }
    }
    fn on_duplicate_ack(&mut self, count: u32, snd_wnd: u64) -> Reaction {
        match self {
            Self::Reno(reno) => reno.on_duplicate_ack(count, snd_wnd),
        }
    }
    fn on_duplicates_end(&mut self, count: u32) {
        match self {
            Self::Reno(reno) => reno.on_duplicates_end(count),
        }
    }
    fn on_ack(&mut self) {
        match self {
            Self::Reno(reno) => reno.on_ack(),
        }
    }
    fn on_timeout(&mut self, snd_wnd: u64) {
        match self {
            Self::Reno(reno) => reno.on_timeout(snd_wnd),
        }
    }
    fn on_idle(&mut self) {
        match self {
            Self::Reno(reno) => reno.on_idle(),
        }
    }
}
