//! Evaluation modes of the stages of a network, with their reasons.

use std::fmt;

use crate::network::Network;

/// The evaluation mode of a link, or of the source of a tunnel VC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Mode {
    /// Cells cross the link without delay, so there is nothing to evaluate.
    Transparent,
    /// Cell engine, and frames in both: each arrival at the far end is an event whose instant is known as soon as the cell
    /// enters the link, and nothing inspects the cell before: a mere delay, or a FIFO queue of constant rate.
    Foreseen,
    /// Cell engine: as [`Self::Foreseen`], and nothing inspects the cells until the end of their path, or until a queue
    /// that no other link fills and where their departure is known on arrival. They go there in the event in which they
    /// enter the link.
    Immediate,
    /// Each arrival of a cell at its far end is an event.
    PerCell,
    /// It never holds up a cell: channels pass over it, and nothing inspects cells here.
    Bypassed,
    /// A mere delay, for cells that must be inspected before it.
    Delay,
    /// Cells are taken one by one, but only on demand.
    OneByOne,
    /// A FIFO queue of constant rate, which takes whole trains on demand.
    Batched,
    /// A line of constant rate that serves classes by strict priority and takes cells one by one, on demand.
    Priority,
    /// A FIFO queue with a varying rate, evaluated on demand.
    Varying,
    /// The source of a tunnel VC, which sends the cells of other VCs in this direction.
    Tunnel(u32),
}

/// How far the event cells of a lazily evaluated source travel before they become events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum EventReach {
    /// It has no event cells: it is a process whose cells the source group of a port takes as they leave.
    Group,
    /// Each is an event as it leaves.
    Departure,
    /// Up to the end of their channel.
    Channel,
    /// Through the queue of this link, which no other source fills, to the end of the channel downstream of it.
    Queue(u32),
}

impl Mode {
    /// Whether each cell that arrives at the far end is an event.
    pub(in crate::engine) fn is_by_event(self) -> bool {
        matches!(self, Self::PerCell | Self::Foreseen)
    }

    /// Whether each cell is an event or needs none, so that nothing is evaluated on demand.
    #[inline]
    pub(in crate::engine) fn is_per_cell(self) -> bool {
        matches!(
            self,
            Self::PerCell | Self::Transparent | Self::Foreseen | Self::Immediate
        )
    }

    /// Whether it is evaluated on demand.
    #[inline]
    pub(in crate::engine) fn is_lazy(self) -> bool {
        !self.is_per_cell() && self != Self::Bypassed
    }

    /// Whether it keeps cells whose departure is not yet known; then the link is due when an event cell may have
    /// departed.
    #[inline]
    pub(in crate::engine) fn keeps_cells(self) -> bool {
        matches!(self, Self::OneByOne | Self::Priority | Self::Varying)
    }

    /// Whether cells go into the next channel before they depart, as soon as their departure is known.
    pub(in crate::engine) fn sends_ahead(self) -> bool {
        matches!(self, Self::Batched | Self::Priority | Self::Varying)
    }

    /// Whether every cell departs at least a cell time after its arrival, exact to the smallest step of time.
    pub(in crate::engine) fn takes_time(self) -> bool {
        matches!(self, Self::Batched | Self::Priority)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transparent => "transparent",
            Self::Bypassed => "bypassed",
            Self::Delay => "delay",
            Self::PerCell | Self::Foreseen | Self::Immediate => "cell by cell",
            Self::OneByOne => "on demand, cell by cell",
            Self::Batched => "in trains",
            Self::Priority => "in trains, by priority",
            Self::Varying => "in trains, varying rate",
            Self::Tunnel(_) => "tunnel, in trains",
        })
    }
}

/// Why a stage is evaluated in its mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Why {
    /// It has neither rate nor delay nor losses.
    TakesNoTime,
    /// It has a delay but no rate.
    HasNoRate,
    /// Lindley's recursion gives each departure when the cell arrives.
    FirstComeConstant,
    /// Lindley's recursion gives each departure of the first class and the busy periods of the others.
    ClassesConstant,
    /// The rate is known up to its next change.
    FirstComeVarying,
    /// Cells arrive no faster than the line serves them.
    NeverHoldsUp,
    /// Cells are lost at random.
    LosesCells,
    /// Frames overtake each other.
    Overtakes,
    /// Each departure frees a credit for the node upstream.
    GrantsCredits,
    /// Cells wait for credits.
    NeedsCredits,
    /// It carries frames.
    CarriesFrames,
    /// GFC commands act on it.
    HasGfc,
    /// GFC commands follow from its queue.
    GivesGfc,
    /// Backward RM cells of its switch follow from its queue.
    MakesBecn,
    /// Each cell has a delay of its own, by jitter or because the delay changes.
    DelayVaries,
    /// Its only delay is one that varies, and can be none.
    MayTakeNoTime,
    /// The switch algorithm is told of each departure.
    AlgorithmFollows,
    /// The queue has no lazy evaluation at a varying rate.
    DisciplineVarying,
    /// The queue has no lazy evaluation.
    Discipline,
    /// It lies on a cycle of links so short that requests would go round almost forever.
    ShortCircle,
    /// It may pass cells to a tunnel VC without delay.
    BeforeTunnel,
    /// In this run cells left it at one instant in an order other than that of their channels.
    OrderLost,
    /// Nothing inspects the cells of its direction before their end.
    NothingLooks,
    /// This link on its path is evaluated cell by cell.
    BeforeLink(u32),
    /// A tunnel VC on its path, of this direction, is evaluated cell by cell.
    BeforeTunnelVc(u32),
    /// A policer inspects each cell as it enters the network.
    Policer,
    /// Each cell enters a virtual end, which forwards it at its own rate.
    VirtualEnds,
    /// Each cell waits at a shaper, which lets it go at an instant of its own.
    Shaper,
    /// Each cell carries the GFC state, or reports it to its source.
    TellsGfc,
    /// A probe counts cells on this link, which takes no time.
    Probe(u32),
    /// It shares its next link with cells that arrive over other links.
    SharesLink,
    /// The cell engine moves each cell by an event.
    CellEngine,
}

impl Why {
    /// The reason as a phrase.
    pub(in crate::engine) fn text(self, network: &Network) -> String {
        let link = |link: u32| &network.links[link as usize].name;
        let fixed = match self {
            Self::BeforeLink(number) => {
                return format!(
                    "links.{} on its path is evaluated cell by cell",
                    link(number)
                );
            }
            Self::BeforeTunnelVc(direction) => {
                let vc = &network.vcs[direction as usize / 2].name;
                return format!("the tunnel vcs.{vc} on its path is evaluated cell by cell");
            }
            Self::Probe(number) => {
                return format!(
                    "a probe counts cells on links.{}, which takes no time",
                    link(number)
                );
            }
            Self::Policer => "a policer looks at each cell",
            Self::VirtualEnds => "each cell comes to a virtual end",
            Self::Shaper => "each cell waits at a shaper",
            Self::TellsGfc => "each cell carries the state of generic flow control",
            Self::TakesNoTime => "no rate, no delay, no losses",
            Self::HasNoRate => "a delay without a rate",
            Self::FirstComeConstant => "first come, first served at a constant rate",
            Self::ClassesConstant => "strict priority at a constant rate",
            Self::FirstComeVarying => "first come, first served at a rate that changes",
            Self::NeverHoldsUp => "cells arrive no faster than it serves them",
            Self::LosesCells => "cells are lost or corrupted at random",
            Self::Overtakes => "frames overtake each other",
            Self::GrantsCredits => "each departure frees a credit",
            Self::NeedsCredits => "cells wait for credits",
            Self::CarriesFrames => "each frame wakes its receiver",
            Self::HasGfc => "generic flow control halts it",
            Self::GivesGfc => "commands of generic flow control follow from its queue",
            Self::MakesBecn => "RM cells that its switch sends back follow from its queue",
            Self::DelayVaries => "each cell has a delay of its own",
            Self::MayTakeNoTime => "its delay varies and may be none",
            Self::AlgorithmFollows => "its switch algorithm follows each departure",
            Self::DisciplineVarying => "its queue has no lazy form at a rate that changes",
            Self::Discipline => "its queue has no lazy form",
            Self::ShortCircle => "on a cycle of links with a delay of less than 100 ns",
            Self::BeforeTunnel => "may let cells pass to a tunnel VC in no time",
            Self::OrderLost => {
                "cells left it at one instant in an order other than that of their channels"
            }
            Self::NothingLooks => "nothing inspects its cells on their way",
            Self::SharesLink => "shares its next link with cells that arrive over other links",
            Self::CellEngine => "the cell engine moves each cell by an event",
        };
        fixed.to_owned()
    }
}
