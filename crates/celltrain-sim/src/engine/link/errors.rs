//! Errors of a line that do not lose cells: corrupted payloads, and cells of other VCs that come in by mistake.
//!
//! A misinserted cell is not simulated as a cell: it takes no place in queues, and damages the PDU of the next data cell of
//! its VC on the link, for AAL5 counts and checks it with that PDU.

use celltrain_proto::line::loss::Loss;
use celltrain_proto::random::Stream;
use celltrain_proto::units::{Rate, Span, Time};

use crate::measure::ErrorCounts;

/// The errors of a line, and what they did to the cells of each VC.
#[derive(Clone, Debug)]
pub(in crate::engine) struct CellErrors {
    corruption: Option<Loss>,
    misinsertion: Option<Misinsertion>,
    /// By number of the VC at the link.
    vcs: Vec<Vc>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Vc {
    counts: ErrorCounts,
    /// Whether a misinserted cell came before the next data cell.
    is_joined: bool,
}

/// A Poisson process of misinserted cells.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Misinsertion {
    mean_ps: f64,
    next: Time,
    stream: Stream,
}

impl Misinsertion {
    /// Cells at this mean rate.
    pub(in crate::engine) fn new(rate: Rate, stream: Stream) -> Self {
        let mut misinsertion = Self {
            mean_ps: 1e12 / rate.as_cells_per_s(),
            next: Time::ZERO,
            stream,
        };
        misinsertion.advance();
        misinsertion
    }

    fn advance(&mut self) {
        let gap = self.stream.exponential(self.mean_ps);
        self.next = self.next.saturating_add(Span::from_ps(gap as u64));
    }
}

impl CellErrors {
    /// Errors on a link that `vcs` directions of VCs cross.
    pub(in crate::engine) fn new(
        corruption: Option<Loss>,
        misinsertion: Option<Misinsertion>,
        vcs: usize,
    ) -> Self {
        Self {
            corruption,
            misinsertion,
            vcs: vec![Vc::default(); vcs],
        }
    }

    /// Whether a cell of VC number `vc` that arrives over the line at `now` is corrupted, or its PDU holds a misinserted
    /// cell.
    pub(in crate::engine) fn damages(&mut self, now: Time, vc: u32, is_data: bool) -> bool {
        self.misinsert_until(now);
        let corruption = self.corruption.as_mut();
        let is_corrupted = corruption.is_some_and(|process| process.loses(now));
        let vc = &mut self.vcs[vc as usize];
        if !is_data {
            return is_corrupted;
        }
        vc.counts.crossed += 1;
        vc.counts.corrupted += u64::from(is_corrupted);
        is_corrupted | std::mem::take(&mut vc.is_joined)
    }

    /// The counts of the VC with this number at the link.
    pub(in crate::engine) fn counts(&self, vc: usize) -> ErrorCounts {
        self.vcs[vc].counts
    }

    fn misinsert_until(&mut self, now: Time) {
        let Some(misinsertion) = &mut self.misinsertion else {
            return;
        };
        while misinsertion.next <= now {
            let vc = misinsertion.stream.uniform() * self.vcs.len() as f64;
            let vc = &mut self.vcs[vc as usize];
            vc.counts.misinserted += 1;
            vc.is_joined = true;
            misinsertion.advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000_000;

    fn misinsertion(per_s: f64) -> Misinsertion {
        Misinsertion::new(Rate::cells_per_s(per_s), Stream::named(1, "test"))
    }

    #[test]
    fn a_misinserted_cell_damages_the_next_data_cell_of_its_vc_alone() {
        let mut errors = CellErrors::new(None, Some(misinsertion(1.0)), 1);
        let at = errors.misinsertion.as_ref().expect("it is there").next;
        let before = Time::from_ps(at.as_ps() - 1);
        assert!(!errors.damages(before, 0, true));
        assert!(
            !errors.damages(at, 0, false),
            "an RM cell has a CRC of its own"
        );
        assert!(errors.damages(at, 0, true));
        assert!(!errors.damages(at, 0, true));
        let counts = errors.counts(0);
        assert_eq!((counts.crossed, counts.misinserted), (3, 1));
    }

    #[test]
    fn misinserted_cells_come_at_their_mean_rate_into_all_vcs() {
        let mut errors = CellErrors::new(None, Some(misinsertion(10.0)), 4);
        errors.damages(Time::from_ps(1_000 * SECOND), 0, true);
        for vc in 0..4 {
            let count = errors.counts(vc).misinserted as f64;
            // 2,500 with a standard deviation of 50.
            assert!((count - 2_500.0).abs() < 250.0, "{vc}: {count}");
        }
    }
}
