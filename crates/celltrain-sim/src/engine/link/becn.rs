//! Backward RM cells that a switch generates for the ABR VCs that cross a queue (TM 4.0 §5.10.6).

use celltrain_proto::abr::BecnPort;
use celltrain_proto::cell::RmCell;
use celltrain_proto::units::{Cells, Time};

/// How a backward RM cell of a switch reaches the source of a VC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum ToSource {
    /// Over this hop of the other direction.
    Hop(u32),
    /// The source is a virtual one, at the switch itself.
    VirtualEnd(u32),
}

/// The backward RM cells of the switch upstream of a link.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Becn {
    port: BecnPort,
    /// The queue that can be congested, if there are several.
    pub(in crate::engine) queue: Option<u32>,
    /// By VC, in the numbering of the link: how cells reach its source, and how many were made. `None` for VCs
    /// without an ABR source on the way to the link.
    vcs: Vec<Option<(ToSource, u64)>>,
}

impl Becn {
    pub(in crate::engine) fn new(
        port: BecnPort,
        queue: Option<u32>,
        to_sources: Vec<Option<ToSource>>,
    ) -> Self {
        let vcs = to_sources.into_iter();
        Self {
            port,
            queue,
            vcs: vcs.map(|to| Some((to?, 0))).collect(),
        }
    }

    /// A cell of VC number `vc` comes to the queue, which holds `queue` cells. Returns the cell that the switch sends
    /// back, if it does.
    pub(in crate::engine) fn on_cell(
        &mut self,
        now: Time,
        vc: u32,
        queue: Cells,
    ) -> Option<(ToSource, RmCell)> {
        let (to, made) = self.vcs[vc as usize].as_mut()?;
        let rm = self.port.on_cell(now, vc, queue)?;
        *made += 1;
        Some((*to, rm))
    }

    /// The hops over which cells go back, with the number of those made so far.
    pub(in crate::engine) fn made(&self) -> impl Iterator<Item = (usize, u64)> {
        self.vcs
            .iter()
            .flatten()
            .filter_map(|&(to, made)| match to {
                ToSource::Hop(hop) => Some((hop as usize, made)),
                ToSource::VirtualEnd(_) => None,
            })
    }
}
