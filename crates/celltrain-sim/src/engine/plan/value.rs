//! The contents of a plan.

use std::collections::BTreeMap;
use std::ops::Range;

use celltrain_proto::units::{Span, Time};

use crate::engine::schedule::timed::Timed;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::mode::{EventReach, Mode, Why};
use crate::engine::trains::channel::{Course, Origin};

/// How a network is evaluated.
#[derive(Debug)]
pub(in crate::engine) struct Plan {
    /// The links, then the tunnel VCs that are evaluated in trains.
    pub(in crate::engine) stages: Vec<StagePlan>,
    /// The channels, in the order in which they act at one instant.
    pub(in crate::engine) channels: Vec<Course>,
    /// By hop; empty for the cell engine.
    pub(in crate::engine) hops: Vec<HopPlan>,
    /// By hop: where cells go from the lazily evaluated tunnel VC that takes them up downstream of it.
    pub(in crate::engine) resumes: BTreeMap<u32, Lead>,
    pub(in crate::engine) sources: ByDirection<SourcePlan>,
    /// Links, channels and tunnel VCs in the order in which they act at one instant.
    pub(in crate::engine) timed: Vec<Timed>,
    /// The interval after which everything is advanced.
    pub(in crate::engine) chunk: Span,
}

/// How a link, or the queue of a tunnel VC, is evaluated.
#[derive(Clone, Debug)]
pub(in crate::engine) struct StagePlan {
    pub(in crate::engine) mode: Mode,
    pub(in crate::engine) why: Why,
    /// The channels that lead here, in the order in which their cells take turns at one instant.
    pub(in crate::engine) inputs: Box<[u32]>,
    /// The channels that it fills; below, those of them that not all its inputs feed.
    pub(in crate::engine) fills: Box<[u32]>,
    pub(in crate::engine) split: Box<[u32]>,
    /// The shortest time from the arrival of a cell to its departure.
    pub(in crate::engine) transmission: Span,
    /// The minimum spacing of arriving cells.
    pub(in crate::engine) spacing: Span,
    pub(in crate::engine) group: Option<GroupPlan>,
    /// The direction whose source alone fills the queue, if its cells pass the queue as they leave.
    pub(in crate::engine) owner: Option<u32>,
    /// Whether event cells are not events here.
    pub(in crate::engine) passes_event_cells: bool,
    /// Whether event cells may leave earlier than their positions in the queue suggest.
    pub(in crate::engine) are_places_vague: bool,
    /// Whether the order of departures at one instant is watched.
    pub(in crate::engine) is_watched: bool,
}

/// The source group of a stage.
#[derive(Clone, Debug)]
pub(in crate::engine) struct GroupPlan {
    /// The inputs that are processes.
    pub(in crate::engine) inputs: Range<usize>,
    /// The directions that come by these inputs, in order.
    pub(in crate::engine) members: Vec<MemberPlan>,
    /// Whether all its cells are of the first class of a strict-priority queue.
    pub(in crate::engine) goes_first: bool,
}

/// A direction that comes by a source group.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct MemberPlan {
    /// Its hop at the stage.
    pub(in crate::engine) hop: u32,
    /// The time from a cell's departure from the stage to its end, if it is only counted there.
    pub(in crate::engine) to_sink: Option<Span>,
}

/// How the cells of a direction are evaluated on a link.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct HopPlan {
    /// Whether each cell that comes over the link is an event.
    pub(in crate::engine) shows_each: bool,
    /// Where cells go next, if the link is evaluated in trains.
    pub(in crate::engine) lead: Option<Lead>,
}

/// Where cells go next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) struct Lead {
    /// The channel.
    pub(in crate::engine) channel: u32,
    /// How many hops downstream the channel leads.
    pub(in crate::engine) hops: u32,
}

/// How the source of a direction is evaluated.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct SourcePlan {
    /// Whether it sends in trains.
    pub(in crate::engine) is_lazy: bool,
    /// The reason; `None` if the direction has no hops.
    pub(in crate::engine) why: Option<Why>,
    /// How far its event cells travel before they become events.
    pub(in crate::engine) event_reach: EventReach,
    /// Where its cells go, unless they enter their first link one by one.
    pub(in crate::engine) way: Option<Lead>,
    /// The stage of a tunnel VC that is evaluated in trains.
    pub(in crate::engine) port: Option<u32>,
}

impl Plan {
    /// The first instant at which everything is advanced.
    pub(in crate::engine) fn first_chunk(&self) -> Time {
        if self.channels.is_empty() {
            Time::NEVER
        } else {
            Time::ZERO + self.chunk
        }
    }

    /// The mode of a stage.
    pub(super) fn mode(&self, stage: usize) -> Mode {
        self.stages[stage].mode
    }

    /// The stage that fills a channel; `None` if an ordinary source fills it.
    pub(super) fn filler(&self, course: &Course) -> Option<u32> {
        match course.origin {
            Origin::Link(link) => Some(link),
            Origin::Source(direction) => self.sources[direction as usize].port,
        }
    }

    /// Renumbers channels: `place` has the new number of each old one.
    pub(super) fn renumber(&mut self, place: &[u32]) {
        let hops = self.hops.iter_mut().filter_map(|hop| hop.lead.as_mut());
        let sources = self.sources.iter_mut();
        let sources = sources.filter_map(|source| source.way.as_mut());
        for lead in hops.chain(self.resumes.values_mut()).chain(sources) {
            lead.channel = place[lead.channel as usize];
        }
    }
}

impl StagePlan {
    /// A stage without inputs.
    pub(super) fn new((mode, why): (Mode, Why)) -> Self {
        Self {
            mode,
            why,
            inputs: Box::default(),
            fills: Box::default(),
            split: Box::default(),
            transmission: Span::ZERO,
            spacing: Span::ZERO,
            group: None,
            owner: None,
            passes_event_cells: false,
            are_places_vague: false,
            is_watched: false,
        }
    }
}

impl SourcePlan {
    /// A source that sends cell by cell.
    pub(super) const PER_CELL: Self = Self {
        is_lazy: false,
        why: None,
        event_reach: EventReach::Departure,
        way: None,
        port: None,
    };
}
