//! Steps of simulated time that all of the engine knows.

use celltrain_proto::units::{Span, Time};

/// The smallest step of time.
pub(in crate::engine) const STEP: Span = Span::from_ps(1);

/// The longest time of a chunk after which everything is brought up to date, so that channels stay short.
pub(in crate::engine) const CHUNK: Span = Span::from_ms(25);

/// `time - span`, if that is not before the start.
pub(in crate::engine) fn minus(time: Time, span: Span) -> Option<Time> {
    (time - Time::ZERO >= span).then(|| time - span)
}
