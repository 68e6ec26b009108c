//! What VCs with frames carry: packets of all lengths.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::super::table::{Table, quantity, tables};
use super::choice::vc_of;
use super::known::mtus;
use crate::dice::Dice;
use crate::palette::text;
use crate::schema::{Kind, Shape};
use crate::values::Painter;

/// Octets of the headers of IP and TCP, and the same with timestamps.
const HEADERS: [u64; 2] = [40, 52];

/// Draws the lengths of the packets on these VCs, and what their hosts do.
pub(super) fn apply(
    scenario: &mut Value,
    vcs: &BTreeSet<String>,
    shape: &Shape,
    painter: &mut Painter,
) {
    packets_for_cells(scenario, vcs);
    let (known, mtus) = (scenario["vcs"].clone(), mtus(scenario));
    for (_, flow) in tables(scenario, "flows") {
        let vc = vc_of(&known, flow["vc"].as_str().unwrap_or_default());
        let Some(vc) = vc.filter(|it| vcs.contains(*it)) else {
            continue;
        };
        let mtu = mtus.get(vc).copied().unwrap_or(1_500);
        if flow.contains_key("udp") {
            if painter.dice.chance(0.8) {
                let packet = length(mtu, &mut painter.dice);
                flow["udp"]["packet"] = json!(text(Kind::Octets, packet));
            }
        } else {
            connection(flow, mtu, painter);
        }
    }
    hosts(scenario, shape, painter);
}

/// Makes packets of what sends cells, at the same rates.
fn packets_for_cells(scenario: &mut Value, vcs: &BTreeSet<String>) {
    let known = scenario["vcs"].clone();
    let backgrounds = scenario.get_mut("backgrounds");
    let Some(backgrounds) = backgrounds.and_then(Value::as_object_mut) else {
        return;
    };
    let of_cells = std::mem::take(backgrounds);
    let mut flows = Map::new();
    for (name, mut background) in of_cells {
        let vc = vc_of(&known, background["vc"].as_str().unwrap_or_default());
        if vc.is_none_or(|it| !vcs.contains(it)) {
            backgrounds.insert(name, background);
            continue;
        }
        let traffic = background["traffic"].take();
        if traffic["process"] != "greedy"
            && let Some(flow) = background.as_object_mut()
        {
            flow.shift_remove("traffic");
            let udp = json!({ "packet": "100 bytes", "traffic": traffic });
            flow.insert("udp".to_owned(), udp);
            flows.insert(format!("f{}", &name[1..]), background);
        }
    }
    if backgrounds.is_empty()
        && let Some(root) = scenario.as_object_mut()
    {
        root.shift_remove("backgrounds");
    }
    if flows.is_empty() {
        return;
    }
    let all = scenario.as_object_mut().map(|root| root.entry("flows"));
    let all = all.map(|it| it.or_insert_with(|| json!({})));
    if let Some(all) = all.and_then(Value::as_object_mut) {
        for (name, flow) in flows {
            all.entry(name).or_insert(flow);
        }
    }
}

/// The length of a packet where links take one of `mtu` octets: short ones are padded, longer ones are cut.
fn length(mtu: u64, dice: &mut Dice) -> u64 {
    let length = match dice.weighted(&[3, 3, 3, 4, 1]) {
        0 => *dice.pick(&[28, 29, 37, 38, 39, 45, 46, 47, 48]),
        1 => mtu + dice.whole(0, 2) - 1,
        2 => *dice.pick(&[40, 64, 92, 200, 576, 1_280, 1_492, 1_500]),
        3 => dice.whole(28, mtu.max(28)),
        _ => mtu * dice.whole(1, 4) + dice.whole(0, 40),
    };
    length.clamp(28, 65_535)
}

/// Draws the segments of a connection, and whether data go both ways.
fn connection(flow: &mut Table, mtu: u64, painter: &mut Painter) {
    let dice = &mut painter.dice;
    if dice.chance(0.5) {
        let tcp = flow.entry("tcp").or_insert_with(|| json!({}));
        if tcp.is_string() {
            *tcp = json!({ "preset": tcp.clone() });
        }
        let most = mtu.saturating_sub(HEADERS[0]).max(1);
        let mss = match dice.weighted(&[3, 3, 1]) {
            0 => most,
            1 => dice.log_uniform(1.0, most as f64) as u64,
            _ => *dice.pick(&[1, 6, 7, 100, 536]),
        };
        tcp["mss"] = json!(text(Kind::Octets, mss.min(most)));
    }
    let is_greedy = !flow.contains_key("application");
    if is_greedy && !flow.contains_key("back") && dice.chance(0.25) {
        flow.insert("back".to_owned(), json!({}));
    }
}

/// Gives some hosts a LAN or a time for each packet.
fn hosts(scenario: &mut Value, shape: &Shape, painter: &mut Painter) {
    let p = *painter.dice.pick(&[0.0, 0.0, 0.1, 0.4]);
    let shape = shape.key("hosts").and_then(|map| map.key("*"));
    for (_, host) in tables(scenario, "hosts") {
        for key in ["processing", "ethernet", "lan"] {
            let has_lan = host.contains_key("ethernet") || host.contains_key("lan");
            let is_known = host.contains_key(key) || has_lan && key != "processing";
            let shape = shape.and_then(|host| host.key(key));
            if let Some(shape) = shape.filter(|_| !is_known && painter.dice.chance(p)) {
                let value = painter.value(shape, &format!("hosts.*.{key}"));
                host.insert(key.to_owned(), value);
            }
        }
    }
}

/// The lengths of packets on each VC, as far as they are written.
pub(super) fn packets(scenario: &mut Value) -> BTreeMap<String, Vec<u64>> {
    let known = scenario["vcs"].clone();
    let mut all: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (_, flow) in tables(scenario, "flows") {
        let vc = vc_of(&known, flow["vc"].as_str().unwrap_or_default());
        let Some(vc) = vc else { continue };
        let lengths = all.entry(vc.clone()).or_default();
        let octets = |table: &str, key: &str| {
            let table = flow.get(table).and_then(Value::as_object);
            quantity(Kind::Octets, table.and_then(|it| it.get(key)))
        };
        if let Some(packet) = octets("udp", "packet") {
            lengths.push(packet);
        } else {
            let mss = octets("tcp", "mss").unwrap_or(1_460);
            lengths.extend([mss + HEADERS[0], mss + HEADERS[0], HEADERS[0], HEADERS[1]]);
        }
    }
    all
}
