//! Policers and shapers within the network: of VCs, and of virtual paths, which many directions of VCs share.

use std::collections::BTreeMap;

use celltrain_proto::police;

use crate::engine::build::source;
use crate::engine::state::shaper::Shaper;
use crate::engine::state::upc::Upc;
use crate::network::{self, Network, ShapedCells};

/// The policers and shapers of a network.
pub(super) struct Within {
    pub(super) policers: Vec<Upc>,
    pub(super) shapers: Vec<Shaper>,
    /// The first shaper of a direction of a VC, and the shaper of a direction of a virtual path.
    shaper_of: BTreeMap<(bool, usize), u32>,
    /// By direction of a virtual path: its policer, once it is made.
    policer_of: BTreeMap<usize, u32>,
}

impl Within {
    /// All shapers, and no policer yet.
    pub(super) fn new(network: &Network) -> Self {
        let mut shaper_of = BTreeMap::new();
        let shapers = network.shapers().zip(0..).map(|(shaped, number)| {
            let key = match shaped.of {
                ShapedCells::Vc(direction) => (false, direction),
                ShapedCells::Path(direction) => (true, direction),
            };
            shaper_of.entry(key).or_insert(number);
            shaper(shaped.shaper)
        });
        Self {
            shapers: shapers.collect(),
            policers: Vec::new(),
            shaper_of,
            policer_of: BTreeMap::new(),
        }
    }

    /// The policer that checks the cells of a direction of a VC after link number `at` of its path.
    pub(super) fn policer(&mut self, network: &Network, number: usize, at: usize) -> Option<u32> {
        let direction = network.direction(number);
        let is_own = at == direction.policed_after();
        if let Some(written) = direction.police.as_ref().filter(|_| is_own) {
            return Some(self.add(source::policer(written, &direction.service)));
        }
        let path = direction.path_at(at)?;
        let described = network.path(path.by);
        let written = described.police.filter(|it| path.first + it.after == at)?;
        if let Some(&known) = self.policer_of.get(&path.by) {
            return Some(known);
        }
        let policer = source::path_policer(&written, &described.service)?;
        let number = self.add(policer);
        self.policer_of.insert(path.by, number);
        Some(number)
    }

    fn add(&mut self, policer: Upc) -> u32 {
        self.policers.push(policer);
        self.policers.len() as u32 - 1
    }

    /// The shaper at which the cells of a direction of a VC wait after link number `at` of its path.
    pub(super) fn shaper(&self, network: &Network, number: usize, at: usize) -> Option<u32> {
        let direction = network.direction(number);
        let mut own = direction.shapers().iter();
        if let Some(own) = own.position(|it| it.place == at + 1) {
            return Some(self.shaper_of[&(false, number)] + own as u32);
        }
        let path = direction.path_at(at + 1).filter(|it| it.first == at + 1)?;
        self.shaper_of.get(&(true, path.by)).copied()
    }
}

fn shaper(written: &network::Shaper) -> Shaper {
    let spacing = police::Shaper::new(written.pcr, written.cdvt, written.sustained);
    Shaper::new(spacing, written.buffer)
}
