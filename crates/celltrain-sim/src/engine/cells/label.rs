//! What queues of packets know a packet by.

use celltrain_proto::packet_queue::Label;

use crate::engine::host::external;
use crate::engine::source::Pdu;
use crate::network::Network;

/// What queues know a packet in this direction of a VC by.
pub(super) fn label(network: &Network, direction: usize, pdu: &Pdu) -> Label {
    let Some(flow) = network.flows.get(pdu.flow as usize) else {
        return external::label(&pdu.segment, pdu.incarnation);
    };
    let mut hosts = network.vcs[direction / 2].ends().map(|end| end as u32);
    if direction % 2 == 1 {
        hosts.reverse();
    }
    Label {
        // Each connection of a flow has ports of its own.
        flow: u64::from(pdu.flow) << 32 | u64::from(pdu.incarnation),
        hosts,
        dscp: flow.dscp.code(),
    }
}
