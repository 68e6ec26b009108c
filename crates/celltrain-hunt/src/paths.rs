//! Virtual paths of a network: over switches that the routes of some VCs have in common.

use serde_json::{Map, Value, json};

use crate::palette::text;
use crate::rules::{frames, tables};
use crate::schema::{Kind, Shape};
use crate::values::Painter;

/// Adds virtual paths to a scenario whose VCs are complete.
pub(crate) fn add(scenario: &mut Value, shape: &Shape, painter: &mut Painter) {
    let number = if painter.must("vps") {
        1 + painter.dice.weighted(&[3, 1])
    } else {
        painter.dice.weighted(&[12, 2, 1])
    };
    let shape = shape.key("vps").and_then(|map| map.key("*"));
    let shape = shape.expect("virtual paths are a section");
    let routes = routes(scenario);
    let mut paths = Map::new();
    for index in 0..number {
        let Some(path) = path(shape, &routes, painter) else {
            break;
        };
        paths.insert(format!("p{index}"), path);
    }
    if !paths.is_empty() {
        scenario["vps"] = Value::Object(paths);
    }
}

/// The names and routes of the VCs that may belong to a path.
fn routes(scenario: &mut Value) -> Vec<(String, Vec<String>)> {
    let framed = frames::vcs(scenario);
    let vcs = tables(scenario, "vcs");
    let vcs = vcs.filter(|(name, vc)| {
        let is_abr = |way: &str| vc.get(way).is_some_and(|it| it["service"] == "abr");
        !is_abr("forward") && !is_abr("backward") && !framed.contains(*name)
    });
    let routes = vcs.map(|(name, vc)| {
        let route = vc["route"].as_array().into_iter().flatten();
        let nodes = route.filter_map(|node| node.as_str().map(str::to_owned));
        (name.clone(), nodes.collect())
    });
    routes.collect()
}

/// A path over a stretch of the route of one VC, with all VCs that pass it.
fn path(shape: &Shape, routes: &[(String, Vec<String>)], painter: &mut Painter) -> Option<Value> {
    let is_switch = |node: &String| node.starts_with('s');
    let stretches = routes.iter().flat_map(|(_, route)| {
        let runs = route.split(|node| !is_switch(node));
        runs.filter(|run| run.len() > 1).map(<[String]>::to_vec)
    });
    let stretches: Vec<Vec<String>> = stretches.collect();
    if stretches.is_empty() {
        return None;
    }
    let mut route = painter.dice.pick(&stretches).clone();
    let keep = painter.dice.whole(2, route.len() as u64) as usize;
    route.truncate(keep);
    if painter.dice.chance(0.3) {
        route.reverse();
    }
    let passes = |other: &[String]| {
        let mut windows = other.windows(route.len());
        windows.any(|it| it == route || it.iter().rev().eq(route.iter()))
    };
    let passing = routes.iter().filter(|(_, other)| passes(other));
    let vcs: Vec<&String> = passing.map(|(name, _)| name).collect();
    let mut table = Map::from_iter([
        ("route".to_owned(), json!(route)),
        ("vcs".to_owned(), json!(vcs)),
    ]);
    painter.fill(shape, "vps.*", &mut table, &[]);
    contract(&mut table, &route, painter);
    Some(Value::Object(table))
}

/// Gives each direction that is shaped or policed a contract.
fn contract(path: &mut Map<String, Value>, route: &[String], painter: &mut Painter) {
    for way in ["forward", "backward"] {
        let is_needed = path.contains_key("shape") || path.contains_key("police");
        let service = path.get(way);
        let is_unfit =
            service.is_some_and(|it| it["service"] == "abr" || it["pcr"].is_null() && is_needed);
        if is_unfit || service.is_none() && is_needed {
            let pcr = text(Kind::Rate, painter.palette.rate(&mut painter.dice).max(1));
            path.insert(way.to_owned(), json!({ "service": "ubr", "pcr": pcr }));
        }
    }
    if path.get("vpi").is_some_and(|vpi| vpi == 0) {
        path.remove("vpi");
    }
    if painter.must("vps.*.police.at")
        && let Some(police) = path.get_mut("police")
    {
        let end = usize::from(police["direction"] != "backward");
        police["at"] = json!(route[end * (route.len() - 1)]);
    }
}
