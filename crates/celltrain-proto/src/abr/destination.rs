//! The ABR destination: turns forward RM cells round (TM 4.0 §5.10.5).

use crate::cell::{Direction, RmCell};

/// The destination half of an ABR end system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Destination {
    /// EFCI of the latest data cell, until a backward RM cell has carried it.
    efci: bool,
}

impl Destination {
    /// A data cell arrives (destination rule 1: the latest cell decides).
    #[inline]
    pub fn on_data(&mut self, efci: bool) {
        self.efci = efci;
    }

    /// A forward RM cell arrives; the backward RM cell that answers it (destination rule 2). If it came
    /// in-rate, the answer goes to [`super::Source::turn_round`]; if it came out-of-rate (CLP = 1), it goes
    /// back at once with CLP = 1 (rule 6), so that a source without a rate is answered in any case.
    #[must_use]
    pub fn on_forward_rm(&mut self, rm: RmCell) -> RmCell {
        let ci = rm.ci | core::mem::take(&mut self.efci);
        RmCell {
            direction: Direction::Backward,
            bn: false,
            ci,
            ..rm
        }
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
    fn destination_rule_2_a_forward_cell_is_turned_round_with_its_rates() {
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
