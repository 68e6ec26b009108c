//! Options of a receiver, and what it counts.

use super::super::{RtoConfig, RtoTimer, TickClock};
use crate::units::Span;

/// When in-order data are acknowledged while nothing is held. Data out of order, data that fill a hole
/// and repeated data are acknowledged at once under every policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AckPolicy {
    /// Every segment at once.
    EachSegment,
    /// At once when two full segments are unacknowledged, otherwise at the next tick of the fast timer.
    EverySecondSegment,
    /// When the window offered has moved by what [`WindowUpdate`] says, because the application has read
    /// what arrived, otherwise at the next tick of the fast timer. Where the application reads at once
    /// this differs from [`AckPolicy::EverySecondSegment`] only for windows of less than four segments.
    #[default]
    Bsd,
    /// Never at once: two full segments are acknowledged at the next tick of the fast timer, less than
    /// that at the next or the one after, as the segments come (Linux 2.0, whose timers run out at ticks
    /// of 10 ms only).
    AtTicks,
}

/// Who takes the data out of the socket buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReadMode {
    /// An application that reads all at once, so that the window offered is constant.
    #[default]
    AtOnce,
    /// The caller, by [`Receiver::read`](super::Receiver::read).
    Manual,
}

/// How far the edge of the window must be able to move before the sender is told of it alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WindowUpdate {
    /// By two segments or half of the buffer (4.3BSD-Reno and later).
    #[default]
    Bsd,
    /// By two segments if the buffer is empty, or 35 % of the buffer (4.3BSD-Tahoe).
    Tahoe,
    /// By a segment or half of the buffer, whichever is less (RFC 1122 4.2.3.3).
    Rfc1122,
    /// By as much as is left of the window (Linux 6 `tcp_cleanup_rbuf`).
    Doubled,
}

/// When the application closes its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CloseMode {
    /// As soon as it has read everything up to the FIN of the peer.
    #[default]
    WithPeer,
    /// Then too, but not before [`Receiver::close`](super::Receiver::close).
    Manual,
}

/// What an end that is closed does with segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WhenClosed {
    /// Nothing, as one that the network has cut off.
    #[default]
    Silent,
    /// It answers each with a reset (RFC 9293 3.10.7.1).
    Resets,
}

/// Options of a [`Receiver`](super::Receiver).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, each the name of a mechanism"
)]
pub struct ReceiverConfig {
    /// Octets of data in a full segment; in 4.4BSD with those of its options, so that two segments are less than twice as
    /// many, and the third is acknowledged (`t_maxseg` in `tcp_output.c`).
    pub mss: u32,
    /// The segment size that its SYN tells, options included; none leaves the option out (RFC 9293 3.7.1).
    pub told_mss: Option<u16>,
    /// What it does while it is closed.
    pub when_closed: WhenClosed,
    /// Octets of the socket buffer, all of which are offered while it is empty. Not rounded to whole
    /// segments here.
    pub window: u32,
    /// When data are acknowledged.
    pub ack: AckPolicy,
    /// Whether acknowledgments tell of data beyond a hole (RFC 2018).
    pub sack: bool,
    /// Whether they tell of data that arrived twice, too (D-SACK, RFC 2883); only with `sack`.
    pub dsack: bool,
    /// The timer of delayed acknowledgments; BSD has 200 ms, Linux 10 ms.
    pub fast_timer: TickClock,
    /// How long an acknowledgment waits for a second segment, by a timer that starts with the first (RFC 1122 4.2.3.2,
    /// Linux); none waits for a tick of `fast_timer` (BSD). Has no effect on [`AckPolicy::AtTicks`].
    pub ack_delay: Option<Span>,
    /// Whether the first segments are acknowledged each (Linux). Has no effect on [`AckPolicy::AtTicks`].
    pub quick_acks: bool,
    /// Who reads.
    pub application: ReadMode,
    /// When a larger window is told of.
    pub window_update: WindowUpdate,
    /// When the application closes.
    pub close: CloseMode,
    /// The window scale that answers one in the SYN of the peer, 0 to 14 (RFC 7323 2). After a SYN
    /// without one the window offered is at most 65,535 octets.
    pub window_scale: Option<u8>,
    /// Whether timestamps are echoed (RFC 1323 3).
    pub timestamps: bool,
    /// Whether marks of congestion are echoed (RFC 3168).
    pub ecn: bool,
    /// The timer of the receiver's SYN and FIN, and the clock of its timestamps.
    pub slow_timer: TickClock,
    /// Whether their time-out is counted in ticks or in continuous time.
    pub rto_timer: RtoTimer,
    /// Computation and limits of their time-out in ticks.
    pub rto: RtoConfig,
    /// How long the opening may take; BSD has 75 s.
    pub setup_limit: Span,
}

impl ReceiverConfig {
    /// A receiver as BSD has it, with a slow timer of 500 ms that first ticks when the fast one does.
    pub fn new(mss: u32, window: u32, fast_timer: TickClock) -> Self {
        Self {
            mss,
            told_mss: Some(mss.min(u16::MAX.into()) as u16),
            when_closed: WhenClosed::Silent,
            window,
            ack: AckPolicy::Bsd,
            sack: false,
            dsack: false,
            fast_timer,
            ack_delay: None,
            quick_acks: false,
            application: ReadMode::AtOnce,
            window_update: WindowUpdate::Bsd,
            close: CloseMode::WithPeer,
            window_scale: None,
            timestamps: false,
            ecn: false,
            slow_timer: TickClock::new(Span::from_ms(500), fast_timer.phase()),
            rto_timer: RtoTimer::Ticks,
            rto: RtoConfig::default(),
            setup_limit: Span::from_secs(75),
        }
    }
}

/// What a receiver has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReceiverStats {
    /// Segments with data.
    pub segments: u64,
    /// Segments that brought nothing new: all delivered or held before.
    pub duplicates: u64,
    /// Segments with new data beyond a hole.
    pub out_of_order: u64,
    /// Segments wholly beyond the window offered, dropped.
    pub beyond_window: u64,
    /// Acknowledgments sent.
    pub acks_sent: u64,
}
