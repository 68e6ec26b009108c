//! Steps of simulated time that all of the engine knows.

use celltrain_proto::units::{Span, Time};

/// The smallest step of time.
pub(in crate::engine) const STEP: Span = Span::from_ps(1);

/// The longest time of a chunk after which everything is brought up to date, so that channels stay short. Sources of
/// processes fill their channels no further ahead.
///
/// A choice, where shorter ones begin to cost. Of the workloads in `benches`, `greedy-tcp` takes 1.15 times the CPU time with
/// chunks of 5 ms and 1.8 times with 1 ms, `adsl` 1.2 times with both. Longer ones let channels grow, and gain little: with
/// 400 ms `adsl` takes 0.86 times and `greedy-tcp` 0.96 times as long; `chain`, `lan` and `many` do not change.
pub(in crate::engine) const CHUNK: Span = Span::from_ms(25);

/// `time - span`, if that is not before the start.
pub(in crate::engine) fn minus(time: Time, span: Span) -> Option<Time> {
    (time - Time::ZERO >= span).then(|| time - span)
}
