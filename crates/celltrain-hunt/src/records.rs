//! Probes of a network: any quantity of any element that has one.

use serde_json::{Map, Value, json};

use crate::rules::frames;
use crate::schema::Shape;
use crate::values::Painter;

/// What can be recorded for links, VCs and flows.
pub const QUANTITIES: [(&str, &[&str]); 3] = [
    (
        "links",
        &[
            "queue_cells",
            "queue_bytes",
            "controlled_queue_cells",
            "target_rate_bps",
            "rate_bps",
            "arrived_cells",
            "lost_cells_total",
            "lost_cells",
            "sent_cells",
        ],
    ),
    (
        "vcs",
        &[
            "acr_bps",
            "backward_rm_received",
            "host_queue_cells",
            "requested_rate_bps",
            "offered_cells",
            "dropped_cells",
            "host_queue_pdus",
        ],
    ),
    (
        "flows",
        &[
            "cwnd_bytes",
            "ssthresh_bytes",
            "rtt_s",
            "rto_s",
            "srtt_s",
            "open_connections",
            "segments_retransmitted",
            "delivered_bytes",
        ],
    ),
];

/// Adds probes to a scenario.
pub fn probes(scenario: &mut Value, shape: &Shape, painter: &mut Painter) {
    let number = if painter.must("probes") {
        painter.dice.whole(1, 3)
    } else {
        painter.dice.weighted(&[4, 4, 2]) as u64
    };
    let names = names(scenario);
    let shape = shape.key("probes").and_then(|map| map.key("*"));
    let shape = shape.expect("probes are a section");
    let mut probes = Map::new();
    for index in 0..number {
        let mut table = Map::new();
        let flows = &names[2];
        let wants_events = painter.must("probes.*.events_of") || painter.dice.chance(0.2);
        if wants_events && !flows.is_empty() {
            table.insert("events_of".to_owned(), json!(painter.dice.pick(flows)));
        } else {
            let key = shape.key("every").expect("a key of probes");
            table.insert("every".to_owned(), painter.value(key, "probes.*.every"));
        }
        let columns = painter.dice.log_uniform(1.0, 12.0) as usize;
        let record: Vec<String> = (0..columns)
            .filter_map(|_| column(&names, painter))
            .collect();
        table.insert("record".to_owned(), json!(record));
        painter.fill(shape, "probes.*", &mut table, &["every", "events_of"]);
        probes.insert(format!("p{index}"), Value::Object(table));
    }
    if !probes.is_empty() {
        scenario["probes"] = Value::Object(probes);
    }
}

/// Names VCs of the scenario where cells are to be timed: those that have cells.
pub fn timed_vcs(scenario: &mut Value, painter: &mut Painter) {
    let framed = frames::vcs(scenario);
    let names: Vec<String> = match scenario["vcs"].as_object() {
        Some(vcs) => vcs
            .keys()
            .filter(|it| !framed.contains(*it))
            .cloned()
            .collect(),
        None => return,
    };
    let Some(delays) = scenario["measure"].get_mut("cell_delays") else {
        return;
    };
    let some = painter.dice.chance(0.5);
    let timed = names
        .into_iter()
        .filter(|_| !some || painter.dice.chance(0.5));
    delays["vcs"] = timed.collect();
}

fn column(names: &[Vec<String>; 3], painter: &mut Painter) -> Option<String> {
    let section = painter.dice.below(3);
    let dice = &mut painter.dice;
    let names = &names[section];
    if names.is_empty() {
        return None;
    }
    let name = dice.pick(names);
    let (title, quantities) = QUANTITIES[section];
    let quantity = dice.pick(quantities);
    let way = match title {
        "vcs" => *dice.pick(&["forward.", "backward."]),
        _ => "",
    };
    Some(format!("{title}.{name}.{way}{quantity}"))
}

/// The size of the group with this name; `None` for a name without `count` or of a single member.
fn size(scenario: &Value, name: &Value) -> Option<u64> {
    scenario["hosts"][name.as_str()?]["count"].as_u64()
}

/// The names that a table stands for: its own, or those of its members.
fn members(name: &str, size: Option<u64>) -> Vec<String> {
    match size {
        Some(size) => (1..=size).map(|member| format!("{name}{member}")).collect(),
        None => vec![name.to_owned()],
    }
}

/// The names of links, VCs and TCP connections.
fn names(scenario: &Value) -> [Vec<String>; 3] {
    let none = Map::new();
    let tables = |section: &str| scenario[section].as_object().unwrap_or(&none);
    let mut links: Vec<String> = tables("lans").keys().cloned().collect();
    for (name, link) in tables("links") {
        let ends = [
            &link["from"],
            &link["to"],
            &link["between"][0],
            &link["between"][1],
        ];
        let size = ends.into_iter().find_map(|end| size(scenario, end));
        for member in members(name, size) {
            if !link["between"].is_null() {
                links.push(format!("{member}.back"));
            }
            links.push(member);
        }
    }
    let none = Vec::new();
    let vc_size = |vc: &Value| {
        let route = vc["route"].as_array().unwrap_or(&none);
        route.iter().find_map(|node| size(scenario, node))
    };
    let (mut vcs, mut flows) = (Vec::new(), Vec::new());
    for (name, vc) in tables("vcs") {
        vcs.extend(members(name, vc_size(vc)));
    }
    for (name, flow) in tables("flows") {
        let vc = &scenario["vcs"][flow["vc"].as_str().unwrap_or_default()];
        let per_vc = flow["per_vc"].as_u64();
        let size = per_vc.map_or(vc_size(vc), |per_vc| {
            Some(vc_size(vc).unwrap_or(1) * per_vc)
        });
        for member in members(name, size) {
            if !flow["back"].is_null() {
                flows.push(format!("{member}.back"));
            }
            flows.push(member);
        }
    }
    [links, vcs, flows]
}
