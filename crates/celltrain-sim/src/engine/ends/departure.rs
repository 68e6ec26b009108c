//! Cells leave the sources of VCs.

use celltrain_proto::units::{Span, Time};

use crate::engine::simulation::Simulation;
use crate::engine::source::Emission;
use crate::engine::state::cell::{Cell, Kind};

impl Simulation<'_> {
    /// The cell that leaves a source at `at`, placed at its first hop.
    #[inline]
    pub(in crate::engine) fn emitted(
        &mut self,
        direction: usize,
        at: Time,
        emission: &Emission,
    ) -> Cell {
        let source = &mut self.sources[direction];
        let hop = source.first_hop;
        match *emission {
            Emission::Data {
                number,
                end,
                ecn_capable,
                ..
            } => {
                source.transit.pass(at);
                if source.is_timed {
                    self.ends.sinks[direction].time_departure(number, at, Span::ZERO, 1);
                }
                let mut cell = Cell::data(hop, number, end);
                if ecn_capable {
                    cell.set_ecn_capable();
                }
                cell
            }
            Emission::ForwardRm(rm) => Cell::rm(hop, Kind::ForwardRm, self.paths.rms.put(rm)),
            Emission::OutOfRate(rm) => {
                let mut cell = Cell::rm(hop, Kind::ForwardRm, self.paths.rms.put(rm));
                cell.set_clp();
                cell
            }
            Emission::BackwardRm(rm) => Cell::rm(hop, Kind::BackwardRm, self.paths.rms.put(rm)),
            Emission::Aggregate(cell) => cell,
        }
    }
}
