//! Queues that could grow so long that their last cell departs beyond representable time.

use celltrain_proto::units::Rate;

use super::advice::path::{ack_cells, admitted, segment_cells};
use super::arrivals::arrivals;
use super::demand::FIRST_WINDOW;
use super::model::{Network, NodeKind};
use crate::scenario::Problem;

/// The seconds that a time in picoseconds can represent, 213 days.
const REPRESENTABLE: f64 = u64::MAX as f64 / 1e12;
/// The part of these for queues, because of what is not counted: connections that send more than one segment at a time-out.
const SHARE: f64 = 0.5;

/// The longest interval between two time-outs of a connection, in s, and the time-outs until it is reached: from 1 s on,
/// each is twice as long (RFC 6298 5.5).
const LONGEST_RTO: f64 = 60.0;
const TIMEOUTS_BEFORE: f64 = 7.0;
/// What a time-out sends at most: a segment, and a probe of the tail before it (RFC 8985 7).
const SENT_AT_TIMEOUT: f64 = 2.0;

/// Refuses a network in which sources could fill a queue that far.
///
/// # Errors
///
/// The link or LAN, how many cells could arrive there during the run, and how long they would take to leave.
pub(super) fn check(network: &Network) -> Result<(), Problem> {
    let longest = (REPRESENTABLE - network.end.as_secs()) * SHARE;
    let arrivals = arrivals(network).into_iter().zip(of_connections(network));
    for (link, (rate, connections)) in network.links.iter().zip(arrivals) {
        let Some(line) = &link.line else { continue };
        let low = line.range.low;
        let bits = line.longest_unit().bits() as f64;
        let growth = rate / bits + connections.cells_per_s - low.as_bps() / bits;
        let cells = connections.burst + growth.max(0.0) * network.end.as_secs();
        let cells = cells.min(line.most_queued());
        let seconds = cells * bits / low.as_bps();
        // At rate zero there is no departure time at all.
        if low > Rate::ZERO && seconds > longest {
            let is_lan = network.nodes[link.from].kind == NodeKind::Lan;
            let section = if is_lan { "lans" } else { "links" };
            let message = format!(
                "{cells:.3e} cells could wait here and would take {seconds:.3e} s to leave at {low}, more than the \
                 {longest:.3e} s that a queue may take; give it a smaller buffer or a higher rate, or send less"
            );
            return Err(Problem::at(&format!("{section}.{}", link.name), message));
        }
    }
    Ok(())
}

/// The cells of connections that can come to a link.
#[derive(Clone, Copy, Default)]
struct Coming {
    /// As fast as the sources send.
    burst: f64,
    /// After that, in cells per second.
    cells_per_s: f64,
}

/// By link, the cells of connections that come there however slowly they leave.
///
/// Without acknowledgments a connection sends its first window, and again and again what it takes for lost. A segment
/// that leaves the queue lets two others follow, as long as they fit into the window.
fn of_connections(network: &Network) -> Vec<Coming> {
    let mut coming = vec![Coming::default(); network.links.len()];
    for flow in admitted(network).filter(|flow| flow.udp.is_none()) {
        let data = 2 * flow.vc + flow.direction.index();
        let packets = [
            (data, segment_cells(network, flow)),
            (data ^ 1, ack_cells(network, flow)),
        ];
        let window = flow.most_outstanding();
        for (direction, cells) in packets {
            for &link in network.direction(direction).links.iter() {
                let Some(line) = &network.links[link].line else {
                    continue;
                };
                let cells = cells as f64;
                let bits = cells * line.shortest_unit().bits() as f64;
                let left = network.end.as_secs() * line.range.low.as_bps() / bits;
                let first = window.min(FIRST_WINDOW + 2.0 * left);
                let coming = &mut coming[link];
                coming.burst += cells * (first + SENT_AT_TIMEOUT * TIMEOUTS_BEFORE);
                coming.cells_per_s += cells * SENT_AT_TIMEOUT / LONGEST_RTO;
            }
        }
    }
    coming
}

#[cfg(test)]
mod tests {
    use crate::network::Network;
    use crate::scenario::Source;

    fn network(rate: &str, buffer: &str) -> Result<(), String> {
        let text = format!(
            r#"
            measure = {{ duration = "1 s" }}
            hosts = {{ a = {{}}, b = {{}} }}
            links.l = {{ between = ["a", "b"], delay = "1 ms", rate = "{rate}", buffer = "{buffer}" }}
            vcs.v = {{ route = ["a", "b"] }}
            backgrounds.g = {{ vc = "v", traffic = {{ process = "cbr", rate = "424 Mbit/s" }} }}
            "#
        );
        let scenario = Source::toml(&text, "test")
            .read()
            .map_err(|it| it.to_string())?;
        let network = Network::new(&scenario).map_err(|it| it.to_string());
        network.map(|_| ())
    }

    #[test]
    fn segments_sent_again_and_again_into_a_lan_without_a_limit_count() {
        let network = |duration: &str, rate: &str| {
            let text = format!(
                r#"
                measure = {{ duration = "{duration}" }}
                links = {{}}
                hosts = {{ a = {{}}, b = {{ count = 18 }} }}
                lans.l.rate = "{rate}"
                vcs.v.route = ["a", "l", "b"]
                flows.f.vc = "v"
                "#
            );
            let scenario = Source::toml(&text, "test").read().unwrap();
            Network::new(&scenario)
                .map(|_| ())
                .map_err(|it| it.to_string())
        };
        // Of each of 18 connections the first segment, of 192 cells of 424 s, and its retransmissions: in 1,000 s a
        // dozen, all of which would leave after more than 213 days.
        let error = network("1000 s", "1 bit/s").expect_err("too long");
        assert!(error.contains("lans.l: "), "{error}");
        assert_eq!(network("1000 s", "100 bit/s"), Ok(()));
        // 180 days of two segments a minute from each: 115 cells/s, of which a line of 64 kbit/s sends 151.
        assert!(network("15552000 s", "32 kbit/s").is_err());
        assert_eq!(network("15552000 s", "64 kbit/s"), Ok(()));
    }

    #[test]
    fn a_queue_that_takes_longer_than_any_run_is_refused() {
        // A million cells arrive per second, and one leaves every 424 s; the last of 2,000 leaves after 9.8 days.
        let error = network("1 bit/s", "1000000 cells").expect_err("13 years");
        assert!(
            error.contains("links.l: 1.000e6 cells could wait here"),
            "{error}"
        );
        assert_eq!(network("1 bit/s", "2000 cells"), Ok(()));
        assert_eq!(network("1 Mbit/s", "1000000 cells"), Ok(()));
    }
}
