//! VCs, their directions, and where tunnel VCs carry them.

use std::sync::Arc;

use celltrain_proto::adaptation::Adaptation;
use celltrain_proto::units::{Cells, Rate};

use super::shaper::Shaper;
use super::vp::InPath;
use crate::network::name::Name;
use crate::scenario::{GfcGroup, Police, Service, SourceDrop};

/// A VC, with both its directions.
#[derive(Clone, PartialEq, Debug)]
pub struct Vc {
    /// Its name, with the member's number in a group.
    pub name: Name,
    /// The nodes of its route, forward.
    pub nodes: Arc<[usize]>,
    /// How IP packets become cells.
    pub adaptation: Adaptation,
    /// The longest IP packet on it, in octets.
    pub mtu: Option<u32>,
    /// Its weight in fair queues.
    pub weight: f64,
    /// The number of cells that can wait at each of its ends.
    pub source_buffer: u64,
    /// What is dropped of a segment that does not fit there.
    pub source_drop: SourceDrop,
    /// The switches that end its ABR loops and start new ones, if any.
    pub virtual_ends: Option<Box<VirtualEnds>>,
    /// The group of controlled VCs, for generic flow control, to which it belongs; `None` for an uncontrolled VC.
    pub gfc_group: Option<GfcGroup>,
    /// Why it is not admitted, if it is not; then it has no links.
    pub refusal: Option<Box<Refusal>>,
    /// The two directions, forward first.
    pub directions: [VcDirection; 2],
}

impl Vc {
    /// Whether the network carries its cells.
    pub fn is_admitted(&self) -> bool {
        self.refusal.is_none()
    }

    /// The first and the last node of its route, forward.
    pub fn ends(&self) -> [usize; 2] {
        [self.nodes[0], self.nodes[self.nodes.len() - 1]]
    }
}

/// Why a VC is not admitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Refusal {
    /// A link or a virtual path has too little bandwidth left.
    Bandwidth {
        /// The direction: 0 forward, 1 backward.
        direction: usize,
        /// The link or the path.
        of: Capacity,
        /// What the VC needs of it in addition to the VCs admitted before.
        needed: Rate,
        /// What they leave.
        left: Rate,
    },
    /// A tunnel VC on its path is not admitted.
    Tunnel {
        /// The tunnel VC.
        vc: usize,
    },
    /// A virtual path to which it belongs is not admitted.
    Path {
        /// The virtual path.
        vp: usize,
    },
}

/// What has bandwidth to give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capacity {
    /// A link.
    Link(usize),
    /// A virtual path.
    Path(usize),
}

/// Switches that end the ABR loops of a VC and start new ones.
#[derive(Clone, PartialEq, Debug)]
pub struct VirtualEnds {
    /// The switches.
    pub at: Vec<usize>,
    /// The queue length up to which such a switch does not lower the rate of the loop upstream.
    pub queue_target: Cells,
    /// The most cells of that queue.
    pub buffer: Option<u64>,
}

/// A stretch of a VC's path on which a tunnel VC carries its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    /// Where it begins: an index into the links of the path.
    pub first: usize,
    /// How many links it has.
    pub links: usize,
    /// The direction of the tunnel VC: 2 x VC + (0 forward, 1 backward).
    pub by: usize,
}

/// What the cells of a direction of a VC meet between its ends.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct BetweenEnds {
    /// Where tunnel VCs carry its cells.
    pub carried: Box<[Carried]>,
    /// Where its cells belong to virtual paths.
    pub paths: Box<[InPath]>,
    /// Shapers, in the order of their places.
    pub shapers: Box<[Shaper]>,
    /// The place of the link over which cells come to the policer.
    pub policed_after: usize,
}

/// One direction of a VC.
#[derive(Clone, PartialEq, Debug)]
pub struct VcDirection {
    /// The links on the path, shared by all VCs that take it.
    pub links: Arc<[usize]>,
    /// What its cells meet between its ends, besides links; most VCs meet nothing.
    pub between_ends: Option<Box<BetweenEnds>>,
    /// The service category with its parameters, shared by the VCs of a group.
    pub service: Arc<Service>,
    /// Usage or network parameter control.
    pub police: Option<Arc<Police>>,
    /// The number of links that forward RM cells cross before they are turned around: all links unless there is a local
    /// loop.
    pub loop_links: usize,
}

impl VcDirection {
    /// Where tunnel VCs carry its cells.
    pub fn carried(&self) -> &[Carried] {
        self.between_ends.as_ref().map_or(&[], |it| &it.carried)
    }

    /// Where its cells belong to virtual paths.
    pub fn paths(&self) -> &[InPath] {
        self.between_ends.as_ref().map_or(&[], |it| &it.paths)
    }

    /// Shapers between its ends, in the order of their places.
    pub fn shapers(&self) -> &[Shaper] {
        self.between_ends.as_ref().map_or(&[], |it| &it.shapers)
    }

    /// The place of the link over which cells come to the policer.
    pub fn policed_after(&self) -> usize {
        self.between_ends.as_ref().map_or(0, |it| it.policed_after)
    }

    /// What its cells meet between its ends, to be added to.
    pub fn between_ends_mut(&mut self) -> &mut BetweenEnds {
        self.between_ends.get_or_insert_default()
    }

    /// The highest rate that its contract and its shapers let it keep, if they limit it.
    pub fn lasting_rate(&self) -> Option<Rate> {
        let shapers = self.shapers().iter();
        let shaped = shapers.map(|shaper| shaper.sustained.map_or(shaper.pcr, |(scr, _)| scr));
        shaped.chain(self.service.pcr()).reduce(Rate::min)
    }

    /// The place of consecutive links on its path, if it has them.
    pub fn place_of(&self, links: &[usize]) -> Option<usize> {
        let mut places = self.links.windows(links.len());
        places.position(|stretch| stretch == links)
    }

    /// The stretch that contains link number `at` of its path and on which its cells belong to a virtual path, if any.
    pub fn path_at(&self, at: usize) -> Option<&InPath> {
        self.paths().iter().find(|path| path.has(at))
    }

    /// The stretch that contains link number `at` of its path and on which a tunnel VC carries its cells, if any.
    pub fn carried_at(&self, at: usize) -> Option<&Carried> {
        let mut carried = self.carried().iter();
        carried.find(|it| (it.first..it.first + it.links).contains(&at))
    }
}
