//! The passage of packets through hosts with processing times or LANs.

use crate::engine::host::flow::FlowKind;
use crate::engine::host::fragments::Stretch;
use crate::engine::host::hosts::take_due;
use crate::engine::simulation::Simulation;
use crate::engine::source::Pdu;
use crate::engine::state::end::End;
use crate::engine::state::loss_cause::LossCause;

impl Simulation<'_> {
    /// Handles a packet that leaves its end of a flow. `pushed` tells whether the source has been given a packet in this
    /// event; it is set if this packet reaches the source immediately.
    pub(in crate::engine) fn leave(
        &mut self,
        direction: usize,
        end: End,
        pdu: &Pdu,
        pushed: &mut bool,
    ) {
        match self.ends.flows[pdu.flow as usize].cut(pdu, Stretch::Sender) {
            None => self.leave_whole(direction, end, pdu, pushed),
            Some(parts) => {
                for part in parts {
                    self.leave_whole(direction, end, &part, pushed);
                }
            }
        }
    }

    /// Handles a packet, or a fragment, that the network of its sending host carries.
    fn leave_whole(&mut self, direction: usize, end: End, pdu: &Pdu, pushed: &mut bool) {
        self.observation
            .observer
            .on_sent(self.schedule.now, direction, pdu);
        let octets = self.ends.flows[pdu.flow as usize].kind.ip_octets(pdu);
        let (now, hosts) = (self.schedule.now, &mut self.ends.hosts);
        if hosts.leave(now, direction, octets, end, pdu) {
            self.give_to_source(direction, pdu, pushed);
        }
    }

    /// Hands a packet to the source of a VC's direction, in parts if a network on the path cuts it.
    fn give_to_source(&mut self, direction: usize, pdu: &Pdu, pushed: &mut bool) {
        match self.ends.flows[pdu.flow as usize].cut(pdu, Stretch::Path) {
            None => self.push_to_source(direction, pdu, pushed),
            Some(parts) => {
                for part in parts {
                    self.push_to_source(direction, &part, pushed);
                }
            }
        }
    }

    /// Hands as many cells of a PDU as find room to the source of a VC's direction.
    fn push_to_source(&mut self, direction: usize, pdu: &Pdu, pushed: &mut bool) {
        if !std::mem::replace(pushed, true) {
            self.advance_before_change(direction);
        }
        let kind = &mut self.ends.flows[pdu.flow as usize].kind;
        let has_room = self.sources[direction].push(*pdu, || kind.ip_octets(pdu));
        match kind {
            FlowKind::Tcp(connection)
                if pdu.is_data && connection.incarnation == pdu.incarnation =>
            {
                if pdu.is_first_part() {
                    connection.on_copy(pdu.segment.seq);
                }
                if !has_room {
                    connection.on_loss(pdu.segment.seq);
                }
            }
            FlowKind::External(end) if !has_room => {
                end.on_damage(pdu.segment.seq, LossCause::Host);
            }
            _ => {}
        }
    }

    /// Handles a packet that has arrived completely at the end of its VC.
    pub(in crate::engine) fn reach_host(&mut self, direction: usize, pdu: &Pdu) {
        match self.ends.flows[pdu.flow as usize].cut(pdu, Stretch::Receiver) {
            None => self.reach_whole(direction, pdu),
            Some(parts) => {
                for part in parts {
                    self.reach_whole(direction, &part);
                }
            }
        }
    }

    /// Handles a packet, or a fragment, that the network of its receiving host carries.
    fn reach_whole(&mut self, direction: usize, pdu: &Pdu) {
        let flow = pdu.flow as usize;
        let end = if pdu.is_data {
            End::Receiving
        } else {
            End::Sending
        };
        let octets = self.ends.flows[flow].kind.ip_octets(pdu);
        let now = self.schedule.now;
        let hosts = &mut self.ends.hosts;
        if hosts.arrive(now, direction, octets, end, pdu) {
            self.take_in(direction, pdu);
        } else {
            self.ends.set_deadline(flow, end, &mut self.schedule);
            // The way back begins at the host where this one ends.
            self.ends
                .set_deadline_on_ring(direction ^ 1, &mut self.schedule);
        }
    }

    fn take_in(&mut self, direction: usize, pdu: &Pdu) {
        self.observation
            .observer
            .on_received(self.schedule.now, direction, pdu);
        match &mut self.ends.flows[pdu.flow as usize].fragments {
            None => self.on_pdu(pdu),
            Some(fragments) => {
                if let Some(whole) = fragments.complete(pdu) {
                    self.on_pdu(&whole);
                }
            }
        }
    }

    /// Forwards the packets that have passed their host.
    pub(in crate::engine) fn pass_host(&mut self, flow: usize, end: End) {
        let leaving = self.ends.leaving(flow, end);
        let (arriving, now) = (leaving ^ 1, self.schedule.now);
        if self.ends.hosts.deadline(flow, end, leaving) > now {
            // The token has come to another station first since this instant was set: without a new one, the end would
            // act at this one for ever.
            self.ends.set_deadline(flow, end, &mut self.schedule);
            return;
        }
        if self.ends.hosts.pass_ring(now, flow, end, leaving) {
            self.ends.set_deadline_on_ring(leaving, &mut self.schedule);
        }
        let mut pushed = false;
        while let Some(pdu) = take_due(
            &mut self.ends.hosts.on_the_way[flow][end as usize].leaving,
            now,
        ) {
            self.give_to_source(leaving, &pdu, &mut pushed);
        }
        if pushed {
            self.wake_source(leaving);
        }
        while let Some(pdu) = take_due(
            &mut self.ends.hosts.on_the_way[flow][end as usize].arriving,
            now,
        ) {
            self.take_in(arriving, &pdu);
        }
        self.ends.set_deadline(flow, end, &mut self.schedule);
    }
}
