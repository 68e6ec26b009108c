//! What a plan says.

use std::collections::BTreeMap;
use std::ops::Range;

use celltrain_proto::units::{Span, Time};

use crate::engine::schedule::timed::Timed;
use crate::engine::source::Ahead;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::mode::{Mode, Why};
use crate::engine::trains::channel::{Course, Origin};

/// How a network is evaluated.
#[derive(Debug)]
pub(in crate::engine) struct Plan {
    /// By link, and behind them by tunnel VC that is evaluated in trains.
    pub(in crate::engine) stages: Vec<StagePlan>,
    /// The channels, in the order in which they act at one instant.
    pub(in crate::engine) channels: Vec<Course>,
    /// By hop; none in the cell engine.
    pub(in crate::engine) hops: Vec<HopPlan>,
    /// By hop behind which a tunnel VC takes cells up that is evaluated in trains: where they go on.
    pub(in crate::engine) resumes: BTreeMap<u32, Lead>,
    pub(in crate::engine) sources: ByDirection<SourcePlan>,
    /// Links, channels and tunnel VCs in the order in which they act at one instant.
    pub(in crate::engine) timed: Vec<Timed>,
    /// After so long everything is advanced.
    pub(in crate::engine) chunk: Span,
}

/// How a link, or the queue of a tunnel VC, is evaluated.
#[derive(Clone, Debug)]
pub(in crate::engine) struct StagePlan {
    pub(in crate::engine) mode: Mode,
    pub(in crate::engine) why: Why,
    /// The channels that lead here, in the order in which their cells take turns at one instant.
    pub(in crate::engine) inputs: Box<[u32]>,
    /// The channels that it fills, and those of them to which not all its inputs lead.
    pub(in crate::engine) fills: Box<[u32]>,
    pub(in crate::engine) split: Box<[u32]>,
    /// The least time from the arrival of a cell to its departure.
    pub(in crate::engine) transmission: Span,
    /// No two cells arrive closer to each other.
    pub(in crate::engine) spacing: Span,
    pub(in crate::engine) group: Option<GroupPlan>,
    /// The direction whose source alone fills the queue, if its cells pass it as they leave.
    pub(in crate::engine) owner: Option<u32>,
    /// Whether event cells are no events here.
    pub(in crate::engine) passes_event_cells: bool,
    /// Whether the places of event cells in the queue say nothing of when they leave.
    pub(in crate::engine) are_places_vague: bool,
    /// Whether it is watched that cells leave in the order of their channels.
    pub(in crate::engine) is_watched: bool,
}

/// The source group of a stage.
#[derive(Clone, Debug)]
pub(in crate::engine) struct GroupPlan {
    /// Those of its inputs that are processes.
    pub(in crate::engine) inputs: Range<usize>,
    /// The hops by which directions come by them, in their order.
    pub(in crate::engine) members: Vec<MemberPlan>,
    /// Whether all its cells are of the first class of a queue of classes.
    pub(in crate::engine) goes_first: bool,
}

/// A direction that comes by a source group.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct MemberPlan {
    /// Its hop at the stage.
    pub(in crate::engine) hop: u32,
    /// From a cell's departure from the stage to its end, if it is only counted there.
    pub(in crate::engine) to_sink: Option<Span>,
}

/// How the cells of a direction are evaluated on a link.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct HopPlan {
    /// Whether each cell that comes over the link is an event.
    pub(in crate::engine) shows_each: bool,
    /// Where they go, if the link is evaluated in trains.
    pub(in crate::engine) lead: Option<Lead>,
}

/// Where cells go next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) struct Lead {
    /// Into this channel.
    pub(in crate::engine) channel: u32,
    /// Which leads so many hops further.
    pub(in crate::engine) hops: u32,
}

/// How the source of a direction is evaluated.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct SourcePlan {
    /// Whether it sends in trains.
    pub(in crate::engine) is_lazy: bool,
    /// Why; `None` where the direction has no hops.
    pub(in crate::engine) why: Option<Why>,
    /// How far its event cells get before one of them is an event.
    pub(in crate::engine) ahead: Ahead,
    /// Where its cells go, if not to their first link one by one.
    pub(in crate::engine) way: Option<Lead>,
    /// The stage that it is, if it is a tunnel VC that is evaluated in trains.
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

    /// The stage that fills a channel, if it is no mere source.
    pub(super) fn filler(&self, course: &Course) -> Option<u32> {
        match course.origin {
            Origin::Link(link) => Some(link),
            Origin::Source(direction) => self.sources[direction as usize].port,
        }
    }

    /// Channels have come to other places: those of old numbers to these.
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
        ahead: Ahead::No,
        way: None,
        port: None,
    };
}
