//! What BBR does behind a policer, and what it tells the search for one.
//!
//! Source: Linux 6 `tcp_bbr.c` (`bbr_lt_bw_sampling`, `bbr_bw`, `bbr_update_cycle_phase`).

use super::policer::{Policer, Told};
use super::{Bbr, CYCLE, State};
use crate::tcp::delivery::RateSample;
use crate::units::{Rate, Time};

impl Bbr {
    /// The estimate that sets pacing rate and window: the policed rate behind a policer, otherwise the maximum.
    pub(super) fn rate_in_use(&self) -> Rate {
        let policed = self.policer.as_ref().and_then(Policer::rate);
        policed.unwrap_or(self.model.bandwidth())
    }

    /// Behind a policer there is no more bandwidth to probe for: the cycle goes on with a gain of one.
    pub(super) fn set_cycle_gain(&mut self) {
        let is_policed = self.policer.as_ref().is_some_and(|it| it.rate().is_some());
        self.pacing_gain = if is_policed {
            1.0
        } else {
            CYCLE[self.cycle_index]
        };
    }

    /// An acknowledgment with this `sample`, which shows a loss or not.
    pub(super) fn look_for_policer(&mut self, now: Time, sample: &RateSample, has_loss: bool) {
        // A sample without a rate is none.
        if let Some(policer) = self.policer.as_mut().filter(|_| sample.rate.is_some()) {
            policer.on_delivered(now, self.model.delivered());
            let is_round = self.model.is_round_start();
            self.tell_policer(now, has_loss, is_round, sample.is_app_limited);
        }
    }

    /// A time-out is the end of a round with a loss.
    pub(super) fn look_for_policer_at_timeout(&mut self, now: Time) {
        self.tell_policer(now, true, true, false);
    }

    fn tell_policer(&mut self, now: Time, has_loss: bool, is_round: bool, is_app_limited: bool) {
        let is_probing = self.state == State::ProbeBw;
        let Some(policer) = &mut self.policer else {
            return;
        };
        let told = Told {
            has_loss,
            is_round,
            is_app_limited,
        };
        let ends = policer.observe(told, is_probing);
        if ends {
            self.enter_probe_bw(now);
        } else if is_probing {
            self.set_cycle_gain();
        }
    }
}
