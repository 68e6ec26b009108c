//! Edits of scenarios.

use celltrain_sim::network::Network;
use serde_json::{Map, Value, json};

/// The table with this name, added if missing.
pub(super) fn table<'a>(scenario: &'a mut Value, name: &str) -> &'a mut Map<String, Value> {
    let slot = &mut scenario[name];
    if !slot.is_object() {
        *slot = json!({});
    }
    slot.as_object_mut().expect("it is a table")
}

/// The entries of a table; none if the table is missing.
pub(super) fn entries<'a>(
    scenario: &'a Value,
    name: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
    let entries = scenario.get(name).and_then(Value::as_object);
    entries.into_iter().flatten()
}

/// The scenario measured over this interval, in ps, without parts.
pub(super) fn measured(scenario: &Value, [start, end]: [u64; 2]) -> Value {
    let mut changed = scenario.clone();
    let measure = table(&mut changed, "measure");
    measure.remove("parts");
    measure.insert("warm_up".into(), json!(format!("{start} ps")));
    measure.insert("duration".into(), json!(format!("{end} ps")));
    changed
}

/// The scenario without its probes.
pub(super) fn unprobed(scenario: &Value) -> Value {
    let mut changed = scenario.clone();
    if let Some(tables) = changed.as_object_mut() {
        tables.remove("probes");
    }
    changed
}

/// The probe that [`probed`] adds.
pub(super) const PROBE: &str = "probe-of-all";

/// The most elements of each kind that are probed.
const PROBED: usize = 6;

/// The scenario with a probe of every quantity, every `every` ps, in place of its own probes.
pub(super) fn probed(scenario: &Value, network: &Network, every: u64) -> Value {
    let mut record: Vec<String> = Vec::new();
    for link in network.links.iter().take(PROBED) {
        let name = link.unique_name();
        for quantity in [
            "queue_cells",
            "queue_bytes",
            "controlled_queue_cells",
            "rate_bps",
            "arrived_cells",
            "lost_cells_total",
            "lost_cells",
            "sent_cells",
        ] {
            record.push(format!("links.{name}.{quantity}"));
        }
    }
    for vc in network.vcs.iter().take(PROBED) {
        for direction in ["forward", "backward"] {
            for quantity in [
                "acr_bps",
                "backward_rm_received",
                "host_queue_cells",
                "offered_cells",
                "dropped_cells",
                "host_queue_pdus",
            ] {
                record.push(format!("vcs.{}.{direction}.{quantity}", vc.name));
            }
        }
    }
    for flow in network
        .flows
        .iter()
        .filter(|flow| flow.udp.is_none())
        .take(PROBED)
    {
        for quantity in [
            "cwnd_bytes",
            "rtt_s",
            "rto_s",
            "open_connections",
            "segments_retransmitted",
            "delivered_bytes",
        ] {
            record.push(format!("flows.{}.{quantity}", flow.name));
        }
    }
    let mut changed = unprobed(scenario);
    let probe = json!({ "every": format!("{every} ps"), "record": record });
    table(&mut changed, "probes").insert(PROBE.into(), probe);
    changed
}

/// Whether a column of a probe counts from the end of the warm-up.
pub(super) fn counts_from_warm_up(column: &str) -> bool {
    ["arrived_cells", "lost_cells", "sent_cells"]
        .iter()
        .any(|it| column.ends_with(&format!(".{it}")))
}
