//! Readings of all counters at one instant. Results are differences between two readings.

use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::{Rate, Time};

use crate::engine::host::flow::{Flow, FlowKind};
use crate::engine::link::{Becn, Link};
use crate::engine::simulation::Simulation;
use crate::engine::source::Source;
use crate::engine::state::cell::KINDS;
use crate::engine::state::mode::Mode;
use crate::engine::state::shaper::ShaperCounts;
use crate::engine::state::sparse::Sparse;
use crate::engine::trains::bypassed::{BypassedHop, BypassedLink};
use crate::measure::{
    ErrorCounts, FlowReading, HopReading, HopReadings, LinkReading, QueuePart, Readings,
    ShaperReading, SinkReading, Snapshot, SourceReading,
};

/// RM cells of a direction that begin or end on its path.
#[derive(Clone, Copy, Default, Debug)]
struct Within {
    made: u64,
    ended: u64,
}

fn sum(a: [u64; KINDS], b: [u64; KINDS]) -> [u64; KINDS] {
    std::array::from_fn(|kind| a[kind] + b[kind])
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

impl Simulation<'_> {
    /// Reads all counters, and resets those that keep a maximum or a mean.
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        let now = self.schedule.now;
        self.count_transparent();
        let (bypassed_hops, bypassed_links) = self.read_bypassed();
        let links = self.read_links(bypassed_links);
        let hops = self.read_hops(&bypassed_hops);
        let directions = 0..self.sources.directions();
        let within = self.read_within();
        let sources = directions.clone().map(|direction| {
            let mut reading = if self.sources.has_own(direction) {
                self.read_source(direction)
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
        let sinks = Readings::new(directions.len(), sinks);
        let delays = self
            .network
            .timed_directions()
            .filter_map(|direction| {
                let delays = self.ends.sinks[direction].delays()?;
                Some((direction, delays.take()))
            })
            .collect();
        let responses = self.ends.take_responses();
        let shapers = self.read_shapers();
        let flows = self.ends.flows.iter_mut().take(self.network.flows.len());
        let flows = flows.map(|flow| reading(flow, now));
        Snapshot {
            links,
            hops,
            sources,
            sinks,
            flows: flows.collect(),
            errors: self.read_errors(),
            shapers,
            delays,
            responses,
        }
    }

    /// The counts of each shaper; restarts the search for its longest queue.
    fn read_shapers(&mut self) -> Vec<ShaperReading> {
        let now = self.schedule.now;
        let shapers = self.paths.shapers.iter_mut();
        shapers
            .map(|shaper| shaper_reading(shaper.read(now)))
            .collect()
    }

    /// Reads all links; the readings of bypassed ones follow from their cells.
    fn read_links(&mut self, bypassed: Vec<BypassedLink>) -> Vec<LinkReading> {
        let now = self.schedule.now;
        let links = self.links.iter_mut().zip(&self.trains.ports).zip(bypassed);
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
            }
        });
        links.collect()
    }

    /// RM cells that begin or end at switches: at local loops and virtual ends, and those of congested queues.
    fn read_within(&self) -> Sparse<Within> {
        let mut within: Sparse<Within> = Sparse::new(self.sources.directions());
        for end in &self.paths.virtual_ends {
            let direction = self.paths.hops[end.next_hop as usize].direction as usize;
            let [_, forward, backward] = end.ended;
            let at_end = within.get_mut(direction);
            at_end.ended += forward + backward;
            at_end.made += end.made;
        }
        let hops = self.paths.hops.iter();
        let loops = hops.filter(|hop| hop.turn_round().is_some());
        for direction in loops.map(|hop| hop.direction as usize) {
            let turned_round = self.ends.sinks[direction].turned_round();
            within.get_mut(direction).ended += turned_round;
            within.get_mut(direction ^ 1).made += turned_round;
        }
        for (back, count) in { self.links.iter() }
            .filter_map(Link::becn)
            .flat_map(Becn::made)
        {
            let direction = self.paths.hops[back].direction as usize;
            within.get_mut(direction).made += count;
        }
        within
    }

    /// The counters of a direction's source; restarts the search for its longest queue.
    fn read_source(&mut self, direction: usize) -> SourceReading {
        let (source, sink) = (&mut self.sources[direction], &self.ends.sinks[direction]);
        let counts = source.counts();
        SourceReading {
            data_ended: sink.transit.count(),
            transit_s: source.transit.area(&sink.transit, self.schedule.now) as f64 / 1e12,
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

    /// The counters of all hops, including those of bypassed ones.
    fn read_hops(&self, bypassed: &Sparse<BypassedHop>) -> HopReadings {
        let queued = self.queued_by_hop();
        let hops = self.hops_of_network();
        let hops = hops.map(|hop| {
            hop.map_or_else(HopReading::default, |hop| {
                self.read_hop(hop, queued.get(hop).map(u64::from), bypassed.get(hop))
            })
        });
        Readings::new(self.hops_in_network(), hops)
    }

    /// The counts of each hop of a link with errors.
    fn read_errors(&self) -> Vec<(usize, ErrorCounts)> {
        if self.links.iter().all(|link| link.errors.is_none()) {
            return Vec::new();
        }
        let hops = self.hops_of_network().enumerate();
        let counts = hops.filter_map(|(number, hop)| {
            let hop = &self.paths.hops[hop?];
            let errors = self.links[hop.link as usize].errors.as_ref()?;
            Some((number, errors.counts(hop.port_vc as usize)))
        });
        counts.collect()
    }

    /// The number of links that all directions cross in total.
    fn hops_in_network(&self) -> usize {
        let directions = self.network.vcs.iter().flat_map(|vc| &vc.directions);
        directions.map(|direction| direction.links.len()).sum()
    }

    /// The hop for each link that each direction of a VC crosses; `None` for directions in which no cell can come.
    fn hops_of_network(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let mut next = 0;
        let directions = self.network.vcs.iter().flat_map(|vc| &vc.directions);
        let hops = directions.enumerate().map(move |(number, direction)| {
            let (first, count) = (next, direction.links.len());
            let hop = self.paths.hops.get(first);
            let has_hops = hop.is_some_and(|hop| hop.direction as usize == number);
            if has_hops {
                next += count;
            }
            (0..count).map(move |at| has_hops.then_some(first + at))
        });
        hops.flatten()
    }

    /// The counters of hop number `index`, including the cells in the queue and those counted by channels that bypass it.
    fn read_hop(&self, index: usize, queued: [u64; KINDS], bypassed: BypassedHop) -> HopReading {
        let (hop, faults) = (&self.paths.hops[index], self.paths.faults.get(index));
        let link = &self.links[hop.link as usize];
        let dropped = link.dropped(hop.port_vc);
        let mut lost = faults.lost;
        lost[0] += dropped;
        let end = hop.virtual_end();
        let ended = end.map_or(0, |end| self.paths.virtual_ends[end as usize].ended[0]);
        HopReading {
            offered: sum(hop.counts.offered, bypassed.offered),
            lost,
            queued: if link.line.is_some() {
                sum(queued, bypassed.queued)
            } else {
                queued
            },
            errored: faults.errored.iter().sum(),
            policed: faults.policed.iter().sum(),
            tagged: faults.tagged,
            lost_behind: ended + faults.refused.iter().sum::<u64>(),
            dropped_unseen: dropped,
        }
    }

    /// The statistics of the queues since the last call, by link.
    pub(in crate::engine) fn take_parts(&mut self) -> Vec<Option<QueuePart>> {
        let now = self.schedule.now;
        let parts = self.links.iter_mut().map(|link| {
            let part = link.take_part(now)?;
            Some(QueuePart {
                min: part.min,
                mean: part.mean,
                max: part.max,
            })
        });
        parts.collect()
    }

    /// Cells in the queue of each hop's link, by kind.
    fn queued_by_hop(&self) -> Sparse<[u32; KINDS]> {
        let mut queued: Sparse<[u32; KINDS]> = Sparse::new(self.paths.hops.len());
        let links = self.links.iter().filter(|link| link.line.is_some());
        let trains = links.flat_map(Link::trains);
        // Iterating within the chain is several times faster than stepping through it.
        trains.for_each(|(train, is_queued)| {
            if is_queued {
                let cell = train.first;
                queued.get_mut(cell.hop())[cell.kind() as usize] += train.count;
            }
        });
        self.add_queued_trains(&mut queued);
        queued
    }
}
