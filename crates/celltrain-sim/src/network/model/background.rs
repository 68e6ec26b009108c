//! Backgrounds: cells below TCP.

use std::sync::Arc;

use crate::scenario::{Direction, Start, Traffic};

/// Cells below TCP.
#[derive(Clone, PartialEq, Debug)]
pub struct Background {
    /// What it has in common with the other members of its group.
    pub group: Arc<BackgroundGroup>,
    /// Its number in the group, from 1.
    pub member: Option<u32>,
    /// The VC.
    pub vc: u32,
}

/// What all backgrounds of a group have in common; they differ only in their VC.
#[derive(Clone, PartialEq, Debug)]
pub struct BackgroundGroup {
    /// The name, as in the scenario.
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
