//! Upper bounds on the cost of a run, estimated before it starts.

use std::ops::Add;

use celltrain_proto::traffic::TrafficSource;
use celltrain_proto::units::{CELL_BITS, Rate};

use super::arrivals::{arrivals, offers};
use super::demand::Demand;
use super::memory;
use super::model::{Link, Network, NodeKind, SampleTimes, VcDirection};
use super::offered::Offered;
use crate::scenario::{Limits, OnExcess, Problem, Sockets, Traffic};

/// Upper bounds on the cost of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// Cells, summed over the links that they cross, plus rate changes of lines and sources.
    pub cells: f64,
    /// Memory for cells in queues and in flight, for packets that wait at hosts, and for samples, in octets.
    pub memory: f64,
    /// Rows of all probes.
    pub trace_rows: f64,
    /// Cells that come to the sources, also those that find no room.
    offered: f64,
    /// Writes of applications, also those that no cell follows.
    writes: f64,
    /// What needs most of the memory, if anything does.
    largest: Option<Demand>,
    /// A VC without any limit on its rate, if there is one.
    unbounded: Option<usize>,
}

impl Cost {
    /// The cost of running `network`.
    pub fn of(network: &Network) -> Self {
        let seconds = network.end.as_secs();
        let own_rates = own_rates(network);
        let (offered, unbounded) = offered(network, &own_rates);
        let mut cost = Self {
            cells: 0.0,
            memory: 0.0,
            trace_rows: 0.0,
            offered: 0.0,
            writes: writes(network),
            largest: None,
            unbounded,
        };
        let links = network.links.iter().zip(offered);
        let carried: Vec<f64> = links
            .map(|(link, offered)| carried(network, link, offered))
            .collect();
        for (link, cells_per_s) in network.links.iter().zip(&carried) {
            cost.cells += cells_per_s * seconds;
            if let Some(misinsertion) = link.misinsertion {
                cost.cells += misinsertion.rate.0.as_cells_per_s() * seconds;
            }
            if let Some(line) = &link.line {
                cost.cells += seconds * line.range.changes_per_s;
            }
        }
        for traffic in traffics(network) {
            cost.cells += seconds * traffic.changes_per_s();
        }
        let rows = rows(network, &own_rates);
        // The sum of no numbers is -0.
        cost.trace_rows = rows.iter().sum::<f64>() + 0.0;
        let offered = Offered::of(network);
        cost.offered = offered.total();
        let demands = memory::demands(network, &offered, &carried, &rows);
        cost.memory = demands.iter().map(|demand| demand.octets).sum();
        let by_octets = |one: &Demand, other: &Demand| one.octets.total_cmp(&other.octets);
        cost.largest = demands.into_iter().max_by(by_octets);
        cost
    }

    /// Each bound under its key in `[limits]`, and in its unit.
    pub fn bounds(&self) -> [(&'static str, f64); 3] {
        [
            ("cells", self.cells.max(self.offered).max(self.writes)),
            ("memory_mib", self.memory / f64::from(1 << 20)),
            ("trace_rows", self.trace_rows),
        ]
    }

    /// Refuses a run that could exceed `limits`, with the reason.
    pub(super) fn within(&self, limits: &Limits) -> Result<(), Problem> {
        if let Some(vc) = self.unbounded {
            let message = format!(
                "nothing limits the rate of VC number {}: give a link of its route a `rate`, or the VC a `pcr`",
                vc + 1
            );
            return Err(Problem::at("vcs", message));
        }
        // The run is stopped if it does exceed them.
        if limits.on_excess == OnExcess::Stop {
            return Ok(());
        }
        let checks = [
            (
                "measure.duration",
                "cells",
                self.cells,
                limits.cells,
                "cells",
            ),
            (
                "measure.duration",
                "cells from its sources",
                self.offered,
                limits.cells,
                "cells",
            ),
            (
                "flows",
                "writes of its applications",
                self.writes,
                limits.cells,
                "cells",
            ),
            (
                "probes",
                "trace rows",
                self.trace_rows,
                limits.trace_rows,
                "trace_rows",
            ),
        ];
        for (path, what, cost, limit, key) in checks {
            if cost > limit {
                let message = format!(
                    "the run could need up to {cost:.3e} {what}, more than limits.{key} = {limit:.3e}; make it \
                     shorter or smaller, or raise the limit"
                );
                return Err(Problem::at(path, message));
            }
        }
        self.within_memory(limits.memory_mib)
    }

    /// Refuses a run that could need more than `limit` MiB, with what needs most of it.
    fn within_memory(&self, limit: f64) -> Result<(), Problem> {
        let mib = |octets: f64| octets / f64::from(1 << 20);
        let needed = mib(self.memory);
        let Some(largest) = self.largest.as_ref().filter(|_| needed > limit) else {
            return Ok(());
        };
        let message = format!(
            "the run could need up to {needed:.3e} MiB of memory, more than limits.memory_mib = {limit:.3e}: {:.3e} \
             MiB for {}; make the run shorter or smaller, or raise the limit",
            mib(largest.octets),
            largest.of
        );
        Err(Problem::at(largest.section, message))
    }
}

/// Refuses a process with so many cells at one instant that a run could not tell it from time that stands still.
///
/// # Errors
///
/// The process, and how many they are.
pub(super) fn check_bursts(network: &Network) -> Result<(), Problem> {
    let bursts = network.backgrounds.iter().map(|background| {
        let group = &background.group;
        (&group.name, group.traffic.most_at_once())
    });
    let too_many = bursts
        .into_iter()
        .find(|(_, cells)| *cells > MOST_AT_ONE_INSTANT);
    too_many.map_or(Ok(()), |(name, cells)| {
        let message = format!(
            "{cells:.3e} cells come at one instant, more than the 10 million that a run allows; spread them over time"
        );
        Err(Problem::at(&format!("backgrounds.{name}"), message))
    })
}

/// The most cells of a process at one instant: fewer than the events after which a run counts as stuck.
const MOST_AT_ONE_INSTANT: f64 = 1e7;

/// The most writes of all applications, each of which can be an event, though no cell follows.
fn writes(network: &Network) -> f64 {
    let flows = network.flows.iter().filter(|flow| flow.udp.is_none());
    let writes = flows.filter_map(|flow| {
        let rate = flow.sockets.write_rate?.0.as_bps();
        let octets = flow
            .sockets
            .write
            .map_or(Sockets::DEFAULT_LENGTH, |it| it.0.0) as f64;
        let seconds = network.end.as_secs();
        let by_rate = rate / 8.0 * seconds / octets;
        let room = flow.sockets.send_buffer.map_or(f64::INFINITY, |buffer| {
            // A write waits for room, which acknowledgments make.
            let direction = &network.vcs[flow.vc].directions[flow.direction.index()];
            let carried = rate_bound(network, f64::INFINITY, direction);
            carried.map_or(f64::INFINITY, |bps| buffer.0.0 as f64 + bps / 8.0 * seconds)
        });
        Some(by_rate.min(room / octets))
    });
    writes.sum()
}

/// By probe, the most rows.
fn rows(network: &Network, own_rates: &[f64]) -> Vec<f64> {
    let measured = (network.end - network.warm_up).as_secs();
    let probes = network.probes.iter();
    probes
        .map(|probe| match probe.at {
            SampleTimes::Every(every) => measured / every.as_secs(),
            SampleTimes::EventsOf(flow) => measured * segments_bound(network, own_rates, flow),
        })
        .collect()
}

/// The most per second of what is computed without an event: changes of the rate of a line or of the state of a source, and
/// cells of all processes together.
pub(crate) fn most_changes_per_s(network: &Network) -> f64 {
    let lines = network.links.iter().filter_map(|link| link.line.as_ref());
    let lines = lines.map(|line| line.range.changes_per_s);
    let sources = traffics(network).map(TrafficSource::changes_per_s);
    let processes = network.backgrounds.iter().map(|it| &it.group.traffic);
    let peaks = processes.filter_map(|traffic| traffic.peak(CELL_BITS));
    // The sum of nothing would be -0.0, and what is computed at once is a number divided by this.
    let cells = peaks.map(Rate::as_cells_per_s).fold(0.0, f64::add);
    lines.chain(sources).fold(cells, f64::max)
}

/// By link, the highest sustained number of cells per second.
pub(crate) fn cells_by_link(network: &Network) -> Vec<f64> {
    let (offered, _) = offered(network, &own_rates(network));
    let links = network.links.iter().zip(offered);
    links
        .map(|(link, offered)| carried(network, link, offered))
        .collect()
}

/// The cells or frames per second that a link carries when `offered` bit/s arrive.
fn carried(network: &Network, link: &Link, offered: f64) -> f64 {
    match &link.line {
        Some(rated) => rated.units_per_s(Rate::bps(offered).min(rated.highest_lasting)),
        None => offered / shortest_unit(network),
    }
}

/// The bits of the shortest unit that a link without a line carries, which have the framing of the lines beside it.
fn shortest_unit(network: &Network) -> f64 {
    let lines = network.links.iter().filter_map(|link| link.line.as_ref());
    let units = lines.filter(|line| line.frames.is_some());
    let bits = units.map(|line| line.shortest_unit().bits() as f64);
    bits.fold(CELL_BITS as f64, f64::min)
}

/// By link, the highest sustained rate in bit/s at which cells arrive; and a VC without any limit on its rate.
fn offered(network: &Network, own_rates: &[f64]) -> (Vec<f64>, Option<usize>) {
    let mut offered = vec![0.0_f64; network.links.len()];
    let mut unbounded = None;
    let vcs = network.vcs.iter().enumerate();
    for (index, vc) in vcs.filter(|(_, vc)| vc.is_admitted()) {
        let bounds = vc
            .directions
            .each_ref()
            .map(|direction| rate_bound(network, own_rates[index], direction));
        // TCP sends no faster than its ACKs return, so a limit in one direction limits both directions.
        let Some(bound) = bounds.iter().flatten().copied().reduce(f64::max) else {
            // A VC between routers sends what the VCs that it carries supply, and these are limited.
            let is_router = |&node: &usize| network.nodes[node].kind == NodeKind::Router;
            let has_own = network.backgrounds.iter().any(|it| it.vc as usize == index);
            if has_own || !vc.nodes.first().is_some_and(is_router) {
                unbounded.get_or_insert(index);
            }
            continue;
        };
        for (direction, own) in vc.directions.iter().zip(bounds) {
            for &link in direction.links.iter() {
                offered[link] += own.unwrap_or(bound);
            }
        }
    }
    for (offered, arrivals) in offered.iter_mut().zip(arrivals(network)) {
        // A slower line limits the load upstream of it only if acknowledgments return.
        *offered = offered.max(if arrivals.is_finite() { arrivals } else { 0.0 });
    }
    (offered, unbounded)
}

/// The highest sustained number of segments per second of a flow, taken as one cell or frame each; zero without a limit.
fn segments_bound(network: &Network, own_rates: &[f64], flow: usize) -> f64 {
    let flow = &network.flows[flow];
    let direction = &network.vcs[flow.vc].directions[flow.direction.index()];
    let bound = rate_bound(network, own_rates[flow.vc], direction).unwrap_or_default();
    bound / shortest_unit(network)
}

/// All processes of arrivals.
fn traffics(network: &Network) -> impl Iterator<Item = &Traffic> {
    let cells = network.backgrounds.iter().map(|it| &it.group.traffic);
    let packets = network.flows.iter().filter_map(|flow| flow.udp.as_ref());
    cells.chain(packets.map(|udp| &udp.traffic))
}

/// By VC, the highest rate in bit/s that is offered to it; infinite if TCP or another VC offers it.
fn own_rates(network: &Network) -> Vec<f64> {
    let mut rates: Vec<Option<f64>> = vec![None; network.vcs.len()];
    for (direction, rate) in offers(network) {
        *rates[direction / 2].get_or_insert(0.0) += rate.unwrap_or(f64::INFINITY);
    }
    let own = |rate: Option<f64>| rate.unwrap_or(f64::INFINITY);
    rates.into_iter().map(own).collect()
}

/// The highest sustained rate in bit/s of a direction of a VC to which `own` is offered; `None` if nothing limits it.
fn rate_bound(network: &Network, own: f64, direction: &VcDirection) -> Option<f64> {
    let rates = direction
        .links
        .iter()
        .filter_map(|&link| network.links[link].line.as_ref());
    let lasting = rates.map(|line| line.highest_lasting.as_bps());
    let pcr = direction.service.pcr().map(Rate::as_bps);
    let bound = lasting.chain(pcr).fold(own, f64::min);
    bound.is_finite().then_some(bound)
}
