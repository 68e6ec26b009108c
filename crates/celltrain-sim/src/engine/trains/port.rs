//! What lazy evaluation adds to a link.

use std::collections::VecDeque;

use celltrain_proto::units::{Span, Time};

use crate::engine::state::mode::Mode;
use crate::engine::state::room::{Exhausted, Room, make_room_in};
use crate::engine::trains::group::SourceGroup;
use crate::engine::trains::lookahead::Lookahead;

/// The state of lazy evaluation of a link.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Port {
    pub(in crate::engine) mode: Mode,
    /// The channels that lead here, in the order in which their cells take turns at one instant.
    pub(in crate::engine) channels: Box<[u32]>,
    /// The earliest arrivals by these channels.
    pub(in crate::engine) lookahead: Lookahead,
    /// The event during which it was last advanced to the present instant.
    pub(in crate::engine) event: u64,
    /// Its number in the calendar, if it is the port of a tunnel VC.
    pub(in crate::engine) actor: usize,
    /// The channels that the link fills.
    pub(in crate::engine) fills: Box<[u32]>,
    /// The minimum spacing of arriving cells.
    pub(in crate::engine) spacing: Span,
    /// The source group of the inputs that are processes, if there are several.
    pub(in crate::engine) group: Option<Box<SourceGroup>>,
    /// The direction whose source alone fills the queue, if its cells pass the queue as they leave: the queue is advanced
    /// with the source.
    pub(in crate::engine) owner: Option<u32>,
    /// Whether event cells are not events here: they are taken on demand like all others, and the ends of the channels
    /// that the link fills know when one of them can arrive.
    pub(in crate::engine) passes_event_cells: bool,
    /// Event cells in the queue of a link that takes cells one by one.
    pub(in crate::engine) event_cells: EventCells,
    /// Whether cells that leave at one instant are in the order of their channels.
    pub(in crate::engine) turns: OrderWatch,
}

/// Watches the order in which cells leave a link at one instant, because only channel numbers record it.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct OrderWatch {
    is_watched: bool,
    /// When the last cell left; below, its channel.
    at: Time,
    channel: u32,
    are_lost: bool,
}

impl OrderWatch {
    /// Starts to watch the order.
    pub(in crate::engine) fn watch(&mut self) {
        self.is_watched = true;
    }

    /// Notes that cells leave through channel number `channel`, the first and the last at these instants.
    #[inline]
    pub(in crate::engine) fn leave(&mut self, channel: u32, first: Time, last: Time) {
        if self.is_watched {
            self.are_lost |= first == self.at && channel < self.channel;
            (self.at, self.channel) = (last, channel);
        }
    }

    /// Whether cells have left in an order other than that of their channels.
    pub(in crate::engine) fn are_lost(self) -> bool {
        self.are_lost
    }
}

impl Port {
    pub(in crate::engine) fn new(
        mode: Mode,
        channels: Box<[u32]>,
        fills: Box<[u32]>,
        latency: Span,
    ) -> Self {
        Self {
            mode,
            lookahead: Lookahead::new(channels.len(), latency),
            channels,
            event: u64::MAX,
            actor: usize::MAX,
            fills,
            spacing: Span::ZERO,
            group: None,
            owner: None,
            passes_event_cells: false,
            event_cells: EventCells::default(),
            turns: OrderWatch::default(),
        }
    }

    /// Whether the link is evaluated on demand, not cell by cell.
    #[inline]
    pub(in crate::engine) fn is_lazy(&self) -> bool {
        self.mode.is_lazy()
    }

    /// Whether input number `input` belongs to the source group.
    #[inline]
    pub(in crate::engine) fn is_in_group(&self, input: usize) -> bool {
        let group = self.group.as_deref();
        group.is_some_and(|group| group.inputs.contains(&input))
    }

    /// A lower bound on the next arrival by input number `input`.
    pub(in crate::engine) fn lower_bound_of(&self, input: usize) -> Time {
        match &self.group {
            // The channels of the source group are of no use here: the group takes their cells before they arrive.
            Some(group) if group.inputs.contains(&input) => {
                group.next_arrival().min(self.lookahead.group())
            }
            _ => self.lookahead.lower_bound_of(input),
        }
    }

    /// Recomputes the lookahead after the link has taken what has arrived.
    #[inline]
    pub(in crate::engine) fn renew_lookahead(&mut self) {
        let group = self.group.as_ref();
        self.lookahead
            .renew(group.map_or(Time::NEVER, |group| group.next_arrival()));
    }
}

/// The positions of a link's event cells in its queues.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct EventCells {
    queues: Vec<QueueEventCells>,
    /// Whether positions mean nothing, because queue management drops waiting cells.
    pub(in crate::engine) are_vague: bool,
}

#[derive(Clone, Debug, Default)]
struct QueueEventCells {
    taken: u64,
    left: u64,
    /// The positions of the event cells among the cells taken.
    event_cells: VecDeque<u64>,
}

impl EventCells {
    /// Notes that a cell joins queue number `queue`.
    #[inline]
    pub(in crate::engine) fn on_arrival(&mut self, queue: u32, is_event: bool) {
        let queue = queue as usize;
        if queue >= self.queues.len() {
            self.queues.resize_with(queue + 1, QueueEventCells::default);
        }
        let queue = &mut self.queues[queue];
        queue.taken += 1;
        if is_event {
            queue.event_cells.push_back(queue.taken);
        }
    }

    /// Notes that a cell has left queue number `queue`.
    #[inline]
    pub(in crate::engine) fn on_departure(&mut self, queue: u32, is_event: bool) {
        let queue = &mut self.queues[queue as usize];
        queue.left += 1;
        if is_event {
            queue.event_cells.pop_front();
        }
    }

    /// Notes that all queues are empty.
    pub(in crate::engine) fn clear(&mut self) {
        for queue in &mut self.queues {
            queue.event_cells.clear();
            queue.left = queue.taken;
        }
    }

    /// The earliest departure, counted from now, that can be that of an event cell; `None` if there is no event cell.
    pub(in crate::engine) fn first(&self) -> Option<u64> {
        let first = |queue: &QueueEventCells| {
            Some(queue.event_cells.front()?.saturating_sub(queue.left).max(1))
        };
        let first = self.queues.iter().filter_map(first).min()?;
        Some(if self.are_vague { 1 } else { first })
    }
}

impl Room for Port {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        // A source group holds about as many cells as are put in order at once.
        let queues = self.event_cells.queues.iter_mut();
        make_room_in(queues.map(|queue| &mut queue.event_cells))
    }
}
