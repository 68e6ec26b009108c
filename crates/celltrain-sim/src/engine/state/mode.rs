//! How a stage of a network is evaluated, and why.

use std::fmt;

use crate::network::Network;

/// How a link, or the source of a tunnel VC, is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Mode {
    /// Cells cross the link in no time: there is nothing to evaluate.
    Transparent,
    /// In the cell engine: each arrival of a cell at its far end is an event, whose instant is known as soon as the cell
    /// comes, and nobody looks at it before: a mere delay, or a queue that is served first come, first served at a
    /// constant rate.
    Foreseen,
    /// In the cell engine: the same on a link behind which nothing looks at the cells before they come to their end, or to
    /// a queue that no other link fills, where that can be foreseen, too: they go there in the event in which they come.
    Ahead,
    /// Each arrival of a cell at its far end is an event.
    PerCell,
    /// It never holds up a cell: channels lead over it, and no cell is looked at here.
    Bypassed,
    /// A mere delay, for cells that must be looked at before it.
    Delay,
    /// Its cells are taken one by one, but only when somebody asks.
    OneByOne,
    /// A first-come-first-served queue of constant rate: trains are taken whole, when somebody asks.
    Batched,
    /// A line of constant rate that serves classes: cells are taken one by one, when somebody asks.
    Priority,
    /// A first-come-first-served queue at a rate that changes, when somebody asks.
    Varying,
    /// The source of a tunnel VC, which sends the cells of other VCs on: this direction.
    Tunnel(u32),
}

impl Mode {
    /// Whether each cell is an event, or needs none: nobody asks for what is not there yet.
    #[inline]
    pub(in crate::engine) fn is_per_cell(self) -> bool {
        matches!(
            self,
            Self::PerCell | Self::Transparent | Self::Foreseen | Self::Ahead
        )
    }

    /// Whether it is evaluated when somebody asks.
    #[inline]
    pub(in crate::engine) fn is_lazy(self) -> bool {
        !self.is_per_cell() && self != Self::Bypassed
    }

    /// Whether cells are kept of which it is not known when they depart; then the link is looked at when an event cell
    /// may have departed.
    #[inline]
    pub(in crate::engine) fn keeps_cells(self) -> bool {
        matches!(self, Self::OneByOne | Self::Priority | Self::Varying)
    }

    /// Whether cells go on before they depart, as soon as it is known when they do.
    pub(in crate::engine) fn sends_ahead(self) -> bool {
        matches!(self, Self::Batched | Self::Priority | Self::Varying)
    }

    /// Whether all cells depart a cell time after their arrival or later, to the smallest step of time.
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
            Self::PerCell | Self::Foreseen | Self::Ahead => "cell by cell",
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
    /// It has a delay and no rate.
    HasNoRate,
    /// Lindley's recursion gives each departure as the cell arrives.
    FirstComeConstant,
    /// Lindley's recursion gives each departure of the first class, and the busy periods of the others.
    ClassesConstant,
    /// The rate is known up to its next change.
    FirstComeVarying,
    /// Cells come no closer to each other than the line serves them.
    NeverHoldsUp,
    /// Cells are lost at random.
    LosesCells,
    /// Each departure frees a credit for the node before.
    GrantsCredits,
    /// A cell waits for a credit.
    NeedsCredits,
    /// Commands of generic flow control halt it.
    HasGfc,
    /// Jitter draws a delay for each cell.
    HasJitter,
    /// The switch algorithm follows each departure.
    AlgorithmFollows,
    /// The queue has no lazy form at a rate that changes.
    DisciplineVarying,
    /// The queue has no lazy form.
    Discipline,
    /// It lies on a circle of links in which questions would go round without end.
    ShortCircle,
    /// It may let cells pass to a tunnel VC in no time.
    BeforeTunnel,
    /// In this run cells left it at one instant in another order than that of their channels.
    OrderLost,
    /// The cells of its direction are looked at only at their ends.
    NothingLooks,
    /// This link on its path is evaluated cell by cell.
    BeforeLink(u32),
    /// A tunnel VC on its path, of this direction, is evaluated cell by cell.
    BeforeTunnelVc(u32),
    /// A policer looks at each cell as it enters the network.
    Policer,
    /// Each cell takes a credit.
    TakesCredits,
    /// Each cell comes to a virtual end, which sends it on at a rate of its own.
    VirtualEnds,
    /// Each cell takes the state of generic flow control along, or tells its source of it.
    TellsGfc,
    /// A probe counts cells on this link, which they cross in no time.
    Probe(u32),
    /// It shares its next link with cells that come there another way.
    SharesLink,
    /// The cell engine moves each cell by an event.
    CellEngine,
}

impl Why {
    /// The reason in words.
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
            Self::TakesCredits => "each cell takes a credit",
            Self::VirtualEnds => "each cell comes to a virtual end",
            Self::TellsGfc => "each cell tells of generic flow control",
            Self::TakesNoTime => "no rate, no delay, no losses",
            Self::HasNoRate => "a delay without a rate",
            Self::FirstComeConstant => "first come, first served at a constant rate",
            Self::ClassesConstant => "strict priority at a constant rate",
            Self::FirstComeVarying => "first come, first served at a rate that changes",
            Self::NeverHoldsUp => "cells come no faster than it serves them",
            Self::LosesCells => "cells are lost at random",
            Self::GrantsCredits => "each departure frees a credit",
            Self::NeedsCredits => "cells wait for credits",
            Self::HasGfc => "generic flow control halts it",
            Self::HasJitter => "jitter draws a delay for each cell",
            Self::AlgorithmFollows => "its switch algorithm follows each departure",
            Self::DisciplineVarying => "its queue has no lazy form at a rate that changes",
            Self::Discipline => "its queue has no lazy form",
            Self::ShortCircle => "on a circle of links of less than 100 ns",
            Self::BeforeTunnel => "may let cells pass to a tunnel VC in no time",
            Self::OrderLost => "cells of one instant left it out of the order of their channels",
            Self::NothingLooks => "nothing looks at its cells on their way",
            Self::SharesLink => "shares its next link with cells that come there another way",
            Self::CellEngine => "the cell engine moves each cell by an event",
        };
        fixed.to_owned()
    }
}
