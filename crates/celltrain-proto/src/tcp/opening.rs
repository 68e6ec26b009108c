//! The states of a connection, and the options negotiated when it is opened.
//!
//! Source: RFC 9293 3.3.2, 3.5, 3.6; RFC 7323 2; RFC 3168 6.1.1.

use super::rto::RtoEstimator;
use super::{Flags, Segment};

/// The state of one end. The sender opens and closes actively, the receiver passively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not yet opened, or deleted.
    Closed,
    /// The sender waits for the receiver's SYN.
    SynSent,
    /// The receiver waits for its SYN to be acknowledged.
    SynReceived,
    /// Data may be sent.
    Established,
    /// The sender has closed; its FIN is not acknowledged yet.
    FinWait1,
    /// The sender waits for the receiver's FIN.
    FinWait2,
    /// Both FINs are acknowledged; the sender acknowledges a retransmitted one.
    TimeWait,
    /// The receiver has all data; its application has not closed yet.
    CloseWait,
    /// The receiver waits for its FIN to be acknowledged.
    LastAck,
}

/// The options that an end may use: those configured if the connection is established from the start, otherwise those
/// that both SYNs carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Agreed {
    pub(super) timestamps: bool,
    pub(super) ecn: bool,
    pub(super) window: WindowField,
}

/// The result of an opening by the peer, when it acknowledges our SYN.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    pub(super) agreed: Agreed,
    /// What our SYN's timer has measured.
    pub(super) rtt: RtoEstimator,
    /// Our SYN was sent more than once.
    pub(super) was_repeated: bool,
}

/// How the receiver's window is encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WindowField {
    /// Exactly: the connection was established from the start.
    Exact,
    /// In 16 bits.
    Unscaled,
    /// In 16 bits that count units of two to the power of this value.
    Scaled(u8),
}

impl WindowField {
    /// The largest shift (RFC 7323 2.3).
    const MAX_SCALE: u8 = 14;

    /// The largest window that a non-SYN segment can offer.
    pub(super) fn limit(self) -> u64 {
        match self {
            Self::Exact => u64::MAX,
            Self::Unscaled => 65_535,
            Self::Scaled(shift) => 65_535 << shift,
        }
    }

    /// `window` rounded down to whole units.
    pub(super) fn truncate(self, window: u64) -> u64 {
        match self {
            Self::Exact | Self::Unscaled => window,
            Self::Scaled(shift) => window >> shift << shift,
        }
    }
}

impl Agreed {
    /// The options of a connection established from the start.
    pub(super) fn from_start(timestamps: bool, ecn: bool) -> Self {
        Self {
            timestamps,
            ecn,
            window: WindowField::Exact,
        }
    }

    /// What remains of an end's proposal after the peer's SYN, which accepts ECN by the bits `ecn`; `scale` is the
    /// receiver's shift if both SYNs carry one.
    pub(super) fn after_syn(self, syn: &Segment, ecn: Flags, scale: Option<u8>) -> Self {
        Self {
            timestamps: self.timestamps && syn.timestamp.is_some(),
            ecn: self.ecn && syn.flags.has(ecn),
            window: scale.map_or(WindowField::Unscaled, |shift| {
                WindowField::Scaled(shift.min(WindowField::MAX_SCALE))
            }),
        }
    }
}
