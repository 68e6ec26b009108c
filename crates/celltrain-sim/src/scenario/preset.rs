//! Presets: complete TCPs under one name. A key given with the preset takes precedence.
//!
//! Each is a table of keys in `presets/`. Without a preset, modern variants other than the standard's take that of Linux,
//! because they never existed with timers and segments of the 1990s.

use celltrain_proto::tcp::Variant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The TCP of a system, or of the standards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub enum Preset {
    /// Linux 6.x: CUBIC, or another with `variant`.
    #[serde(rename = "linux")]
    Linux,
    /// The standards track: RFC 9293 and the RFCs that it refers to, with selective acknowledgments.
    #[serde(rename = "rfc")]
    Rfc,
    /// 4.3BSD-Tahoe (1988).
    #[serde(rename = "4.3bsd-tahoe")]
    Bsd43Tahoe,
    /// 4.3BSD-Reno (1990).
    #[serde(rename = "4.3bsd-reno")]
    Bsd43Reno,
    /// 4.4BSD-Lite (1993), with timestamps and window scaling.
    #[serde(rename = "4.4bsd")]
    Bsd44,
    /// 4.4BSD-Lite2 (1995), with timestamps and window scaling.
    #[serde(rename = "4.4bsd-lite2")]
    Bsd44Lite2,
    /// Linux 2.0 (1996 to 1999).
    #[serde(rename = "linux-1999")]
    Linux1999,
    /// No preset: each key has its own default, whatever the variant.
    #[serde(rename = "plain")]
    Plain,
}

impl Preset {
    /// Its keys, as in a scenario.
    fn text(self) -> &'static str {
        match self {
            Self::Linux => include_str!("presets/linux.toml"),
            Self::Rfc => include_str!("presets/rfc.toml"),
            Self::Bsd43Tahoe => include_str!("presets/4.3bsd-tahoe.toml"),
            Self::Bsd43Reno => include_str!("presets/4.3bsd-reno.toml"),
            Self::Bsd44 => include_str!("presets/4.4bsd.toml"),
            Self::Bsd44Lite2 => include_str!("presets/4.4bsd-lite2.toml"),
            Self::Linux1999 => include_str!("presets/linux-1999.toml"),
            Self::Plain => "",
        }
    }

    fn table(self) -> Map<String, Value> {
        toml::from_str(self.text()).expect("the presets are valid, as a test shows")
    }

    /// The preset that a variant uses if none is given.
    fn of_variant(variant: &Value) -> Option<Self> {
        let keyword = variant.get("algorithm").unwrap_or(variant);
        let variant = Variant::deserialize(keyword).ok()?;
        variant.facts().takes_linux_options.then_some(Self::Linux)
    }
}

/// Adds the missing keys of its preset to each flow of a scenario. An unknown preset, or a value that is not a table, is
/// left for the reader to refuse.
pub(super) fn apply(scenario: &mut Value) {
    let Some(flows) = scenario.get_mut("flows").and_then(Value::as_object_mut) else {
        return;
    };
    for flow in flows.values_mut() {
        if let Some(tcp) = flow.get_mut("tcp") {
            spell_out(tcp);
        }
    }
}

/// Expands a TCP, which may be only a name, into a table with all keys of its preset.
fn spell_out(tcp: &mut Value) {
    if tcp.is_string() {
        let name = tcp.take();
        *tcp = Value::Object(Map::from_iter([("preset".to_owned(), name)]));
    }
    let Some(own) = tcp.as_object_mut() else {
        return;
    };
    let named = own.get("preset").map(Preset::deserialize);
    let preset = match named {
        Some(Err(_)) => None,
        Some(Ok(preset)) => Some(preset),
        None => own.get("variant").and_then(Preset::of_variant),
    };
    let Some(preset) = preset else { return };
    let mut all = preset.table();
    all.insert("preset".to_owned(), serde_json::json!(preset));
    merge(&mut all, std::mem::take(own));
    *own = all;
}

/// Overrides the keys of `under` with those of `over`, recursively in tables.
fn merge(under: &mut Map<String, Value>, over: Map<String, Value>) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(Value::Object(under)), Value::Object(over)) => merge(under, over),
            (_, value) => {
                under.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Tcp;
    use serde_json::json;

    const ALL: [Preset; 8] = [
        Preset::Plain,
        Preset::Linux,
        Preset::Rfc,
        Preset::Bsd43Tahoe,
        Preset::Bsd43Reno,
        Preset::Bsd44,
        Preset::Bsd44Lite2,
        Preset::Linux1999,
    ];

    fn tcp(mut value: Value) -> Tcp {
        spell_out(&mut value);
        Tcp::deserialize(&value).expect("a valid table")
    }

    #[test]
    fn each_preset_is_a_valid_table_and_tells_its_name() {
        for preset in ALL {
            let of_name = tcp(json!(preset));
            assert_eq!(of_name.preset, Some(preset));
            assert_eq!(of_name, tcp(json!({ "preset": preset })));
        }
    }

    #[test]
    fn a_key_beside_a_preset_takes_precedence_in_tables_too() {
        let plain = tcp(json!("linux"));
        let own = tcp(json!({ "preset": "linux", "mss": "536 bytes", "rto": { "min": "1 s" } }));
        assert_eq!(own.mss.0.0, 536);
        assert_eq!(
            own.rto.min.map(|min| min.0),
            Some(celltrain_proto::units::Span::from_secs(1))
        );
        assert_eq!(
            (own.rto.timer, own.rto.floor),
            (plain.rto.timer, plain.rto.floor)
        );
        assert_eq!(own.window, plain.window);
    }

    #[test]
    fn variants_beyond_the_standards_take_the_options_of_linux_and_others_none() {
        for (variant, preset) in [
            (json!("cubic"), Some(Preset::Linux)),
            (
                json!({ "algorithm": "cubic", "fast_convergence": false }),
                Some(Preset::Linux),
            ),
            (json!("bbr"), Some(Preset::Linux)),
            (json!("newreno"), None),
            (json!("sack"), None),
            (json!("4.3bsd-reno"), None),
            (json!("linux-1999"), None),
        ] {
            assert_eq!(
                tcp(json!({ "variant": variant })).preset,
                preset,
                "{variant}"
            );
        }
        assert_eq!(tcp(json!({})), Tcp::default());
        let plain = tcp(json!({ "preset": "plain", "variant": "cubic" }));
        assert_eq!((plain.timestamps, plain.mss), (false, Tcp::default().mss));
    }

    #[test]
    fn what_is_written_out_is_read_as_the_same() {
        // The last is as if no preset were there, and must be written out beside one that says otherwise.
        let published = json!({ "preset": "linux", "window_rules": "published" });
        for value in ALL
            .map(|preset| json!(preset))
            .into_iter()
            .chain([published])
        {
            let read = tcp(value);
            let written = serde_json::to_value(&read).expect("it can be written");
            assert_eq!(tcp(written), read);
        }
    }

    #[test]
    fn lite_of_1993_has_timestamps_and_scaling_and_reno_has_not() {
        let (lite, reno) = (tcp(json!("4.4bsd")), tcp(json!("4.3bsd-reno")));
        assert_eq!((lite.timestamps, lite.window_scale), (true, Some(0)));
        assert_eq!((reno.timestamps, reno.window_scale), (false, None));
    }
}
