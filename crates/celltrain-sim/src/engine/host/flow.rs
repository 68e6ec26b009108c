//! Flows: what sends packets over a VC, and what receives them.

use celltrain_proto::units::{Span, Time};

use crate::engine::host::connection::Connection;
use crate::engine::host::external::External;
use crate::engine::host::fragments::{Fragments, Stretch};
use crate::engine::host::packets::Packets;
use crate::engine::source::Pdu;
use crate::engine::state::loss_cause::LossCause;
use crate::engine::state::room::{Exhausted, Room};

/// A flow of the network.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Flow {
    pub(in crate::engine) kind: FlowKind,
    /// The one-way delays of its packets with data.
    pub(in crate::engine) delay: Delays,
    /// How its packets are cut, if a network on their path carries only shorter ones.
    pub(in crate::engine) fragments: Option<Box<Fragments>>,
}

/// The kinds of flows.
#[derive(Clone, Debug)]
pub(in crate::engine) enum FlowKind {
    /// A TCP connection.
    Tcp(Box<Connection>),
    /// Packets without a connection.
    Packets(Packets),
    /// Packets handed over from outside.
    External(External),
}

/// One-way delays, from the hand-over to the sending host to the last cell at the receiving host.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Delays {
    pub(in crate::engine) count: u64,
    pub(in crate::engine) sum_ps: u128,
}

impl Delays {
    pub(in crate::engine) fn add(&mut self, delay: Span) {
        self.count += 1;
        self.sum_ps += u128::from(delay.as_ps());
    }
}

impl FlowKind {
    /// The direction of the VC that carries its data.
    pub(in crate::engine) fn data(&self) -> usize {
        match self {
            Self::Tcp(connection) => connection.data,
            Self::Packets(packets) => packets.data,
            Self::External(end) => end.data,
        }
    }
}

impl Flow {
    pub(in crate::engine) fn new(kind: FlowKind) -> Self {
        Self {
            kind,
            delay: Delays::default(),
            fragments: None,
        }
    }

    /// This flow, with packets that are cut.
    pub(in crate::engine) fn with_fragments(self, fragments: Option<Fragments>) -> Self {
        Self {
            fragments: fragments.map(Box::new),
            ..self
        }
    }

    /// The parts into which a stretch cuts one of its packets, which is sent whole if there are none.
    #[inline]
    pub(in crate::engine) fn cut(&mut self, pdu: &Pdu, stretch: Stretch) -> Option<Vec<Pdu>> {
        let fragments = self.fragments.as_mut()?;
        let octets = self.kind.ip_octets(pdu) as u32;
        let is_cut = fragments.cuts(pdu.is_data, octets, stretch);
        is_cut.then(|| fragments.cut(pdu, octets, stretch))
    }

    /// Notes that the network has damaged a PDU with data of this flow, which it has not done before.
    #[cold]
    pub(in crate::engine) fn on_damage(&mut self, pdu: &Pdu, cause: LossCause) {
        match &mut self.kind {
            // A connection that has been closed and replaced by another does not learn of it.
            FlowKind::Tcp(connection) if connection.incarnation == pdu.incarnation => {
                connection.on_loss(pdu.segment.seq);
            }
            FlowKind::External(end) => end.on_damage(pdu.segment.seq, cause),
            FlowKind::Tcp(_) | FlowKind::Packets(_) => {}
        }
    }

    /// The next deadline of its sending end.
    pub(in crate::engine) fn sender_deadline(&self) -> Time {
        match &self.kind {
            FlowKind::Tcp(connection) => connection.sender_deadline(),
            FlowKind::Packets(packets) => packets.next,
            FlowKind::External(_) => Time::NEVER,
        }
    }
}

impl Room for Flow {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        match &mut self.kind {
            FlowKind::Tcp(connection) => connection.make_room(),
            // Packets wait at their source and their hosts; those from outside are taken out at each step.
            FlowKind::Packets(_) | FlowKind::External(_) => Ok(0),
        }
    }
}
