//! Simpler lines of a scenario. Several keys change together, because none of them may change alone: a VC crosses links of
//! cells or links of frames, and a queue needs a rate.

use serde_json::{Map, Value, json};

/// Keys of a link that need a rate, with the rate.
const OF_QUEUE: [&str; 5] = ["rate", "buffer", "frames", "queue", "on_rate_change"];
/// The simplest framings.
const SIMPLEST: [&str; 2] = ["raw-ip", "ethernet"];

/// The scenario with cells on all links, with one framing on all that carry frames, and with one mere delay more.
pub(super) fn simpler(scenario: &Value) -> Vec<Value> {
    let links = scenario["links"].as_object();
    let links: Vec<(&String, &Value)> = links.into_iter().flatten().collect();
    let framed = links.iter().filter(|(_, link)| !link["frames"].is_null());
    let framed: Vec<&String> = framed.map(|(name, _)| *name).collect();
    let mut all = Vec::new();
    if !framed.is_empty() {
        all.push(each(scenario, &framed, cells));
        for (rank, framing) in SIMPLEST.into_iter().enumerate() {
            // Only less simple ones change, or two framings would take turns.
            let is_other = |name: &&String| {
                let known = &scenario["links"][*name]["frames"];
                SIMPLEST.iter().take(rank + 1).all(|it| known != it)
            };
            let others: Vec<&String> = framed.iter().copied().filter(is_other).collect();
            if !others.is_empty() {
                all.push(each(scenario, &others, |link| {
                    link.insert("frames".to_owned(), json!(framing));
                }));
            }
        }
    }
    let rated = links.iter().filter(|(_, link)| !link["rate"].is_null());
    all.extend(rated.map(|(name, _)| {
        each(scenario, &[*name], |link| {
            link.retain(|key, _| !OF_QUEUE.contains(&key.as_str()));
        })
    }));
    all
}

/// The scenario with some links changed.
fn each(scenario: &Value, names: &[&String], change: impl Fn(&mut Map<String, Value>)) -> Value {
    let mut changed = scenario.clone();
    for name in names {
        if let Some(link) = changed["links"][*name].as_object_mut() {
            change(link);
        }
    }
    changed
}

/// Makes a link carry cells, and its queue hold as many of them as frames.
fn cells(link: &mut Map<String, Value>) {
    link.shift_remove("frames");
    link.shift_remove("queue");
    let packets = link.get("buffer").and_then(Value::as_str);
    if let Some((number, _)) = packets.and_then(|it| it.split_once(" packet")) {
        let buffer = json!(format!("{number} cells"));
        link.insert("buffer".to_owned(), buffer);
    }
}
