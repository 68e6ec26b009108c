//! What an observer sees of a network: the cells that arrive over links, and the packets of hosts.

use celltrain_proto::cell::RmCell;
use celltrain_proto::tcp::Segment;
use celltrain_proto::units::Time;

use super::Simulation;
use super::cell::{Cell, Kind};
use super::source::Pdu;

/// Something that was seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sight {
    /// When.
    pub at: Time,
    /// The direction of a VC: 2 x VC + (0 forward, 1 backward).
    pub direction: usize,
    /// What.
    pub what: Seen,
}

/// What was seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Seen {
    /// A packet was handed to the host where the direction starts.
    Sent(Packet),
    /// A packet has arrived whole where the direction ends.
    Received(Packet),
    /// A cell has arrived over a link.
    Cell {
        /// The link.
        link: usize,
        /// Explicit forward congestion indication.
        efci: bool,
        /// Cell loss priority.
        clp: bool,
        /// What it carries.
        load: Load,
    },
}

/// A packet, and whose it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Packet {
    /// The flow.
    pub flow: usize,
    /// Whether it carries data, or acknowledges.
    pub is_data: bool,
    /// Which of the flow's connections it belongs to.
    pub incarnation: u32,
    /// What it says.
    pub segment: Segment,
}

/// What a cell carries.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Load {
    /// A part of a packet.
    Packet {
        /// The packet.
        packet: Packet,
        /// Which of its cells, from 0 on.
        index: u32,
        /// How many it has.
        cells: u32,
    },
    /// A cell of a process, without contents.
    Idle,
    /// An RM cell.
    Rm(RmCell),
}

impl Packet {
    fn of(pdu: &Pdu) -> Self {
        Self {
            flow: pdu.flow as usize,
            is_data: pdu.is_data,
            incarnation: pdu.incarnation,
            segment: pdu.segment,
        }
    }
}

/// Collects what is seen, where there is somebody to see it.
#[derive(Default, Debug)]
pub(super) struct Observer(Option<Vec<Sight>>);

impl Observer {
    /// A packet was handed to the host where `direction` starts.
    #[inline]
    pub(super) fn on_sent(&mut self, at: Time, direction: usize, pdu: &Pdu) {
        if self.0.is_some() {
            self.see(at, direction, Seen::Sent(Packet::of(pdu)));
        }
    }

    /// A packet has arrived whole where `direction` ends.
    #[inline]
    pub(super) fn on_received(&mut self, at: Time, direction: usize, pdu: &Pdu) {
        if self.0.is_some() {
            self.see(at, direction, Seen::Received(Packet::of(pdu)));
        }
    }

    #[inline(never)]
    fn see(&mut self, at: Time, direction: usize, what: Seen) {
        if let Some(seen) = &mut self.0 {
            let sight = Sight {
                at,
                direction,
                what,
            };
            seen.push(sight);
        }
    }
}

impl Simulation<'_> {
    /// From now on all packets of hosts are seen, and the cells that arrive over these links. Links without
    /// rate, delay and loss show nothing.
    pub fn tap(&mut self, links: impl IntoIterator<Item = usize>) {
        self.observer = Observer(Some(Vec::new()));
        // In the order of time.
        self.unite();
        for link in links {
            self.links[link].tap();
        }
    }

    /// Moves what was seen since the last call to the end of `sights`, in the order in which it was seen.
    pub fn take_sights(&mut self, sights: &mut Vec<Sight>) {
        if let Some(seen) = &mut self.observer.0 {
            sights.append(seen);
        }
    }

    /// A cell has arrived over the tapped link of its hop.
    pub(super) fn see_cell(&mut self, cell: Cell) {
        let hop = &self.hops[cell.hop()];
        let (link, direction) = (hop.link as usize, hop.direction as usize);
        let load = match cell.kind() {
            Kind::Data => match self.sources[direction].pdu_of(cell.load()) {
                Some((pdu, index)) => Load::Packet {
                    packet: Packet::of(pdu),
                    index,
                    cells: pdu.cells,
                },
                None => Load::Idle,
            },
            Kind::ForwardRm | Kind::BackwardRm => Load::Rm(*self.rms.get_mut(cell.load())),
        };
        let (efci, clp) = (cell.efci(), cell.clp());
        let seen = Seen::Cell {
            link,
            efci,
            clp,
            load,
        };
        self.observer.see(self.now, direction, seen);
    }
}
