//! A network in the middle of a run: all that changes as it goes on.

use celltrain_proto::flow::credit;
use celltrain_proto::police::Policer;
use celltrain_proto::units::{Span, Time};

use crate::engine::cells::virtual_end::VirtualEnd;
use crate::engine::host::flow::Flow;
use crate::engine::host::hosts::Hosts;
use crate::engine::host::sink::Sink;
use crate::engine::link::Link;
use crate::engine::observe::capture::Observer;
use crate::engine::observe::probe::Recorder;
use crate::engine::schedule::calendar::Calendar;
use crate::engine::schedule::parts::Component;
use crate::engine::schedule::timed::Timed;
use crate::engine::schedule::turns::Turns;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::{Faults, Hop};
use crate::engine::state::rm_store::RmStore;
use crate::engine::state::sparse::Sparse;
use crate::engine::trains::bypassed::BypassedCounts;
use crate::engine::trains::channel::Channel;
use crate::engine::trains::group::Sorter;
use crate::engine::trains::merge::InputTrain;
use crate::engine::trains::port::Port;
use crate::engine::trains::serve::Served;
use crate::network::Network;

/// A network in the middle of a run.
#[derive(Clone, Debug)]
pub struct Simulation<'n> {
    pub(in crate::engine) network: &'n Network,
    pub(in crate::engine) now: Time,
    /// Who has acted at this instant.
    pub(in crate::engine) turns: Turns,
    /// When everything in the part whose turn it is is advanced next, so that channels stay short.
    pub(in crate::engine) next_chunk: Time,
    /// After so long.
    pub(in crate::engine) chunk: Span,
    /// Up to when it is run: nobody looks at its counters before.
    pub(in crate::engine) end: Time,
    pub(in crate::engine) calendar: Calendar,
    pub(in crate::engine) actors: Actors,
    pub(in crate::engine) hops: Vec<Hop>,
    /// For each hop.
    pub(in crate::engine) faults: Sparse<Faults>,
    pub(in crate::engine) links: Vec<Link>,
    /// How each link is evaluated.
    pub(in crate::engine) ports: Vec<Port>,
    pub(in crate::engine) channels: Vec<Channel>,
    /// The links and channels that are actors, in the order of the calendar.
    pub(in crate::engine) timed: Vec<Timed>,
    /// For each hop that a channel bypasses last: cells that have come to the channel's end, by kind.
    pub(in crate::engine) passed: Sparse<[u64; crate::engine::state::cell::KINDS]>,
    /// For each hop behind which cells are taken up: how many came there.
    pub(in crate::engine) came_to_tunnel: Sparse<u64>,
    /// For each link that channels bypass.
    pub(in crate::engine) bypassed: Vec<BypassedCounts>,
    /// By direction: 2 x VC + (0 forward, 1 backward). So are `sinks`.
    pub(in crate::engine) sources: ByDirection<Source>,
    pub(in crate::engine) sinks: ByDirection<Sink>,
    pub(in crate::engine) flows: Vec<Flow>,
    /// The flows whose senders wait for room at their host, by the direction of their data, each with that.
    pub(in crate::engine) waiting: Box<[(usize, usize)]>,
    pub(in crate::engine) hosts: Hosts,
    /// Of the part whose turn it is, as `events` are.
    pub(in crate::engine) rms: RmStore,
    pub(in crate::engine) policers: Vec<Policer>,
    /// Accounts of credit flow control, each at the far end of a link.
    pub(in crate::engine) credits: Vec<credit::Receiver>,
    pub(in crate::engine) virtual_ends: Vec<VirtualEnd>,
    pub(in crate::engine) recorders: Vec<Recorder>,
    /// At least one.
    pub(in crate::engine) parts: Vec<Component>,
    /// Fewer actors are no part of their own.
    pub(in crate::engine) least_part: u32,
    pub(in crate::engine) served: Served,
    /// Room that is used again where inputs are merged.
    pub(in crate::engine) coming: Vec<InputTrain>,
    /// The same where cells of source groups are put in order.
    pub(in crate::engine) order: Sorter,
    pub(in crate::engine) events: u64,
    pub(in crate::engine) observer: Observer,
}

/// Where each kind of actor starts in the calendar.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Actors {
    pub(in crate::engine) senders: usize,
    pub(in crate::engine) receivers: usize,
    pub(in crate::engine) sources: usize,
    pub(in crate::engine) virtual_ends: usize,
    pub(in crate::engine) links: usize,
}

/// How cells are moved. Both give the same results, cell for cell.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// One by one: each arrival of a cell is an event. Slow and plain, to check the other against.
    Cells,
    /// In trains, which queues take when somebody asks: only event cells are events.
    #[default]
    Trains,
}

impl Actors {
    /// Those of a network with so many probes, flows and virtual ends, in the order in which they act at one instant.
    pub(in crate::engine) fn of(
        network: &Network,
        probes: usize,
        flows: usize,
        ends: usize,
    ) -> Self {
        let receivers = probes + flows;
        let sources = receivers + flows;
        let virtual_ends = sources + 2 * network.vcs.len();
        Self {
            senders: probes,
            receivers,
            sources,
            virtual_ends,
            links: virtual_ends + ends,
        }
    }
}
