//! Properties of a variant that senders and scenarios need before it runs.

use super::reno::Deflation;
use crate::tcp::RtoGain;

/// The method of loss repair.
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

/// Facts about a variant. No other code lists variants by name: each variant's own file states how it differs from
/// `Facts::LAW` or `Facts::SYSTEM`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each a question of the sender or of a scenario"
)]
pub struct Facts {
    /// The method of loss repair.
    pub repair: Repair,
    /// Whether it follows current RFCs rather than a system of the 1990s.
    pub is_modern: bool,
    /// Whether the sender paces its segments.
    pub is_paced: bool,
    /// Whether it ends its first slow start by a rule of its own, which excludes `HyStart`.
    pub has_own_slow_start: bool,
    /// Whether Linux ends its slow start by `HyStart`.
    pub has_linux_hystart: bool,
    /// Whether a model of the network also sets its window in recovery, which excludes PRR.
    pub has_model: bool,
    /// The weight of the mean deviation in a time-out counted by the slow timer.
    pub rto_gain: RtoGain,
    /// Whether its windows count the options of a segment as data: a system of 4.4BSD.
    pub counts_options: bool,
    /// Whether its windows count segments of any length: Linux 2.0.
    pub counts_segments: bool,
    /// Whether it needs to know exactly which data were marked (RFC 8257 3.2), and so ECN at both ends.
    pub needs_exact_marks: bool,
    /// Whether a scenario that names it without a preset takes the options of Linux.
    pub takes_linux_options: bool,
}

impl Facts {
    /// The usual facts about a law of a window.
    pub(super) const LAW: Self = Self {
        repair: Repair::Either,
        is_modern: true,
        is_paced: false,
        has_own_slow_start: false,
        has_linux_hystart: false,
        has_model: false,
        rto_gain: RtoGain::Four,
        counts_options: false,
        counts_segments: false,
        needs_exact_marks: false,
        takes_linux_options: true,
    };

    /// The usual facts about a system of the 1990s.
    pub(super) const SYSTEM: Self = Self {
        repair: Repair::Own,
        is_modern: false,
        takes_linux_options: false,
        ..Self::LAW
    };
}

/// Where the rules come from by which the window of a modern variant grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WindowRules {
    /// The published ones: RFC 5681, RFC 9438, the draft of BBR.
    #[default]
    Published,
    /// Those of Linux: whole segments, CUBIC's growth before the first loss, BBR's allowance for end systems and its search
    /// for policers.
    Linux,
}

/// Options of congestion control that several variants share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlOptions {
    /// Whether a variant that supports both repairs losses by selective acknowledgments (RFC 6675), which the receiver
    /// must send; otherwise by partial acknowledgments (RFC 6582).
    pub sack: bool,
    /// Whether Tahoe also retransmits all segments after the lost one, as simulators of the ns family do. No fast
    /// retransmit then follows until data sent later are acknowledged, because segments that the receiver already
    /// holds cause duplicates too. BSD retransmits one segment.
    pub go_back_n: bool,
    /// Whether Tahoe's congestion avoidance begins when `cwnd` has reached `ssthresh`, as in many descriptions; in BSD
    /// slow start takes one more step.
    pub avoids_from_ssthresh: bool,
    /// When Reno's fast recovery deflates the window.
    pub deflation: Deflation,
    /// Where the rules of the window come from.
    pub window_rules: WindowRules,
    /// Seed of variants that draw random numbers.
    pub seed: u64,
}

impl Default for ControlOptions {
    /// The rules of BSD, and selective acknowledgments.
    fn default() -> Self {
        Self {
            sack: true,
            go_back_n: false,
            avoids_from_ssthresh: false,
            deflation: Deflation::default(),
            window_rules: WindowRules::default(),
            seed: 0,
        }
    }
}
