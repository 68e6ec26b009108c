//! What end systems do with cells, packets and timers.

use celltrain_proto::aal5::Verdict;
use celltrain_proto::tcp::Available;
use celltrain_proto::units::Time;

use super::Simulation;
use super::cell::{Cell, Kind};
use super::flow::FlowKind;
use super::source::Pdu;

impl Simulation<'_> {
    /// A cell has come to the end of its VC.
    #[inline]
    pub(super) fn deliver(&mut self, cell: Cell) {
        let hop = &self.hops[cell.hop()];
        let direction = hop.direction as usize;
        let kind = cell.kind();
        let sink = &mut self.sinks[direction];
        sink.counts.cells[kind as usize] += 1;
        if self.sources[direction ^ 1].gfc.is_some() {
            self.obey_gfc(direction ^ 1, cell.halt());
        }
        let sink = &mut self.sinks[direction];
        match kind {
            Kind::Data => {
                sink.destination.on_data(cell.efci());
                if cell.is_end() {
                    self.on_last_cell(direction, cell.load);
                } else {
                    sink.reassembly.on_cell(cell.load, false, 0);
                }
            }
            Kind::ForwardRm => {
                let rm = sink.destination.on_forward_rm(self.rms.take(cell.load));
                self.sources[direction ^ 1].turn_round(rm);
                self.wake_source(direction ^ 1);
            }
            Kind::BackwardRm => {
                let rm = self.rms.take(cell.load);
                self.sources[direction ^ 1].on_backward_rm(self.now, &rm);
                self.wake_source(direction ^ 1);
            }
        }
    }

    pub(super) fn obey_gfc(&mut self, direction: usize, halt: bool) {
        let source = &mut self.sources[direction];
        if let Some(gfc) = &mut source.gfc {
            gfc.on_command(self.now, halt);
            self.wake_source(direction);
        }
    }

    /// The last cell of a PDU has arrived.
    pub(super) fn on_last_cell(&mut self, direction: usize, number: u32) {
        let Some(pdu) = self.sources[direction].take_pdu(number) else {
            return;
        };
        let sink = &mut self.sinks[direction];
        if sink.reassembly.on_cell(number, true, pdu.cells) == Verdict::Good {
            sink.counts.pdus += 1;
            self.on_pdu(&pdu);
        } else {
            sink.counts.damaged += 1;
        }
    }

    pub(super) fn on_pdu(&mut self, pdu: &Pdu) {
        let index = pdu.flow as usize;
        let flow = &mut self.flows[index];
        if pdu.is_data {
            flow.delay.add(self.now - pdu.handed_over);
        }
        match &mut flow.kind {
            FlowKind::Tcp(connection) if pdu.is_data => {
                connection.receiver.on_segment(self.now, &pdu.segment);
                self.drive_receiver(index);
            }
            FlowKind::Tcp(connection) => {
                connection.sender.on_segment(self.now, &pdu.segment);
                self.drive_sender(index);
            }
            FlowKind::Packets(packets) => packets.delivered += u64::from(pdu.segment.len),
        }
    }

    pub(super) fn on_sender_timer(&mut self, flow: usize) {
        if let FlowKind::Tcp(connection) = &mut self.flows[flow].kind {
            if connection.start <= self.now {
                connection.start = Time::NEVER;
                connection.sender.write(self.now, Available::Unlimited);
            }
            if connection
                .sender
                .next_timeout()
                .is_some_and(|due| due <= self.now)
            {
                connection.sender.on_timer(self.now);
            }
        }
        self.drive_sender(flow);
    }

    pub(super) fn on_receiver_timer(&mut self, flow: usize) {
        if let FlowKind::Tcp(connection) = &mut self.flows[flow].kind {
            connection.receiver.on_timer(self.now);
            self.drive_receiver(flow);
        }
    }

    /// Takes from a sending end all that it may send, and its next deadline.
    pub(super) fn drive_sender(&mut self, flow: usize) {
        let number = flow as u32;
        let (data, pushed) = match &mut self.flows[flow].kind {
            FlowKind::Tcp(connection) => {
                let source = &mut self.sources[connection.data];
                let mut pushed = false;
                while source.pdus_waiting() < connection.host_queue
                    && let Some(segment) = connection.sender.poll_transmit(self.now)
                {
                    let cells = connection.cells(&segment);
                    source.push(self.now, number, true, cells, segment);
                    pushed = true;
                }
                (connection.data, pushed)
            }
            FlowKind::Packets(packets) => {
                let source = &mut self.sources[packets.data];
                let mut pushed = false;
                while let Some(packet) = packets.poll(self.now) {
                    source.push(self.now, number, true, packets.cells, packet);
                    pushed = true;
                }
                (packets.data, pushed)
            }
        };
        let deadline = self.flows[flow].sender_deadline();
        self.calendar.set(self.actors.senders + flow, deadline);
        if pushed {
            self.wake_source(data);
        }
    }

    /// Takes from a receiver the ACKs that are due, and its next deadline.
    pub(super) fn drive_receiver(&mut self, flow: usize) {
        let FlowKind::Tcp(connection) = &mut self.flows[flow].kind else {
            return;
        };
        let acks = connection.acks();
        let source = &mut self.sources[acks];
        let mut pushed = false;
        while let Some(segment) = connection.receiver.poll_transmit(self.now) {
            let cells = connection.cells(&segment);
            source.push(self.now, flow as u32, false, cells, segment);
            pushed = true;
        }
        let deadline = connection.receiver.next_timeout().unwrap_or(Time::NEVER);
        self.calendar.set(self.actors.receivers + flow, deadline);
        if pushed {
            self.wake_source(acks);
        }
    }

    /// A PDU has left its host wholly: a sender that was blocked may go on.
    pub(super) fn on_pdu_sent(&mut self, direction: usize) {
        let Some(pdu) = self.sources[direction].last_sent() else {
            return;
        };
        let flow = pdu.flow as usize;
        if pdu.is_data
            && let FlowKind::Tcp(connection) = &self.flows[flow].kind
            && connection.host_queue != usize::MAX
        {
            self.drive_sender(flow);
        }
    }

    pub(super) fn wake_source(&mut self, direction: usize) {
        let deadline = self.sources[direction].deadline().max(self.now);
        self.calendar.set(self.actors.sources + direction, deadline);
    }
}
