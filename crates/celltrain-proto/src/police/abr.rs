//! Usage parameter control of an ABR connection: the dynamic GCRA decides which cells conform (TM 4.0 §4.4 and §5.10.8).

use super::{Action, Dgcra, DgcraDelays, Verdict};
use crate::abr::Parameters;
use crate::cell::RmCell;
use crate::units::Time;

/// The policer of one ABR connection. In-rate cells of all kinds are policed together at the rate that the network allows
/// the source, out-of-rate forward RM cells by themselves at TCR (source rule 11).
#[derive(Clone, Debug)]
pub struct AbrPolicer {
    dgcra: Dgcra,
    action: Action,
}

impl AbrPolicer {
    /// Creates the policer of a source with the contract `parameters`, which starts at its ICR. `action` is what happens
    /// to in-rate cells that do not conform.
    pub fn new(parameters: Parameters, delays: DgcraDelays, action: Action) -> Self {
        Self {
            dgcra: Dgcra::new(parameters, delays),
            action,
        }
    }

    /// A backward RM cell passes on its way to the source.
    pub fn on_backward_rm(&mut self, now: Time, rm: &RmCell) {
        self.dgcra.on_backward_rm(now, rm);
    }

    /// The verdict on the cell that arrives at `now` with this CLP. Out-of-rate backward RM cells pass: they answer the
    /// other direction's source, and no rule bounds their rate in this one.
    pub fn police(&mut self, now: Time, clp: bool, is_forward_rm: bool) -> Verdict {
        let conforms = match (clp, is_forward_rm) {
            (false, _) => self.dgcra.conforms(now),
            (true, true) => self.dgcra.out_of_rate_conforms(now),
            (true, false) => true,
        };
        match self.action {
            _ if conforms => Verdict::Pass,
            Action::Tag if !clp => Verdict::Tag,
            Action::Tag | Action::Discard => Verdict::Discard,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Direction;
    use crate::units::{Rate, Span};

    const PCR: Rate = Rate::cells_per_s(100_000.0);

    fn at_us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    /// A policer without tolerance in front of a source without delay, which follows ER at once.
    fn policer(action: Action) -> AbrPolicer {
        let parameters = Parameters {
            rif: 1.0,
            ..Parameters::new(PCR)
        };
        let delays = DgcraDelays {
            tolerance: Span::ZERO,
            longest: Span::ZERO,
            shortest: Span::ZERO,
            out_of_rate_tolerance: Span::ZERO,
        };
        AbrPolicer::new(parameters, delays, action)
    }

    #[test]
    fn abr_section_11_in_rate_cells_of_all_kinds_share_the_allowed_rate() {
        let mut policer = policer(Action::Discard);
        for (us, is_forward_rm, verdict) in [
            (0, true, Verdict::Pass),
            (9, false, Verdict::Discard),
            (10, false, Verdict::Pass),
            (19, true, Verdict::Discard),
        ] {
            let found = policer.police(at_us(us), false, is_forward_rm);
            assert_eq!(found, verdict, "at {us} us");
        }
    }

    #[test]
    fn abr_section_11_the_rate_follows_the_backward_rm_cells() {
        let mut policer = policer(Action::Tag);
        assert_eq!(policer.police(at_us(0), false, false), Verdict::Pass);
        let rm = RmCell {
            direction: Direction::Backward,
            bn: false,
            ci: false,
            ni: false,
            er: PCR.scaled(0.5),
            ccr: Rate::ZERO,
            mcr: Rate::ZERO,
        };
        policer.on_backward_rm(at_us(1), &rm);
        // The lower rate counts from the gap after the next.
        assert_eq!(policer.police(at_us(10), false, false), Verdict::Pass);
        assert_eq!(policer.police(at_us(29), false, false), Verdict::Tag);
        assert_eq!(policer.police(at_us(30), false, false), Verdict::Pass);
    }

    #[test]
    fn abr_section_11_out_of_rate_forward_rm_cells_have_tcr_and_answers_pass() {
        let mut policer = policer(Action::Tag);
        for (us, is_forward_rm, verdict) in [
            (0, true, Verdict::Pass),
            (1, false, Verdict::Pass),
            (2, false, Verdict::Pass),
            (99_999, true, Verdict::Discard),
            (100_000, true, Verdict::Pass),
        ] {
            let found = policer.police(at_us(us), true, is_forward_rm);
            assert_eq!(found, verdict, "at {us} us");
        }
    }
}
