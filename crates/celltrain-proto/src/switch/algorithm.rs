//! The interface of a switch algorithm: its inputs, and its effect on RM cells and EFCI bits.

use crate::cell::RmCell;
use crate::units::{Cells, Rate, Time};

/// The minimum of an algorithm's own rate, as a fraction of the line rate, if its source sets no limit: a rate of zero
/// could never grow by factors again.
pub(super) const LEAST_SHARE: f64 = 1e-6;

/// The state of a port when an algorithm acts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PortState {
    /// Cells of the algorithm's class in the queue, including the one in transmission.
    pub queue: Cells,
    /// The current rate of the line that serves the queue.
    pub rate: Rate,
}

choice! {
    /// Which RM cells carry the feedback.
    pub enum Marking {
        /// Backward RM cells, as they pass the switch against the data: the faster feedback.
        #[default]
        BackwardRm,
        /// Forward RM cells, as they arrive at the queue.
        ForwardRm,
    }
}

/// The switch algorithm of a port. Times never decrease from one call to the next.
///
/// VCs are numbered from zero within the port; per-VC tables grow to the largest number seen. An algorithm only lowers
/// ER and only sets CI and NI. By default it does nothing.
#[enum_dispatch::enum_dispatch]
#[expect(
    unused_variables,
    reason = "the defaults ignore their arguments, whose names are documentation"
)]
pub trait SwitchAlgorithm {
    /// Whether the algorithm needs to be told of arriving cells, apart from RM cells.
    #[inline]
    fn counts_cells(&self) -> bool {
        true
    }
    /// `n` cells of `vc`, at least one and of any kind, arrive at the queue, including those that it drops.
    #[inline]
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {}
    /// `vc` is active without a cell for the queue, for example through an RM cell turned around upstream of it.
    #[inline]
    fn on_activity(&mut self, now: Time, vc: u32) {}
    /// `n` cells with priority over ABR (CBR and VBR) use their share of the line.
    #[inline]
    fn on_priority_cells(&mut self, now: Time, n: u64) {}
    /// Cells that arrive before this instant are only counted: they do not affect the feedback in any RM cell. Those of
    /// a VC, or those of higher priority, may be reported together, with the instant of the last of them and before or
    /// after others. [`Time::ZERO`] if they may not.
    #[inline]
    fn counts_until(&self) -> Time {
        Time::ZERO
    }
    /// Whether the algorithm needs to be told of each change of its queue.
    fn follows_queue(&self) -> bool {
        false
    }
    /// The queue, counted as in [`PortState::queue`], is `queue` from `now` on.
    #[inline]
    fn on_queue(&mut self, now: Time, queue: Cells) {}
    /// The line has rate `rate` from `now` on. The first call, at the start, gives the initial rate.
    fn on_rate_change(&mut self, now: Time, rate: Rate) {}
    /// A forward RM cell of `vc` arrives at the queue.
    fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {}
    /// A backward RM cell passes; the data of its loop leave through this port as `vc`.
    fn on_backward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {}
    /// Whether the algorithm must be asked about the EFCI bit of each departing cell.
    fn follows_departures(&self) -> bool {
        false
    }
    /// A cell, still counted in `queue`, leaves; returns whether its EFCI bit is set if it carries data.
    #[inline]
    fn marks_efci(&mut self, queue: Cells) -> bool {
        false
    }
    /// The rate available to all VCs together, according to the last measurement window that has ended by `now`; `None`
    /// if the algorithm has no such target.
    fn target_rate(&mut self, now: Time) -> Option<Rate> {
        None
    }
    /// The mean number of active VCs over the measurement windows that have ended since the last
    /// [`SwitchAlgorithm::reset_statistics`]; `None` if none has ended, or if the algorithm does not count VCs.
    ///
    /// A window belongs entirely to the interval in which it ends, including the interval's last instant; a window that
    /// is still open does not count. So no window is lost or counted twice.
    fn mean_active_vcs(&mut self, now: Time) -> Option<f64> {
        None
    }
    /// The most that a VC counts in [`SwitchAlgorithm::mean_active_vcs`].
    fn weight_of_vc(&self) -> f64 {
        1.0
    }
    /// The load factor: input rate over target rate, each summed over the measurement windows that have ended since the
    /// last [`SwitchAlgorithm::reset_statistics`]; `None` if the algorithm has no target.
    fn load_factor(&mut self, now: Time) -> Option<f64> {
        None
    }
    /// Restarts the statistics; the algorithm's behaviour is not affected.
    fn reset_statistics(&mut self, now: Time) {}
}
