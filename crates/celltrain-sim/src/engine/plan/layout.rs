//! What a plan comes to: ports, channels, and who acts for them.

use celltrain_proto::units::{Span, Time};

use crate::engine::schedule::timed::Timed;
use crate::engine::state::mode::{Mode, Why};
use crate::engine::trains::channel::Channel;
use crate::engine::trains::port::Port;

/// Lazy evaluation of a network.
pub(in crate::engine) struct Layout {
    pub(in crate::engine) ports: Vec<Port>,
    pub(in crate::engine) channels: Vec<Channel>,
    /// Links and channels in the order in which they act at one instant.
    pub(in crate::engine) timed: Vec<Timed>,
    /// How each link is evaluated, and why.
    pub(in crate::engine) links: Vec<(Mode, Why)>,
    /// By direction: why its source is evaluated lazily, or cell by cell; none where it has no hops.
    pub(in crate::engine) sources: Vec<Option<(bool, Why)>>,
    /// After so long everything is brought up to date.
    pub(in crate::engine) chunk: Span,
}

/// A port without inputs.
pub(in crate::engine) fn port(mode: Mode) -> Port {
    Port::new(mode, Box::default(), Box::default(), Span::ZERO)
}

/// The first instant at which that happens.
pub(in crate::engine) fn first_chunk(layout: &Layout) -> Time {
    if layout.channels.is_empty() {
        Time::NEVER
    } else {
        Time::ZERO + layout.chunk
    }
}
