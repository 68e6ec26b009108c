//! Virtual paths.

use std::sync::Arc;

use celltrain_proto::units::Span;

use super::shaper::Shaper;
use crate::scenario::{PoliceAction, Service, SustainedOn};

/// A virtual path, with both its directions.
#[derive(Clone, PartialEq, Debug)]
pub struct Vp {
    /// Its name.
    pub name: String,
    /// Its identifier on all its links.
    pub vpi: u8,
    /// Whether the network carries its cells; otherwise its VCs are refused.
    pub is_admitted: bool,
    /// The nodes of its route, forward.
    pub nodes: Box<[usize]>,
    /// The two directions, forward first.
    pub directions: [VpDirection; 2],
}

/// One direction of a virtual path.
#[derive(Clone, PartialEq, Debug)]
pub struct VpDirection {
    /// Its links.
    pub links: Box<[usize]>,
    /// The service category with its parameters: the contract of the path.
    pub service: Arc<Service>,
    /// The shaper in front of its first link; its place is 0.
    pub shaper: Option<Shaper>,
    /// Usage parameter control of the path.
    pub police: Option<PathPolice>,
}

/// The policer of a direction of a virtual path.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PathPolice {
    /// The place of the link over which cells come to it, among the links of the path.
    pub after: usize,
    /// Cell delay variation tolerance.
    pub cdvt: Span,
    /// The cells that count against the sustainable rate.
    pub sustained: SustainedOn,
    /// What happens to cells that do not conform.
    pub action: PoliceAction,
}

/// A stretch of a VC's path on which its cells belong to a virtual path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InPath {
    /// Where it begins: an index into the links of the VC's path.
    pub first: usize,
    /// How many links it has.
    pub links: usize,
    /// The direction of the virtual path: 2 x path + (0 forward, 1 backward).
    pub by: usize,
}

impl InPath {
    /// Whether link number `at` of the VC's path belongs to it.
    pub fn has(&self, at: usize) -> bool {
        (self.first..self.first + self.links).contains(&at)
    }
}
