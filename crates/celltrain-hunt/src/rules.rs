//! Rules of the language that its schema does not express: which keys go together, and which limit each other.

mod connection;
pub(crate) mod frames;
mod gfc;
mod mtu;
mod queue;
mod recording;
mod table;

use serde_json::{Value, json};

use self::mtu::{mtu_of_lan, smallest_mtu};
pub(crate) use self::table::tables;
use self::table::{Table, cap, quantity};
use crate::palette::text;
use crate::schema::Kind;
use crate::values::Painter;

/// Makes a draft follow the rules that are broken most often. The others are left to `repair`.
pub fn apply(scenario: &mut Value, painter: &mut Painter) {
    for (_, link) in tables(scenario, "links") {
        queue::queue(link, painter);
    }
    gfc::apply(scenario, painter);
    for section in ["links", "lans"] {
        for (_, line) in tables(scenario, section) {
            if let Some(rate) = line.get_mut("rate").and_then(Value::as_object_mut) {
                ordered(rate, "low", "high");
                ordered(rate, "bad", "good");
            }
        }
    }
    for (_, host) in tables(scenario, "hosts") {
        if host.contains_key("lan") {
            host.remove("ethernet");
        }
    }
    let is_circuit = |traffic: &Value| traffic["process"] == "aal1";
    for (_, flow) in tables(scenario, "flows") {
        if flow
            .get("udp")
            .is_some_and(|udp| is_circuit(&udp["traffic"]))
        {
            flow["udp"]["traffic"]["process"] = json!("cbr");
        }
    }
    let mtu = smallest_mtu(scenario);
    let framed = frames::mtus(scenario);
    let hosts = scenario["hosts"].clone();
    let vcs = scenario["vcs"].clone();
    for (_, flow) in tables(scenario, "flows") {
        let vc = flow["vc"].as_str().unwrap_or_default();
        let route = &vcs[vc]["route"];
        let ends = [
            route.get(0),
            route.as_array().and_then(|route| route.last()),
        ];
        let ends = ends.into_iter().flatten();
        let mtu = frames::vc_of(&vcs, vc).map_or(mtu, |vc| {
            framed.get(vc).map_or(mtu, |&longest| mtu.min(longest))
        });
        let mtu = ends.fold(mtu, |mtu, end| mtu.min(mtu_of_lan(&hosts, end)));
        connection::apply(flow, mtu, painter);
    }
    let share = share(scenario);
    for (_, vc) in tables(scenario, "vcs") {
        if painter.dice.chance(0.8) {
            guarantees(vc, share);
        }
        contract(vc, painter);
        if vc.get("aal").is_some_and(|aal| aal == "3/4") {
            vc.remove("encapsulation");
        }
    }
    measure(scenario, painter);
    admission(scenario);
}

/// Only effective bandwidths depend on a loss ratio.
fn admission(scenario: &mut Value) {
    let admission = scenario.get_mut("admission").and_then(Value::as_object_mut);
    if let Some(admission) = admission.filter(|it| it.contains_key("loss_ratio")) {
        admission.insert("rule".to_owned(), json!("effective-bandwidth"));
    }
}

/// Puts two rates of a table in order.
fn ordered(table: &mut Table, low: &str, high: &str) {
    let rate = |key: &str| quantity(Kind::Rate, table.get(key));
    if rate(low) > rate(high)
        && let (Some(one), Some(other)) = (table.remove(low), table.remove(high))
    {
        table.insert(low.to_owned(), other);
        table.insert(high.to_owned(), one);
    }
}

fn measure(scenario: &mut Value, painter: &mut Painter) {
    let duration = quantity(Kind::Time, scenario["measure"].get("duration")).unwrap_or(1);
    let most = if painter.dice.chance(0.1) {
        duration.saturating_sub(1)
    } else {
        duration / 2
    };
    if let Some(measure) = scenario["measure"].as_object_mut() {
        cap(measure, Kind::Time, "warm_up", most);
    }
}

/// A rate that every VC can be guaranteed on any line.
fn share(scenario: &mut Value) -> u64 {
    let mut least = u64::MAX;
    for section in ["links", "lans"] {
        for (_, line) in tables(scenario, section) {
            let rate = line.get("rate");
            let lowest = ["bad", "low"].map(|key| rate.and_then(|rate| rate.get(key)));
            let rates = [rate, lowest[0], lowest[1]];
            let rates = rates.map(|rate| quantity(Kind::Rate, rate));
            least = rates.into_iter().flatten().fold(least, u64::min);
        }
    }
    least / (tables(scenario, "vcs").count() as u64 + 1)
}

/// Limits the guaranteed rate of a VC to `most`.
fn guarantees(vc: &mut Table, most: u64) {
    for way in ["forward", "backward"] {
        let Some(service) = vc.get_mut(way).and_then(Value::as_object_mut) else {
            continue;
        };
        let key = match service["service"].as_str() {
            Some("cbr") => "pcr",
            Some("abr") => "mcr",
            Some(_) if service.contains_key("scr") => "scr",
            Some("rt-vbr" | "nrt-vbr") => "pcr",
            _ => continue,
        };
        cap(service, Kind::Rate, key, most.max(1));
    }
}

/// Limits the rates of a service to its peak, and makes end-to-end ABR bidirectional.
fn contract(vc: &mut Table, painter: &mut Painter) {
    let is_host_to_host = vc["route"].as_array().map_or(0, Vec::len) > 2;
    let inner: Vec<Value> = vc["route"].as_array().map_or_else(Vec::new, |route| {
        route[1..route.len() - 1]
            .iter()
            .filter(|it| is_switch(it))
            .cloned()
            .collect()
    });
    for way in ["forward", "backward"] {
        let Some(service) = vc.get_mut(way).and_then(Value::as_object_mut) else {
            continue;
        };
        let pcr = quantity(Kind::Rate, service.get("pcr")).unwrap_or(u64::MAX);
        for key in ["scr", "mcr", "icr"] {
            cap(service, Kind::Rate, key, pcr);
        }
        if let Some(mcr) = quantity(Kind::Rate, service.get("mcr"))
            && quantity(Kind::Rate, service.get("icr")).is_some_and(|icr| icr < mcr)
        {
            service.remove("icr");
        }
        let wants = painter.must(&format!("vcs.*.{way}{{abr}}.turn_around_at"));
        let p = if wants { 0.8 } else { 0.15 };
        if service["service"] == "abr"
            && is_host_to_host
            && !inner.is_empty()
            && painter.dice.chance(p)
        {
            let at = painter.dice.pick(&inner).clone();
            service.insert("turn_around_at".to_owned(), at);
        }
    }
    ends(vc, &inner, painter);
    within(vc, painter);
    dynamic(vc, is_host_to_host);
    let abr = |way: &str| {
        let service = vc.get(way);
        let is_abr = service.is_some_and(|it| it["service"] == "abr");
        (
            is_abr,
            is_abr && service.is_some_and(|it| it["turn_around_at"].is_null()),
        )
    };
    for (way, other) in [("forward", "backward"), ("backward", "forward")] {
        if abr(way).1 && !abr(other).0 {
            let service = vc[way].clone();
            vc.insert(other.to_owned(), service);
            break;
        }
    }
    sustained(vc);
}

/// Puts shapers and the policer at nodes of the route, one shaper for each node and direction.
fn within(vc: &mut Table, painter: &mut Painter) {
    let is_node = |name: &&Value| {
        let name = name.as_str();
        name.is_some_and(|name| name.starts_with(['s', 'r']))
    };
    let route = vc["route"].as_array().cloned().unwrap_or_default();
    let inner = route.get(1..route.len().max(2) - 1).unwrap_or_default();
    let inner: Vec<Value> = inner.iter().filter(is_node).cloned().collect();
    if inner.is_empty() {
        vc.remove("shape");
        return;
    }
    if painter.must("vcs.*.police.at")
        && let Some(police) = vc.get_mut("police").and_then(Value::as_object_mut)
    {
        police.insert("at".to_owned(), painter.dice.pick(&inner).clone());
    }
    let Some(shapers) = vc.get_mut("shape").and_then(Value::as_array_mut) else {
        return;
    };
    let mut known = Vec::new();
    for shaper in shapers.iter_mut() {
        shaper["at"] = painter.dice.pick(&inner).clone();
    }
    shapers.retain(|shaper| {
        let place = [&shaper["at"], &shaper["direction"]].map(Value::to_string);
        let is_new = !known.contains(&place);
        known.push(place);
        is_new
    });
}

/// Limits the sustainable rates of a policer and of shapers, and gives them burst sizes.
fn sustained(vc: &mut Table) {
    let (mut police, mut shapers) = (None, None);
    for (key, value) in vc.iter_mut() {
        match key.as_str() {
            "police" => police = value.as_object_mut(),
            "shape" => shapers = value.as_array_mut(),
            _ => {}
        }
    }
    let shapers = shapers.into_iter().flatten();
    let contracts = shapers.filter_map(Value::as_object_mut).chain(police);
    for contract in contracts {
        let pcr = quantity(Kind::Rate, contract.get("pcr")).unwrap_or(1);
        cap(contract, Kind::Rate, "scr", pcr);
        if contract.contains_key("scr") != contract.contains_key("mbs") {
            contract
                .entry("scr")
                .or_insert_with(|| json!(text(Kind::Rate, pcr)));
            contract.entry("mbs").or_insert_with(|| json!("3 cells"));
        }
    }
}

/// Makes the direction in which a policer follows the allowed rate ABR, with a contract that it can police. Without a node
/// between the ends, nothing follows it.
fn dynamic(vc: &mut Table, has_node: bool) {
    let Some(police) = vc.get_mut("police").and_then(Value::as_object_mut) else {
        return;
    };
    if !has_node {
        police.remove("dynamic");
    }
    let Some(dynamic) = police.get_mut("dynamic").and_then(Value::as_object_mut) else {
        return;
    };
    let most = quantity(Kind::Time, Some(&json!("10 s"))).unwrap_or(1);
    cap(dynamic, Kind::Time, "tau_2", most);
    let longest = quantity(Kind::Time, dynamic.get("tau_2")).unwrap_or(0);
    cap(dynamic, Kind::Time, "tau_3", longest);
    for key in ["scr", "mbs", "frames", "at"] {
        police.remove(key);
    }
    let pcr = police["pcr"].clone();
    let way = police.get("direction").and_then(Value::as_str);
    let way = way.unwrap_or("forward").to_owned();
    if vc.get(&way).is_none_or(|it| it["service"] != "abr") {
        vc.insert(way.clone(), json!({"service": "abr", "pcr": pcr}));
    }
    if let Some(service) = vc[&way].as_object_mut() {
        let pcr = quantity(Kind::Rate, Some(&pcr)).unwrap_or(1);
        cap(service, Kind::Rate, "mcr", pcr);
    }
}

fn is_switch(name: &Value) -> bool {
    name.as_str().is_some_and(|name| name.starts_with('s'))
}

/// Puts virtual ends at switches of the route.
fn ends(vc: &mut Table, inner: &[Value], painter: &mut Painter) {
    let Some(mut ends) = vc.remove("virtual_ends") else {
        return;
    };
    let wanted = painter.must("vcs.*.virtual_ends");
    let is_abr = |way: &str| vc.get(way).is_some_and(|it| it["service"] == "abr");
    if inner.is_empty() || !(wanted || is_abr("forward") || is_abr("backward")) {
        return;
    }
    let mut at = inner.to_vec();
    at.dedup();
    let keep = painter.dice.whole(1, at.len() as u64) as usize;
    painter.dice.shuffle(&mut at);
    at.truncate(keep);
    ends["at"] = json!(at);
    vc.insert("virtual_ends".to_owned(), ends);
    for way in ["forward", "backward"] {
        if vc.get(way).is_none_or(|it| it["service"] != "abr") {
            let pcr = text(Kind::Rate, painter.palette.rate(&mut painter.dice));
            vc.insert(way.to_owned(), json!({"service": "abr", "pcr": pcr}));
        }
        if let Some(service) = vc[way].as_object_mut() {
            service.remove("turn_around_at");
        }
    }
}
