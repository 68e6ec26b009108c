//! The input of a plan.

use std::ops::Range;

use celltrain_proto::units::Span;

use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::Hop;
use crate::engine::state::ways::Ways;
use crate::network::Network;

/// What a plan needs to know of a network: plain values that follow from the network alone. `build/facts.rs` makes them.
pub(in crate::engine) struct Facts<'a> {
    pub(super) network: &'a Network,
    ways: &'a Ways,
    pub(super) hops: &'a [Hop],
    pub(super) links: Vec<LinkFacts>,
    pub(super) sources: ByDirection<SourceFacts>,
    /// By link: how many directions cross it.
    pub(super) crossings: Vec<u32>,
    /// By link: whether a probe observes it.
    pub(super) is_probed: Vec<bool>,
    /// By hop, with one entry after the last: whether cells can enter its link other than over the previous hop.
    pub(super) is_entrance: Vec<bool>,
}

/// What a plan needs to know of a link.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a condition of the plan"
)]
pub(in crate::engine) struct LinkFacts {
    /// Whether cells cross it without rate, delay and loss.
    pub(in crate::engine) is_transparent: bool,
    /// Whether it loses or corrupts cells.
    pub(in crate::engine) is_impaired: bool,
    /// Whether losses, errors or a delay that varies affect cells on it.
    pub(in crate::engine) is_disturbed: bool,
    /// Whether frames overtake each other on it.
    pub(in crate::engine) is_overtaking: bool,
    /// Whether its departures are credits for a link upstream.
    pub(in crate::engine) grants_credits: bool,
    /// Whether a cell's arrival at the far end is known as soon as it enters.
    pub(in crate::engine) can_be_foreseen: bool,
    /// Propagation delay.
    pub(in crate::engine) delay: Span,
    /// Its rate and queue; `None` for a mere delay.
    pub(in crate::engine) line: Option<LineFacts>,
}

/// What a plan needs to know of the rate and the queue of a link.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a condition of the plan"
)]
pub(in crate::engine) struct LineFacts {
    /// The transmission time of a cell at the first rate.
    pub(in crate::engine) cell_time: Span,
    /// Whether cells leave at a constant rate, observed by nothing but a switch algorithm.
    pub(in crate::engine) is_constant: bool,
    /// Whether the queue is a FIFO with tail drop, observed by nothing but a switch algorithm.
    pub(in crate::engine) is_plain: bool,
    /// Whether the queue is a FIFO, with or without a discard policy that decides at the start of a frame.
    pub(in crate::engine) is_first_come: bool,
    /// Whether such a queue takes every cell for which there is room, without examining it.
    pub(in crate::engine) takes_all: bool,
    /// Whether the queue does more than FIFO service and tail drop.
    pub(in crate::engine) is_managed: bool,
    /// Whether cells can be dropped after they were admitted.
    pub(in crate::engine) drops_late: bool,
    /// Whether the queue needs credits to send.
    pub(in crate::engine) needs_credits: bool,
    /// Whether it carries frames.
    pub(in crate::engine) carries_frames: bool,
    /// Whether the line gives GFC commands.
    pub(in crate::engine) gives_gfc: bool,
    /// The switch algorithm of the queue.
    pub(in crate::engine) algorithm: Option<AlgorithmFacts>,
    /// The hops at which backward RM cells of the switch enter; `None` if it makes none.
    pub(in crate::engine) becn: Option<Box<[u32]>>,
    /// If the queue is a strict-priority queue: by VC number at the link, whether its cells are of the first class and no
    /// discard policy may refuse them.
    pub(in crate::engine) goes_first: Option<Box<[bool]>>,
}

/// What a plan needs to know of a switch algorithm.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct AlgorithmFacts {
    /// Whether it is told of each change of the queue, or of each departure.
    pub(in crate::engine) follows: bool,
}

/// What a plan needs to know of the source of a direction.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a condition of the plan"
)]
pub(in crate::engine) struct SourceFacts {
    /// Whether it sends the cells of a process.
    pub(in crate::engine) is_process: bool,
    /// Whether the delays of its cells are measured.
    pub(in crate::engine) is_timed: bool,
    /// Whether it is that of a tunnel VC.
    pub(in crate::engine) is_tunnel: bool,
    /// Whether its end system obeys GFC commands.
    pub(in crate::engine) obeys_gfc: bool,
    /// Whether it sends RM cells.
    pub(in crate::engine) is_abr: bool,
    /// The fixed gap between its cells, if it has one.
    pub(in crate::engine) gap: Option<Span>,
    /// Whether a TCP sender waits for room here.
    pub(in crate::engine) is_awaited: bool,
}

impl<'a> Facts<'a> {
    pub(in crate::engine) fn new(
        network: &'a Network,
        ways: &'a Ways,
        hops: &'a [Hop],
        links: Vec<LinkFacts>,
        sources: ByDirection<SourceFacts>,
    ) -> Self {
        let mut crossings = vec![0; links.len()];
        let mut is_entrance = vec![false; hops.len() + 1];
        for (index, hop) in hops.iter().enumerate() {
            crossings[hop.link as usize] += 1;
            if let Some(back) = hop.turn_around() {
                is_entrance[back as usize] = true;
            }
            is_entrance[index + 1] |= hop.virtual_end().is_some() || hop.shaper().is_some();
        }
        for back in links.iter().flat_map(LinkFacts::becn_hops) {
            is_entrance[back] = true;
        }
        Self {
            network,
            ways,
            hops,
            links,
            sources,
            crossings,
            is_probed: network.probed_links(),
            is_entrance,
        }
    }

    /// The link of a hop.
    pub(super) fn link_of(&self, hop: usize) -> usize {
        self.hops[hop].link as usize
    }

    /// The rate and the queue of a stage, if it is a link that has them.
    pub(super) fn line_of(&self, stage: usize) -> Option<&LineFacts> {
        self.links.get(stage)?.line.as_ref()
    }

    /// The hops of a direction.
    pub(super) fn way(&self, direction: usize) -> Range<usize> {
        self.ways.of(direction)
    }

    /// All directions, including those without hops.
    pub(super) fn directions(&self) -> Range<usize> {
        0..self.ways.len()
    }

    /// A value for each direction; all directions without hops share one.
    pub(super) fn by_direction<T>(&self, make: impl Fn(usize) -> T) -> ByDirection<T> {
        ByDirection::new(self.sources.places(), make)
    }
}

impl LinkFacts {
    /// The hops at which backward RM cells of the switch enter.
    pub(super) fn becn_hops(&self) -> impl Iterator<Item = usize> + '_ {
        let becn = self.line.as_ref().and_then(|line| line.becn.as_deref());
        becn.into_iter().flatten().map(|&hop| hop as usize)
    }
}
