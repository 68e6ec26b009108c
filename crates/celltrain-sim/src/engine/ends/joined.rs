//! Connections with data both ways: two flows, each with its sender where the other has its receiver.
//!
//! A segment of a sender carries the acknowledgment of the receiver at its end. So an arriving segment goes to the
//! receiver of the flow whose data it carries, and to the sender of the other flow.

use celltrain_proto::tcp::{End, Segment};

use crate::engine::host::EndSystems;
use crate::engine::host::connection::Connection;
use crate::engine::host::flow::FlowKind;
use crate::engine::schedule::Schedule;
use crate::engine::simulation::Simulation;
use crate::engine::source::Pdu;
use crate::engine::state::end;

impl Simulation<'_> {
    /// Handles a segment that has reached an end of a connection with data both ways.
    #[inline(never)]
    pub(in crate::engine) fn on_joined(&mut self, pdu: &Pdu) {
        let (now, flow) = (self.schedule.now, pdu.flow as usize);
        let FlowKind::Tcp(connection) = &self.ends.flows[flow].kind else {
            return;
        };
        let other = connection.partner.map_or(flow, |partner| partner.flow);
        let (sending, receiving) = if pdu.is_data {
            (other, flow)
        } else {
            (flow, other)
        };
        let [sender, receiver] = self.ends.end_of(sending, receiving);
        sender.on_joined(now, receiver, &pdu.segment);
        self.drive_sender(sending);
        self.drive_receiver(receiving);
    }
}

impl EndSystems {
    /// Adds the acknowledgment of the receiver at the same end to a segment that leaves a sender.
    #[inline(never)]
    pub(super) fn ride(
        &mut self,
        sending: usize,
        receiving: usize,
        mut segment: Segment,
        schedule: &mut Schedule,
    ) -> Segment {
        let [sender, receiver] = self.end_of(sending, receiving);
        receiver.read_before(schedule.now);
        receiver.read(schedule.now);
        end(sender, receiver).ride(schedule.now, &mut segment);
        self.set_deadline(receiving, end::End::Receiving, schedule);
        segment
    }

    /// Adds the sequence number of the sender at the same end to a pure acknowledgment.
    #[inline(never)]
    pub(super) fn number(
        &mut self,
        sending: usize,
        receiving: usize,
        mut segment: Segment,
    ) -> Segment {
        let [sender, receiver] = self.end_of(sending, receiving);
        end(sender, receiver).number(&mut segment);
        segment
    }
}

fn end<'a>(sender: &'a mut Connection, receiver: &'a mut Connection) -> End<'a> {
    End {
        sender: &mut sender.sender,
        receiver: &mut receiver.receiver,
    }
}
