//! The TCP of a flow, as written.

use celltrain_language::Text;
pub use celltrain_proto::tcp::Variant as TcpVariant;
use celltrain_proto::units::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::node::Processing;
use super::preset::Preset;
use super::rto::Rto;

/// The TCP of a connection's two ends.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch that users set by its name"
)]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tcp {
    /// The TCP whose keys stand where none is given; `tcp = "linux"` is short for `tcp = { preset = "linux" }`.
    /// Without it `newreno`, `sack` and the systems of the 1990s take `plain`, and all other variants `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The variant of congestion control: a name, or a table with that name under `algorithm` and with parameters of the
    /// variant.
    pub variant: TcpVariant,
    /// Largest segment, headers excluded; 1 to 65,495, with `timestamps` at least 13.
    pub mss: Text<Bytes>,
    /// Largest segment, headers excluded, that the receiving end takes. Its SYN tells it, and the smaller of both is the
    /// segment size. Needs `handshake`. Allowed: 13 to 65,495. Default: `mss`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receiver_mss: Option<Text<Bytes>>,
    /// Whether the receiving end's SYN tells its segment size; where it does not, segments have at most 536 octets
    /// (RFC 1122). False needs `handshake`. Default: `true`.
    #[serde(skip_serializing_if = "is_true")]
    pub mss_option: bool,
    /// Bound of cwnd and of the receiver's offer, whose buffer it is; at least one `mss`. Beyond 65,535 octets
    /// after a handshake it needs `window_scale`.
    pub window: Text<Bytes>,
    /// Period of the slow timer, in which RTT and RTO are counted; 10 us to 1 s. The shortest RTO is two periods.
    pub timer_granularity: Text<Span>,
    /// RTO = srtt + gain x mean deviation: 2 or 4; without it as the variant has it, 2 in 4.3BSD-Tahoe. Allowed: 2
    /// or 4. Default: by variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_gain: Option<u8>,
    /// The retransmission time-out.
    pub rto: Rto,
    /// What the retransmission timer belongs to. With a timer for each segment `rexmt_rearm` has no effect.
    pub retransmit_timer: RetransmitTimer,
    /// Whether Tahoe sends all segments again after a fast retransmit, as simulators of the ns family do; BSD sends
    /// one.
    pub tahoe_gbn: bool,
    /// Whether Tahoe's congestion avoidance begins where cwnd has reached ssthresh; in BSD slow start takes one
    /// more step.
    pub avoids_from_ssthresh: bool,
    /// The retransmission timer after an ACK that leaves data outstanding.
    pub rexmt_rearm: Rearm,
    /// When the receiver acknowledges data.
    pub ack: AckPolicy,
    /// Period of the timer of delayed acknowledgments; without it 200 ms (BSD), or 10 ms with `ack = "ticks"`
    /// (Linux). Allowed: 10 us to 1 s. Default: `"200 ms"`, or `"10 ms"` with `ack = "ticks"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_timer: Option<Text<Span>>,
    /// How long an acknowledgment waits for a second segment, by a timer that starts with the first (today's
    /// systems), in place of ticks of `ack_timer`. Allowed: 10 us to 1 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_delay: Option<Text<Span>>,
    /// Whether each of the first segments is acknowledged at once, one for each two that the window holds and 16 at
    /// most, until the receiver answers data by data (Linux).
    pub quick_acks: bool,
    /// Whether a segment waits until the window holds all of it; else BSD's rules against silly windows decide.
    pub whole_segments: bool,
    /// Whether the connection is dropped after twelve time-outs in a row, as in BSD.
    pub gives_up: bool,
    /// Segments that the host holds for the VC before TCP is blocked; unlimited without it. Allowed: from 1.
    /// Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_queue_segments: Option<u32>,
    /// Whether a connection is opened by SYNs; else it is established from the start. File transfers always open
    /// and close theirs.
    pub handshake: bool,
    /// Whether a short segment waits while data are outstanding (Nagle).
    pub nagle: bool,
    /// The initial window.
    pub initial_window: InitialWindow,
    /// What one ACK may add to cwnd in slow start, in variants of today.
    pub slow_start_limit: SlowStartLimit,
    /// Of what a loss leaves a share, in variants of today.
    pub loss_window: LossWindow,
    /// Whether losses are repaired by selective acknowledgments; else by partial ones (RFC 6582). `"newreno"`, `"sack"`,
    /// `"bbr"` and the systems of the 1990s have one way. Default: `true`.
    #[serde(skip_serializing_if = "is_true")]
    pub sack: bool,
    /// Window scale that both ends propose in their SYNs (RFC 7323); without it windows beyond 65,535 bytes need a connection that is
    /// established from the start. Allowed: 0 to 14.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scale: Option<u8>,
    /// Timestamps (RFC 1323): 12 octets of each segment, and a round trip measured by each ACK.
    pub timestamps: bool,
    /// Explicit congestion notification (RFC 3168); marks come from `queue_management` with `ecn`.
    pub ecn: bool,
    /// BSD's fast path for expected ACKs, on which cwnd does not grow.
    pub header_prediction: bool,
    /// When Reno's fast recovery deflates cwnd.
    pub deflation: Deflation,
    /// When the receiver tells of a larger window.
    pub window_update: WindowUpdate,
    /// Whether each of the first two duplicate ACKs lets a new segment leave (RFC 3042). With `rack` it does so in
    /// any case.
    pub limited_transmit: bool,
    /// Whether losses are found by time: what left long enough before something that has arrived is lost (RACK, RFC
    /// 8985), lost retransmissions too. Only with selective acknowledgments.
    pub rack: bool,
    /// Whether one segment leaves two round trips after the last, where the end of a flight may be lost (TLP, RFC
    /// 8985); with `rack`.
    pub tail_loss_probe: bool,
    /// Whether what leaves in a recovery follows what arrives, so that the window comes down evenly (RFC 9937); not
    /// of `"bbr"`.
    pub prr: bool,
    /// What ends the first slow start beside a loss; not of variants with a rule of their own.
    pub hystart: HyStart,
    /// Whether the receiver reports data that arrive twice (RFC 2883); with selective acknowledgments only.
    pub dsack: bool,
    /// Whether a reduction is undone where all that was sent again had arrived: by `dsack` (RFC 3708) and
    /// `timestamps` (RFC 3522).
    pub undo: bool,
    /// Whether a time-out is undone after which data arrive that were never sent again (F-RTO, RFC 5682); with
    /// `rack`.
    pub frto: bool,
    /// Time that the sending host takes for a segment, one after the other: `mean`, and `law` `"fixed"` (default)
    /// or `"exponential"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_processing: Option<Processing>,
    /// The same of the receiving host for an ACK, which tells what has arrived when it leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_processing: Option<Processing>,
}

/// The forms in which a TCP is written.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it only stands for both forms in the schema")]
pub(super) enum Written {
    Name(Preset),
    Keys(Box<Tcp>),
}

impl Default for Tcp {
    fn default() -> Self {
        Self {
            preset: None,
            variant: TcpVariant::default(),
            mss: Text(Bytes(9_140)),
            receiver_mss: None,
            mss_option: true,
            window: Text(Bytes(65_535)),
            timer_granularity: Text(Span::from_ms(500)),
            rto_gain: None,
            rto: Rto::default(),
            retransmit_timer: RetransmitTimer::default(),
            tahoe_gbn: false,
            avoids_from_ssthresh: false,
            rexmt_rearm: Rearm::default(),
            ack: AckPolicy::default(),
            ack_timer: None,
            ack_delay: None,
            quick_acks: false,
            whole_segments: false,
            gives_up: true,
            host_queue_segments: None,
            handshake: false,
            nagle: true,
            initial_window: InitialWindow::default(),
            slow_start_limit: SlowStartLimit::default(),
            loss_window: LossWindow::default(),
            sack: true,
            window_scale: None,
            timestamps: false,
            ecn: false,
            header_prediction: false,
            deflation: Deflation::default(),
            window_update: WindowUpdate::default(),
            limited_transmit: false,
            rack: false,
            tail_loss_probe: false,
            prr: false,
            hystart: HyStart::default(),
            dsack: false,
            undo: false,
            frto: false,
            segment_processing: None,
            ack_processing: None,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_true(value: &bool) -> bool {
    *value
}

impl Tcp {
    /// Largest segment that the receiving end tells of or is taken to have, headers excluded.
    pub fn told_mss(&self) -> Bytes {
        let own = self.receiver_mss.unwrap_or(self.mss).0;
        if self.mss_option { own } else { DEFAULT_MSS }
    }

    /// The segment size that both ends agree on, headers excluded and options included.
    pub fn agreed_mss(&self) -> Bytes {
        self.mss.0.min(self.told_mss())
    }
}

/// Segments to an end that tells nothing (RFC 1122 4.2.2.6).
const DEFAULT_MSS: Bytes = Bytes(536);

/// What the retransmission timer and its measurements belong to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetransmitTimer {
    /// The connection: one timer, one round trip measured at a time (BSD).
    #[default]
    Single,
    /// Each segment: the timer guards the oldest one from its own start, and each that is sent once gives a
    /// round trip, unless a time-out comes before its ACK.
    PerSegment,
}

/// The retransmission timer after an ACK that leaves data outstanding.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rearm {
    /// It starts anew with the whole RTO, as in the BSD sources.
    #[default]
    Restart,
    /// It guards the age of the oldest unacknowledged segment.
    OldestSegment,
}

/// When the receiver acknowledges data that arrive in order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckPolicy {
    /// Every second full segment, or at the next tick of the timer.
    #[default]
    Delayed,
    /// Each segment.
    Each,
    /// When the application has read two segments or half of the buffer, or at the next tick of the timer.
    Bsd,
    /// At ticks of the timer only: two full segments at the next one, less at the next or the second (Linux
    /// 2.0).
    Ticks,
}

/// The congestion window at the start.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialWindow {
    /// One segment (1988).
    #[default]
    OneSegment,
    /// Two segments (RFC 2581).
    TwoSegments,
    /// Up to four segments (RFC 3390).
    Rfc3390,
    /// Ten segments (RFC 6928).
    Rfc6928,
}

/// What one ACK may add to cwnd in slow start.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SlowStartLimit {
    /// Two segments (RFC 3465).
    #[default]
    Rfc3465,
    /// All that it delivers, up to ssthresh (Linux).
    Unlimited,
}

/// Of what a loss leaves a share.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossWindow {
    /// What is outstanding (RFC 5681).
    #[default]
    FlightSize,
    /// cwnd, however much of it the application uses (Linux).
    Cwnd,
}

/// When Reno's fast recovery deflates cwnd.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deflation {
    /// After more than three duplicate ACKs, as the BSD sources have it.
    #[default]
    AfterMoreThanThree,
    /// After three duplicate ACKs or more.
    AfterThree,
}

/// What ends the first slow start beside a loss.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HyStart {
    /// Nothing.
    #[default]
    Off,
    /// Round trips that grow by an eighth, 4 to 16 ms; then five rounds at a quarter of the growth, unless they get
    /// shorter again (RFC 9406).
    Rfc9406,
    /// At once such round trips, or acknowledgments that follow each other for half of the least one; after a time-out
    /// too (CUBIC of Linux).
    Linux,
}

/// When the receiver tells of a larger window.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowUpdate {
    /// By two segments or half of the buffer (4.3BSD-Reno and later).
    #[default]
    Bsd,
    /// By two segments with an empty buffer, or 35 % of it (4.3BSD-Tahoe).
    Tahoe,
    /// By a segment or half of the buffer (RFC 1122).
    Rfc1122,
    /// By as much as is left of it (Linux).
    Doubled,
}
