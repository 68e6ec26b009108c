//! The network that a scenario describes: groups written out, names resolved, sizes checked.

mod abr;
mod admission;
mod advice;
mod arrivals;
mod backlog;
mod build;
mod check;
mod cost;
mod flows;
mod groups;
mod name;
mod record;
mod route;

use std::sync::Arc;

use celltrain_proto::units::{Cells, Span, Time};

use crate::scenario::{
    Application, AtEnd, ClassBuffers, Control, Credit, Direction, Discard, Encapsulation, Gfc,
    Host, Jitter, LineRate, Loss, OnRateChange, Police, PriorityLoad, Problem, QueueManagement,
    Scenario, Scheduling, Service, Sockets, SourceDrop, Start, Tcp, Traffic, Udp, WarningCode,
};

pub(crate) use abr::abr_parameters;
pub use advice::Advice;
pub use cost::Cost;
pub(crate) use cost::cells_by_link;
pub use flows::ETHERNET_MTU;
pub use name::Name;
pub use record::{FlowQuantity, LinkQuantity, Record, VcQuantity};

/// A network ready to be simulated. Nodes, links, VCs, flows and backgrounds are referred to by index.
#[derive(Clone, Debug)]
pub struct Network {
    /// Hosts, switches, LANs and routers.
    pub nodes: Vec<Node>,
    /// What is written of the hosts, which are the first of `nodes`.
    pub hosts: Vec<Host>,
    /// One-way links.
    pub links: Vec<Link>,
    /// Virtual channel connections; the index breaks ties between cells.
    pub vcs: Vec<Vc>,
    /// TCP connections.
    pub flows: Vec<Flow>,
    /// Cells below TCP.
    pub backgrounds: Vec<Background>,
    /// Recorded time series.
    pub probes: Vec<Probe>,
    /// Start of the measured interval.
    pub warm_up: Time,
    /// Its parts that are measured by themselves; none without them.
    pub parts: u32,
    /// End of the run.
    pub end: Time,
    /// Codes of warnings that are not given.
    pub silence: Vec<WarningCode>,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// An end system.
    Host,
    /// A node that forwards cells.
    Switch,
    /// A queue that all VCs share that cross it, whichever way.
    Lan,
    /// An end of VCs that carry others.
    Router,
}

impl NodeKind {
    /// As in the sections of a scenario, in the singular.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Switch => "switch",
            Self::Lan => "lan",
            Self::Router => "router",
        }
    }
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its name, with the member's number in a group.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
}

/// A one-way link and the queue in front of it; or a LAN, which leads from itself to itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Its name, with the member's number in a group. The two directions of a `between` share it.
    pub name: String,
    /// Whether it is the second direction of a `between`.
    pub is_back: bool,
    /// The node that sends.
    pub from: usize,
    /// The node that receives.
    pub to: usize,
    /// Delay, that of the switches at its ends included.
    pub delay: Span,
    /// The part of it that switches take.
    pub switch_delay: Span,
    /// The queue and the line behind it; `None` for a pure delay.
    pub line: Option<Line>,
    /// Losses on the way.
    pub loss: Option<Loss>,
    /// Added delay.
    pub jitter: Option<Jitter>,
}

/// A queue and the line that serves it.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Line rate.
    pub rate: LineRate,
    /// Cells that the queue can hold, the one in transmission included; [`UNLIMITED`] of a LAN without bounds.
    pub buffer: u32,
    /// What becomes of a cell in transmission when the rate changes.
    pub on_rate_change: OnRateChange,
    /// Order of service.
    pub scheduling: Scheduling,
    /// Buffers of single classes.
    pub class_buffers: ClassBuffers,
    /// Which cells are refused before the queue is full.
    pub discard: Option<Discard>,
    /// Where cells of low priority are refused.
    pub clp_threshold: Option<u32>,
    /// Active queue management.
    pub queue_management: Option<QueueManagement>,
    /// Credit flow control with the node behind.
    pub credit: Option<Credit>,
    /// Switch algorithm.
    pub control: Option<Control>,
    /// When the switch algorithm counts cells of higher priority.
    pub priority_load: PriorityLoad,
    /// GFC.
    pub gfc: Option<Gfc>,
}

/// A VC: both directions of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Vc {
    /// Its name, with the member's number in a group.
    pub name: Name,
    /// The nodes of its route, forward.
    pub nodes: Arc<[usize]>,
    /// How IP packets go into AAL5.
    pub encapsulation: Encapsulation,
    /// Its share in fair queues.
    pub weight: f64,
    /// Cells that can wait at each of its ends.
    pub source_buffer: u64,
    /// What becomes of a segment that finds no room there.
    pub source_drop: SourceDrop,
    /// The switches that end its ABR loops and start new ones, if there are any.
    pub virtual_ends: Option<Box<VirtualEnds>>,
    /// The two directions, forward first.
    pub directions: [VcDirection; 2],
}

/// Switches that end the ABR loops of a VC and start new ones.
#[derive(Clone, PartialEq, Debug)]
pub struct VirtualEnds {
    /// The switches.
    pub at: Vec<usize>,
    /// What the queue of such a switch may hold without lowering the rate of the loop before.
    pub queue_target: Cells,
    /// Most cells of that queue.
    pub buffer: Option<u64>,
}

/// A buffer without bounds.
pub const UNLIMITED: u32 = u32::MAX;

/// A stretch of a VC's way over which another VC, between two routers, carries its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    /// Where it begins: an index into the links of the way.
    pub first: usize,
    /// How many links it has.
    pub links: usize,
    /// The direction of the VC that carries: 2 x VC + (0 forward, 1 backward).
    pub by: usize,
}

/// One direction of a VC.
#[derive(Clone, PartialEq, Debug)]
pub struct VcDirection {
    /// The links on the way, which VCs share that take it.
    pub links: Arc<[usize]>,
    /// Where other VCs carry its cells.
    pub carried: Box<[Carried]>,
    /// Service category and parameters, which the VCs of a group share.
    pub service: Arc<Service>,
    /// Usage parameter control at the first switch.
    pub police: Option<Arc<Police>>,
    /// How many links forward RM cells cross before they are turned round; all of them without a local loop.
    pub loop_links: usize,
}

/// Packets of a connection, or of an application that needs none.
#[derive(Clone, PartialEq, Debug)]
pub struct Flow {
    /// Its name, with the member's number in a group.
    pub name: String,
    /// The VC.
    pub vc: usize,
    /// The direction of the data.
    pub direction: Direction,
    /// When it starts.
    pub start: Start,
    /// How long it sends.
    pub duration: Option<Span>,
    /// How it ends then.
    pub at_end: AtEnd,
    /// The TCP at both ends.
    pub tcp: Tcp,
    /// What the application sends.
    pub application: Application,
    /// Socket buffers, and how fast they are filled and emptied.
    pub sockets: Sockets,
    /// Packets without TCP, in place of all that.
    pub udp: Option<Udp>,
    /// Where the connection has data both ways: the flow of its other direction.
    pub partner: Option<Partner>,
}

/// The other direction of a connection with data both ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partner {
    /// Its flow.
    pub flow: usize,
    /// Whether it is this direction that opens the connection.
    pub opens: bool,
}

/// Cells below TCP.
#[derive(Clone, PartialEq, Debug)]
pub struct Background {
    /// What it shares with the others of its group.
    pub group: Arc<BackgroundGroup>,
    /// Its number in a group, from 1 on.
    pub member: Option<u32>,
    /// The VC.
    pub vc: u32,
}

/// Backgrounds that differ only in their VC.
#[derive(Clone, PartialEq, Debug)]
pub struct BackgroundGroup {
    /// As in the scenario.
    pub name: String,
    /// The direction of the cells.
    pub direction: Direction,
    /// When the first cell leaves.
    pub start: Start,
    /// The process of cell arrivals.
    pub traffic: Traffic,
}

impl Background {
    /// Its name, with the member's number in a group.
    pub fn name(&self) -> String {
        let name = &self.group.name;
        self.member
            .map_or_else(|| name.clone(), |member| format!("{name}{member}"))
    }

    /// The direction of a VC that it feeds: 2 x VC + (0 forward, 1 backward).
    pub fn feeds(&self) -> usize {
        2 * self.vc as usize + self.group.direction.index()
    }
}

/// When a probe takes samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleTimes {
    /// So often.
    Every(Span),
    /// At each event of the retransmission timer of the flow of this index.
    EventsOf(usize),
}

/// A table of samples.
#[derive(Clone, PartialEq, Debug)]
pub struct Probe {
    /// Its name.
    pub name: String,
    /// When samples are taken.
    pub at: SampleTimes,
    /// Columns: the text as written, and what it refers to.
    pub columns: Vec<(String, Record)>,
}

impl Probe {
    /// Columns of its table behind the instants, with their units.
    pub fn table_columns(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let of_events: &[(&str, &str)] = match self.at {
            SampleTimes::Every(_) => &[],
            SampleTimes::EventsOf(_) => &EVENT_COLUMNS,
        };
        let recorded = self.columns.iter();
        let recorded = recorded.map(|(text, record)| (text.as_str(), record.unit()));
        of_events.iter().copied().chain(recorded)
    }
}

/// What a row for an event tells of the event.
pub const EVENT_COLUMNS: [(&str, &str); 4] = [
    ("is_timeout", "1"),
    ("rtt_s", "s"),
    ("srtt_s", "s"),
    ("rto_s", "s"),
];

impl Link {
    /// The name that no other one-way link has: the second direction of a `between` ends in `.back`.
    pub fn unique_name(&self) -> String {
        let way = if self.is_back { ".back" } else { "" };
        format!("{}{way}", self.name)
    }
}

/// Most links that all directions of all VCs cross together.
pub const MOST_HOPS: usize = 1 << 24;

impl Network {
    /// The network that `scenario` describes, or the first problem found.
    pub fn new(scenario: &Scenario) -> Result<Self, Problem> {
        check::values(scenario)?;
        let network = build::network(scenario)?;
        admission::check(&network)?;
        cost::Cost::of(&network).within(&scenario.limits)?;
        backlog::check(&network)?;
        Ok(network)
    }
}

impl VcDirection {
    /// The stretch over which another VC carries its cells, where link number `at` of its way lies in one.
    pub fn carried_at(&self, at: usize) -> Option<&Carried> {
        let mut carried = self.carried.iter();
        carried.find(|it| (it.first..it.first + it.links).contains(&at))
    }
}

/// The way of a VC, forward.
#[derive(Clone, PartialEq, Debug)]
pub struct Route {
    /// The nodes that its cells pass, those of VCs that carry it included.
    pub nodes: Vec<usize>,
    /// Delay of all links and LANs, without transmission times.
    pub delay: Span,
    /// The same without the time in switches.
    pub propagation_delay: Span,
}

impl Network {
    /// The way of VC number `vc`.
    pub fn route(&self, vc: usize) -> Route {
        let vc = &self.vcs[vc];
        let ways = vc.directions[0].links.iter();
        let links = || ways.clone().map(|&link| &self.links[link]);
        let ends = [vc.nodes.first(), vc.nodes.last()].map(Option::<&usize>::copied);
        let [first, last] = ends;
        // A LAN leads from itself to itself, between nodes that other links or the ends name.
        let inner = links().flat_map(|link| [link.from, link.to]);
        let mut nodes: Vec<usize> = first.into_iter().chain(inner).chain(last).collect();
        nodes.dedup();
        let sum = |of: fn(&Link) -> Span| links().map(of).fold(Span::ZERO, |sum, it| sum + it);
        let delay = sum(|link| link.delay);
        Route {
            nodes,
            delay,
            propagation_delay: delay - sum(|link| link.switch_delay),
        }
    }

    /// For each link whether a probe looks at more of it than its rate.
    pub(crate) fn probed_links(&self) -> Vec<bool> {
        let mut is_probed = vec![false; self.links.len()];
        for &(_, record) in self.probes.iter().flat_map(|probe| &probe.columns) {
            if let Record::Link(link, quantity) = record {
                is_probed[link] |= quantity != LinkQuantity::Rate;
            }
        }
        is_probed
    }

    /// One direction of a VC: 2 x VC + (0 forward, 1 backward).
    pub fn direction(&self, number: usize) -> &VcDirection {
        &self.vcs[number / 2].directions[number % 2]
    }

    /// The direction that gives the cells of direction `number` their service on link number `at` of their way:
    /// itself, or the one that carries them.
    pub fn carrier_at(&self, number: usize, at: usize) -> usize {
        let carried = self.direction(number).carried_at(at);
        carried.map_or(number, |carried| carried.by)
    }

    /// The ends of the parts of the measured interval, the last one its own end.
    pub fn part_ends(&self) -> impl Iterator<Item = Time> + '_ {
        let length = u128::from((self.end - self.warm_up).as_ps());
        let parts = u128::from(self.parts);
        (1..=parts).map(move |part| self.warm_up + Span::from_ps((length * part / parts) as u64))
    }
}

impl Direction {
    /// 0 for forward, 1 for backward: index into [`Vc::directions`].
    pub const fn index(self) -> usize {
        self as usize
    }
    /// The other direction.
    #[must_use]
    pub const fn reverse(self) -> Self {
        match self {
            Self::Forward => Self::Backward,
            Self::Backward => Self::Forward,
        }
    }
    /// As written in scenarios and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}
