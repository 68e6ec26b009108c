//! A second generator: networks composed from sites, lines, circuits and sources, as a reader of the language's reference
//! would put them together.
//!
//! It knows nothing of the schema, and shares no rule with the other generator (`crate::draw`): what one overlooks, the other
//! may have. Each network likes some features and lacks the others, and takes its times and rates from a few values,
//! so that events coincide. A draft that the language refuses is not repaired, but drawn again.

mod adsl;
mod circuit;
mod circuits;
mod control;
mod dice;
mod flows;
mod frames;
mod framing;
mod gfc;
mod graph;
mod lines;
mod links;
mod nodes;
mod packet_queues;
mod paths;
mod pen;
mod policing;
mod probes;
mod queues;
mod radio;
mod rated;
mod recording;
mod services;
mod sources;
mod taste;
mod tcp;
mod units;
mod words;

use celltrain_sim::network::{Cost, Network};
use serde_json::Value;

use crate::accept::{Refusals, read, reason};
use crate::load;
use dice::Dice;
use graph::Graph;
use pen::Pen;
use units::Table;

/// The most drafts of one network.
const MOST_DRAFTS: u64 = 100;
/// The most times that a draft is shortened.
const MOST_CUTS: usize = 6;
/// The most rows of all probes.
const MOST_ROWS: f64 = 20_000.0;
/// The highest load that processes may offer, as a multiple of what the lines can carry.
const MOST_OFFERED: f64 = 5.0;

/// Composes networks.
#[derive(Clone, Copy, Debug)]
pub struct Composer {
    /// The approximate maximum number of cells that a network sends.
    pub cells: f64,
}

/// A network that the language accepts.
#[derive(Clone, Debug)]
pub struct Composed {
    /// Its scenario.
    pub scenario: Value,
    /// The number of drafts; the last one was accepted.
    pub drafts: usize,
    /// The drafts that were refused, by reason.
    pub refusals: Refusals,
}

impl Composer {
    /// Network number `index` of `seed`, always the same.
    pub fn network(&self, seed: u64, index: u64) -> Composed {
        let mut refusals = Refusals::new();
        for attempt in 0..MOST_DRAFTS {
            match self.cheap(seed, index, attempt) {
                Ok(scenario) => {
                    return Composed {
                        scenario,
                        drafts: attempt as usize + 1,
                        refusals,
                    };
                }
                Err(why) => *refusals.entry(why).or_default() += 1,
            }
        }
        panic!("network {index} of seed {seed}: {MOST_DRAFTS} drafts were refused: {refusals:?}");
    }

    /// A draft, shortened until it is cheap enough, or the reason why it is refused.
    fn cheap(self, seed: u64, index: u64, attempt: u64) -> Result<Value, String> {
        let mut length = 1.0;
        for _ in 0..MOST_CUTS {
            // The same numbers give the same features, whose times keep their place in the shorter run.
            let draft = compose(Pen::new(Dice::new(seed, index, attempt), length));
            let (_, network) = read(&draft).map_err(|problem| reason(&problem))?;
            let excess = self.excess(&network);
            if excess <= 1.0 {
                return Ok(draft);
            }
            length *= (0.9 / excess).max(1e-4);
        }
        Err("costs too much".to_owned())
    }

    fn excess(self, network: &Network) -> f64 {
        let cost = Cost::of(network);
        let carried = (cost.cells / self.cells).max(cost.trace_rows / MOST_ROWS);
        load::excess(network, self.cells * MOST_OFFERED).max(carried)
    }
}

/// Draws the sections of a scenario.
fn compose(mut pen: Pen) -> Value {
    let mut graph = Graph::new(&mut pen);
    let mut scenario = Table::new();
    let nodes = nodes::sections(&mut pen, &mut graph);
    let mut links = links::section(&mut pen, &mut graph);
    let (mut vcs, circuits) = circuits::section(&mut pen, &mut graph);
    gfc::add(&mut pen, &graph, &circuits, &mut links, &mut vcs);
    let vps = paths::section(&mut pen, &mut graph, &circuits);
    let loads = flows::sections(&mut pen, &graph, &circuits);
    let probes = probes::section(&mut pen, &graph, &circuits, &loads);
    scenario.insert("measure".to_owned(), probes::measure(&mut pen, &circuits));
    if let Some(admission) = circuits::admission(&mut pen) {
        scenario.insert("admission".to_owned(), admission);
    }
    let others = [
        ("links", links),
        ("vcs", vcs),
        ("vps", vps),
        ("flows", loads.flows),
        ("backgrounds", loads.backgrounds),
        ("probes", probes),
    ];
    for (name, section) in nodes.into_iter().chain(others) {
        // A network of LANs alone has no links, but the section.
        if !section.is_empty() || name == "links" {
            scenario.insert(name.to_owned(), Value::Object(section));
        }
    }
    Value::Object(scenario)
}
