//! VCs, their directions, and where other VCs carry them.

use std::sync::Arc;

use celltrain_proto::units::Cells;

use crate::network::name::Name;
use crate::scenario::{Encapsulation, Police, Service, SourceDrop};

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

impl VcDirection {
    /// The stretch over which another VC carries its cells, where link number `at` of its way lies in one.
    pub fn carried_at(&self, at: usize) -> Option<&Carried> {
        let mut carried = self.carried.iter();
        carried.find(|it| (it.first..it.first + it.links).contains(&at))
    }
}
