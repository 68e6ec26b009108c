//! Options and counters of a receiver.

use super::super::{RtoConfig, RtoTimer, TickClock};
use crate::units::Span;

/// When in-order data are acknowledged while nothing is held. Out-of-order data, data that fill a hole and duplicate
/// data are acknowledged at once under every policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AckPolicy {
    /// Every segment at once.
    EachSegment,
    /// At once if two full segments are unacknowledged, otherwise at the next tick of the fast timer.
    EverySecondSegment,
    /// When the offered window has moved as far as [`WindowUpdate`] requires, because the application has read what
    /// arrived, otherwise at the next tick of the fast timer. If the application reads at once this differs from
    /// [`AckPolicy::EverySecondSegment`] only for windows of less than four segments.
    #[default]
    Bsd,
    /// Never at once: two full segments are acknowledged at the next tick of the fast timer; less than that at the next
    /// or the one after, depending on segment spacing (Linux 2.0, whose timers expire only at ticks of 10 ms).
    AtTicks,
}

/// Who reads the data from the socket buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReadMode {
    /// An application that reads everything at once, so that the offered window is constant.
    #[default]
    AtOnce,
    /// The caller, by [`Receiver::read`](super::Receiver::read).
    Manual,
}

/// How far the right edge of the window must be able to move for a window update to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WindowUpdate {
    /// By two segments or half of the buffer (4.3BSD-Reno and later).
    #[default]
    Bsd,
    /// By two segments if the buffer is empty, or 35 % of the buffer (4.3BSD-Tahoe).
    Tahoe,
    /// By one segment or half of the buffer, whichever is less (RFC 1122 4.2.3.3).
    Rfc1122,
    /// By as much as remains of the window (Linux 6 `tcp_cleanup_rbuf`).
    Doubled,
}

/// When the application closes its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CloseMode {
    /// As soon as it has read everything up to the peer's FIN.
    #[default]
    WithPeer,
    /// As above, but not before [`Receiver::close`](super::Receiver::close).
    Manual,
}

/// How a closed end treats segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WhenClosed {
    /// It ignores them, as if the network had cut it off.
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
    /// Octets of data in a full segment; in 4.4BSD including those of its options, so that two segments are less than
    /// twice this, and the third is acknowledged (`t_maxseg` in `tcp_output.c`).
    pub mss: u32,
    /// The MSS that its SYN announces, options included; `None` omits the option (RFC 9293 3.7.1).
    pub told_mss: Option<u16>,
    /// How it treats segments while closed.
    pub when_closed: WhenClosed,
    /// Size of the socket buffer in octets, all of which is offered while it is empty. Not rounded to whole segments
    /// here.
    pub window: u32,
    /// When data are acknowledged.
    pub ack: AckPolicy,
    /// Whether acknowledgments report data beyond a hole (RFC 2018).
    pub sack: bool,
    /// Whether they also report duplicate data (D-SACK, RFC 2883); only with `sack`.
    pub dsack: bool,
    /// The timer of delayed acknowledgments; 200 ms in BSD, 10 ms in Linux.
    pub fast_timer: TickClock,
    /// How long an acknowledgment waits for a second segment, by a timer that starts with the first (RFC 1122 4.2.3.2,
    /// Linux); `None` waits for a tick of `fast_timer` (BSD). Has no effect on [`AckPolicy::AtTicks`].
    pub ack_delay: Option<Span>,
    /// Whether each of the first segments is acknowledged, also after a pause, useless data or a mark, and acknowledgments
    /// beyond a hole become fewer from the fourth on (Linux). Has no effect on [`AckPolicy::AtTicks`].
    pub quick_acks: bool,
    /// Who reads the data.
    pub application: ReadMode,
    /// When a window update is sent.
    pub window_update: WindowUpdate,
    /// When the application closes.
    pub close: CloseMode,
    /// The window scale that answers one in the peer's SYN, 0 to 14 (RFC 7323 2). After a SYN without one, the offered
    /// window is at most 65,535 octets.
    pub window_scale: Option<u8>,
    /// Whether timestamps are echoed (RFC 1323 3).
    pub timestamps: bool,
    /// Whether congestion marks are echoed (RFC 3168).
    pub ecn: bool,
    /// Whether each acknowledgment says of exactly the data that it acknowledges whether they were marked (RFC 8257 3.2);
    /// otherwise marks are echoed until the sender has heard of them (RFC 3168 6.1.3).
    pub echoes_exactly: bool,
    /// The timer of the receiver's SYN and FIN, and the clock of its timestamps.
    pub slow_timer: TickClock,
    /// Whether their time-out is counted in ticks or in continuous time.
    pub rto_timer: RtoTimer,
    /// Computation and limits of their time-out in ticks.
    pub rto: RtoConfig,
    /// How long the opening may take; 75 s in BSD.
    pub setup_limit: Span,
}

impl ReceiverConfig {
    /// A receiver as in BSD, with a slow timer of 500 ms that first ticks together with the fast one.
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
            echoes_exactly: false,
            slow_timer: TickClock::new(Span::from_ms(500), fast_timer.phase()),
            rto_timer: RtoTimer::Ticks,
            rto: RtoConfig::default(),
            setup_limit: Span::from_secs(75),
        }
    }
}

/// Counters of a receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReceiverStats {
    /// Segments with data.
    pub segments: u64,
    /// Segments with no new data: all delivered or held before.
    pub duplicates: u64,
    /// Segments with new data beyond a hole.
    pub out_of_order: u64,
    /// Segments entirely beyond the offered window, dropped.
    pub beyond_window: u64,
    /// Acknowledgments sent.
    pub acks_sent: u64,
}
