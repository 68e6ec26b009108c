//! Options of a sender.

use super::super::{ControlOptions, RtoConfig, RtoTimer, TickClock, Variant};
use super::{LossRecovery, RouteCache, RouteMetrics};
use crate::units::Span;

/// Data that the application writes to a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Available {
    /// This many more octets.
    Bytes(u64),
    /// Unlimited data: a greedy source.
    Unlimited,
}

/// The effect of an acknowledgment of new data on the retransmission timer while data are outstanding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rearm {
    /// The timer restarts at the current time-out (BSD).
    #[default]
    Restart,
    /// The timer tracks the age of the oldest segment: the whole ticks since the last transmission of the segment now
    /// at `snd_una` are subtracted, down to one tick. A segment about to be retransmitted has no age.
    OldestSegment,
}

/// Which segments' round trips are measured if timestamps are not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RttTiming {
    /// One segment at a time (BSD).
    #[default]
    OneSegment,
    /// Every segment that is sent once, as assumed by studies that speak of "the timer of a segment". A time-out ends
    /// the measurement of all outstanding segments.
    EverySegment,
    /// With each acknowledgment of new data, the last segment that it covers, if sent once (Linux 2.0).
    LastCovered,
}

/// Which segments may be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OutputRule {
    /// BSD's silly-window avoidance: the window may shorten a segment, which is then sent if it is a retransmission or
    /// at least half of the largest window ever offered.
    #[default]
    Bsd,
    /// Only whole segments: a segment waits until it fits entirely into the window.
    WholeSegments,
    /// Also whole segments, but as many segments may be in flight as full ones fit into the congestion window, however
    /// short they are (Linux). None waits to be filled with more data.
    CountedSegments,
}

/// How the boundaries between writes are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Writes {
    /// Data are a stream that is segmented when sent (BSD).
    #[default]
    Stream,
    /// Each write is segmented separately when written (Linux). Only a short last segment that the offered window holds
    /// back is filled up by the next write. Needs [`OutputRule::CountedSegments`] and finite writes.
    KeepBounds,
}

/// What happens at the time-out after the twelfth consecutive one without a valid sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BackoffLimit {
    /// The connection is dropped (BSD).
    #[default]
    Drop,
    /// It continues with the maximum time-out.
    Hold,
}

/// The initial congestion window; one segment after a lost SYN (RFC 5681 3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InitialWindow {
    /// One segment (Jacobson 1988).
    #[default]
    OneSegment,
    /// Two segments (RFC 2581).
    TwoSegments,
    /// About four kilobytes: `min(4 mss, max(2 mss, 4380))` (RFC 3390).
    Rfc3390,
    /// Ten Ethernet segments: `min(10 mss, max(2 mss, 14600))` (RFC 6928).
    Rfc6928,
}

impl InitialWindow {
    pub(super) fn octets(self, mss: u32) -> u64 {
        let mss = u64::from(mss);
        match self {
            Self::OneSegment => mss,
            Self::TwoSegments => 2 * mss,
            Self::Rfc3390 => (4 * mss).min((2 * mss).max(4_380)),
            Self::Rfc6928 => (10 * mss).min((2 * mss).max(14_600)),
        }
    }
}

/// How much one acknowledgment may add to the window of a modern variant in slow start (`L`, RFC 3465 2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SlowStartLimit {
    /// Two segments (RFC 3465 2.3).
    #[default]
    TwoSegments,
    /// All that it newly acknowledges, up to the threshold, excluding what the receiver was known to hold before
    /// (Linux).
    Unlimited,
}

/// The quantity that is reduced on a loss, in modern variants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LossWindow {
    /// The outstanding data, but at most the congestion window (RFC 5681 3.1).
    #[default]
    FlightSize,
    /// The congestion window, even if the application does not fill it (Linux; mentioned in RFC 9438 4.6).
    Cwnd,
}

/// Options of a [`Sender`](super::Sender). Lengths and windows are in octets; `mss` must not be zero,
/// and a window of less than a segment sends nothing but probes under [`OutputRule::WholeSegments`].
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, each the name of a mechanism"
)]
pub struct SenderConfig {
    /// Octets of data in a full segment.
    pub mss: u32,
    /// Whether a handshake lowers `mss` to what the peer's SYN announces, or to 536 octets, options included, if it
    /// announces nothing (RFC 9293 3.7.1, RFC 1122 4.2.2.6).
    pub negotiates_mss: bool,
    /// Limit of the congestion window and of the window that the peer offers; 65,535 without window scaling. Buffers
    /// are not rounded to whole segments here.
    pub max_window: u32,
    /// The window that the peer offered when the connection was set up; unused with `handshake`.
    pub peer_window: u32,
    /// The initial slow-start threshold.
    pub initial_ssthresh: u32,
    /// Congestion control.
    pub variant: Variant,
    /// Options of congestion control that several variants share.
    pub control: ControlOptions,
    /// The timer of retransmissions and round-trip times; BSD has 500 ms.
    pub slow_timer: TickClock,
    /// Whether round trips and the time-out are counted in ticks or in continuous time.
    pub rto_timer: RtoTimer,
    /// Computation and limits of the retransmission time-out in ticks.
    pub rto: RtoConfig,
    /// Which segments' round trips are measured.
    pub rtt_timing: RttTiming,
    /// The retransmission timer after an acknowledgment of new data.
    pub rearm: Rearm,
    /// What happens when the peer does not answer.
    pub backoff_limit: BackoffLimit,
    /// Which segments may be sent.
    pub output: OutputRule,
    /// Whether a short last segment waits while data are outstanding (Nagle).
    pub nagle: bool,
    /// Whether acknowledgments take BSD's fast path: new data acknowledged in order, the offered window unchanged and
    /// no larger than `cwnd`, nothing to retransmit. Then `cwnd` does not grow, and the duplicate count is not reset
    /// nor `cwnd` deflated.
    pub header_prediction: bool,
    /// Whether the connection must be opened by [`Sender::connect`](super::Sender::connect).
    pub handshake: bool,
    /// How long the opening may take; 75 s in BSD.
    pub setup_limit: Span,
    /// The initial congestion window.
    pub initial_window: InitialWindow,
    /// How much one acknowledgment may add to the window in slow start. The BSD variants and Linux 2.0 count
    /// acknowledgments instead.
    pub slow_start_limit: SlowStartLimit,
    /// The quantity that is reduced on a loss. The BSD variants also consider the offered window, and Linux 2.0 counts
    /// segments.
    pub loss_window: LossWindow,
    /// Octets that the socket buffer holds, unacknowledged or unsent; `None` is unlimited.
    pub send_buffer: Option<u32>,
    /// Whether segments keep the boundaries of writes.
    pub writes: Writes,
    /// Segments that the socket buffer holds, unacknowledged or unsent, if write boundaries are kept; `None` is
    /// unlimited.
    pub send_segments: Option<u32>,
    /// The window scale proposed in the SYN, 0 to 14 (RFC 7323 2); `None` proposes no scaling.
    pub window_scale: Option<u8>,
    /// Whether segments carry timestamps, which then measure round trips (RFC 1323 3). The caller must subtract the
    /// option's 12 octets from `mss`.
    pub timestamps: bool,
    /// Octets of options that the congestion window counts as data of each segment. 4.4BSD-Lite subtracts the options
    /// from a segment when it is sent, but leaves them in `t_maxseg`, by which all windows are counted
    /// (`tcp_output.c`).
    pub counted_options: u32,
    /// Whether queues may mark new data, and marks reduce the window (RFC 3168).
    pub ecn: bool,
    /// Loss recovery and slow start in addition to those of the variant.
    pub recovery: LossRecovery,
    /// What this connection leaves for the next one on its route.
    pub route_cache: RouteCache,
    /// What earlier connections on the route have left. Its round-trip time counts with [`RtoTimer::Ticks`] only.
    pub route: RouteMetrics,
}

impl SenderConfig {
    /// 4.3BSD-Reno with windows of 65,535 octets and without header prediction.
    pub fn new(mss: u32, slow_timer: TickClock) -> Self {
        Self {
            mss,
            negotiates_mss: false,
            max_window: 65_535,
            peer_window: 65_535,
            initial_ssthresh: 65_535,
            variant: Variant::default(),
            control: ControlOptions::default(),
            slow_timer,
            rto_timer: RtoTimer::Ticks,
            rto: RtoConfig::default(),
            rtt_timing: RttTiming::OneSegment,
            rearm: Rearm::Restart,
            backoff_limit: BackoffLimit::Drop,
            output: OutputRule::Bsd,
            nagle: true,
            header_prediction: false,
            handshake: false,
            setup_limit: Span::from_secs(75),
            initial_window: InitialWindow::OneSegment,
            slow_start_limit: SlowStartLimit::default(),
            loss_window: LossWindow::default(),
            send_buffer: None,
            writes: Writes::Stream,
            send_segments: None,
            window_scale: None,
            timestamps: false,
            counted_options: 0,
            ecn: false,
            recovery: LossRecovery::default(),
            route_cache: RouteCache::default(),
            route: RouteMetrics::default(),
        }
    }

    /// Sets the congestion control and the time-out formula of `variant`.
    pub fn with_variant(mut self, variant: Variant) -> Self {
        self.variant = variant;
        self.rto.gain = variant.facts().rto_gain;
        self
    }

    /// Whether the sender uses selective acknowledgments.
    pub fn uses_sack(&self) -> bool {
        self.variant.uses_sack(&self.control)
    }
}
