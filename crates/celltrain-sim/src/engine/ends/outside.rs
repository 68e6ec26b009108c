//! Packets handed over to VCs whose ends lie outside, and given back.

use std::sync::atomic::AtomicBool;

use celltrain_proto::packet_queue::Label;
use celltrain_proto::tcp::Segment;
use celltrain_proto::units::{Span, Time};

use crate::engine::error::RunError;
use crate::engine::host::external::{self, Arrival, Damage, External};
use crate::engine::simulation::Simulation;
use crate::engine::source::Pdu;
use crate::engine::state::end::End;
use crate::measure::{Results, Snapshot};
use crate::network::{Network, Record};
use crate::scenario::Direction;

impl<'n> Simulation<'n> {
    /// The network at the start of a run in which the ends of VC number `vc` lie outside.
    pub fn with_external(network: &'n Network, seed: u64, vc: usize) -> Self {
        let adaptation = network.vcs[vc].adaptation;
        let ends = [Direction::Forward, Direction::Backward]
            .map(|direction| External::new(vc, direction, adaptation));
        Self::with_ends(network, seed, ends.into())
    }

    /// Hands over an IP packet of `octets` octets at the present instant of the network, to be sent to the far end of
    /// `direction`. Packets that are `ecn_capable` are marked where others would be dropped; queues that know flows, hosts
    /// and code points take them from `label`, of whose flow the lower half counts.
    ///
    /// Returns the packet's number in its direction. Panics in a simulation without an external VC.
    pub fn hand_over(
        &mut self,
        direction: Direction,
        octets: u32,
        ecn_capable: bool,
        label: Label,
    ) -> u64 {
        let (now, way) = (self.schedule.now, direction.index());
        let flow = self.network.flows.len() + way;
        let end = self.ends.external(flow);
        let (source, number) = (end.data, end.sent);
        end.sent += 1;
        let cells = end.adaptation.cells_for_ip(u64::from(octets)) as u32;
        let packet = Segment {
            seq: number,
            len: octets,
            ecn_capable,
            ..external::labelled(label)
        };
        let pdu = Pdu::new(now, flow as u32, true, cells, packet).of_incarnation(label.flow as u32);
        let mut pushed = false;
        self.leave(source, End::Sending, &pdu, &mut pushed);
        if pushed {
            self.wake_source(source);
        }
        self.ends
            .set_deadline(flow, End::Sending, &mut self.schedule);
        number
    }

    /// The time that the LANs of both hosts of the external VC need for an IP packet that waits for no other.
    pub fn lan_time(&mut self, direction: Direction, octets: u64) -> Span {
        let first = self.network.flows.len();
        let source = self.ends.external(first + direction.index()).data;
        self.ends.hosts.lan_time(source, octets)
    }

    /// Runs the network up to, but not including, `now`, which becomes the present instant.
    pub fn advance(&mut self, now: Time) -> Result<(), RunError> {
        self.run_until(now, &AtomicBool::new(false))
    }

    /// When something happens next. This changes with [`Simulation::hand_over`] and [`Simulation::advance`].
    pub fn next_event(&self) -> Time {
        self.schedule.calendar.next().0
    }

    /// Appends the packets that have arrived since the last call to `arrivals`, in order of arrival in each direction.
    pub fn take_arrivals(&mut self, arrivals: &mut Vec<Arrival>) {
        let first = self.network.flows.len();
        for flow in first..first + 2 {
            arrivals.append(&mut self.ends.external(flow).arrived);
        }
    }

    /// Appends the packets that have lost a cell since the last call to `damages`.
    pub fn take_damages(&mut self, damages: &mut Vec<Damage>) {
        let first = self.network.flows.len();
        for flow in first..first + 2 {
            damages.append(&mut self.ends.external(flow).damaged);
        }
    }

    /// The present value of a quantity that a probe can record.
    pub fn observe(&mut self, record: Record) -> f64 {
        self.sample(record)
    }

    /// What the line of a link could have carried up to the present instant, in bits.
    pub fn capacity_bits(&mut self, link: usize) -> f64 {
        self.links[link].advance(self.schedule.now);
        self.links[link].read(self.schedule.now).capacity
    }

    /// Readings of all counters at the present instant.
    pub fn read(&mut self) -> Snapshot {
        self.snapshot()
    }

    /// The results between two readings of this simulation: `network` with the measured interval set to the time between
    /// them.
    pub fn results(
        &self,
        network: &Network,
        seed: u64,
        before: &Snapshot,
        after: &Snapshot,
    ) -> Results {
        Results::new(
            network,
            seed,
            before,
            after,
            &[],
            Vec::new(),
            self.schedule.all_events(),
        )
    }
}
