//! What a network offers to its lines, which costs time although most of it may be dropped, and what else goes on.

use serde_json::Value;

use crate::palette;
use crate::schema::Kind;

/// Bits of a cell.
const CELL_BITS: f64 = 424.0;
/// Picoseconds of a second.
const SECOND: f64 = 1e12;
/// How long a network with ADSL lines may run: their noises change each second, and with each the bits of all carriers.
const LONGEST_OF_DMT: f64 = 60.0;

/// How many times the run is too long where processes may offer `cells` cells.
pub(crate) fn excess(scenario: &Value, cells: f64) -> f64 {
    let duration = scenario["measure"]["duration"].as_str();
    let seconds =
        palette::value(Kind::Time, duration.unwrap_or_default()).unwrap_or(0) as f64 / SECOND;
    let mut excess = offered(scenario) * seconds / cells;
    if has_dmt(scenario) {
        excess = excess.max(seconds / LONGEST_OF_DMT);
    }
    excess
}

fn has_dmt(scenario: &Value) -> bool {
    let lines = ["links", "lans"].map(|section| scenario[section].as_object());
    let mut lines = lines.into_iter().flatten().flat_map(|lines| lines.values());
    lines.any(|line| line["rate"]["process"] == "dmt")
}

/// Cells a second that backgrounds and packets bring at most, or packets where these are shorter.
fn offered(scenario: &Value) -> f64 {
    let of = |section: &str| {
        scenario[section]
            .as_object()
            .into_iter()
            .flat_map(|it| it.values())
    };
    let group = of("hosts")
        .filter_map(|host| host["count"].as_u64())
        .max()
        .unwrap_or(1);
    let cells = of("backgrounds").map(|it| peak(&it["traffic"]) / CELL_BITS);
    let packets = of("flows").map(|it| {
        let packet = it["udp"]["packet"].as_str().unwrap_or_default();
        let octets = palette::value(Kind::Octets, packet).unwrap_or(28) as f64;
        peak(&it["udp"]["traffic"]) / CELL_BITS.min(8.0 * octets)
    });
    group as f64 * cells.chain(packets).sum::<f64>()
}

/// The highest rate of a process in bit/s.
fn peak(traffic: &Value) -> f64 {
    let rate =
        |value: &Value| palette::value(Kind::Rate, value.as_str().unwrap_or_default()).unwrap_or(0);
    let states = traffic["states"].as_array().into_iter().flatten();
    let states = states.map(|state| rate(&state["rate"]));
    let alone = [rate(&traffic["rate"]), rate(&traffic["peak"])];
    states.chain(alone).max().unwrap_or(0) as f64
}
