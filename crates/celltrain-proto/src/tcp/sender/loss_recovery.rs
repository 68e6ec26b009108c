//! Options of current loss recovery and slow start.

use super::hystart::SlowStartExit;

/// Options of loss recovery and slow start published after RFC 6582 and RFC 6675. They do not affect the BSD variants
/// and Linux 2.0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, each the name of a mechanism"
)]
pub struct LossRecovery {
    /// The first two duplicates allow new segments to be sent (RFC 3042). RACK needs no such rule: what the receiver
    /// holds is no longer in flight.
    pub limited_transmit: bool,
    /// Losses are detected by time (RACK, RFC 8985); only for variants with selective acknowledgments.
    pub rack: bool,
    /// A probe detects losses at the end of a flight (TLP, RFC 8985 7); only with `rack`.
    pub tail_loss_probe: bool,
    /// The window is reduced gradually (PRR, RFC 9937); BBR uses its own method.
    pub prr: bool,
    /// What ends the first slow start besides a loss; variants with a rule of their own have none of these, and that of
    /// Linux is CUBIC's alone.
    pub hystart: SlowStartExit,
    /// Spurious reductions are undone, detected by reports of duplicates (RFC 3708) and by timestamps (RFC 3522).
    pub undo: bool,
    /// Reductions by spurious time-outs are undone as well (F-RTO, RFC 5682); only with `rack`.
    pub frto: bool,
}

impl LossRecovery {
    /// As in Linux 6.
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
