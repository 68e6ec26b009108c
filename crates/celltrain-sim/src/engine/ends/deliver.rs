//! What end systems do with cells, packets and timers.

use celltrain_proto::aal5::Verdict;

use crate::engine::host::connection;
use crate::engine::host::flow::FlowKind;
use crate::engine::simulation::Simulation;
use crate::engine::source::Pdu;
use crate::engine::state::cell::{Cell, Kind};
use crate::engine::state::end::End;
use crate::engine::state::loss_cause::LossCause;

/// Packets of one instant between two looks at the memory they take: 6 MB.
const PACKETS_BETWEEN_LOOKS: u32 = 1 << 15;

impl Simulation<'_> {
    /// Handles a cell that has reached the end of its VC.
    #[inline]
    pub(in crate::engine) fn deliver(&mut self, cell: Cell) {
        let hop = &self.paths.hops[cell.hop()];
        let direction = hop.direction as usize;
        let kind = cell.kind();
        // In most networks no end system obeys commands, and no source need be looked at.
        if !self.ends.terminals.is_empty() && self.sources[direction ^ 1].gfc.is_some() {
            self.obey_gfc(direction ^ 1, cell.command());
        }
        match kind {
            Kind::Data => {
                let sink = &mut self.ends.sinks[direction];
                sink.count(cell, self.schedule.now);
                sink.note_efci(cell.efci());
                sink.congestion_experienced |= cell.congestion_experienced();
                if cell.is_end() {
                    self.on_last_cell(direction, cell.load());
                } else {
                    sink.reassembly.on_cell(cell.load(), false, 0);
                }
            }
            Kind::ForwardRm | Kind::BackwardRm => self.deliver_rm(direction, cell),
        }
    }

    /// Handles an RM cell that has reached the end of its VC.
    #[inline(never)]
    fn deliver_rm(&mut self, direction: usize, cell: Cell) {
        let rm = self.paths.rms.take(cell.load());
        let sink = &mut self.ends.sinks[direction];
        sink.count_rm(cell.kind());
        // Before anything is advanced: where the source sends into the LAN over which this cell has come, that takes the
        // next data cells of the LAN to the sink, and the destination would know their EFCI ahead of time.
        let is_forward = cell.kind() == Kind::ForwardRm;
        let turned = is_forward.then(|| sink.packets().destination.on_forward_rm(rm));
        self.advance_before_change(direction ^ 1);
        let back = &mut self.sources[direction ^ 1];
        match turned {
            None => back.on_backward_rm(self.schedule.now, &rm),
            Some(rm) => {
                let at_once = back.turn_around(rm, cell.clp());
                let hop = back.first_hop;
                if let Some(rm) = at_once {
                    let mut cell = Cell::rm(hop, Kind::BackwardRm, self.paths.rms.put(rm));
                    cell.set_clp();
                    self.send_from_source(direction ^ 1, cell);
                }
            }
        }
        self.wake_source(direction ^ 1);
    }

    /// Handles the arrival of the last cell of a PDU.
    #[inline(never)]
    pub(in crate::engine) fn on_last_cell(&mut self, direction: usize, number: u32) {
        let Some(mut pdu) = self.sources[direction].take_pdu(number) else {
            return;
        };
        let sink = &mut self.ends.sinks[direction];
        pdu.segment.congestion_experienced = std::mem::take(&mut sink.congestion_experienced);
        let verdict = sink.reassembly.on_cell(number, true, pdu.cells);
        // All its cells may have arrived, some with errors, which the CRC of AAL5 detects.
        if verdict == Verdict::Good && !pdu.is_damaged {
            sink.packets().pdus += 1;
            self.reach_host(direction, &pdu);
        } else {
            sink.packets().damaged += 1;
            if let FlowKind::External(end) = &mut self.ends.flows[pdu.flow as usize].kind {
                end.on_damage(pdu.segment.seq, LossCause::Joined);
            }
        }
    }

    pub(in crate::engine) fn on_pdu(&mut self, pdu: &Pdu) {
        let index = pdu.flow as usize;
        let flow = &mut self.ends.flows[index];
        if pdu.is_data {
            flow.delay.add(self.schedule.now - pdu.handed_over);
        }
        match &mut flow.kind {
            // The segment belongs to a connection that has been closed and replaced by another.
            FlowKind::Tcp(connection) if connection.incarnation != pdu.incarnation => {}
            FlowKind::Tcp(connection) if connection.partner.is_some() => self.on_joined(pdu),
            FlowKind::Tcp(connection) if pdu.is_data => {
                connection.on_data(self.schedule.now, &pdu.segment);
                self.drive_receiver(index);
            }
            FlowKind::Tcp(connection) => {
                connection.on_ack(self.schedule.now, &pdu.segment);
                self.drive_sender(index);
            }
            FlowKind::Packets(packets) => packets.delivered += u64::from(pdu.segment.len),
            FlowKind::External(end) => end.on_arrival(self.schedule.now, &pdu.segment),
        }
    }

    pub(in crate::engine) fn on_sender_timer(&mut self, flow: usize) {
        if let FlowKind::Tcp(connection) = &self.ends.flows[flow].kind
            && connection.is_timed_out(self.schedule.now)
        {
            // Whether the time-out is spurious depends on what has been lost.
            self.advance_path(connection.data);
            if let FlowKind::Tcp(connection) = &mut self.ends.flows[flow].kind {
                connection.on_time_out(self.schedule.now);
            }
        }
        self.drive_sender(flow);
        self.pass_host(flow, End::Sending);
    }

    pub(in crate::engine) fn on_receiver_timer(&mut self, flow: usize) {
        if let FlowKind::Tcp(connection) = &mut self.ends.flows[flow].kind {
            connection.on_receiver_timer(self.schedule.now);
            self.drive_receiver(flow);
        }
        self.pass_host(flow, End::Receiving);
    }

    /// Takes everything that a sending end may send, and sets its next deadline.
    pub(in crate::engine) fn drive_sender(&mut self, flow: usize) {
        self.record_timer_events(flow);
        let data = self.ends.flows[flow].kind.data();
        let pushed = match &self.ends.flows[flow].kind {
            FlowKind::Tcp(_) => self.take_segments(flow, data),
            FlowKind::Packets(_) => self.take_packets(flow, data),
            // The outside world hands over its packets at its own times.
            FlowKind::External(_) => return,
        };
        self.ends
            .set_deadline(flow, End::Sending, &mut self.schedule);
        if pushed {
            self.wake_source(data);
        }
    }

    /// Lets the application of a connection act and sends the segments that may leave; returns whether one has reached
    /// the source.
    fn take_segments(&mut self, flow: usize, data: usize) -> bool {
        let mut pushed = false;
        let mut writes_more = true;
        while writes_more {
            let FlowKind::Tcp(connection) = &mut self.ends.flows[flow].kind else {
                break;
            };
            writes_more = connection.run_application(self.schedule.now);
            while let FlowKind::Tcp(connection) = &mut self.ends.flows[flow].kind {
                // A PDU has left when its last cell has, which is an event where a sender waits for room (`awaited`).
                let room = self.sources[data].pdus_waiting() < connection.host_queue;
                let Some(segment) = connection.poll_segment(self.schedule.now, room) else {
                    break;
                };
                let (adaptation, incarnation) = (connection.adaptation, connection.incarnation);
                let segment = match connection.partner {
                    None => segment,
                    Some(partner) => {
                        self.ends
                            .ride(flow, partner.flow, segment, &mut self.schedule)
                    }
                };
                let cells = connection::cells(adaptation, &segment);
                let pdu = Pdu::new(self.schedule.now, flow as u32, true, cells, segment)
                    .of_incarnation(incarnation);
                self.leave(data, End::Sending, &pdu, &mut pushed);
            }
        }
        // Acknowledgments and departures may have ended a transfer.
        if let FlowKind::Tcp(connection) = &mut self.ends.flows[flow].kind {
            connection.run_application(self.schedule.now);
        }
        pushed
    }

    /// Sends the packets that are due; returns whether one has reached the source.
    fn take_packets(&mut self, flow: usize, data: usize) -> bool {
        let mut pushed = false;
        // The run is about to be stopped.
        if self.observation.watch.is_passed() {
            return pushed;
        }
        let mut packets_left = PACKETS_BETWEEN_LOOKS;
        while let FlowKind::Packets(packets) = &mut self.ends.flows[flow].kind
            && let Some(packet) = packets.poll(self.schedule.now)
        {
            let pdu = Pdu::new(self.schedule.now, flow as u32, true, packets.cells, packet);
            self.leave(data, End::Sending, &pdu, &mut pushed);
            packets_left -= 1;
            // A trace may hold any number of packets at one instant, which all come in one event.
            if packets_left == 0 {
                if self.passes_limit() {
                    break;
                }
                packets_left = PACKETS_BETWEEN_LOOKS;
            }
        }
        pushed
    }

    /// Takes the ACKs that are due from a receiver, and sets its next deadline.
    pub(in crate::engine) fn drive_receiver(&mut self, flow: usize) {
        let FlowKind::Tcp(connection) = &mut self.ends.flows[flow].kind else {
            return;
        };
        let acks = connection.acks();
        let mut pushed = false;
        connection.read(self.schedule.now);
        while let FlowKind::Tcp(connection) = &mut self.ends.flows[flow].kind
            && let Some(segment) = connection.poll_ack(self.schedule.now)
        {
            let (adaptation, incarnation) = (connection.adaptation, connection.incarnation);
            let segment = match connection.partner {
                None => segment,
                Some(partner) => self.ends.number(partner.flow, flow, segment),
            };
            let cells = connection::cells(adaptation, &segment);
            let pdu = Pdu::new(self.schedule.now, flow as u32, false, cells, segment)
                .of_incarnation(incarnation);
            self.leave(acks, End::Receiving, &pdu, &mut pushed);
        }
        self.ends
            .set_deadline(flow, End::Receiving, &mut self.schedule);
        if pushed {
            self.wake_source(acks);
        }
    }

    /// Resumes the senders that wait for room at the host, now that there is room after a PDU of `flow`: one after
    /// another, starting with the next flow.
    pub(in crate::engine) fn drive_waiting(&mut self, direction: usize, flow: usize) {
        let all = self.ends.waiting_flows(direction);
        let before = self.ends.waiting[all.clone()].partition_point(|it| it.1 <= flow);
        let next = all.start + before;
        for at in (next..all.end).chain(all.start..next) {
            let (_, other) = self.ends.waiting[at];
            if let FlowKind::Tcp(connection) = &self.ends.flows[other].kind
                && (other == flow || connection.is_blocked())
            {
                self.drive_sender(other);
            }
        }
    }

    pub(in crate::engine) fn wake_source(&mut self, direction: usize) {
        let source = &mut self.sources[direction];
        source.wake(self.schedule.now);
        source.woken = self.schedule.events;
        if source.gfc.is_some() {
            self.release_groups(direction);
        }
        self.set_source_deadline(direction);
        self.propagate_source(direction);
    }
}
