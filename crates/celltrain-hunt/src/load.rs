//! The load that a network offers to its lines, which costs time even if most of it is dropped, and other expensive
//! activity.

use celltrain_proto::traffic::TrafficSource;
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Traffic;

/// Bits of a cell.
const CELL_BITS: u64 = 424;
/// The most cells or packets that processes may offer, because queues of hosts are long and may keep them all.
const MOST: f64 = 1e6;
/// The longest run in s of a network with ADSL lines: their noise changes every second, and with it the bits of all
/// carriers.
const LONGEST_OF_ADSL: f64 = 60.0;

/// The factor by which the run is too long, if processes may offer `cells` cells.
pub(crate) fn excess(network: &Network, cells: f64) -> f64 {
    let seconds = network.end.as_secs();
    let mut excess = offered(network, seconds) / cells.min(MOST);
    if has_adsl(network) {
        excess = excess.max(seconds / LONGEST_OF_ADSL);
    }
    excess
}

fn has_adsl(network: &Network) -> bool {
    let mut lines = network.links.iter().filter_map(|link| link.line.as_ref());
    lines.any(|line| line.rate.trains())
}

/// The most cells that backgrounds and packets bring.
fn offered(network: &Network, seconds: f64) -> f64 {
    let cells = network.backgrounds.iter().map(|it| {
        let made = arrivals(&it.group.traffic, CELL_BITS, seconds);
        let pcr = network.direction(it.feeds()).service.pcr();
        // A greedy source fills its PCR, even where its first line is slower and drops most.
        let greedy = || pcr.map_or(0.0, |pcr| pcr.as_cells_per_s() * seconds);
        made.unwrap_or_else(greedy)
    });
    let packets = network.flows.iter().filter_map(|flow| {
        let udp = flow.udp.as_ref()?;
        let octets = udp.packet.0.0;
        let direction = 2 * flow.vc + flow.direction.index();
        // A packet of several cells counts as that many.
        let cells = network.packet_cells(direction, octets, true);
        Some(cells as f64 * arrivals(&udp.traffic, 8 * octets, seconds).unwrap_or_default())
    });
    cells.chain(packets).sum()
}

/// The most arrivals of `bits` bits each in this many seconds; `None` for a greedy source.
fn arrivals(traffic: &Traffic, bits: u64, seconds: f64) -> Option<f64> {
    // All arrivals of a trace may come at once, and again each time it repeats.
    if let Traffic::Replay(it) = traffic {
        let passes = 1.0 + it.repeat.map_or(0.0, |repeat| seconds / repeat.as_secs());
        let load = it.parse().map(|trace| trace.load());
        return Some(load.map_or(0.0, |(count, _)| count as f64 * passes));
    }
    let peak = traffic.peak(bits)?;
    Some(peak.as_bps() * seconds / bits as f64)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::excess;
    use crate::accept::read;

    /// The excess of a one-second run in which this traffic meets a slow line, as cells or as packets.
    fn of(section: &str, traffic: &Value) -> f64 {
        at_most("9 kbit/s", section, traffic)
    }

    /// The excess with this PCR.
    fn at_most(pcr: &str, section: &str, traffic: &Value) -> f64 {
        let entry = match section {
            "flows" => json!({"vc": "v", "udp": {"packet": "28 bytes", "traffic": traffic}}),
            _ => json!({"vc": "v", "traffic": traffic}),
        };
        let (_, network) = read(&json!({
            "measure": {"duration": "1 s"},
            "limits": {"memory_mib": 1e9},
            "hosts": {"a": {"count": 2}, "b": {"count": 2}},
            "switches": {"s": {}, "t": {}},
            "links": {
                "in": {"between": ["a", "s"], "delay": "1 ms"},
                "l": {"between": ["s", "t"], "delay": "1 ms", "rate": "9 kbit/s", "buffer": "9 cells"},
                "out": {"between": ["t", "b"], "delay": "1 ms"},
            },
            "vcs": {"v": {"route": ["a", "s", "t", "b"], "forward": {"service": "ubr", "pcr": pcr}}},
            section: {"x": entry},
        }))
        .unwrap();
        // A network may have any number of cells here, and need any memory.
        excess(&network, 1e12)
    }

    #[test]
    fn processes_of_all_kinds_may_fill_no_queue_of_a_host() {
        let on_off = json!({"process": "on-off", "peak": "20 Gbit/s", "on": "1 ms", "off": "1 ms"});
        let markov = json!({"process": "markov", "states": [
            {"rate": "0 bit/s", "mean": "1 ms"},
            {"rate": "20 Gbit/s", "mean": "1 ms"},
        ]});
        for traffic in [
            json!({"process": "cbr", "rate": "20 Gbit/s"}),
            json!({"process": "poisson", "rate": "20 Gbit/s"}),
            on_off,
            markov,
            json!({"process": "pulses", "peak": "1 bit/s", "duty_cycle": 0.5, "period": "1 us"}),
            json!({"process": "replay", "trace": "0 300", "repeat": "100 us"}),
        ] {
            for section in ["flows", "backgrounds"] {
                let excess = of(section, &traffic);
                assert!(excess > 1.5, "{section} {traffic}: {excess}");
            }
        }
        let few = json!({"process": "cbr", "rate": "20 Mbit/s"});
        assert!(of("flows", &few) < 1.0);
    }

    #[test]
    fn greedy_sources_fill_their_pcr() {
        let greedy = json!({"process": "greedy"});
        assert!(at_most("20 Gbit/s", "backgrounds", &greedy) > 1.5);
        assert!(at_most("20 Mbit/s", "backgrounds", &greedy) < 1.0);
    }
}
