//! The cells of a process: runs of evenly spaced cells.

use celltrain_proto::traffic::{Arrivals, Traffic};
use celltrain_proto::units::{Span, Time};

/// A process and its present run of evenly spaced cells.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Process {
    traffic: Traffic,
    gap: Span,
    /// The number of cells of the run after the next one.
    more: u32,
}

impl Process {
    pub(in crate::engine) fn new(traffic: Traffic) -> Self {
        Self {
            traffic,
            gap: Span::ZERO,
            more: 0,
        }
    }

    /// When the cell after the one at `at` comes.
    #[inline]
    pub(super) fn after(&mut self, at: Time) -> Time {
        let (gap, _) = self.run();
        self.more -= 1;
        at.saturating_add(gap)
    }

    /// The gap of the present run, and how many of its cells follow the next one.
    #[inline]
    pub(super) fn run(&mut self) -> (Span, u32) {
        if self.more == 0 {
            (self.gap, self.more) = self.traffic.run();
        }
        (self.gap, self.more)
    }

    /// Takes the cells of the run from `at` up to `until`; returns their gap, their number including the first, and when
    /// the next cell comes.
    #[inline]
    pub(super) fn take(&mut self, at: Time, until: Time) -> (Span, u32, Time) {
        if self.more == 0 {
            (self.gap, self.more) = self.traffic.run();
            if self.more == 1 {
                return (Span::ZERO, 1, self.after(at));
            }
        }
        let gap = self.gap;
        let more = (until - at).as_ps().checked_div(gap.as_ps());
        let more = more.unwrap_or(u64::MAX).min(u64::from(self.more)) as u32;
        self.more -= more;
        let last = at.saturating_add(gap * u64::from(more));
        (gap, more + 1, self.after(last))
    }
}

#[cfg(test)]
mod tests {
    use celltrain_proto::random::Stream;
    use celltrain_proto::traffic::{Parameters, PulsesParameters, Run, TrafficSource};
    use celltrain_proto::units::{CELL_BITS, Rate};

    use super::*;

    /// Three cells, 1 ms apart, every 10 ms.
    fn pulses() -> Process {
        let pulses = Parameters::Pulses(PulsesParameters {
            peak: Rate::bps(1_000.0 * CELL_BITS as f64),
            period: Span::from_ms(10),
            duty_cycle: 0.25,
        });
        let run = Run {
            bits: CELL_BITS,
            stream: Stream::named(1, "pulses"),
            horizon: Span::MAX,
        };
        Process::new(pulses.start(run).expect("pulses are not greedy"))
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn a_run_is_taken_up_to_an_instant_and_goes_on_behind_it() {
        let mut process = pulses();
        let gap = Span::from_ms(1);
        assert_eq!(process.take(ms(0), ms(1)), (gap, 2, ms(2)));
        let (_, count, next) = process.take(ms(2), ms(9));
        assert_eq!((count, next), (1, ms(10)));
        assert_eq!(process.take(ms(10), ms(99)), (gap, 3, ms(20)));
    }

    #[test]
    fn cells_one_by_one_come_when_those_of_runs_do() {
        let mut process = pulses();
        let mut at = ms(0);
        for expected in [1, 2, 10, 11, 12, 20] {
            at = process.after(at);
            assert_eq!(at, ms(expected));
        }
    }
}
