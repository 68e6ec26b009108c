//! Generic flow control: counters in order, and queues with counters where VCs are in groups.

use serde_json::{Value, json};

use super::table::{Table, cap, quantity, tables};
use crate::palette::text;
use crate::schema::Kind;
use crate::values::Painter;

/// Makes the counters of each queue fit each other, and gives VCs in groups a queue that counts their cells.
pub(super) fn apply(scenario: &mut Value, painter: &mut Painter) {
    let routes = routes(scenario);
    for (vc, route) in &routes {
        let written = scenario["vcs"][vc]["gfc_group"].as_str();
        let written = written.map(str::to_owned);
        let Some(link) = first_queue(scenario, route, &routes) else {
            if let Some(vc) = scenario["vcs"][vc].as_object_mut() {
                vc.shift_remove("gfc_group");
            }
            continue;
        };
        let has_gfc = !scenario["links"][&link]["gfc"].is_null();
        let drawn = has_gfc && painter.dice.chance(0.5);
        let drawn = drawn.then(|| (*painter.dice.pick(&["a", "a", "b"])).to_owned());
        if let Some(group) = written.or(drawn) {
            scenario["vcs"][vc]["gfc_group"] = json!(group);
            command(&mut scenario["links"][link], &group, painter);
        }
    }
    for (_, link) in tables(scenario, "links") {
        if let Some(gfc) = link.get_mut("gfc").and_then(Value::as_object_mut) {
            counters(gfc);
        }
    }
}

/// The routes of all VCs.
fn routes(scenario: &Value) -> Vec<(String, Vec<String>)> {
    let vcs = scenario["vcs"].as_object().into_iter().flatten();
    let names = |vc: &Value| -> Vec<String> {
        let route = vc["route"].as_array().into_iter().flatten();
        route.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    vcs.map(|(name, vc)| (name.clone(), names(vc))).collect()
}

/// The one-way link from the first switch of a route, if it has a rate and is the second link of each VC that crosses it.
fn first_queue(
    scenario: &Value,
    route: &[String],
    routes: &[(String, Vec<String>)],
) -> Option<String> {
    let [_, from, to, ..] = route else {
        return None;
    };
    let is_second = |route: &Vec<String>| {
        let crosses = |pair: &[String], [a, b]: [&String; 2]| pair[0] == *a && pair[1] == *b;
        let last = route.len().saturating_sub(2);
        let mut pairs = route.windows(2).enumerate();
        pairs.all(|(at, pair)| {
            (at == 1 || !crosses(pair, [from, to]))
                && (last.wrapping_sub(at) == 1 || !crosses(pair, [to, from]))
        })
    };
    let mut links = scenario["links"].as_object()?.iter();
    let (name, _) = links.find(|(_, link)| {
        link["from"] == **from && link["to"] == **to && !link["rate"].is_null()
    })?;
    let is_first = routes.iter().all(|(_, route)| is_second(route));
    is_first.then(|| name.clone())
}

/// Gives a link GFC with a counter for `group`.
fn command(link: &mut Value, group: &str, painter: &mut Painter) {
    let Painter { dice, palette, .. } = painter;
    let mut cells = || json!(text(Kind::Cells, palette.cells(dice).max(1)));
    if link["gfc"].is_null() {
        link["gfc"] = json!({ "high": cells(), "low": "1 cells" });
    }
    let groups = if group == "b" {
        &["group_a", "group_b"][..]
    } else {
        &["group_a"]
    };
    for group in groups {
        if link["gfc"][group].is_null() {
            link["gfc"][group] = json!({ "set_below": cells() });
        }
    }
    if painter.dice.chance(0.5) {
        let scope = *painter.dice.pick(&["vc", "host", "host"]);
        link["gfc"]["scope"] = json!(scope);
    }
}

/// Puts the counters of a queue in order, and lets both send at times.
fn counters(gfc: &mut Table) {
    if gfc.contains_key("group_b") && !gfc.contains_key("group_a") {
        let first = gfc["group_b"].clone();
        gfc.insert("group_a".to_owned(), first);
    }
    for group in ["group_a", "group_b"] {
        if let Some(group) = gfc.get_mut(group)
            && quantity(Kind::Cells, group.get("set_below")) == Some(0)
        {
            group["set_below"] = json!("1 cells");
        }
    }
    let most = gfc.get("group_a").and_then(|group| group.get("set_below"));
    let most = quantity(Kind::Cells, most).unwrap_or(u64::MAX);
    if let Some(group) = gfc.get_mut("group_b").and_then(Value::as_object_mut) {
        cap(group, Kind::Cells, "set_below", most);
    }
}
