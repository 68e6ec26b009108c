//! MTUs of what is drawn.

use serde_json::Value;

use super::table::{quantity, tables};
use crate::schema::Kind;

/// The smallest MTU of any network; the longest packet if none has one.
pub(super) fn smallest_mtu(scenario: &mut Value) -> u64 {
    let mut least = 65_535;
    for section in ["links", "lans", "routers", "vcs"] {
        let all = tables(scenario, section);
        let mtus = all.filter_map(|(_, table)| quantity(Kind::Octets, table.get("mtu")));
        least = mtus.fold(least, u64::min);
    }
    least.max(68)
}

/// The MTU of the LAN of the host called `end`, which may be a member of a group.
pub(super) fn mtu_of_lan(hosts: &Value, end: &Value) -> u64 {
    let name = end.as_str().unwrap_or_default();
    let group = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let names = [name, group].into_iter();
    let lans = names.filter_map(|name| {
        let host = &hosts[name];
        let kind = match (&host["ethernet"], &host["lan"]) {
            (Value::Null, Value::Null) => return None,
            (Value::Null, lan) => lan["kind"].as_str(),
            _ => Some("ethernet"),
        };
        Some(match kind {
            Some("token-ring") => 4_464,
            Some("ieee-802.3") => 1_492,
            _ => 1_500,
        })
    });
    lans.min().unwrap_or(65_535)
}
