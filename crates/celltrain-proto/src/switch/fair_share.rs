//! Simple explicit rate: an equal share of the line for each recently active VC.
//!
//! `ER = min(ER, (rate - priority) / max(1, N))`, with the current line rate and the rate that higher priorities used
//! in the last window. It measures N, the VCs with at least one cell of any kind, or other activity, in the last
//! complete window. Parameters: the window length, and which RM cells it marks. Source: the fair share of TM 4.0
//! Appendix I, at full line utilization. Known limits: what a VC limited elsewhere leaves unused is not given to
//! others, and a VC that carries only acknowledgments or backward RM cells claims a full share.

use super::algorithm::{Marking, PortState, SwitchAlgorithm};
use super::window::Windows;
use crate::cell::RmCell;
use crate::parameters::Bounds;
use crate::units::{Rate, Span, Time};

parameters! {
    /// The parameters of [`FairShare`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct FairShareParameters {
        /// Length of the interval over which active VCs are counted.
        pub interval: Span = Span::from_ms(10), in Bounds::INTERVAL;
        /// Which RM cells carry the feedback.
        pub marking: Marking = Marking::default();
    }
}

/// The line rate divided by the number of active VCs.
#[derive(Clone, Debug)]
pub struct FairShare {
    windows: Windows,
    marking: Marking,
}

impl FairShare {
    /// Creates an algorithm without history.
    pub fn new(parameters: FairShareParameters) -> Self {
        Self {
            windows: Windows::new(parameters.interval),
            marking: parameters.marking,
        }
    }

    fn mark(&mut self, now: Time, rm: &mut RmCell, port: &PortState) {
        let counts = self.windows.last(now);
        let seconds = self.windows.length().as_secs();
        let taken = Rate::cells_per_s(counts.priority as f64 / seconds);
        let left = (port.rate - taken).as_bps().max(0.0);
        let n = counts.active_vcs.max(1);
        rm.er = rm.er.min(Rate::bps(left / n as f64));
    }
}

impl SwitchAlgorithm for FairShare {
    #[inline]
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
        self.windows.on_cells(now, vc, n);
    }

    #[inline]
    fn on_activity(&mut self, now: Time, vc: u32) {
        self.windows.on_activity(now, vc);
    }

    #[inline]
    fn on_priority_cells(&mut self, now: Time, n: u64) {
        self.windows.on_priority_cells(now, n);
    }

    fn on_forward_rm(&mut self, now: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        if self.marking == Marking::ForwardRm {
            self.mark(now, rm, port);
        }
    }

    fn on_backward_rm(&mut self, now: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        if self.marking == Marking::BackwardRm {
            self.mark(now, rm, port);
        }
    }

    /// The mean of N; an idle window counts as zero.
    fn mean_active_vcs(&mut self, now: Time) -> Option<f64> {
        let ended = self.windows.ended(now);
        ended.mean(ended.active_vcs)
    }

    fn reset_statistics(&mut self, now: Time) {
        self.windows.reset(now);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ms, port, rm};
    use super::*;

    const LINE: Rate = Rate::kbps(1_024);

    fn fair_share() -> FairShare {
        FairShare::new(FairShareParameters {
            interval: Span::from_ms(10),
            marking: Marking::BackwardRm,
        })
    }

    fn er(switch: &mut FairShare, now: Time, line: Rate) -> Rate {
        let mut cell = rm();
        switch.on_backward_rm(now, 0, &mut cell, &port(1_000, line));
        cell.er
    }

    #[test]
    fn the_share_follows_the_vcs_of_the_window_before() {
        let mut switch = fair_share();
        for vc in 0..4 {
            switch.on_cells(ms(3), vc, 1);
        }
        assert_eq!(er(&mut switch, ms(9), LINE), LINE);
        switch.on_cells(ms(10), 0, 1);
        assert_eq!(er(&mut switch, ms(10), LINE), Rate::kbps(256));
        switch.on_cells(ms(19), 2, 9);
        assert_eq!(er(&mut switch, ms(19), LINE), Rate::kbps(256));
        assert_eq!(er(&mut switch, ms(20), LINE), Rate::kbps(512));
    }

    #[test]
    fn after_an_idle_window_a_vc_may_have_the_whole_line() {
        let mut switch = fair_share();
        switch.on_cells(ms(1), 0, 1);
        switch.on_cells(ms(1), 1, 1);
        assert_eq!(er(&mut switch, ms(10), LINE), Rate::kbps(512));
        assert_eq!(er(&mut switch, ms(20), LINE), LINE);
        assert_eq!(er(&mut switch, ms(20_000), LINE), LINE);
    }

    #[test]
    fn the_rate_is_that_of_the_line_at_the_moment_of_marking() {
        let mut switch = fair_share();
        switch.on_cells(ms(1), 0, 1);
        switch.on_cells(ms(1), 1, 1);
        assert_eq!(er(&mut switch, ms(11), LINE), Rate::kbps(512));
        assert_eq!(er(&mut switch, ms(12), Rate::kbps(128)), Rate::kbps(64));
    }

    #[test]
    fn what_higher_priorities_took_is_not_shared() {
        let mut switch = fair_share();
        switch.on_cells(ms(1), 0, 1);
        switch.on_cells(ms(1), 1, 1);
        // 6 cells in 10 ms are 254.4 kbit/s.
        switch.on_priority_cells(ms(2), 6);
        assert_eq!(
            er(&mut switch, ms(11), LINE),
            Rate::kbps(1_024 - 254).scaled(0.5) - Rate::bps(200.0)
        );
    }

    #[test]
    fn an_rm_cell_turned_around_before_the_queue_makes_its_vc_active() {
        let mut switch = fair_share();
        switch.on_cells(ms(1), 0, 1);
        switch.on_activity(ms(1), 1);
        assert_eq!(er(&mut switch, ms(11), LINE), Rate::kbps(512));
    }

    #[test]
    fn a_smaller_er_and_the_bits_pass_unchanged() {
        let mut switch = fair_share();
        let sent = RmCell {
            er: Rate::kbps(100),
            ni: true,
            ..rm()
        };
        let mut cell = sent;
        switch.on_backward_rm(ms(1), 0, &mut cell, &port(1_000, LINE));
        assert_eq!(cell, sent);
    }

    #[test]
    fn only_the_cells_of_the_chosen_direction_are_marked() {
        for (marking, marked) in [
            (Marking::ForwardRm, (LINE, rm().er)),
            (Marking::BackwardRm, (rm().er, LINE)),
        ] {
            let mut switch = FairShare::new(FairShareParameters {
                interval: Span::from_ms(10),
                marking,
            });
            let (mut forward, mut backward) = (rm(), rm());
            switch.on_forward_rm(ms(0), 0, &mut forward, &port(0, LINE));
            switch.on_backward_rm(ms(0), 0, &mut backward, &port(0, LINE));
            assert_eq!((forward.er, backward.er), marked);
        }
    }

    #[test]
    fn the_mean_counts_idle_windows_as_zero() {
        let mut switch = fair_share();
        assert_eq!(switch.mean_active_vcs(ms(9)), None);
        for vc in 0..3 {
            switch.on_cells(ms(9), vc, 1);
        }
        switch.on_cells(ms(35), 0, 1);
        // Windows 0 to 3 hold 3, 0, 0 and 1 VCs.
        assert_eq!(switch.mean_active_vcs(ms(40)), Some(1.0));
        switch.reset_statistics(ms(40));
        assert_eq!(switch.mean_active_vcs(ms(49)), None);
        assert_eq!(switch.mean_active_vcs(ms(50)), Some(0.0));
    }
}
