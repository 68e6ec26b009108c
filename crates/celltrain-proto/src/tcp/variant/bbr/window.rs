//! The congestion window: towards its target, below it in a recovery, and what it was before.
//!
//! Source: draft-cardwell-iccrg-bbr-congestion-control-00 (`BBRSetCwnd`, `BBRModulateCwndForRecovery`, `BBRSaveCwnd`).

use super::{Bbr, MIN_PIPE_SEGMENTS, Recovery, State};

impl Bbr {
    pub(super) fn min_pipe_cwnd(&self) -> u64 {
        MIN_PIPE_SEGMENTS * self.mss
    }

    pub(super) fn set_cwnd(&mut self, newly_acked: u64, inflight: u64, lost: u64) {
        self.modulate_for_recovery(newly_acked, inflight, lost);
        if self.recovery != Recovery::Conserving {
            let target = self.target_cwnd();
            if self.model.is_pipe_full() {
                self.cwnd = target.min(self.cwnd + newly_acked);
            } else if self.cwnd < target || self.model.delivered() < self.initial_cwnd {
                self.cwnd += newly_acked;
            }
            self.cwnd = self.cwnd.max(self.min_pipe_cwnd());
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.min_pipe_cwnd());
        }
    }

    fn modulate_for_recovery(&mut self, newly_acked: u64, inflight: u64, lost: u64) {
        match self.recovery {
            Recovery::Begins => {
                self.model.start_round();
                self.recovery = Recovery::Conserving;
                self.cwnd = inflight + newly_acked.max(self.mss);
                return;
            }
            Recovery::Conserving if self.model.is_round_start() => {
                self.recovery = Recovery::Growing;
            }
            Recovery::None | Recovery::Conserving | Recovery::Growing => {}
        }
        self.cwnd = self.cwnd.saturating_sub(lost).max(self.mss);
        if self.recovery == Recovery::Conserving {
            self.cwnd = self.cwnd.max(inflight + newly_acked);
        }
    }

    pub(super) fn save_cwnd(&mut self) {
        self.prior_cwnd = if self.recovery == Recovery::None && self.state != State::ProbeRtt {
            self.cwnd
        } else {
            self.prior_cwnd.max(self.cwnd)
        };
    }

    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}
