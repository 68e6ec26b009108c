//! What an observer is shown of a run.

use crate::engine::record::capture::{CaptureRecord, Load, Observer, Packet, Seen};
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::{Cell, Kind};

impl Simulation<'_> {
    /// Starts to observe all packets of hosts, and the cells that arrive over these links. Links without rate, delay or
    /// loss show nothing.
    pub fn capture(&mut self, links: impl IntoIterator<Item = usize>) {
        self.observation.observer = Observer(Some(Vec::new()));
        // So that everything is seen in order of time.
        self.schedule.unite();
        for link in links {
            self.links[link].capture();
        }
    }

    /// Appends what was seen since the last call to `records`, in the order in which it was seen.
    pub fn take_captured(&mut self, records: &mut Vec<CaptureRecord>) {
        if let Some(seen) = &mut self.observation.observer.0 {
            records.append(seen);
        }
    }

    /// Records a cell that has arrived over the observed link of its hop.
    pub(in crate::engine) fn see_cell(&mut self, cell: Cell) {
        let hop = &self.paths.hops[cell.hop()];
        let (link, direction) = (hop.link as usize, hop.direction as usize);
        let load = match cell.kind() {
            Kind::Data => match self.sources[direction].pdu_of(cell.load()) {
                Some((pdu, index)) => Load::Packet {
                    packet: Packet::of(pdu),
                    index,
                    cells: pdu.cells,
                },
                None => Load::Unframed {
                    number: cell.load(),
                },
            },
            Kind::ForwardRm | Kind::BackwardRm => Load::Rm(*self.paths.rms.get_mut(cell.load())),
        };
        let seen = Seen::Cell {
            link,
            gfc: cell.command().field(),
            efci: cell.efci(),
            clp: cell.clp(),
            load,
        };
        self.observation
            .observer
            .see(self.schedule.now, direction, seen);
    }
}
