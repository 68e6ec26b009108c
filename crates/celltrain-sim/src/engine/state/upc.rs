//! Usage parameter control of a direction of a VC.

use celltrain_proto::cell::RmCell;
use celltrain_proto::police::{AbrPolicer, Policer, Verdict};
use celltrain_proto::units::Time;

use crate::engine::state::cell::{Cell, Kind};

/// The policer of a direction of a VC, at the node where its cells enter the network.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Upc {
    /// At constant rates.
    Constant(Policer),
    /// At the rate that the network allows an ABR source.
    Dynamic(Box<AbrPolicer>),
}

impl Upc {
    /// The verdict on a cell that arrives at `now`.
    pub(in crate::engine) fn police(&mut self, now: Time, cell: Cell) -> Verdict {
        match self {
            Self::Constant(policer) => policer.police(now, cell.clp(), cell.is_end()),
            Self::Dynamic(policer) => {
                policer.police(now, cell.clp(), cell.kind() == Kind::ForwardRm)
            }
        }
    }

    /// A backward RM cell passes on its way to the source.
    pub(in crate::engine) fn on_backward_rm(&mut self, now: Time, rm: &RmCell) {
        if let Self::Dynamic(policer) = self {
            policer.on_backward_rm(now, rm);
        }
    }
}
