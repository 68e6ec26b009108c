//! Probes take their samples.

use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::{Rate, Span, Time};

use crate::engine::host::flow::FlowKind;
use crate::engine::link::Link;
use crate::engine::record::Observation;
use crate::engine::simulation::Simulation;
use crate::engine::state::paths::Paths;
use crate::engine::state::time::{STEP, minus};
use crate::network::{FlowQuantity, LinkQuantity, Record, SampleTimes, VcQuantity};

impl Simulation<'_> {
    /// Starts all probes and takes the first sample.
    pub(in crate::engine) fn start_recording(&mut self) {
        for probe in 0..self.observation.recorders.len() {
            let part = self.observation.recorders[probe].part;
            self.schedule.turn_to(part, &mut self.paths.rms);
            self.start_probe(probe);
            self.schedule.rest(part, &mut self.paths.rms);
        }
    }

    fn start_probe(&mut self, probe: usize) {
        let columns = &self.network.probes[probe].columns;
        let counts = columns
            .iter()
            .map(|&(_, record)| self.counted_before(record))
            .collect();
        self.observation.recorders[probe].bases = counts;
        match self.observation.recorders[probe].at {
            SampleTimes::Every(_) => {
                self.observation.recorders[probe].next = self.schedule.now;
                self.schedule.calendar.set(probe, self.schedule.now);
            }
            SampleTimes::EventsOf(flow) => {
                if let FlowKind::Tcp(connection) = &mut self.ends.flows[flow].kind {
                    connection.log_timer_events();
                    let seen = connection.sender.stats().rtt_once;
                    if seen.count > 0 {
                        self.observation.recorders[probe].last_rtt = seen.latest.as_secs();
                    }
                }
            }
        }
    }

    /// The samples of every probe, complete up to the end of the run.
    pub(in crate::engine) fn take_traces(&mut self) -> Vec<Vec<Vec<f64>>> {
        for probe in 0..self.observation.recorders.len() {
            if self.observation.recorders[probe].next == self.schedule.now {
                let part = self.observation.recorders[probe].part;
                self.schedule.turn_to(part, &mut self.paths.rms);
                self.on_probe(probe);
                self.schedule.rest(part, &mut self.paths.rms);
            }
        }
        self.observation
            .recorders
            .iter_mut()
            .map(|recorder| std::mem::take(&mut recorder.columns))
            .collect()
    }

    pub(in crate::engine) fn on_probe(&mut self, probe: usize) {
        let SampleTimes::Every(every) = self.observation.recorders[probe].at else {
            return;
        };
        let next = self.schedule.now.saturating_add(every);
        self.record_row(probe, &[]);
        self.observation.recorders[probe].next = next;
        self.schedule.calendar.set(probe, next);
    }

    /// Records what the retransmission timer of a flow has learned, in the tables of the flow's probes.
    pub(in crate::engine) fn record_timer_events(&mut self, flow: usize) {
        while let FlowKind::Tcp(connection) = &mut self.ends.flows[flow].kind
            && let Some(event) = connection.sender.take_timer_event()
        {
            let is_timeout = f64::from(u8::from(event.rtt.is_none()));
            let srtt = event.srtt.map_or(f64::NAN, Span::as_secs);
            for probe in 0..self.observation.recorders.len() {
                let recorder = &mut self.observation.recorders[probe];
                if recorder.at != SampleTimes::EventsOf(flow) {
                    continue;
                }
                recorder.last_rtt = event.rtt.map_or(recorder.last_rtt, Span::as_secs);
                let row = [is_timeout, recorder.last_rtt, srtt, event.rto.as_secs()];
                self.record_row(probe, &row);
            }
        }
    }

    /// Records a row of a probe: the instant, the values of an event, and the samples.
    fn record_row(&mut self, probe: usize, event: &[f64]) {
        let network = self.network;
        let Observation {
            recorders, watch, ..
        } = &mut self.observation;
        let recorder = &mut recorders[probe];
        watch.note_row(self.schedule.now);
        recorder.columns[0].push(self.schedule.now.as_secs());
        for (column, &value) in event.iter().enumerate() {
            recorder.columns[column + 1].push(value);
        }
        let before = 1 + event.len();
        for (column, &(_, record)) in network.probes[probe].columns.iter().enumerate() {
            let value = self.sample(record) - self.observation.recorders[probe].bases[column];
            self.observation.recorders[probe].columns[before + column].push(value);
        }
    }

    /// The count from which a recorded quantity starts; zero for quantities that are not counts.
    fn counted_before(&mut self, record: Record) -> f64 {
        let counts = matches!(
            record,
            Record::Link(
                _,
                LinkQuantity::Lost | LinkQuantity::Arrived | LinkQuantity::Sent
            )
        );
        if counts { self.sample(record) } else { 0.0 }
    }

    pub(in crate::engine) fn sample(&mut self, record: Record) -> f64 {
        match record {
            Record::Link(index, quantity) => {
                self.advance_stage(index, self.schedule.now);
                self.trains.count_group(index, &mut self.paths.hops);
                let (link, now) = (&mut self.links[index], self.schedule.now);
                link.advance(now);
                sample_link(link, index, &self.paths, quantity, now)
            }
            Record::Vc(vc, direction, quantity) => {
                let direction = 2 * vc + direction.index();
                self.advance_source(direction, self.schedule.now);
                let source = &self.sources[direction];
                match quantity {
                    // Nothing is sent on such a VC, and the table `vcs` says so, too.
                    VcQuantity::Acr if !self.network.vcs[vc].is_admitted() => 0.0,
                    VcQuantity::Acr => source.allowed_rate().map_or(f64::NAN, Rate::as_bps),
                    VcQuantity::BackwardRm => source.counts().backward_rm_received as f64,
                    VcQuantity::HostQueue => source.pdus_waiting() as f64,
                    VcQuantity::HostCells => source.cells_waiting() as f64,
                    VcQuantity::Requested => {
                        let requested = source.requested_rate();
                        requested.map_or(f64::NAN, Rate::as_bps)
                    }
                    VcQuantity::Offered => source.counts().offered as f64,
                    VcQuantity::Dropped => source.counts().dropped as f64,
                }
            }
            Record::Flow(flow, quantity) => {
                let connection = match &mut self.ends.flows[flow].kind {
                    FlowKind::Tcp(connection) => {
                        // Its applications write and read on demand.
                        if let Some(before) = minus(self.schedule.now, STEP) {
                            connection.advance(before);
                        }
                        connection
                    }
                    FlowKind::Packets(packets) if quantity == FlowQuantity::Delivered => {
                        return packets.delivered as f64;
                    }
                    FlowKind::Packets(_) | FlowKind::External(_) => return f64::NAN,
                };
                match quantity {
                    FlowQuantity::Cwnd => connection.sender.cwnd() as f64,
                    FlowQuantity::Ssthresh => connection.sender.ssthresh() as f64,
                    FlowQuantity::Rtt => {
                        let rtt = &connection.sender.stats().rtt;
                        if rtt.count > 0 {
                            rtt.latest.as_secs()
                        } else {
                            f64::NAN
                        }
                    }
                    FlowQuantity::Rto => connection.sender.rto().as_secs(),
                    FlowQuantity::Srtt => connection.sender.srtt().map_or(f64::NAN, Span::as_secs),
                    FlowQuantity::Open => f64::from(u8::from(connection.is_open())),
                    FlowQuantity::Delivered => connection.totals().delivered as f64,
                    FlowQuantity::Retransmitted => connection.totals().retransmitted as f64,
                }
            }
        }
    }
}

/// The present value of a quantity of link number `index`, which is advanced to `now`.
fn sample_link(
    link: &mut Link,
    index: usize,
    paths: &Paths,
    quantity: LinkQuantity,
    now: Time,
) -> f64 {
    if quantity == LinkQuantity::Target {
        let algorithm = link.algorithm();
        let target = algorithm.and_then(|algorithm| algorithm.target_rate(now));
        return target.map_or(f64::NAN, Rate::as_bps);
    }
    let hops = paths.hops.iter().enumerate();
    let hops = hops.filter(|(_, hop)| hop.link as usize == index);
    match quantity {
        LinkQuantity::Queue => f64::from(link.queued()),
        LinkQuantity::QueueOctets => link.queued_octets() as f64,
        LinkQuantity::Target => f64::NAN,
        LinkQuantity::ControlledQueue => f64::from(link.controlled()),
        LinkQuantity::Rate => {
            let rated = link.line.as_ref();
            rated.map_or(f64::NAN, |line| line.rate().as_bps())
        }
        LinkQuantity::Lost | LinkQuantity::LostInAll => {
            let (mut lost, mut dropped) = (0, 0);
            for (number, hop) in hops {
                lost += paths.faults.get(number).lost.iter().sum::<u64>();
                dropped += link.dropped(hop.port_vc);
            }
            lost as f64 + dropped as f64
        }
        // Cells leave a mere delay as they enter it. In trains, the counts of links that take no time are not always
        // up to date.
        LinkQuantity::Sent if link.line.is_some() || link.is_transparent() => {
            link.read(now).departed as f64
        }
        LinkQuantity::Arrived | LinkQuantity::Sent => {
            let offered = hops.map(|(_, hop)| hop.counts.offered.iter().sum::<u64>());
            offered.sum::<u64>() as f64
        }
    }
}
