//! End systems: connections, applications, the processing times of hosts, and their counts.

pub(in crate::engine) mod application;
pub(in crate::engine) mod cell_delays;
pub(in crate::engine) mod connection;
pub(in crate::engine) mod external;
pub(in crate::engine) mod flow;
pub(in crate::engine) mod fragments;
pub(in crate::engine) mod hosts;
pub(in crate::engine) mod law;
pub(in crate::engine) mod losses;
pub(in crate::engine) mod packets;
pub(in crate::engine) mod processing;
pub(in crate::engine) mod sink;
pub(in crate::engine) mod slots;
pub(in crate::engine) mod socket;
pub(in crate::engine) mod stall;
pub(in crate::engine) mod telnet;
pub(in crate::engine) mod terminal;

use std::ops::Range;

use celltrain_proto::units::Time;

use crate::engine::host::connection::Connection;
use crate::engine::host::external::External;
use crate::engine::host::flow::{Flow, FlowKind};
use crate::engine::host::hosts::Hosts;
use crate::engine::host::sink::Sink;
use crate::engine::host::terminal::Terminal;
use crate::engine::schedule::Schedule;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::end::End;
use crate::measure::Responses;

/// The receiving ends of all directions, the flows between them, and the hosts on which they run.
#[derive(Clone, Debug)]
pub(in crate::engine) struct EndSystems {
    pub(in crate::engine) sinks: ByDirection<Sink>,
    pub(in crate::engine) flows: Vec<Flow>,
    /// The flows whose senders wait for room at their host, sorted by the direction of their data, which comes first in
    /// each pair.
    pub(in crate::engine) waiting: Box<[(usize, usize)]>,
    pub(in crate::engine) hosts: Hosts,
    /// The end systems under generic flow control.
    pub(in crate::engine) terminals: Vec<Terminal>,
}

impl EndSystems {
    /// The flows of a direction whose senders wait for room at their host, as places in `waiting`.
    pub(in crate::engine) fn waiting_flows(&self, direction: usize) -> Range<usize> {
        let first = self.waiting.partition_point(|it| it.0 < direction);
        let count = self.waiting[first..].partition_point(|it| it.0 == direction);
        first..first + count
    }

    /// The direction in which the packets of an end of a flow leave.
    pub(in crate::engine) fn leaving(&self, flow: usize, end: End) -> usize {
        let data = self.flows[flow].kind.data();
        match end {
            End::Sending => data,
            End::Receiving => data ^ 1,
        }
    }

    /// Sets when an end of a flow acts next.
    pub(in crate::engine) fn set_deadline(&self, flow: usize, end: End, schedule: &mut Schedule) {
        let leaving = self.leaving(flow, end);
        let host = self.hosts.deadline(flow, end, leaving);
        let actors = schedule.actors;
        let (first, own) = match (end, &self.flows[flow].kind) {
            (End::Sending, _) => (actors.senders, self.flows[flow].sender_deadline()),
            (End::Receiving, FlowKind::Tcp(connection)) => {
                (actors.receivers, connection.receiver_deadline())
            }
            (End::Receiving, _) => (actors.receivers, Time::NEVER),
        };
        schedule.calendar.set(first + flow, own.min(host));
    }

    /// Sets when the end of a flow acts whose packet is the next to leave the ring of the host where a direction starts.
    pub(in crate::engine) fn set_deadline_on_ring(
        &self,
        direction: usize,
        schedule: &mut Schedule,
    ) {
        if let Some((flow, end)) = self.hosts.next_on_ring(direction) {
            self.set_deadline(flow, end, schedule);
        }
    }

    /// The flow whose PDU has just left the source of a direction entirely, if senders wait for that.
    pub(in crate::engine) fn awaited_pdu(
        &self,
        direction: usize,
        source: &Source,
    ) -> Option<usize> {
        if self.waiting_flows(direction).is_empty() {
            return None;
        }
        Some(source.last_sent()?.flow as usize)
    }

    /// The end outside of flow number `flow`.
    pub(in crate::engine) fn external(&mut self, flow: usize) -> &mut External {
        match &mut self.flows[flow].kind {
            FlowKind::External(end) => end,
            _ => unreachable!("the flows after the network's own are those of the external VC"),
        }
    }

    /// The sender of one flow and the receiver of another, which form one end of a connection.
    pub(in crate::engine) fn end_of(
        &mut self,
        sending: usize,
        receiving: usize,
    ) -> [&mut Connection; 2] {
        let flows = self.flows.get_disjoint_mut([sending, receiving]);
        let kinds = flows.map(|flows| flows.map(|flow| &mut flow.kind));
        match kinds {
            Ok([FlowKind::Tcp(sender), FlowKind::Tcp(receiver)]) => [sender, receiver],
            _ => unreachable!("the two directions of a connection are two flows with TCP"),
        }
    }

    /// The answered messages of each flow that has a telnet application; restarts the search for the longest responses.
    pub(in crate::engine) fn take_responses(&mut self) -> Vec<(usize, Responses)> {
        let flows = self.flows.iter_mut().enumerate();
        let responses = flows.filter_map(|(number, flow)| match &mut flow.kind {
            FlowKind::Tcp(connection) => Some((number, connection.take_responses()?)),
            FlowKind::Packets(_) | FlowKind::External(_) => None,
        });
        responses.collect()
    }
}
