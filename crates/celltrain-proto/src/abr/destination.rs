//! The ABR destination: turns forward RM cells around (TM 4.0 §5.10.5).

use super::becn::{Becn, BecnMark};
use crate::cell::{Direction, RmCell};
use crate::units::{Cells, Rate, Time};

/// How a destination reports congestion of its own receive buffer (destination rule 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CongestionPolicy {
    /// It is congested above this fill.
    pub high: Cells,
    /// Congestion ends below this fill. At most `high`.
    pub low: Cells,
    /// Whether it sets CI.
    pub ci: bool,
    /// Whether it sets NI.
    pub ni: bool,
    /// Whether it lowers ER to the rate at which the buffer drains.
    pub explicit_rate: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Congestion {
    policy: CongestionPolicy,
    congested: bool,
    drain: Rate,
}

/// The destination half of an ABR end system.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Destination {
    /// EFCI of the latest data cell, until a backward RM cell has carried it back.
    efci: bool,
    congestion: Option<Congestion>,
    becn: Becn,
}

impl Destination {
    /// Creates a destination that reports its own congestion; the default one is never congested.
    pub const fn new(policy: CongestionPolicy) -> Self {
        Self {
            efci: false,
            congestion: Some(Congestion {
                policy,
                congested: false,
                drain: Rate::ZERO,
            }),
            becn: Becn::new(),
        }
    }

    /// A data cell arrives (destination rule 1: the latest cell decides).
    #[inline]
    pub fn on_data(&mut self, efci: bool) {
        self.efci = efci;
    }

    /// The receive buffer now holds `fill` and drains at `drain`.
    pub fn on_buffer(&mut self, fill: Cells, drain: Rate) {
        if let Some(congestion) = &mut self.congestion {
            congestion.drain = drain;
            if fill > congestion.policy.high {
                congestion.congested = true;
            } else if fill < congestion.policy.low {
                congestion.congested = false;
            }
        }
    }

    /// Returns the backward RM cell that answers an arriving forward RM cell (destination rule 2). If it came in-rate,
    /// pass the answer to [`super::Source::turn_around`]; if it came out-of-rate (CLP = 1), pass it to
    /// [`super::Source::turn_around_out_of_rate`], which returns it at once with CLP = 1 (rule 6), so that a source
    /// without a rate always gets an answer.
    #[must_use]
    pub fn on_forward_rm(&mut self, rm: RmCell) -> RmCell {
        let ci = rm.ci | core::mem::take(&mut self.efci);
        let mut backward = RmCell {
            direction: Direction::Backward,
            bn: false,
            ci,
            ..rm
        };
        if let Some(congestion) = self.congested() {
            backward.ci |= congestion.policy.ci;
            backward.ni |= congestion.policy.ni;
            if congestion.policy.explicit_rate {
                backward.er = rm.er.min(congestion.drain.max(rm.mcr));
            }
        }
        backward
    }

    /// A backward RM cell that a congested destination generates itself, to be sent at `now` (rule 5). `None` if it is
    /// not congested, or generated one less than [`Becn::INTERVAL`] ago. NI is set if the policy sets neither CI nor
    /// NI.
    pub fn own_backward_rm(&mut self, now: Time) -> Option<RmCell> {
        let Congestion { policy, drain, .. } = self.congested()?;
        let mark = if policy.ci {
            BecnMark::Decrease
        } else {
            BecnMark::NoIncrease
        };
        let er = if policy.explicit_rate {
            drain
        } else {
            Rate::bps(f64::MAX)
        };
        self.becn.make(now, mark, er)
    }

    fn congested(&self) -> Option<Congestion> {
        self.congestion.filter(|congestion| congestion.congested)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Rate;

    const FORWARD: RmCell = RmCell {
        direction: Direction::Forward,
        bn: false,
        ci: false,
        ni: false,
        er: Rate::bps(1e6),
        ccr: Rate::bps(5e5),
        mcr: Rate::ZERO,
    };

    #[test]
    fn destination_rule_1_the_latest_data_cell_decides() {
        let mut destination = Destination::default();
        destination.on_data(true);
        destination.on_data(false);
        assert!(!destination.on_forward_rm(FORWARD).ci);
        destination.on_data(true);
        assert!(destination.on_forward_rm(FORWARD).ci);
    }

    #[test]
    fn destination_rule_2_a_forward_cell_is_turned_around_with_its_rates() {
        let forward = RmCell {
            ni: true,
            ..FORWARD
        };
        let backward = Destination::default().on_forward_rm(forward);
        assert_eq!(
            backward,
            RmCell {
                direction: Direction::Backward,
                ..forward
            }
        );
    }

    #[test]
    fn destination_rule_2_efci_is_reported_once() {
        let mut destination = Destination::default();
        destination.on_data(true);
        assert!(destination.on_forward_rm(FORWARD).ci);
        assert!(!destination.on_forward_rm(FORWARD).ci);
    }

    #[test]
    fn destination_rule_2_ci_that_a_switch_set_is_kept() {
        assert!(
            Destination::default()
                .on_forward_rm(RmCell {
                    ci: true,
                    ..FORWARD
                })
                .ci
        );
    }
}
