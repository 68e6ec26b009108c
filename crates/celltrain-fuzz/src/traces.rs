//! Traces within scenarios: the first octet of the input chooses the kind, the rest is the text of the trace.

use celltrain_language::Source;
use celltrain_sim::network::{Cost, Network};
use celltrain_sim::scenario::Scenario;
use serde_json::{Value, json};

/// Reads any octets.
pub fn one(input: &[u8]) {
    let Some((&kind, rest)) = input.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    let data = scenario(kind, text).to_string();
    let Ok(scenario) = Source::json(&data, "scenario").read::<Scenario>() else {
        return;
    };
    if let Ok(network) = Network::new(&scenario) {
        for (name, bound) in Cost::of(&network).bounds() {
            assert!(bound >= 0.0, "{name}: {bound}");
        }
    }
}

/// A network whose line follows a trace, or whose flow replays one.
fn scenario(kind: u8, trace: &str) -> Value {
    let mut link = json!({"between": ["a", "b"], "buffer": "100 cells"});
    match kind % 4 {
        0 => link["rate"] = json!({"process": "mahimahi", "trace": trace}),
        3 => link["schedule"] = json!({"process": "csv", "trace": trace, "repeat": "10 s"}),
        _ => link["rate"] = json!("1 Mbit/s"),
    }
    // A recording may have delays.
    if kind % 4 != 3 || kind >= 128 {
        link["delay"] = json!("1 ms");
    }
    let flow = match kind % 4 {
        0 | 3 => json!({"vc": "vc"}),
        1 => {
            json!({"vc": "vc", "udp": {"packet": "500 bytes", "traffic": {"process": "replay", "trace": trace}}})
        }
        _ => {
            let traffic = json!({"process": "replay", "trace": trace, "repeat": "10 s"});
            json!({"vc": "vc", "udp": {"packet": "500 bytes", "traffic": traffic}})
        }
    };
    json!({
        "measure": {"duration": "20 s"},
        "hosts": {"a": {}, "b": {}},
        "links": {"line": link},
        "vcs": {"vc": {"route": ["a", "b"]}},
        "flows": {"flow": flow},
    })
}
