//! What an algorithm is told, and what it does to RM cells and EFCI bits.

use crate::cell::RmCell;
use crate::units::{Cells, Rate, Time};

/// The least part of the line rate that an algorithm's own rate falls to where its source sets no limit:
/// a rate of zero could never grow by factors again.
pub(super) const LEAST_SHARE: f64 = 1e-6;

/// A port at the moment at which an algorithm acts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PortState {
    /// Cells of the algorithm's own class in the queue, the one in transmission included.
    pub queue: Cells,
    /// The present rate of the line that serves the queue.
    pub rate: Rate,
}

choice! {
    /// Which cells carry the switch's verdict.
    pub enum Marking {
        /// Backward RM cells, as they pass the switch against the data: the fresher news.
        #[default]
        BackwardRm,
        /// Forward RM cells, as they arrive at the queue.
        ForwardRm,
    }
}

/// The algorithm of a port. Times never decrease from one call to the next.
///
/// VCs are numbered from zero within the port; tables of them grow as far as the largest number seen.
/// An algorithm only ever lowers ER and only ever sets CI and NI. By default it does nothing.
#[enum_dispatch::enum_dispatch]
#[expect(
    unused_variables,
    reason = "the defaults ignore their arguments, whose names are documentation"
)]
pub trait SwitchAlgorithm {
    /// Whether the algorithm is to be told of the cells that arrive, RM cells aside.
    #[inline]
    fn counts_cells(&self) -> bool {
        true
    }
    /// `n` cells of `vc`, at least one and of any kind, arrive at the queue, those that it drops included.
    #[inline]
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {}
    /// `vc` shows a sign of life without a cell for the queue, such as an RM cell turned round before it.
    #[inline]
    fn on_activity(&mut self, now: Time, vc: u32) {}
    /// `n` cells that go before ABR, CBR and VBR ones, take their part of the line.
    #[inline]
    fn on_priority_cells(&mut self, now: Time, n: u64) {}
    /// Cells that come before this instant are only counted: they change no verdict on an RM cell, and those of a VC, or
    /// those of higher priority, may be told together, with the instant of the last of them and before or behind
    /// others. The start of time where they may not.
    #[inline]
    fn counts_until(&self) -> Time {
        Time::ZERO
    }
    /// Whether the algorithm is to be told of each change of its queue.
    fn follows_queue(&self) -> bool {
        false
    }
    /// The queue, as [`PortState::queue`] has it, is `queue` from `now` on.
    #[inline]
    fn on_queue(&mut self, now: Time, queue: Cells) {}
    /// The line has rate `rate` from `now` on. The first call, at the start, gives the first rate.
    fn on_rate_change(&mut self, now: Time, rate: Rate) {}
    /// A forward RM cell of `vc` arrives at the queue.
    fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {}
    /// A backward RM cell passes whose loop's data leave through this port, there as `vc`.
    fn on_backward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {}
    /// Whether the algorithm is to be asked about the EFCI bit of each cell that leaves.
    fn follows_departures(&self) -> bool {
        false
    }
    /// A cell leaves, which still counts in `queue`: whether it gets its EFCI bit set if it carries data.
    #[inline]
    fn marks_efci(&mut self, queue: Cells) -> bool {
        false
    }
    /// The rate that the VCs may have together since the last measurement window that has ended at `now`;
    /// `None` if the algorithm has no such target.
    fn target_rate(&mut self, now: Time) -> Option<Rate> {
        None
    }
    /// The mean number of active VCs over the measurement windows that have ended since the last
    /// [`SwitchAlgorithm::reset_statistics`]; `None` if none has, or if the algorithm counts no VCs.
    ///
    /// A window belongs whole to the interval in which it ends, the interval's last instant included;
    /// a window that is still open counts for nothing. So no window is lost or counted twice.
    fn mean_active_vcs(&mut self, now: Time) -> Option<f64> {
        None
    }
    /// The load factor: input over target rate, both summed over the measurement windows that have ended
    /// since the last [`SwitchAlgorithm::reset_statistics`]; `None` if the algorithm has no target.
    fn load_factor(&mut self, now: Time) -> Option<f64> {
        None
    }
    /// Starts the statistics anew; what the algorithm does is not affected.
    fn reset_statistics(&mut self, now: Time) {}
}
