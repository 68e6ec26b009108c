use std::time::Duration;

use serde_json::{Value, json};

use super::{Budget, shrink};

const MUCH: Budget = Budget {
    time: Duration::from_secs(10),
    steps: 100_000,
};

fn smallest(scenario: &Value, mut fails: impl FnMut(&Value) -> bool) -> Value {
    shrink(scenario, &mut fails, MUCH)
}

#[test]
fn only_what_makes_it_fail_stays() {
    let scenario = json!({
        "measure": {"duration": "2 s", "parts": 4},
        "links": {"a": {"rate": "10 Mbit/s", "loss": {"p": 0.5}}, "b": {"rate": "1 Mbit/s"}},
    });
    let small = smallest(&scenario, |it| !it["links"]["a"]["loss"].is_null());
    assert_eq!(small, json!({"links": {"a": {"loss": {}}}}));
}

#[test]
fn quantities_become_round_and_small_but_no_smaller_than_needed() {
    let scenario = json!({"rate": "1737 kbit/s", "cells": "97 cells"});
    let fails = |it: &Value| {
        let number = |key: &str| it[key].as_str()?.split(' ').next()?.parse::<f64>().ok();
        number("rate") >= Some(300.0) && number("cells").is_some()
    };
    let small = smallest(&scenario, fails);
    assert_eq!(small, json!({"rate": "500 kbit/s", "cells": "0 cells"}));
}

#[test]
fn a_named_table_goes_with_all_that_refer_to_it() {
    let scenario = json!({
        "vcs": {"v": {"route": ["a", "b"]}, "w": {"route": ["a", "b"]}},
        "flows": {"f": {"vc": "v"}, "g": {"vc": "w"}},
        "probes": {"p": {"record": ["flows.f.rtt_s", "flows.g.rtt_s"]}},
    });
    // It can be read only while everything that it refers to exists.
    let reads = |it: &Value| {
        let none = serde_json::Map::new();
        let flows = it["flows"].as_object().unwrap_or(&none);
        let has_vc = |flow: &Value| {
            flow["vc"]
                .as_str()
                .is_some_and(|vc| !it["vcs"][vc].is_null())
        };
        flows.values().all(has_vc)
    };
    let fails = |it: &Value| reads(it) && !it["flows"]["g"]["vc"].is_null();
    let small = smallest(&scenario, fails);
    assert_eq!(
        small,
        json!({"vcs": {"w": {}}, "flows": {"g": {"vc": "w"}}})
    );
}

#[test]
fn two_switches_in_a_row_become_one() {
    let scenario = json!({
        "switches": {"s": {}, "t": {}},
        "links": {
            "l": {"from": "a", "to": "s"}, "m": {"from": "s", "to": "t"}, "n": {"from": "t", "to": "b"},
        },
        "vcs": {"v": {"route": ["a", "s", "t", "b"]}},
    });
    let fails = |it: &Value| {
        let Some(route) = it["vcs"]["v"]["route"].as_array() else {
            return false;
        };
        let links: Vec<&Value> = it["links"]
            .as_object()
            .map_or(Vec::new(), |it| it.values().collect());
        let joined = |pair: &[Value]| {
            links
                .iter()
                .any(|it| it["from"] == pair[0] && it["to"] == pair[1])
        };
        let ends = [route.first(), route.last()] == [Some(&json!("a")), Some(&json!("b"))];
        let is_switch = |node: &Value| {
            node.as_str()
                .is_some_and(|node| !it["switches"][node].is_null())
        };
        ends && route.len() > 2
            && route.windows(2).all(joined)
            && route[1..route.len() - 1].iter().all(is_switch)
    };
    assert!(fails(&scenario));
    let small = smallest(&scenario, fails);
    assert_eq!(small["vcs"]["v"]["route"].as_array().map(Vec::len), Some(3));
    assert_eq!(
        small["links"].as_object().map(serde_json::Map::len),
        Some(2)
    );
}

#[test]
fn a_process_becomes_one_of_its_quantities() {
    let scenario = json!({"rate": {"process": "uniform", "low": "1 kbit/s", "high": "2 kbit/s"}});
    let reads = |rate: &Value| rate.is_string() || !rate["low"].is_null();
    let small = smallest(&scenario, |it| reads(&it["rate"]));
    assert_eq!(small, json!({"rate": "0 kbit/s"}));
}

#[test]
fn long_numbers_go_into_a_larger_unit() {
    let scenario = json!({"duration": "20000000000 ps"});
    let needs = |it: &Value| {
        ["20000000000 ps", "20000000 ns", "20000 us", "20 ms"]
            .contains(&it["duration"].as_str().unwrap_or_default())
    };
    assert_eq!(smallest(&scenario, needs), json!({"duration": "20 ms"}));
}

#[test]
fn nothing_is_tried_beyond_the_budget() {
    let scenario = json!({"a": 1, "b": 2, "c": 3});
    let mut tried = 0;
    let budget = Budget { steps: 2, ..MUCH };
    let mut fails = |_: &Value| {
        tried += 1;
        true
    };
    shrink(&scenario, &mut fails, budget);
    assert_eq!(tried, 2);
}

#[test]
fn links_of_frames_become_links_of_cells_or_mere_delays_together() {
    let scenario = json!({"links": {
        "a": {"rate": "1 Mbit/s", "buffer": "9 packets", "frames": "gpon", "delay": "0 s"},
        "b": {"rate": "1 Mbit/s", "buffer": "9 packets", "frames": "docsis", "delay": "0 s"},
    }});
    // A link has a queue as a whole, and all carry the same.
    let reads = |it: &Value| {
        let keys = ["a", "b"].map(|name| {
            let link = &it["links"][name];
            let is_packets = link["buffer"]
                .as_str()
                .is_some_and(|it| it.contains("packets"));
            let has = ["rate", "buffer"].map(|key| !link[key].is_null());
            (
                has[0] == has[1] && is_packets != link["frames"].is_null(),
                has[0],
                is_packets,
            )
        });
        let are_alike = !keys[0].1 || !keys[1].1 || keys[0].2 == keys[1].2;
        keys.iter().all(|it| it.0) && are_alike && keys[1].1
    };
    let any = smallest(&scenario, |it| {
        reads(it) && !it["links"]["a"]["delay"].is_null()
    });
    assert_eq!(any["links"]["a"], json!({"delay": "0 s"}));
    assert_eq!(
        any["links"]["b"],
        json!({"rate": "0 Mbit/s", "buffer": "0 cells"})
    );
    let framed = |it: &Value| ["a", "b"].map(|name| it["links"][name]["frames"].is_string());
    let both = smallest(&scenario, |it| reads(it) && framed(it) == [true; 2]);
    assert_eq!(both["links"]["a"]["frames"], "raw-ip");
    assert_eq!(both["links"]["b"]["frames"], "raw-ip");
}
