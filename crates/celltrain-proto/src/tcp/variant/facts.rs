//! What a sender and a scenario need to know of a variant before it runs.

use super::reno::Deflation;
use crate::tcp::RtoGain;

/// What repairs losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repair {
    /// The variant's own rules: a system of the 1990s.
    Own,
    /// Partial acknowledgments (RFC 6582).
    Partial,
    /// Selective acknowledgments (RFC 6675), which the receiver must send.
    Selective,
    /// Either of the last two, as [`ControlOptions::sack`] says.
    Either,
}

/// Facts about a variant. Nobody lists variants by name: each states in its own file what differs from
/// `Facts::LAW` or `Facts::SYSTEM`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each a question of the sender or of a scenario"
)]
pub struct Facts {
    /// What repairs losses.
    pub repair: Repair,
    /// Whether it follows the RFCs of today, and not a system of the 1990s.
    pub is_modern: bool,
    /// Whether the sender spaces its segments.
    pub is_paced: bool,
    /// Whether it ends its first slow start by a rule of its own, so that `HyStart` has no place.
    pub has_own_slow_start: bool,
    /// Whether a model of the network sets its window in a recovery, too, so that PRR has no place.
    pub has_model: bool,
    /// The weight of the mean deviation in the time-out, where the slow timer counts it.
    pub rto_gain: RtoGain,
    /// Whether its windows count the options of a segment as data: a system of 4.4BSD.
    pub counts_options: bool,
    /// Whether its windows count segments of any length: Linux 2.0.
    pub counts_segments: bool,
    /// Whether a scenario that names it without a preset means the options of Linux.
    pub takes_linux_options: bool,
}

impl Facts {
    /// What most laws of a window have in common.
    pub(super) const LAW: Self = Self {
        repair: Repair::Either,
        is_modern: true,
        is_paced: false,
        has_own_slow_start: false,
        has_model: false,
        rto_gain: RtoGain::Four,
        counts_options: false,
        counts_segments: false,
        takes_linux_options: true,
    };

    /// What most systems of the 1990s have in common.
    pub(super) const SYSTEM: Self = Self {
        repair: Repair::Own,
        is_modern: false,
        takes_linux_options: false,
        ..Self::LAW
    };
}

/// Options of congestion control that are not of a single variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlOptions {
    /// Whether losses are repaired by selective acknowledgments (RFC 6675), which the receiver must send, where the variant
    /// has a choice; else by partial ones (RFC 6582).
    pub sack: bool,
    /// Whether Tahoe sends all segments behind the lost one again too, as in simulators of the ns family; then no
    /// fast retransmit follows until more than what was sent before is acknowledged: segments that the
    /// receiver has already bring duplicates too. BSD resends one segment.
    pub go_back_n: bool,
    /// Whether congestion avoidance of Tahoe begins where `cwnd` has reached `ssthresh`, as in many descriptions; in
    /// BSD slow start takes one more step.
    pub avoids_from_ssthresh: bool,
    /// End of Reno's fast recovery.
    pub deflation: Deflation,
    /// For variants that act by chance.
    pub seed: u64,
}

impl Default for ControlOptions {
    /// As BSD has it, and with selective acknowledgments.
    fn default() -> Self {
        Self {
            sack: true,
            go_back_n: false,
            avoids_from_ssthresh: false,
            deflation: Deflation::default(),
            seed: 0,
        }
    }
}
