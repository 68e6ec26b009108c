//! Propagation that varies. Cells of a virtual channel keep their order (ITU-T I.150), so a cell whose own delay is short
//! waits for the one before it; frames may overtake each other.
//!
//! Two things vary it: a process, by which the delay of all cells follows time, and jitter, which draws an addition for
//! each cell. A process is one file with its parameters and a row below, as which a scenario is read.

mod list;

pub use list::{DelayList, DelayListParameters, DelayStep, Interpolation};

use crate::line::Jitter;
use crate::units::{Span, Time};

family! {
    /// A process by which the delay of a link changes.
    pub enum DelayParameters as "DelayProcess" by "process" {
        /// A list of delays, with the times from which they apply.
        "list", "list of delays" => List(DelayListParameters);
    }
}

impl DelayParameters {
    /// Starts the process. The parameters must be valid.
    pub fn start(&self) -> DelayList {
        match self {
            Self::List(it) => it.start(),
        }
    }

    /// The shortest delay.
    pub fn shortest(&self) -> Span {
        match self {
            Self::List(it) => it.shortest(),
        }
    }

    /// The longest delay.
    pub fn longest(&self) -> Span {
        match self {
            Self::List(it) => it.longest(),
        }
    }

    /// Whether the delay is constant between two instants at which it changes.
    pub fn is_stepwise(&self) -> bool {
        match self {
            Self::List(it) => it.interpolation == Interpolation::Steps,
        }
    }
}

/// Arrivals at the far end of a line whose delay varies.
#[derive(Clone, Debug)]
pub struct VaryingDelay {
    process: Option<DelayList>,
    jitter: Option<Jitter>,
    /// Whether one whose own delay is short overtakes those before it.
    overtaking: bool,
    /// The latest arrival so far.
    last: Time,
}

impl VaryingDelay {
    /// A delay that follows `process` and has `jitter` in addition.
    pub fn new(process: Option<DelayList>, jitter: Option<Jitter>) -> Self {
        Self {
            process,
            jitter,
            overtaking: false,
            last: Time::ZERO,
        }
    }

    /// This delay; with `overtaking` one that departs later may arrive earlier.
    #[must_use]
    pub fn with_overtaking(self, overtaking: bool) -> Self {
        Self { overtaking, ..self }
    }

    /// Whether one that departs later may arrive earlier.
    pub fn is_overtaking(&self) -> bool {
        self.overtaking
    }

    /// The arrival of a cell or frame that departs at `departs` on a line whose shortest delay is `shortest`; never before
    /// that of the previous one, unless it may overtake that. Call once for each, in order of departure.
    pub fn arrival(&mut self, departs: Time, shortest: Span) -> Time {
        let mut alone = departs.saturating_add(shortest);
        if let Some(process) = &mut self.process {
            alone = alone.saturating_add(process.above_shortest(departs));
        }
        if let Some(jitter) = &mut self.jitter {
            alone = alone.saturating_add(jitter.draw(departs));
        }
        if self.overtaking {
            return alone;
        }
        self.last = self.last.max(alone);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{JitterLaw, jitter::UniformJitter};
    use crate::random::Stream;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    const fn ms(ms: u64) -> Time {
        Time::from_ps(ms * 1_000_000_000)
    }

    fn list(delays: &[(u64, u64)], repeat: Option<u64>, interpolation: Interpolation) -> DelayList {
        DelayListParameters {
            delays: delays
                .iter()
                .map(|&(at, delay)| DelayStep {
                    at: Span::from_ms(at),
                    delay: Span::from_ms(delay),
                })
                .collect(),
            repeat: repeat.map(Span::from_ms),
            interpolation,
        }
        .start()
    }

    /// When cells that depart at these instants, in ms, arrive, in ms.
    fn arrivals(process: DelayList, shortest: u64, departs: &[u64]) -> Vec<f64> {
        let mut delay = VaryingDelay::new(Some(process), None);
        let arrival = |&at: &u64| delay.arrival(ms(at), Span::from_ms(shortest)).as_secs() * 1e3;
        departs.iter().map(arrival).collect()
    }

    #[test]
    fn a_cell_has_the_delay_of_the_instant_at_which_it_departs() {
        let process = list(&[(0, 20), (15, 50), (30, 40)], None, Interpolation::Steps);
        assert_eq!(
            arrivals(process, 20, &[0, 14, 15, 29, 100]),
            [20.0, 34.0, 65.0, 79.0, 140.0]
        );
    }

    #[test]
    fn between_two_points_a_linear_delay_is_proportional_and_after_the_last_it_stays() {
        let process = list(&[(0, 20), (10, 30)], None, Interpolation::Linear);
        assert_eq!(
            arrivals(process, 20, &[0, 4, 5, 10, 90]),
            [20.0, 28.0, 30.0, 40.0, 120.0]
        );
    }

    #[test]
    fn a_linear_delay_that_repeats_returns_to_its_first_point() {
        // 20 ms at 0, 30 ms at 10 ms, 20 ms again at 30 ms: at 20 and 50 ms halfway down.
        let process = list(&[(0, 20), (10, 30)], Some(30), Interpolation::Linear);
        assert_eq!(
            arrivals(process, 20, &[10, 20, 30, 35, 50]),
            [40.0, 45.0, 50.0, 60.0, 75.0]
        );
    }

    #[test]
    fn cells_behind_a_fall_arrive_with_the_last_cell_before_it() {
        let process = list(&[(0, 50), (10, 20)], None, Interpolation::Steps);
        // What departs at 9 ms arrives at 59 ms; from 39 ms on the shorter delay shows.
        assert_eq!(
            arrivals(process, 20, &[9, 10, 38, 39, 40]),
            [59.0, 59.0, 59.0, 59.0, 60.0]
        );
    }

    fn processes() -> impl Strategy<Value = Option<DelayListParameters>> {
        let span = |least: u64| (least..5_000_000).prop_map(Span::from_ps);
        let list = (
            prop::collection::vec((span(1), span(0)), 1..6),
            prop::option::of(span(1)),
            any::<bool>(),
        );
        prop::option::of(list.prop_map(|(gaps, rest, is_linear)| {
            let mut at = Span::ZERO;
            let delays = gaps.into_iter().map(|(gap, delay)| {
                let step = DelayStep { at, delay };
                at += gap;
                step
            });
            let delays: Vec<DelayStep> = delays.collect();
            DelayListParameters {
                repeat: rest.map(|rest| at + rest),
                interpolation: if is_linear {
                    Interpolation::Linear
                } else {
                    Interpolation::Steps
                },
                delays,
            }
        }))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn cells_keep_their_order_and_no_delay_is_below_the_shortest_or_above_the_longest(
            process in processes(),
            max in prop::option::of(1..5_000_000_u64),
            gaps in prop::collection::vec(0..2_000_000_u64, 1..200),
            more in 0..9_000_000_u64,
        ) {
            let more = Span::from_ps(more);
            let longest = process.as_ref().map_or(Span::ZERO, |it| it.longest() - it.shortest());
            let (list, max) = (process.map(|it| it.start()), max.map(Span::from_ps));
            let stream = Stream::named(1, "links.up.jitter");
            let jitter = max.map(|max| Jitter::new(JitterLaw::Uniform(UniformJitter { max }), stream));
            let mut delay = VaryingDelay::new(list, jitter);
            let (mut departs, mut previous) = (Time::ZERO, Time::ZERO);
            for gap in gaps {
                departs += Span::from_ps(gap);
                let arrives = delay.arrival(departs, more);
                prop_assert!(arrives >= previous);
                prop_assert!(arrives >= departs + more);
                // No cell waits for more than the longest delay of the one before it.
                prop_assert!(arrives <= departs + more + longest + max.unwrap_or_default());
                previous = arrives;
            }
        }
    }
}
