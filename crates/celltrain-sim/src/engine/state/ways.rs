//! Which directions of VCs have hops.

use std::ops::Range;

use crate::engine::state::by_direction::Places;
use crate::network::{Network, Record, Terminal, VcDirection};
use crate::scenario::Service;

/// The hops of each direction of a VC: one for each link on its path, or none if it can never carry a cell.
pub(in crate::engine) struct Ways {
    /// By direction: its first hop. The last entry is the number of all hops.
    first: Vec<u32>,
    /// Where the sources and sinks of the directions are stored.
    pub(in crate::engine) places: Places,
}

impl Ways {
    /// The hops of a network whose flows send data in the directions `data`, and where GFC acts on `terminals`.
    pub(in crate::engine) fn new(
        network: &Network,
        data: impl Iterator<Item = usize>,
        terminals: &[Terminal],
    ) -> Self {
        let mut is_used = vec![false; 2 * network.vcs.len()];
        for data in data {
            (is_used[data], is_used[data ^ 1]) = (true, true);
        }
        for background in &network.backgrounds {
            is_used[background.feeds()] = true;
        }
        for (number, vc) in network.vcs.iter().enumerate() {
            // RM cells are sent whether there are data or not.
            let is_abr = |it: &VcDirection| matches!(*it.service, Service::Abr(_));
            if vc.directions.iter().any(is_abr) {
                (is_used[2 * number], is_used[2 * number + 1]) = (true, true);
            }
            let carried = vc.directions.iter().flat_map(VcDirection::carried);
            carried.for_each(|carried| is_used[carried.by] = true);
        }
        // A cell in one direction brings commands to the source of the other.
        for direction in terminals.iter().flat_map(|it| &it.members) {
            (is_used[*direction], is_used[direction ^ 1]) = (true, true);
        }
        for (_, record) in network.probes.iter().flat_map(|probe| &probe.columns) {
            if let Record::Vc(vc, direction, _) = record {
                is_used[2 * vc + direction.index()] = true;
            }
        }
        let places = Places::new(&is_used);
        let mut first = Vec::with_capacity(is_used.len() + 1);
        let mut hops = 0;
        for (number, is_used) in is_used.into_iter().enumerate() {
            first.push(hops as u32);
            if is_used {
                hops += network.direction(number).links.len();
            }
        }
        first.push(hops as u32);
        Self { first, places }
    }

    /// The hops of a direction.
    pub(in crate::engine) fn of(&self, direction: usize) -> Range<usize> {
        self.first[direction] as usize..self.first[direction + 1] as usize
    }

    /// The number of directions, including those without hops.
    pub(in crate::engine) fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// The number of hops.
    pub(in crate::engine) fn hops(&self) -> usize {
        self.first.last().map_or(0, |&hops| hops as usize)
    }
}
