//! Time steps that the whole engine uses.

use celltrain_proto::units::{Span, Time};

/// The smallest step of time.
pub(in crate::engine) const STEP: Span = Span::from_ps(1);

/// The longest chunk, after which everything is advanced so that channels stay short. Sources of processes fill their
/// channels no further ahead.
///
/// Shorter chunks begin to cost time at about this value. Of the workloads in `benches`, `greedy-tcp` takes 1.15 times
/// the CPU time with chunks of 5 ms and 1.8 times with 1 ms; `adsl` takes 1.2 times with both. Longer ones let channels
/// grow and gain little: with 400 ms, `adsl` takes 0.86 times and `greedy-tcp` 0.96 times as long; `chain`, `lan` and
/// `many` do not change.
pub(in crate::engine) const CHUNK: Span = Span::from_ms(25);

/// `time - span`, unless that is before the start of the run.
pub(in crate::engine) fn minus(time: Time, span: Span) -> Option<Time> {
    (time - Time::ZERO >= span).then(|| time - span)
}
