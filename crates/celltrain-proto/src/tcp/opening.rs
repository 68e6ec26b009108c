//! The states of a connection, and what both ends agree on when it is opened.
//!
//! Source: RFC 9293 3.3.2, 3.5, 3.6; RFC 7323 2; RFC 3168 6.1.1.

use super::rto::RtoEstimator;
use super::{Flags, Segment};

/// The state of one end. The sender opens and closes actively, the receiver passively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not yet opened, or gone.
    Closed,
    /// The sender waits for the SYN of the receiver.
    SynSent,
    /// The receiver waits for the acknowledgment of its SYN.
    SynReceived,
    /// Data may travel.
    Established,
    /// The sender is closed; its FIN is not acknowledged yet.
    FinWait1,
    /// The sender waits for the FIN of the receiver.
    FinWait2,
    /// Both FINs are done; the sender acknowledges a repeated one.
    TimeWait,
    /// The receiver has everything; its application is not closed yet.
    CloseWait,
    /// The receiver waits for the acknowledgment of its FIN.
    LastAck,
}

/// What an end may use: as configured where the connection is established from the start, else what
/// both SYNs carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Agreed {
    pub(super) timestamps: bool,
    pub(super) ecn: bool,
    pub(super) window: WindowField,
}

/// What came of an opening by the peer, when that acknowledges our SYN.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    pub(super) agreed: Agreed,
    /// What the timer of our SYN has learned.
    pub(super) rtt: RtoEstimator,
    /// Our SYN left more than once.
    pub(super) was_repeated: bool,
}

/// How the receiver's window travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WindowField {
    /// As it is: the connection was established from the start.
    Exact,
    /// In 16 bits.
    Unscaled,
    /// In 16 bits that count units of two to this power.
    Scaled(u8),
}

impl WindowField {
    /// The largest shift (RFC 7323 2.3).
    const MAX_SCALE: u8 = 14;

    /// The largest window that a segment which is no SYN can offer.
    pub(super) fn limit(self) -> u64 {
        match self {
            Self::Exact => u64::MAX,
            Self::Unscaled => 65_535,
            Self::Scaled(shift) => 65_535 << shift,
        }
    }

    /// `window` in whole units.
    pub(super) fn truncate(self, window: u64) -> u64 {
        match self {
            Self::Exact | Self::Unscaled => window,
            Self::Scaled(shift) => window >> shift << shift,
        }
    }
}

impl Agreed {
    /// A connection established from the start.
    pub(super) fn from_start(timestamps: bool, ecn: bool) -> Self {
        Self {
            timestamps,
            ecn,
            window: WindowField::Exact,
        }
    }

    /// What remains of an end's proposal now that the SYN of the peer is there, which agrees to ECN by
    /// the bits `ecn`; `scale` is the shift of the receiver if both SYNs carry one.
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
