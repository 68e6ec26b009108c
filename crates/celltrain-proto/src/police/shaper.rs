//! A shaper: delays cells until they conform to a contract (TM 4.0 §5.5; ITU-T I.371 Annex A).

use super::Gcra;
use crate::units::{Cells, Rate, Span, Time};

/// When the cell at the head of a queue may leave so that it conforms to the peak rate and, for VBR, to the sustainable
/// rate. The caller owns the queue.
#[derive(Clone, Debug)]
pub struct Shaper {
    pcr: Rate,
    peak: Gcra,
    sustained: Option<Gcra>,
}

impl Shaper {
    /// Shapes to GCRA(1/`pcr`, `tolerance`) and, given SCR and MBS, to GCRA(1/SCR, BT + `tolerance`), for cells of
    /// either CLP. With zero tolerance, cells leave at least 1/PCR apart, and after idleness exactly MBS of them are
    /// sent back to back at PCR.
    pub fn new(pcr: Rate, tolerance: Span, sustained: Option<(Rate, Cells)>) -> Self {
        let bucket = |(scr, mbs): (Rate, Cells)| Gcra::sustained(scr, mbs, pcr, tolerance);
        Self {
            pcr,
            peak: Gcra::new(pcr.cell_time(), tolerance),
            sustained: sustained.map(bucket),
        }
    }

    /// The peak cell rate.
    pub fn pcr(&self) -> Rate {
        self.pcr
    }

    /// The earliest instant from `now` on at which the next cell may leave. Changes with [`Shaper::on_departure`].
    #[inline]
    #[must_use]
    pub fn earliest(&self, now: Time) -> Time {
        let by_peak = self.peak.earliest(now);
        self.sustained
            .as_ref()
            .map_or(by_peak, |bucket| bucket.earliest(by_peak))
    }

    /// A cell leaves at `now`: at [`Shaper::earliest`], or later, for example if departures are slotted.
    #[inline]
    pub fn on_departure(&mut self, now: Time) {
        self.peak.commit(now);
        if let Some(bucket) = &mut self.sustained {
            bucket.commit(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Action, Policer, Scope, Sustained, Verdict};
    use super::*;
    use proptest::prelude::*;

    fn each_us(us: u64) -> Rate {
        Rate::cells_per_s(1e6 / us as f64)
    }

    #[test]
    fn after_idleness_exactly_mbs_cells_leave_at_the_peak_rate_and_the_rest_at_the_sustainable_one()
    {
        let mut shaper = Shaper::new(each_us(2), Span::ZERO, Some((each_us(10), Cells(38))));
        let start = Time::ZERO + Span::from_secs(1);
        let mut now = start;
        for k in 0..60 {
            now = shaper.earliest(now);
            // BT = 37 x 8 = 296: cell 38 is expected at 380 and leaves at 380 - 296 = 84.
            let us = if k < 38 { 2 * k } else { 84 + 10 * (k - 38) };
            assert_eq!(now - start, Span::from_us(us), "cell {k}");
            shaper.on_departure(now);
        }
    }

    #[test]
    fn without_a_sustainable_rate_cells_leave_at_the_peak_rate() {
        let mut shaper = Shaper::new(each_us(2), Span::ZERO, None);
        let mut now = Time::ZERO;
        for k in 0..10 {
            now = shaper.earliest(now);
            assert_eq!(now - Time::ZERO, Span::from_us(2 * k));
            shaper.on_departure(now);
        }
    }

    #[test]
    fn a_late_departure_puts_off_the_next() {
        let mut shaper = Shaper::new(each_us(2), Span::ZERO, None);
        shaper.on_departure(Time::ZERO + Span::from_us(7));
        assert_eq!(shaper.earliest(Time::ZERO), Time::ZERO + Span::from_us(9));
    }

    proptest! {
        #[test]
        fn what_a_shaper_lets_out_passes_a_policer_of_the_same_contract(
            pcr in 100_000_u64..2_000_000, part in 0.01_f64..1.0, mbs in 1_u64..50,
            tolerance in 0_u64..10_000,
            cells in proptest::collection::vec((0_u64..20_000, 0_u64..500), 1..200),
        ) {
            let (pcr, tolerance) = (Rate::kbps(pcr), Span::from_ps(tolerance * 1_000));
            let (scr, mbs) = (pcr.scaled(part), Cells(mbs));
            let mut shaper = Shaper::new(pcr, tolerance, Some((scr, mbs)));
            let sustained = Sustained { scr, mbs, scope: Scope::Clp01 };
            let mut policer = Policer::new(pcr, tolerance, Some(sustained), Action::Discard);
            let mut now = Time::ZERO;
            for (gap_ns, late_ns) in cells {
                now = shaper.earliest(now + Span::from_ps(gap_ns * 1_000));
                now += Span::from_ps(late_ns * 1_000);
                shaper.on_departure(now);
                prop_assert_eq!(policer.police(now, false, false), Verdict::Pass);
            }
        }
    }
}
