//! The tables of a run, with its network.

use celltrain_sim::measure::{Results, Table, Values};
use celltrain_sim::network::{Network, VcDirection};
use celltrain_sim::scenario::Service;

use super::report::Place;

/// The tables of a run, with its network.
#[derive(Debug)]
pub struct Tables<'a> {
    /// The network.
    pub(super) network: &'a Network,
    /// The results of a run.
    pub(super) results: &'a Results,
    pub(super) flows: Sheet<'a>,
    pub(super) vcs: Sheet<'a>,
    pub(super) links: Sheet<'a>,
    pub(super) link_vcs: Sheet<'a>,
}

/// One table.
#[derive(Debug)]
pub(super) struct Sheet<'a> {
    pub(super) name: &'a str,
    pub(super) table: Option<&'a Table>,
    /// The names of each row.
    pub(super) rows: Vec<String>,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(name: &'a str, table: Option<&'a Table>) -> Self {
        let mut rows: Vec<String> = Vec::new();
        for column in table.into_iter().flat_map(|table| &table.columns) {
            match &column.values {
                Values::Names(names) if rows.is_empty() => {
                    rows = names.iter().map(str::to_owned).collect();
                }
                Values::Names(names) => {
                    for (row, name) in rows.iter_mut().zip(names.iter()) {
                        row.push(' ');
                        row.push_str(name);
                    }
                }
                Values::Numbers(_) => {}
            }
        }
        Self { name, table, rows }
    }

    /// The numbers of a column; empty if the table or column does not exist.
    pub(super) fn get(&self, column: &str) -> Vec<f64> {
        self.table
            .map_or_else(Vec::new, |table| table.numbers_of(column))
    }

    /// The place of a value.
    pub(super) fn at<'b>(&'b self, row: usize, column: &'b str) -> Place<'b> {
        Place {
            table: self.name,
            row,
            of: self.rows.get(row).map_or("", String::as_str),
            column,
        }
    }
}

/// A row of `link_vcs`: a link that a direction of a VC crosses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    /// The link.
    pub(super) link: usize,
    /// The direction: 2 x VC + (0 forward, 1 backward).
    pub(super) direction: usize,
    /// The index of the link on the direction's path.
    pub(super) at: usize,
}

impl<'a> Tables<'a> {
    pub(super) fn new(network: &'a Network, results: &'a Results) -> Self {
        let sheet = |name| Sheet::new(name, results.table(name));
        Self {
            network,
            results,
            flows: sheet("flows"),
            vcs: sheet("vcs"),
            links: sheet("links"),
            link_vcs: sheet("link_vcs"),
        }
    }

    /// Whether everything that happened was measured.
    pub(super) fn is_from_start(&self) -> bool {
        self.network.warm_up.as_ps() == 0
    }

    /// The length of the measured interval.
    pub(super) fn measured_s(&self) -> f64 {
        (self.network.end - self.network.warm_up).as_secs()
    }

    /// All directions of VCs, which are the rows of `vcs`, with their numbers.
    pub(super) fn directions(&self) -> impl Iterator<Item = (usize, &'a VcDirection)> + use<'a> {
        let vcs = self.network.vcs.iter();
        vcs.flat_map(|vc| &vc.directions).enumerate()
    }

    /// The rows of `link_vcs`.
    pub(super) fn hops(&self) -> impl Iterator<Item = Hop> + use<'a> {
        self.directions().flat_map(|(direction, way)| {
            let links = way.links.iter().enumerate();
            links.map(move |(at, &link)| Hop {
                link,
                direction,
                at,
            })
        })
    }

    /// By direction: its first row in `link_vcs`.
    pub(super) fn first_hops(&self) -> Vec<usize> {
        let counts = self.directions().map(|(_, way)| way.links.len());
        let starts = counts.scan(0, |next, count| {
            let first = *next;
            *next += count;
            Some(first)
        });
        starts.collect()
    }

    /// By direction: whether it is a tunnel VC, whose source takes cells of other VCs.
    pub(super) fn carriers(&self) -> Vec<bool> {
        let mut carries = vec![false; 2 * self.network.vcs.len()];
        for (_, way) in self.directions() {
            for carried in way.carried() {
                carries[carried.by] = true;
            }
        }
        carries
    }

    /// By direction: whether a background feeds it.
    pub(super) fn backgrounds(&self) -> Vec<bool> {
        let mut feeds = vec![false; 2 * self.network.vcs.len()];
        for background in &self.network.backgrounds {
            feeds[background.feeds()] = true;
        }
        feeds
    }

    /// The hops at which switches may put RM cells of their own into a direction, for the ABR source of the other one: each
    /// comes back from the congested queue of a link with BECN.
    fn becn_hops(&self, direction: usize) -> impl Iterator<Item = usize> {
        let other = self.network.direction(direction ^ 1);
        let is_abr = matches!(*other.service, Service::Abr(_));
        let links = other.links.iter().enumerate();
        // Beyond the switch that turns a loop around there is no loop.
        let within = links.filter(move |&(at, _)| is_abr && (1..=other.loop_links).contains(&at));
        let has_becn = |link: usize| {
            let line = self.network.links[link].line.as_ref();
            line.is_some_and(|line| line.becn.is_some())
        };
        let with = within.filter(move |&(_, &link)| has_becn(link));
        with.map(move |(at, _)| other.links.len() - at)
    }

    /// Whether a switch may put RM cells of its own into a hop.
    pub(super) fn has_becn(&self, hop: Hop) -> bool {
        self.becn_hops(hop.direction).any(|at| at == hop.at)
    }

    /// The most RM cells that switches put into a direction in the measured interval: one every 100 ms for each queue.
    pub(super) fn most_becn(&self, direction: usize) -> f64 {
        let of_queue = (self.measured_s() / 0.1).floor() + 1.0;
        self.becn_hops(direction).count() as f64 * of_queue
    }

    /// The delay of all links of a direction, in s: a lower bound for any cell.
    pub(super) fn least_delay_s(&self, direction: usize) -> f64 {
        let links = self.network.direction(direction).links.iter();
        let ps: u64 = links
            .map(|&link| self.network.links[link].delay.as_ps())
            .sum();
        ps as f64 / 1e12
    }

    /// Whether a queue may drop waiting cells of this direction.
    pub(super) fn may_drop_late(&self, direction: usize) -> bool {
        let links = self.network.direction(direction).links.iter();
        let mut queues = links.filter_map(|&link| self.network.links[link].line.as_ref());
        queues.any(|line| line.queue_management.is_some())
    }
}

/// Whether `a` and `b` differ by no more than the rounding of a sum of doubles: a relative 2^-53 for each of up to a
/// million terms.
pub(super) fn is_near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-10 * a.abs().max(b.abs())
}
