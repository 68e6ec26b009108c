//! Additions to a scenario that do not affect the rest.

use celltrain_sim::network::Network;
use serde_json::{Value, json};

use super::edit::{probed, table, unprobed};
use super::outcome::{self, Found, same_numbers, same_rows, same_tables};

/// Claimed for all scenarios: without probes, with their own, and with one of everything.
pub(super) fn probes(scenario: &Value, network: &Network, seed: u64) -> Found {
    let every = (network.end.as_ps() / 23).max(1);
    let (without, with) = (unprobed(scenario), probed(scenario, network, every));
    let (Some(without), Some(with)) = (outcome::network(&without), outcome::network(&with)) else {
        return Ok(false);
    };
    let without = outcome::run(&without, seed)?;
    same_tables(&without, &outcome::run(network, seed)?)?;
    same_tables(&without, &outcome::run(&with, seed)?)?;
    Ok(true)
}

/// The prefix of names in the unconnected part.
const APART: &str = "apart-";

/// Claimed for all scenarios: random numbers are drawn by name, ties are broken by the order in the file, and the part is
/// added at its end.
pub(super) fn unconnected(scenario: &Value, network: &Network, seed: u64) -> Found {
    let mut more = scenario.clone();
    let name = |what: &str| format!("{APART}{what}");
    for host in ["a", "b"] {
        table(&mut more, "hosts").insert(name(host), json!({}));
    }
    table(&mut more, "switches").insert(name("s"), json!({}));
    for (link, ends) in [("in", ["a", "s"]), ("out", ["s", "b"])] {
        let between = ends.map(name);
        let link_of = json!({ "between": between, "delay": "1 ms", "rate": "1 Mbit/s", "buffer": "20 cells" });
        table(&mut more, "links").insert(name(link), link_of);
    }
    for vc in ["v", "w"] {
        let route = ["a", "s", "b"].map(name);
        table(&mut more, "vcs").insert(name(vc), json!({ "route": route }));
    }
    let flow =
        json!({ "vc": name("v"), "tcp": { "mss": "1460 bytes", "timer_granularity": "10 ms" } });
    table(&mut more, "flows").insert(name("f"), flow);
    let traffic = json!({ "process": "poisson", "rate": "300 kbit/s" });
    let background = json!({ "vc": name("w"), "traffic": traffic });
    table(&mut more, "backgrounds").insert(name("x"), background);
    let Some(more) = outcome::network(&more) else {
        return Ok(false);
    };
    let [alone, beside] = [outcome::run(network, seed)?, outcome::run(&more, seed)?];
    for table in &alone.tables {
        if let Some(other) = beside.table(&table.name) {
            same_rows(table, other, |label| !label.contains(APART))?;
        }
    }
    for (one, other) in alone.traces.iter().zip(&beside.traces) {
        same_numbers(one, other)?;
    }
    Ok(true)
}
