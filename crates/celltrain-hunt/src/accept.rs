//! From a draft to a network that the language accepts and that runs quickly.

use std::collections::BTreeMap;

use celltrain_sim::network::{Cost, Network};
use celltrain_sim::scenario::{Problem, Scenario, Source};
use serde_json::{Map, Value};

use crate::dice::Dice;
use crate::draw::Generator;
use crate::load;
use crate::repair::Repair;
use crate::rules::tables;
use crate::times::scale;

/// The most repairs of one draft.
const MOST_REPAIRS: usize = 60;
/// The most drafts of one network.
const MOST_DRAFTS: usize = 50;
/// The most rows of all probes.
const MOST_ROWS: f64 = 20_000.0;

/// The highest load that processes may offer, as a multiple of what the lines can carry.
const MOST_OFFERED: f64 = 5.0;

/// A network that the language accepts.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Its scenario.
    pub scenario: Value,
    /// The network.
    pub network: Network,
    /// The number of drafts; the last one was accepted.
    pub drafts: usize,
    /// The refusals that were repaired, by reason.
    pub refusals: Refusals,
}

/// The number of refused drafts, by reason.
pub type Refusals = BTreeMap<String, usize>;

/// The network of a scenario, or the reason why the language refuses it.
pub fn read(scenario: &Value) -> Result<(Scenario, Network), Problem> {
    let text = scenario.to_string();
    let read = Source::json(&text, "drawn").read();
    let read = read.map_err(|error| Problem::at(&error.key, error.message))?;
    let network = Network::new(&read)?;
    Ok((read, network))
}

impl Generator {
    /// Network number `index` of `seed`, always the same.
    pub fn network(&self, seed: u64, index: u64) -> Drawn {
        self.network_with(seed, index, &[])
    }

    /// [`Generator::network`] with the keys and values `musts`, which must be among [`Generator::leaves`]. Other keys of
    /// the network may rule some of them out.
    pub fn network_with(&self, seed: u64, index: u64, musts: &[String]) -> Drawn {
        let mut dice = Dice::new(seed, index);
        let mut refusals = Refusals::new();
        for drafts in 1..=MOST_DRAFTS {
            let own = Dice::new(dice.below(1 << 50) as u64, index);
            let (mut scenario, mut painter) = self.draft(own, musts);
            for _ in 0..MOST_REPAIRS {
                match read(&scenario) {
                    Ok((_, network)) => {
                        if self.is_within(&mut scenario, &network) {
                            return Drawn {
                                scenario,
                                network,
                                drafts,
                                refusals,
                            };
                        }
                    }
                    Err(problem) => {
                        *refusals.entry(reason(&problem)).or_default() += 1;
                        let mut repair = Repair {
                            scenario: &mut scenario,
                            shape: &self.shape,
                            painter: &mut painter,
                        };
                        repair.problem(&problem);
                        if scenario["vcs"].as_object().is_none_or(Map::is_empty) {
                            break;
                        }
                    }
                }
            }
            *refusals.entry("given up".to_owned()).or_default() += 1;
        }
        panic!("network {index} of seed {seed}: {MOST_DRAFTS} drafts were refused: {refusals:?}");
    }

    /// Whether a run is cheap enough. If not, makes it shorter or its probes less frequent.
    fn is_within(&self, scenario: &mut Value, network: &Network) -> bool {
        let cost = Cost::of(network);
        if cost.trace_rows > MOST_ROWS {
            for (_, probe) in tables(scenario, "probes") {
                scale(probe, "every", cost.trace_rows / MOST_ROWS * 1.1);
            }
            let rows = |probe: &Map<String, Value>| !probe.contains_key("events_of");
            if tables(scenario, "probes").any(|(_, probe)| rows(probe)) && cost.cells <= self.cells
            {
                return false;
            }
        }
        let excess = load::excess(network, self.cells * MOST_OFFERED).max(cost.cells / self.cells);
        if excess <= 1.0 {
            return true;
        }
        let part = (0.95 / excess).max(1e-3);
        if let Some(measure) = scenario["measure"].as_object_mut() {
            scale(measure, "duration", part);
            scale(measure, "warm_up", part);
        }
        false
    }
}

/// The message of a problem without its names, numbers and units.
pub(crate) fn reason(problem: &Problem) -> String {
    let key = problem.path.last().map_or("", String::as_str);
    let unquoted: String = problem.message.split('"').step_by(2).collect();
    let is_word = |word: &&str| {
        let is_unit =
            ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"].contains(&word.trim_end_matches([',', ';']));
        !is_unit && !word.starts_with(|c: char| c.is_ascii_digit())
    };
    let words: Vec<&str> = unquoted
        .split_whitespace()
        .filter(is_word)
        .take(14)
        .collect();
    let key = key.trim_end_matches(|c: char| c.is_ascii_digit());
    format!("{key}: {}", words.join(" "))
}
