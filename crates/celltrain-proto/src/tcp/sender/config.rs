//! Options of a sender.

use super::super::{ControlOptions, RtoConfig, RtoTimer, TickClock, Variant};
use super::LossRecovery;
use crate::units::Span;

/// Data that the application hands to a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Available {
    /// So many more octets.
    Bytes(u64),
    /// More than will ever be sent: a greedy source.
    Unlimited,
}

/// What an acknowledgment of new data does to the retransmission timer while data are outstanding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rearm {
    /// The timer starts again at the time-out in force (BSD).
    #[default]
    Restart,
    /// The timer guards the age of the oldest segment: the whole ticks since the last transmission of
    /// the segment now at `snd_una` are taken off, down to one tick. A segment that is about to be sent
    /// again has no age.
    OldestSegment,
}

/// Which segments' round trips are measured, where timestamps do not measure them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RttTiming {
    /// One segment at a time (BSD).
    #[default]
    OneSegment,
    /// Every segment that is sent once, as studies assume that speak of "the timer of a segment". A time-out
    /// ends the measurements of all that is outstanding.
    EverySegment,
    /// With each acknowledgment of new data the last segment that it covers, if that was sent once (Linux
    /// 2.0).
    LastCovered,
}

/// Which segments are worth sending.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OutputRule {
    /// BSD's silly-window avoidance: the window may cut a segment short, which is then sent if it is a
    /// retransmission or at least half of the largest window ever offered.
    #[default]
    Bsd,
    /// Only whole segments: a segment waits until the window holds all of it.
    WholeSegments,
    /// Whole segments too, of which as many may be on their way as full ones fit into the congestion
    /// window, however short they are (Linux). Nothing waits for more data to join it.
    CountedSegments,
}

/// What becomes of the bounds between writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Writes {
    /// Data are a stream that is cut when it is sent (BSD).
    #[default]
    Stream,
    /// Each write is cut into segments of its own when it is written (Linux). Only a last, short one that
    /// the window offered holds back is filled up by the next write. Needs
    /// [`OutputRule::CountedSegments`] and writes with an end.
    KeepBounds,
}

/// What happens at the time-out after the twelfth in a row without a valid sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BackoffLimit {
    /// The connection is dropped (BSD).
    #[default]
    Drop,
    /// It goes on with the longest time-out.
    Hold,
}

/// The congestion window at the start of the data; one segment after a lost SYN (RFC 5681 3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InitialWindow {
    /// One segment (Jacobson 1988).
    #[default]
    OneSegment,
    /// Two segments (RFC 2581).
    TwoSegments,
    /// About four kilobytes: `min(4 mss, max(2 mss, 4380))` (RFC 3390).
    Rfc3390,
    /// Ten segments of Ethernet: `min(10 mss, max(2 mss, 14600))` (RFC 6928).
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

/// By how much one acknowledgment lets the window of a modern variant grow in slow start (`L`, RFC 3465 2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SlowStartLimit {
    /// Two segments (RFC 3465 2.3).
    #[default]
    TwoSegments,
    /// By all that it delivers, up to the threshold: not by what the receiver was known to hold before (Linux).
    Unlimited,
}

/// Of what a loss leaves a share, in modern variants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LossWindow {
    /// What is outstanding, but no more than the congestion window (RFC 5681 3.1).
    #[default]
    FlightSize,
    /// The congestion window, however much of it the application uses (Linux; RFC 9438 4.6 knows of it).
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
    /// Whether a handshake lowers `mss` to what the SYN of the peer tells, and to 536 octets, options included, if it tells
    /// nothing (RFC 9293 3.7.1, RFC 1122 4.2.2.6).
    pub negotiates_mss: bool,
    /// Limit of the congestion window and of the window that the peer offers; 65,535 without window
    /// scaling. Buffers are not rounded to whole segments here.
    pub max_window: u32,
    /// The window that the peer offered when the connection was set up; unused with `handshake`.
    pub peer_window: u32,
    /// The slow-start threshold at the start.
    pub initial_ssthresh: u32,
    /// Congestion control.
    pub variant: Variant,
    /// Options of congestion control that are not of a single variant.
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
    /// What happens when nothing answers.
    pub backoff_limit: BackoffLimit,
    /// Which segments are worth sending.
    pub output: OutputRule,
    /// Whether a short segment at the end of the data waits while data are outstanding (Nagle).
    pub nagle: bool,
    /// Whether acknowledgments take BSD's fast path: new data acknowledged in order, the window offered
    /// unchanged and no larger than `cwnd`, nothing to send again. Then `cwnd` does not grow, and
    /// duplicates are neither forgotten nor deflated.
    pub header_prediction: bool,
    /// Whether the connection must be opened by [`Sender::connect`](super::Sender::connect).
    pub handshake: bool,
    /// How long the opening may take; BSD has 75 s.
    pub setup_limit: Span,
    /// The congestion window at the start.
    pub initial_window: InitialWindow,
    /// What one acknowledgment may add to the window in slow start. The BSD variants and Linux 2.0 count acknowledgments
    /// instead.
    pub slow_start_limit: SlowStartLimit,
    /// Of what a loss leaves a share. The BSD variants take the window offered, too, and Linux 2.0 counts segments.
    pub loss_window: LossWindow,
    /// Octets that the socket buffer holds, sent and not acknowledged or not sent; none is unlimited.
    pub send_buffer: Option<u32>,
    /// Whether segments keep the bounds of writes.
    pub writes: Writes,
    /// Segments that the socket buffer holds, sent and not acknowledged or not sent, where writes keep
    /// their bounds; none is unlimited.
    pub send_segments: Option<u32>,
    /// The window scale proposed in the SYN, 0 to 14 (RFC 7323 2); none proposes no scaling.
    pub window_scale: Option<u8>,
    /// Whether segments carry timestamps and round trips are measured by them (RFC 1323 3). The option's
    /// 12 octets are to be taken off `mss` by the caller.
    pub timestamps: bool,
    /// Octets of options that the congestion window counts as data of each segment. 4.4BSD-Lite takes the options off a
    /// segment when that is sent, and leaves them in `t_maxseg`, by which all windows are counted (`tcp_output.c`).
    pub counted_options: u32,
    /// Whether queues may mark new data, and marks reduce the window (RFC 3168).
    pub ecn: bool,
    /// Loss recovery and slow start beyond those of the variant.
    pub recovery: LossRecovery,
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
        }
    }

    /// The same with the congestion control and the time-out formula of `variant`.
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
