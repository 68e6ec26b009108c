//! Packets of a flow that are cut into fragments on their path, and put together at their destination.

use celltrain_proto::adaptation::Adaptation;
use celltrain_proto::ip::{Fragment, Reassembly};

use crate::engine::source::Pdu;
use crate::network::Mtus;

/// Where a packet is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Stretch {
    /// The network of the sending host.
    Sender,
    /// The VC and everything on its path.
    Path,
    /// The network of the receiving host.
    Receiver,
}

/// How the packets of a flow are cut and put together.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Fragments {
    adaptation: Adaptation,
    /// The data and what acknowledges them.
    ways: [Way; 2],
}

/// Packets in one direction.
#[derive(Clone, Debug)]
struct Way {
    mtus: Mtus,
    /// The identification of the last packet that was cut.
    packet: u32,
    reassembly: Reassembly,
}

impl Way {
    /// The MTUs of a stretch, in order.
    fn mtus(&self, stretch: Stretch) -> &[u32] {
        match stretch {
            Stretch::Sender => self.mtus.sender.as_slice(),
            Stretch::Path => &self.mtus.path,
            Stretch::Receiver => self.mtus.receiver.as_slice(),
        }
    }
}

impl Fragments {
    /// Fragments of a flow whose data and acknowledgments meet these MTUs; `None` if there are none.
    pub(in crate::engine) fn new(adaptation: Adaptation, mtus: [Mtus; 2]) -> Option<Self> {
        if mtus.iter().all(|mtus| *mtus == Mtus::default()) {
            return None;
        }
        let way = |mtus| Way {
            mtus,
            packet: 0,
            reassembly: Reassembly::default(),
        };
        let ways = mtus.map(way);
        Some(Self { adaptation, ways })
    }

    fn way(&mut self, is_data: bool) -> &mut Way {
        &mut self.ways[usize::from(!is_data)]
    }

    /// Whether a packet, or a fragment, of `octets` octets is cut on a stretch.
    pub(in crate::engine) fn cuts(&self, is_data: bool, octets: u32, stretch: Stretch) -> bool {
        let mtus = self.ways[usize::from(!is_data)].mtus(stretch);
        mtus.iter().any(|&mtu| mtu < octets)
    }

    /// The parts of a packet, or of a fragment, of `octets` octets after a stretch that cuts it, in order.
    pub(in crate::engine) fn cut(&mut self, pdu: &Pdu, octets: u32, stretch: Stretch) -> Vec<Pdu> {
        let adaptation = self.adaptation;
        let way = self.way(pdu.is_data);
        let packet = pdu.fragment.map_or_else(
            || {
                way.packet = way.packet.wrapping_add(1);
                way.packet
            },
            |(packet, _)| packet,
        );
        let whole = pdu.fragment.map_or(Fragment::whole(octets), |it| it.1);
        let mtus = way.mtus(stretch).iter();
        let parts = mtus.fold(vec![whole], |parts, &mtu| {
            let parts = parts.into_iter();
            parts.flat_map(|part| part.cut(mtu)).collect()
        });
        let part = |part: Fragment| {
            let cells = adaptation.cells_for_ip(part.octets().into()) as u32;
            pdu.part(packet, part, cells)
        };
        parts.into_iter().map(part).collect()
    }

    /// Handles the arrival of a fragment. Returns the packet if that completes it.
    pub(in crate::engine) fn complete(&mut self, pdu: &Pdu) -> Option<Pdu> {
        let Some((packet, part)) = pdu.fragment else {
            return Some(*pdu);
        };
        let is_marked = pdu.segment.congestion_experienced;
        let reassembly = &mut self.way(pdu.is_data).reassembly;
        let is_marked = reassembly.on_fragment(packet, part, is_marked)?;
        let mut whole = *pdu;
        whole.segment.congestion_experienced = is_marked;
        Some(whole)
    }
}
