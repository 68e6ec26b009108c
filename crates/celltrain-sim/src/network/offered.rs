//! What sources without flow control offer to a network, and how much of it can wait together.

use celltrain_proto::traffic::TrafficSource;
use celltrain_proto::units::{CELL_BITS, Rate, Span};

use super::model::Network;
use crate::scenario::Traffic;

/// What sources without flow control offer to each direction of a VC during a run.
pub(super) struct Offered<'n> {
    /// The sources of each direction.
    sources: Vec<Vec<Source<'n>>>,
    /// Cells of packets and of processes of cells; infinite for a greedy source.
    cells: Vec<f64>,
    /// Cells of packets only, and their PDUs.
    packets: Vec<(f64, f64)>,
}

/// A source of packets or cells.
struct Source<'n> {
    traffic: &'n Traffic,
    /// Bits and cells of each arrival.
    bits: u64,
    cells: f64,
    /// How long it is active.
    seconds: f64,
}

impl Source<'_> {
    /// The cells that it offers.
    fn most(&self) -> f64 {
        self.cells * self.traffic.most(self.seconds, self.bits)
    }

    /// The most of its cells that wait if `served` leave per second.
    fn waiting(&self, served: f64) -> f64 {
        let arrivals = self
            .traffic
            .most_waiting(served / self.cells, self.seconds, self.bits);
        self.cells * arrivals
    }
}

impl<'n> Offered<'n> {
    pub(super) fn of(network: &'n Network) -> Self {
        let directions = 2 * network.vcs.len();
        let seconds = network.end.as_secs();
        let mut sources: Vec<Vec<Source<'n>>> = (0..directions).map(|_| Vec::new()).collect();
        let mut packets = vec![(0.0, 0.0); directions];
        for background in &network.backgrounds {
            sources[background.feeds()].push(Source {
                traffic: &background.group.traffic,
                bits: CELL_BITS,
                cells: 1.0,
                seconds,
            });
        }
        for flow in &network.flows {
            let Some(udp) = &flow.udp else { continue };
            let direction = 2 * flow.vc + flow.direction.index();
            let octets = udp.packet.0.0;
            let active = flow
                .duration
                .map_or(seconds, |it| seconds.min(it.as_secs()));
            let source = Source {
                traffic: &udp.traffic,
                bits: 8 * octets,
                cells: network.packet_cells(direction, octets, true) as f64,
                seconds: active,
            };
            let cells = source.most();
            let pieces = network.mtus(direction).pieces(octets as u32) as f64;
            packets[direction].0 += cells;
            packets[direction].1 += cells / source.cells * pieces;
            sources[direction].push(source);
        }
        let most = |sources: &Vec<Source<'n>>| sources.iter().map(Source::most).sum();
        Self {
            cells: sources.iter().map(most).collect(),
            sources,
            packets,
        }
    }

    /// The number of directions.
    pub(super) fn directions(&self) -> usize {
        self.cells.len()
    }

    /// Cells of packets of a direction, and their PDUs.
    pub(super) fn packets(&self, direction: usize) -> (f64, f64) {
        self.packets[direction]
    }

    /// The lowest rate, in cells per second, at which packets of a direction pass something that takes `time` for one of so
    /// many octets.
    pub(super) fn passing(&self, direction: usize, time: impl Fn(u64) -> Span) -> f64 {
        let rate = |source: &Source<'_>| source.cells / time(source.bits / 8).as_secs();
        self.sources[direction]
            .iter()
            .map(rate)
            .fold(f64::INFINITY, f64::min)
    }

    /// Cells that come to the sources during the run, greedy sources not counted: they send only what can leave.
    pub(super) fn total(&self) -> f64 {
        self.cells.iter().filter(|cells| cells.is_finite()).sum()
    }

    /// Cells that leave the source of a direction during the run.
    pub(super) fn leaving(&self, network: &Network, direction: usize) -> f64 {
        let pcr = network.direction(direction).service.pcr();
        let most = pcr.map_or(f64::INFINITY, |pcr| sent(pcr, network));
        self.cells[direction].min(most)
    }

    /// The most cells of a direction that wait together if `served` leave per second.
    pub(super) fn waiting(&self, direction: usize, served: f64) -> f64 {
        let all = self.cells[direction];
        // Shares of what is served add up to it, so the queues of the shares hold the whole queue.
        let waiting = |source: &Source<'_>| match source.most() / all {
            share if share > 0.0 => source.waiting(served * share),
            _ => 0.0,
        };
        let sources = self.sources[direction].iter();
        sources.map(waiting).sum::<f64>().min(all)
    }

    /// The most cells of these directions that wait together in one queue if `served` leave per second; zero if a greedy
    /// source without a limit is among them, which is refused for that reason.
    ///
    /// With each direction comes the highest rate, in cells per second, at which it can come here.
    pub(super) fn queue(&self, network: &Network, coming: &[(usize, f64)], served: f64) -> f64 {
        let leaving = |direction: usize| self.leaving(network, direction);
        let all: f64 = coming
            .iter()
            .map(|&(direction, _)| leaving(direction))
            .sum();
        if !all.is_finite() || all <= 0.0 {
            return 0.0;
        }
        let seconds = network.end.as_secs();
        let waiting = coming.iter().map(|&(direction, rate)| {
            let most = leaving(direction);
            let share = served * most / all;
            // A queue upstream with that rate, and this one, hold no more than one queue with the lower rate.
            let in_both = self.waiting(direction, share.min(rate));
            let behind = if rate.is_finite() {
                1.0 + (rate - share).max(0.0) * seconds
            } else {
                f64::INFINITY
            };
            in_both.min(behind).min(most)
        });
        waiting.sum()
    }
}

/// The cells that a rate sends during a run.
pub(super) fn sent(rate: Rate, network: &Network) -> f64 {
    rate.as_cells_per_s() * network.end.as_secs()
}
