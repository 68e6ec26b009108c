//! Readings of all counters at one instant. Results are differences between two readings.

use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::{Rate, Time};

use crate::engine::host::flow::{Flow, FlowKind};
use crate::engine::host::sink::Sink;
use crate::engine::link::{Becn, Link};
use crate::engine::observe::hops::HopCounters;
use crate::engine::queue::octets::OctetCounts;
use crate::engine::simulation::Simulation;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::mode::Mode;
use crate::engine::state::shaper::ShaperCounts;
use crate::engine::state::sparse::Sparse;
use crate::engine::trains::bypassed::BypassedLink;
use crate::engine::trains::port::Port;
use crate::measure::{
    FlowReading, LinkReading, OctetReading, QueuePart, Readings, ShaperReading, SinkReading,
    SinkReadings, Snapshot, SourceReading, SourceReadings,
};

/// RM cells of a direction that begin or end on its path.
#[derive(Clone, Copy, Default, Debug)]
struct Within {
    made: u64,
    ended: u64,
}

/// A rate in bit/s; NaN for none, which tables show as an empty value.
fn rate_or_none(rate: Option<Rate>) -> f64 {
    rate.map_or(f64::NAN, Rate::as_bps)
}

/// The counters of a flow; restarts the search for its longest stall.
fn reading(flow: &mut Flow, now: Time) -> FlowReading {
    let mut reading = FlowReading {
        delays: flow.delay.count,
        delay_sum_s: flow.delay.sum_ps as f64 / 1e12,
        ..FlowReading::default()
    };
    match &mut flow.kind {
        FlowKind::Tcp(connection) => {
            let totals = connection.totals();
            let transfers = connection.transfers();
            reading.delivered = totals.delivered;
            reading.segments = totals.segments;
            reading.retransmitted = totals.retransmitted;
            reading.timeouts = totals.timeouts;
            reading.spurious_timeouts = totals.spurious_timeouts;
            reading.fast_retransmits = totals.fast_retransmits;
            reading.ecn_reductions = totals.ecn_reductions;
            reading.tail_probes = totals.tail_probes;
            reading.reductions_undone = totals.reductions_undone;
            reading.rtt_samples = totals.rtt_samples;
            reading.rtt_sum_s = totals.rtt_sum_ps as f64 / 1e12;
            reading.rtt_once_samples = totals.rtt_once_samples;
            reading.rtt_once_sum_s = totals.rtt_once_sum_ps as f64 / 1e12;
            reading.rtt_once_sum_sq_s2 = totals.rtt_once_sum_sq_ps2 as f64 / 1e24;
            reading.rtt_timed_samples = totals.rtt_timed_samples;
            reading.rtt_timed_sum_s = totals.rtt_timed_sum_ps as f64 / 1e12;
            reading.longest_idle_s = connection.stall.read(now).as_secs();
            reading.transfers = transfers.done;
            reading.transfers_failed = transfers.failed;
            reading.transfer_sum_s = transfers.sum_ps as f64 / 1e12;
            reading.transfer_octets = transfers.octets;
            reading.thinks = transfers.thinks;
            reading.think_sum_s = transfers.think_sum_ps as f64 / 1e12;
        }
        FlowKind::Packets(packets) => {
            reading.delivered = packets.delivered;
            reading.segments = packets.sent;
        }
        FlowKind::External(_) => {}
    }
    reading
}

fn shaper_reading(counts: ShaperCounts) -> ShaperReading {
    ShaperReading {
        offered: counts.offered,
        dropped: counts.dropped,
        departed: counts.departed,
        area_ps: counts.area_ps,
        longest: counts.longest,
    }
}

fn octet_reading(counts: OctetCounts) -> OctetReading {
    OctetReading {
        offered: counts.offered,
        lost: counts.lost,
        departed: counts.departed,
        packets: counts.packets,
        area_ps: counts.area,
        most: counts.most,
    }
}

impl Simulation<'_> {
    /// Reads all counters, and resets those that keep a maximum or a mean.
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        let now = self.schedule.now;
        self.count_transparent();
        let (bypassed_hops, bypassed_links) = self.read_bypassed();
        let links = read_links(&mut self.links, &self.trains.ports, bypassed_links, now);
        let paths = HopCounters {
            network: self.network,
            paths: &self.paths,
            links: &self.links,
        };
        let mut queued = paths.queued();
        self.trains
            .add_queued_trains(now, &self.sources, &mut queued);
        let hops = paths.read(&queued, &bypassed_hops);
        let errors = paths.read_errors();
        let within = read_within(self.sources.directions(), &paths, &self.ends.sinks);
        let (sources, sinks) = self.read_ends(&within);
        let delays = self
            .network
            .timed_directions()
            .filter_map(|direction| {
                let delays = self.ends.sinks[direction].delays()?;
                Some((direction, delays.take()))
            })
            .collect();
        let responses = self.ends.take_responses();
        let shapers = self.paths.shapers.iter_mut();
        let shapers = shapers.map(|shaper| shaper_reading(shaper.read(now)));
        let shapers = shapers.collect();
        let flows = self.ends.flows.iter_mut().take(self.network.flows.len());
        let flows = flows.map(|flow| reading(flow, now));
        Snapshot {
            links,
            hops,
            sources,
            sinks,
            flows: flows.collect(),
            errors,
            shapers,
            delays,
            responses,
        }
    }
    /// The counters of the source and of the end of each direction; restarts the search for the longest queues.
    fn read_ends(&mut self, within: &Sparse<Within>) -> (SourceReadings, SinkReadings) {
        let now = self.schedule.now;
        let directions = 0..self.sources.directions();
        let sources = directions.clone().map(|direction| {
            let mut reading = if self.sources.has_own(direction) {
                let sink = &self.ends.sinks[direction];
                read_source(&mut self.sources[direction], sink, now)
            } else {
                let service = &self.network.direction(direction).service;
                SourceReading {
                    rate_bps: rate_or_none(Source::initial_rate(service)),
                    ..SourceReading::default()
                }
            };
            reading.cells += within.get(direction).made;
            if !self.network.vcs[direction / 2].is_admitted() {
                reading.rate_bps = 0.0;
            }
            reading
        });
        let sources = Readings::new(directions.len(), sources);
        let sinks = directions.clone().map(|direction| {
            let sink = &self.ends.sinks[direction];
            let packets = sink.packets.as_ref();
            SinkReading {
                cells: sink.cells().iter().sum::<u64>() + within.get(direction).ended,
                pdus: packets.map_or(0, |packets| packets.pdus),
                damaged: packets.map_or(0, |packets| packets.damaged),
            }
        });
        (sources, Readings::new(directions.len(), sinks))
    }
}

/// Reads all links at `now`; the readings of bypassed ones follow from their cells.
fn read_links(
    links: &mut [Link],
    ports: &[Port],
    bypassed: Vec<BypassedLink>,
    now: Time,
) -> Vec<LinkReading> {
    let links = links.iter_mut().zip(ports).zip(bypassed);
    let links = links.map(|((link, port), bypassed)| {
        let mut reading = link.read(now);
        let mut queue_max = link.take_maximum();
        if port.mode == Mode::Bypassed && link.line.is_some() {
            reading = bypassed.with_capacity(reading.capacity);
            queue_max = bypassed.queue_max;
        }
        let control = link.algorithm();
        let (active_vcs, load_factor) = control.map_or((None, None), |control| {
            let means = (control.mean_active_vcs(now), control.load_factor(now));
            control.reset_statistics(now);
            means
        });
        LinkReading {
            departed: reading.departed,
            queue_area_ps: reading.area,
            capacity_bits: reading.capacity,
            queue_max,
            active_vcs,
            load_factor,
            octets: link.read_octets(now).map(octet_reading),
        }
    });
    links.collect()
}

/// By direction, the RM cells that begin or end at switches: at local loops and virtual ends, and those of congested
/// queues.
fn read_within(
    directions: usize,
    hops: &HopCounters<'_>,
    sinks: &ByDirection<Sink>,
) -> Sparse<Within> {
    let HopCounters { paths, links, .. } = hops;
    let mut within: Sparse<Within> = Sparse::new(directions);
    for end in &paths.virtual_ends {
        let direction = paths.hops[end.next_hop as usize].direction as usize;
        let [_, forward, backward] = end.ended;
        let at_end = within.get_mut(direction);
        at_end.ended += forward + backward;
        at_end.made += end.made;
    }
    let loops = paths.hops.iter().filter(|hop| hop.turn_around().is_some());
    for direction in loops.map(|hop| hop.direction as usize) {
        let turned_around = sinks[direction].turned_around();
        within.get_mut(direction).ended += turned_around;
        within.get_mut(direction ^ 1).made += turned_around;
    }
    for (back, count) in { links.iter() }.filter_map(Link::becn).flat_map(Becn::made) {
        let direction = paths.hops[back].direction as usize;
        within.get_mut(direction).made += count;
    }
    within
}

/// The counters of a direction's source at `now`; restarts the search for its longest queue.
fn read_source(source: &mut Source, sink: &Sink, now: Time) -> SourceReading {
    let counts = source.counts();
    SourceReading {
        data_ended: sink.transit.count(),
        transit_s: source.transit.area(&sink.transit, now) as f64 / 1e12,
        cells: counts.cells,
        forward_rm: counts.forward_rm,
        backward_rm: counts.backward_rm,
        backward_rm_overwritten: counts.backward_rm_overwritten,
        pdus: counts.pdus,
        damaged: counts.damaged,
        offered: counts.offered,
        dropped: counts.dropped,
        waiting_max: source.take_waiting_max(),
        rate_bps: rate_or_none(source.allowed_rate()),
    }
}

/// The statistics of the queues since the last call, by link.
pub(in crate::engine) fn take_parts(links: &mut [Link], now: Time) -> Vec<Option<QueuePart>> {
    let parts = links.iter_mut().map(|link| {
        let part = link.take_part(now)?;
        Some(QueuePart {
            min: part.min,
            mean: part.mean,
            max: part.max,
        })
    });
    parts.collect()
}
