//! Options of today's loss recovery and slow start.

use super::hystart::SlowStartExit;

/// Options of loss recovery and slow start that came after RFC 6582 and RFC 6675. They change nothing in the BSD variants and
/// Linux 2.0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, each the name of a mechanism"
)]
pub struct LossRecovery {
    /// The first two duplicates let new segments leave (RFC 3042). RACK needs no such rule: what the receiver holds is not on
    /// its way any longer.
    pub limited_transmit: bool,
    /// Losses are detected by time (RACK, RFC 8985); only for variants with selective acknowledgments.
    pub rack: bool,
    /// A probe finds losses at the end of a flight (TLP, RFC 8985 7); only with `rack`.
    pub tail_loss_probe: bool,
    /// The window comes down evenly (PRR, RFC 9937); BBR has its own way.
    pub prr: bool,
    /// What ends the first slow start beside a loss; BBR has its own.
    pub hystart: SlowStartExit,
    /// Reductions without a loss are undone, by reports of duplicates (RFC 3708) and by timestamps (RFC 3522).
    pub undo: bool,
    /// And those by time-outs without a loss (F-RTO, RFC 5682); only with `rack`.
    pub frto: bool,
}

impl LossRecovery {
    /// As Linux 6 has it.
    pub fn linux() -> Self {
        Self {
            limited_transmit: true,
            rack: true,
            tail_loss_probe: true,
            prr: true,
            hystart: SlowStartExit::Linux,
            undo: true,
            frto: true,
        }
    }
}
