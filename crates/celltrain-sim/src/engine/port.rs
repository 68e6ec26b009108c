//! How the engine treats a link, and what a link that is evaluated lazily needs beside it.

use celltrain_proto::units::{Span, Time};

use super::calendar::Calendar;

/// How a link is treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Treatment {
    /// Each arrival of a cell at its far end is an event.
    Each,
    /// Its cells are taken one by one, but only when somebody asks.
    OneByOne,
    /// A first-come-first-served queue of constant rate: trains are taken whole, when somebody asks.
    Whole,
    /// A mere delay, for cells that must be looked at before it.
    Delay,
    /// It never holds up a cell: channels lead over it, and no cell is looked at here.
    Leapt,
}

/// What a link is evaluated by.
#[derive(Debug)]
pub(super) struct Port {
    pub(super) treatment: Treatment,
    /// The channels that lead here, in the order in which their cells take turns at one instant.
    pub(super) channels: Box<[u32]>,
    /// When the first cell of each of them arrives.
    pub(super) arrivals: Calendar,
    /// All cells that arrive before this instant have been taken.
    pub(super) done: Time,
    /// The event during which it was last evaluated for the present instant.
    pub(super) event: u64,
    /// The time between arrival and departure by which it can be behind what asks it; zero where it takes
    /// cells one by one.
    pub(super) transmission: Span,
    /// Cells in the queue, at least, whose departures must not be missed. Those that queue management drops
    /// may still be counted.
    pub(super) marked: u32,
}

impl Port {
    pub(super) fn new(treatment: Treatment, channels: Box<[u32]>, transmission: Span) -> Self {
        Self {
            treatment,
            arrivals: Calendar::new(channels.len()),
            channels,
            done: Time::ZERO,
            event: u64::MAX,
            transmission,
            marked: 0,
        }
    }

    /// Whether the link is evaluated when somebody asks, not cell by cell.
    pub(super) fn is_lazy(&self) -> bool {
        !matches!(self.treatment, Treatment::Each | Treatment::Leapt)
    }
}
