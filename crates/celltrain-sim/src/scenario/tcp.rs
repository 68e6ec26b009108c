//! The TCP of a flow, as written.

mod window;

use celltrain_language::Text;
pub use celltrain_proto::tcp::Variant as TcpVariant;
use celltrain_proto::units::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::node::Processing;
use super::preset::Preset;
use super::rto::Rto;
pub use window::{HyStart, InitialWindow, LossWindow, SlowStartLimit, WindowRules};

/// The TCP at both ends of a connection.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option that users set by name"
)]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tcp {
    /// The TCP that supplies the keys not given; `tcp = "linux"` is short for `tcp = { preset = "linux" }`.
    /// Without it `newreno`, `sack` and the systems of the 1990s take `plain`, and all other variants `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The variant of congestion control: a name, or a table with that name under `algorithm` and with parameters of the
    /// variant.
    pub variant: TcpVariant,
    /// Largest segment, headers excluded; 1 to 65,495, with `timestamps` at least 13.
    pub mss: Text<Bytes>,
    /// Largest segment that the receiving end accepts, headers excluded. Its SYN announces it, and the smaller size of
    /// both ends is used. Needs `handshake`. Allowed: 13 to 65,495. Default: `mss`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receiver_mss: Option<Text<Bytes>>,
    /// Whether the receiving end's SYN announces its segment size; if not, segments have at most 536 octets (RFC 1122).
    /// False needs `handshake`. Default: `true`.
    #[serde(skip_serializing_if = "is_true")]
    pub mss_option: bool,
    /// Whether segments that are longer than an MTU on their path are cut into fragments (DF = 0). Otherwise they are refused:
    /// a sender with DF = 1 discovers the MTU of the path and lowers its segment size (RFC 1191). Default: `false`.
    #[serde(skip_serializing_if = "is_false")]
    pub fragments: bool,
    /// Limit of cwnd and size of the receiver's buffer and window; at least one `mss`. After a handshake, more than
    /// 65,535 octets need `window_scale`.
    pub window: Text<Bytes>,
    /// Period of the slow timer, in which RTT and RTO are measured; 10 us to 1 s. The shortest RTO is two periods.
    pub timer_granularity: Text<Span>,
    /// RTO = srtt + gain x mean deviation. Allowed: 2 or 4. Default: by variant, 2 in 4.3BSD-Tahoe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_gain: Option<u8>,
    /// The retransmission time-out.
    pub rto: Rto,
    /// Ticks added whenever the retransmission timer is set, for a tick timer that does not expire where BSD's does. Only
    /// with `rto.timer` in ticks. Allowed: 0 to 1000. Default: 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub rto_slack_ticks: u16,
    /// Ticks added to each sample of the round-trip time. Only with `rto.timer` in ticks. Allowed: 0 to 1000. Default: 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub rtt_slack_ticks: u16,
    /// What the connections of a flow leave for later ones on their route, once they have sent more than 16 send buffers
    /// (4.4BSD). Only for `application = { kind = "files" }` and `rto.timer = "ticks"`. Default: `"off"`.
    #[serde(skip_serializing_if = "is_off")]
    pub route_cache: RouteCache,
    /// What the retransmission timer belongs to. With a timer for each segment `rexmt_rearm` has no effect.
    pub retransmit_timer: RetransmitTimer,
    /// Whether Tahoe retransmits all segments after a fast retransmit, as simulators of the ns family do; BSD retransmits
    /// one.
    pub tahoe_gbn: bool,
    /// Whether Tahoe's congestion avoidance begins when cwnd has reached ssthresh; in BSD slow start takes one more step.
    pub avoids_from_ssthresh: bool,
    /// The retransmission timer after an ACK that leaves data outstanding.
    pub rexmt_rearm: Rearm,
    /// When the receiver acknowledges data.
    pub ack: AckPolicy,
    /// Period of the delayed-acknowledgment timer. Allowed: 10 us to 1 s. Default: `"200 ms"` (BSD), or `"10 ms"` with
    /// `ack = "ticks"` (Linux).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_timer: Option<Text<Span>>,
    /// How long an acknowledgment waits for a second segment, on a timer started by the first (modern systems) instead of
    /// ticks of `ack_timer`. Allowed: 10 us to 1 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_delay: Option<Text<Span>>,
    /// Whether segments are each acknowledged immediately while the peer's window may be small: one for every two that the
    /// window holds and at most 16 at the start, after a pause longer than the receiver's time-out, and after data that
    /// arrive twice or beyond the window; two after a mark; and those by which the receive buffer of Linux grows. Not while
    /// the receiver answers data with data. With `ack = "delayed"` and selective acknowledgments, those of the fourth and
    /// later segments beyond a hole wait for a twentieth of a round trip, at most 1 ms, and become one.
    pub quick_acks: bool,
    /// Whether a segment waits until the window holds all of it; otherwise BSD's silly window avoidance decides.
    pub whole_segments: bool,
    /// Whether the connection is dropped after twelve time-outs in a row, as in BSD.
    pub gives_up: bool,
    /// Segments that the host queues for the VC before TCP is blocked. Allowed: from 1. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_queue_segments: Option<u32>,
    /// Whether connections are opened with SYNs; otherwise they are established from the start. File transfers always
    /// open and close their connections.
    pub handshake: bool,
    /// Whether a short segment waits while data are outstanding (Nagle).
    pub nagle: bool,
    /// The initial window.
    pub initial_window: InitialWindow,
    /// What one ACK may add to cwnd in slow start, in modern variants.
    pub slow_start_limit: SlowStartLimit,
    /// The quantity that a loss reduces, in modern variants.
    pub loss_window: LossWindow,
    /// The rules by which cwnd grows, in modern variants. Default: `"published"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_rules: Option<WindowRules>,
    /// Whether losses are repaired by selective acknowledgments; otherwise by partial acknowledgments (RFC 6582).
    /// `"newreno"`, `"sack"`, `"bbr"` and the systems of the 1990s have only one method. Default: `true`.
    #[serde(skip_serializing_if = "is_true")]
    pub sack: bool,
    /// Window scale that both ends propose in their SYNs (RFC 7323). Without it, windows above 65,535 bytes need a
    /// connection that is established from the start. Allowed: 0 to 14.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scale: Option<u8>,
    /// Timestamps (RFC 1323): 12 octets in each segment, and a round-trip measurement with each ACK.
    pub timestamps: bool,
    /// Explicit congestion notification (RFC 3168); queues mark with `queue_management` and `ecn`.
    pub ecn: bool,
    /// BSD's fast path for expected ACKs, on which cwnd does not grow.
    pub header_prediction: bool,
    /// When Reno's fast recovery deflates cwnd.
    pub deflation: Deflation,
    /// When the receiver announces a larger window.
    pub window_update: WindowUpdate,
    /// Whether the first two duplicate ACKs each trigger a new segment (RFC 3042). With `rack` they always do.
    pub limited_transmit: bool,
    /// Whether losses, even of retransmissions, are detected by time: a segment sent long enough before one that has
    /// arrived is lost (RACK, RFC 8985). Only with selective acknowledgments.
    pub rack: bool,
    /// Whether a probe is sent two round trips after the last segment if the end of a flight may be lost (TLP, RFC 8985);
    /// with `rack`.
    pub tail_loss_probe: bool,
    /// Whether data are sent during recovery in proportion to data delivered, so that the window decreases evenly (PRR,
    /// RFC 9937); not for `"bbr"`.
    pub prr: bool,
    /// What ends the first slow start other than a loss; not for variants with a rule of their own.
    pub hystart: HyStart,
    /// Whether the receiver reports data that arrive twice (RFC 2883); with selective acknowledgments only.
    pub dsack: bool,
    /// Whether a reduction is undone if all retransmitted data had arrived before, as found by `dsack` (RFC 3708) and
    /// `timestamps` (RFC 3522).
    pub undo: bool,
    /// Whether a time-out is undone if data that were not retransmitted arrive after it (F-RTO, RFC 5682); with `rack`.
    pub frto: bool,
    /// Processing time of each segment at the sending host, one at a time: `mean`, and `law` `"fixed"` (default) or
    /// `"exponential"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_processing: Option<Processing>,
    /// Processing time of each ACK at the receiving host; the ACK covers what has arrived when it leaves.
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
            fragments: false,
            window: Text(Bytes(65_535)),
            timer_granularity: Text(Span::from_ms(500)),
            rto_gain: None,
            rto: Rto::default(),
            rto_slack_ticks: 0,
            rtt_slack_ticks: 0,
            route_cache: RouteCache::Off,
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
            window_rules: None,
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
fn is_zero(value: &u16) -> bool {
    *value == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_true(value: &bool) -> bool {
    *value
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_off(value: &RouteCache) -> bool {
    *value == RouteCache::Off
}

impl Tcp {
    /// The largest segment that the receiving end announces or is assumed to accept, headers excluded.
    pub fn told_mss(&self) -> Bytes {
        let own = self.receiver_mss.unwrap_or(self.mss).0;
        if self.mss_option { own } else { DEFAULT_MSS }
    }

    /// The segment size that both ends agree on, headers excluded and options included.
    pub fn agreed_mss(&self) -> Bytes {
        self.mss.0.min(self.told_mss())
    }
}

/// The segment size towards an end that announces none (RFC 1122 4.2.2.6).
const DEFAULT_MSS: Bytes = Bytes(536);

/// What a connection leaves for later ones on its route.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RouteCache {
    /// Nothing.
    #[default]
    Off,
    /// The smoothed round-trip time and its deviation, with which the next connection begins: 4.4BSD as delivered.
    RoundTrip,
    /// Also the slow-start threshold, from the first connection on that ends with less than half of the send buffer:
    /// 4.4BSD whose route names the buffer as its pipe (`sendpipe`), or FreeBSD.
    RoundTripAndThreshold,
}

/// What the retransmission timer and its measurements belong to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetransmitTimer {
    /// The connection: one timer, with one round trip measured at a time (BSD).
    #[default]
    Single,
    /// Each segment: the timer runs from the departure of the oldest one, and each segment sent only once is timed,
    /// unless a time-out comes before its ACK.
    PerSegment,
}

/// The retransmission timer after an ACK that leaves data outstanding.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rearm {
    /// It restarts with the full RTO, as in the BSD sources.
    #[default]
    Restart,
    /// It runs from the departure of the oldest unacknowledged segment.
    OldestSegment,
}

/// When the receiver acknowledges in-order data.
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
    /// Only at ticks of the timer: two full segments at the next tick, less at the next or second one (Linux 2.0).
    Ticks,
}

/// When Reno's fast recovery deflates cwnd.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deflation {
    /// After more than three duplicate ACKs, as in the BSD sources.
    #[default]
    AfterMoreThanThree,
    /// After three or more duplicate ACKs.
    AfterThree,
}

/// When the receiver announces a larger window.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowUpdate {
    /// When it has grown by two segments or half of the buffer (4.3BSD-Reno and later).
    #[default]
    Bsd,
    /// When it has grown by two segments with an empty buffer, or by 35 % of the buffer (4.3BSD-Tahoe).
    Tahoe,
    /// When it has grown by a segment or half of the buffer (RFC 1122).
    Rfc1122,
    /// When it has doubled (Linux).
    Doubled,
}
