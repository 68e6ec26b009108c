//! Usage parameter control: what happens to cells that violate their contract (TM 4.0 §4.4 and §4.5; ITU-T I.371 Annex
//! A).

use super::Gcra;
use crate::units::{Cells, Rate, Span, Time};

/// The action for a non-conforming cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// CLP is set; if it is already set, the cell is discarded.
    Tag,
    /// The cell is discarded.
    Discard,
}

/// What happens to a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It passes unchanged.
    Pass,
    /// It passes with CLP = 1.
    Tag,
    /// It is discarded.
    Discard,
}

/// The cells to which a sustainable rate applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Those with CLP = 0 (VBR.2 and, with tagging, VBR.3).
    Clp0,
    /// All (VBR.1).
    Clp01,
}

/// The sustainable rate of a contract.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sustained {
    /// SCR: the mean rate, at most PCR.
    pub scr: Rate,
    /// MBS: cells that may be sent back to back at PCR, at least 1.
    pub mbs: Cells,
    /// The cells that are counted.
    pub scope: Scope,
}

/// The policer of one connection: GCRA(1/PCR, CDVT) on all cells and, for VBR, also GCRA(1/SCR, BT + CDVT). A cell
/// conforms only if it conforms to both, and only then do both count it.
///
/// The action applies to cells that violate the sustainable rate, or the peak rate if there is no other. With a
/// sustainable rate, the peak rate covers CLP = 0+1: a cell that violates it would do so even if tagged, so it is
/// discarded, and a tagged cell is counted by the peak rate.
#[derive(Clone, Debug)]
pub struct Policer {
    peak: Gcra,
    sustained: Option<(Gcra, Scope)>,
    action: Action,
    per_frame: bool,
    /// The verdict on the current frame.
    frame: Option<Verdict>,
}

impl Policer {
    /// Creates a policer of the peak rate `pcr` with the cell delay variation tolerance `cdvt`, and of a sustainable
    /// rate if given.
    pub fn new(pcr: Rate, cdvt: Span, sustained: Option<Sustained>, action: Action) -> Self {
        let bucket = |s: Sustained| (Gcra::sustained(s.scr, s.mbs, pcr, cdvt), s.scope);
        Self {
            peak: Gcra::new(pcr.cell_time(), cdvt),
            sustained: sustained.map(bucket),
            action,
            per_frame: false,
            frame: None,
        }
    }

    /// Polices frames: the verdict on the first cell of a frame applies to all of its cells (F-GCRA), which are counted
    /// accordingly. The last cell of a discarded frame passes uncounted, since it delimits the next frame, unless it is
    /// the whole frame.
    #[must_use]
    pub fn per_frame(self) -> Self {
        Self {
            per_frame: true,
            ..self
        }
    }

    /// The verdict on the cell that arrives at `now` with this CLP; `is_end` if it ends an AAL5 frame.
    pub fn police(&mut self, now: Time, clp: bool, is_end: bool) -> Verdict {
        let held = self.frame;
        let verdict = held.unwrap_or_else(|| self.test(now, clp));
        if self.per_frame {
            self.frame = (!is_end).then_some(verdict);
        }
        if held == Some(Verdict::Discard) && is_end {
            return Verdict::Pass;
        }
        self.count(now, clp, verdict);
        verdict
    }

    fn test(&self, now: Time, clp: bool) -> Verdict {
        let peak_conforms = self.peak.would_conform(now);
        match &self.sustained {
            None if !peak_conforms => self.broken(clp),
            Some(_) if !peak_conforms => Verdict::Discard,
            Some((bucket, scope)) if scope.covers(clp) && !bucket.would_conform(now) => {
                self.broken(clp)
            }
            _ => Verdict::Pass,
        }
    }

    fn broken(&self, clp: bool) -> Verdict {
        match self.action {
            Action::Tag if !clp => Verdict::Tag,
            Action::Tag | Action::Discard => Verdict::Discard,
        }
    }

    fn count(&mut self, now: Time, clp: bool, verdict: Verdict) {
        if verdict == Verdict::Pass || verdict == Verdict::Tag && self.sustained.is_some() {
            self.peak.commit(now);
        }
        if let Some((bucket, scope)) = &mut self.sustained
            && verdict == Verdict::Pass
            && scope.covers(clp)
        {
            bucket.commit(now);
        }
    }
}

impl Scope {
    fn covers(self, clp: bool) -> bool {
        self == Self::Clp01 || !clp
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Discard, Pass, Tag};
    use super::*;
    use proptest::prelude::*;

    fn at_us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    fn each_us(us: u64) -> Rate {
        Rate::cells_per_s(1e6 / us as f64)
    }

    /// Tp = 2, Ts = 10, MBS = 3: BT = 16 (all in microseconds).
    fn vbr(scope: Scope, action: Action) -> Policer {
        let sustained = Sustained {
            scr: each_us(10),
            mbs: Cells(3),
            scope,
        };
        Policer::new(each_us(2), Span::ZERO, Some(sustained), action)
    }

    #[test]
    fn vbr_1_2_and_3_differ_in_what_is_counted_and_tagged() {
        let mut policers = [
            vbr(Scope::Clp01, Action::Discard),
            vbr(Scope::Clp0, Action::Discard),
            vbr(Scope::Clp0, Action::Tag),
        ];
        for (us, clp, verdicts) in [
            (0, false, [Pass, Pass, Pass]),
            (1, false, [Discard, Discard, Discard]), // above the peak rate
            (2, false, [Pass, Pass, Pass]),
            (4, false, [Pass, Pass, Pass]), // the burst ends: the next is due at 30 - 16 = 14
            (6, false, [Discard, Discard, Tag]),
            (7, true, [Discard, Pass, Discard]), // too soon after the tagged cell
            (9, true, [Discard, Pass, Pass]),
            (14, false, [Pass, Pass, Pass]),
            (16, false, [Discard, Discard, Tag]),
        ] {
            for (i, policer) in policers.iter_mut().enumerate() {
                let verdict = policer.police(at_us(us), clp, false);
                assert_eq!(verdict, verdicts[i], "VBR.{} at {us} us", i + 1);
            }
        }
    }

    #[test]
    fn where_only_the_peak_rate_is_policed_a_tagged_cell_is_not_counted() {
        let mut policer = Policer::new(each_us(10), Span::from_us(1), None, Action::Tag);
        for (us, clp, verdict) in [
            (0, false, Pass),
            (5, false, Tag),
            (6, true, Discard),
            (9, true, Pass),
            (18, false, Tag),
            (19, false, Pass),
        ] {
            assert_eq!(policer.police(at_us(us), clp, false), verdict, "at {us} us");
        }
    }

    #[test]
    fn the_verdict_on_the_first_cell_holds_for_the_frame_and_the_end_of_a_discarded_one_is_kept() {
        for (action, second) in [
            (Action::Discard, [Discard, Discard, Pass]),
            (Action::Tag, [Tag, Tag, Tag]),
        ] {
            let policer = Policer::new(each_us(10), Span::ZERO, None, action);
            let mut policer = policer.per_frame();
            for (us, is_end, verdict) in [
                (0, false, Pass),
                (1, false, Pass),
                (2, false, Pass),
                (3, true, Pass), // four cells are counted: the next is due at 40
                (5, false, second[0]),
                (6, false, second[1]),
                (41, true, second[2]), // by itself it would conform now
                (42, false, Pass),
                (43, true, Pass),
            ] {
                assert_eq!(policer.police(at_us(us), false, is_end), verdict, "{us} us");
            }
        }
    }

    #[test]
    fn a_discarded_frame_of_one_cell_leaves_nothing() {
        let mut policer = Policer::new(each_us(10), Span::ZERO, None, Action::Discard).per_frame();
        assert_eq!(policer.police(at_us(0), false, true), Pass);
        assert_eq!(policer.police(at_us(9), false, true), Discard);
        assert_eq!(policer.police(at_us(10), false, true), Pass);
    }

    proptest! {
        #[test]
        fn what_a_policer_lets_through_conforms_to_its_contract(
            vbr1 in any::<bool>(), tag in any::<bool>(), mbs in 1_u64..20, cdvt in 0_u64..30,
            cells in proptest::collection::vec((0_u64..20, any::<bool>()), 1..200),
        ) {
            let sustained = Sustained {
                scr: each_us(10),
                mbs: Cells(mbs),
                scope: if vbr1 { Scope::Clp01 } else { Scope::Clp0 },
            };
            let action = if tag && !vbr1 { Action::Tag } else { Action::Discard };
            let contract =
                Policer::new(each_us(2), Span::from_us(cdvt), Some(sustained), action);
            let (mut first, mut second) = (contract.clone(), contract);
            let mut us = 0;
            for (gap, clp) in cells {
                us += gap;
                let verdict = first.police(at_us(us), clp, false);
                if verdict != Discard {
                    let clp = clp || verdict == Tag;
                    prop_assert_eq!(second.police(at_us(us), clp, false), Pass);
                }
            }
        }

        #[test]
        fn a_frame_passes_whole_or_leaves_at_most_its_end(
            cells in proptest::collection::vec((0_u64..20, any::<bool>()), 1..300),
        ) {
            let mut policer =
                Policer::new(each_us(10), Span::from_us(20), None, Action::Discard).per_frame();
            let (mut us, mut first) = (0, None);
            for (gap, is_end) in cells {
                us += gap;
                let verdict = policer.police(at_us(us), false, is_end);
                let kept_end = first == Some(Discard) && is_end;
                let of_frame = *first.get_or_insert(verdict);
                prop_assert_eq!(verdict, if kept_end { Pass } else { of_frame });
                if is_end {
                    first = None;
                }
            }
        }
    }
}
