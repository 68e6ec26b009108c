//! What a part of a network could need.

/// Octets of memory for a PDU that waits or is in flight: its record, in a queue that doubles when it is full.
pub(super) const PDU: f64 = 400.0;

/// Segments of the largest initial window, and a few in reserve (RFC 6928 2: ten).
pub(super) const FIRST_WINDOW: f64 = 16.0;

/// Memory that one part of a network could need.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Demand {
    /// The part, as in "the queue of link l".
    pub(super) of: String,
    /// The section of the scenario that describes it.
    pub(super) section: &'static str,
    /// The octets.
    pub(super) octets: f64,
}
