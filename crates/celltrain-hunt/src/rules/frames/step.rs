//! Frames that begin and end at multiples of one time, so that they meet at every queue.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::table::tables;
use super::choice::vc_of;
use super::known::{framing_of, mtus};
use crate::palette::{self, text};
use crate::schema::Kind;
use crate::values::Painter;

/// Picoseconds per second.
const SECOND: u64 = 1_000_000_000_000;
/// The headers of IP and TCP, in octets.
const HEADERS: u64 = 40;

/// Makes a packet take the same time, or a whole multiple of it, on each of these links, and come as often.
pub(super) fn apply(
    scenario: &mut Value,
    links: &BTreeSet<String>,
    vcs: &BTreeSet<String>,
    painter: &mut Painter,
) {
    let mtus = mtus(scenario);
    let least = vcs.iter().filter_map(|vc| mtus.get(vc)).min();
    let mtu = least.copied().unwrap_or(1_500);
    let dice = &mut painter.dice;
    let packet = match dice.weighted(&[2, 1, 1]) {
        0 => mtu,
        1 => 46.min(mtu),
        _ => dice.whole(41, mtu.max(41)),
    };
    let usual = painter.palette.rate(dice) as f64 / (8 * packet) as f64;
    let power = usual.log10().clamp(0.0, 6.0) as u32;
    let per_s = 10_u64.pow(power) * dice.pick(&[1, 2, 5]);
    let time = SECOND / per_s;
    for (name, link) in tables(scenario, "links") {
        if let Some(framing) = framing_of(link).filter(|_| links.contains(name))
            && link.get("rate").is_some_and(Value::is_string)
        {
            let frame = u64::from(framing.octets(packet as u32));
            let rate = 8 * frame * per_s * dice.pick(&[1, 1, 1, 2, 4]);
            link.insert("rate".to_owned(), json!(text(Kind::Rate, rate)));
        }
        if link.get("delay").is_some_and(Value::is_string) && dice.chance(0.8) {
            let delay = time * dice.pick(&[0, 0, 1, 2, 3]);
            link.insert("delay".to_owned(), json!(text(Kind::Time, delay)));
        }
    }
    let known = scenario["vcs"].clone();
    for (_, flow) in tables(scenario, "flows") {
        let vc = vc_of(&known, flow["vc"].as_str().unwrap_or_default());
        if vc.is_none_or(|it| !vcs.contains(it)) || !dice.chance(0.85) {
            continue;
        }
        if let Some(udp) = flow.get_mut("udp") {
            udp["packet"] = json!(text(Kind::Octets, packet.max(28)));
            let rate = 8 * packet.max(28) * per_s / dice.pick(&[1, 1, 2, 3]);
            let traffic = &mut udp["traffic"];
            for key in ["rate", "peak"] {
                if traffic[key].is_string() {
                    traffic[key] = json!(text(Kind::Rate, rate.max(1)));
                }
            }
        } else if flow.get("tcp").is_some_and(Value::is_object) {
            let mss = packet.saturating_sub(HEADERS).max(1);
            flow["tcp"]["mss"] = json!(palette::text(Kind::Octets, mss));
        }
    }
}
