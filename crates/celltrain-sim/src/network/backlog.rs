//! Queues that could grow so long that their last cell departs beyond representable time.

use celltrain_proto::units::Rate;

use super::arrivals::arrivals;
use super::model::{Network, NodeKind};
use crate::scenario::Problem;

/// The most seconds that a full queue may take to drain. Together with the longest run this is less than the 213 days
/// that a time in picoseconds can represent.
const LONGEST: f64 = 10.0 * 86_400.0;

/// Refuses a network in which sources without flow control could fill a queue that far.
///
/// Connections cannot: a segment that has left triggers at most two or three others.
///
/// # Errors
///
/// The link or LAN, how many cells could arrive there during the run, and how long they would take to leave.
pub(super) fn check(network: &Network) -> Result<(), Problem> {
    let arrivals = arrivals(network);
    for (link, rate) in network.links.iter().zip(arrivals) {
        let Some(line) = &link.line else { continue };
        let low = line.rate.range().low;
        let bits = line.unit.bits() as f64;
        let cells = (rate * network.end.as_secs() / bits).min(f64::from(line.buffer));
        let seconds = cells * bits / low.as_bps();
        // At rate zero there is no departure time at all.
        if low > Rate::ZERO && seconds > LONGEST {
            let is_lan = network.nodes[link.from].kind == NodeKind::Lan;
            let section = if is_lan { "lans" } else { "links" };
            let message = format!(
                "{cells:.3e} cells could wait here and would take {seconds:.3e} s to leave at {low}, more than the \
                 10 days that a queue may take; give it a smaller buffer or a higher rate, or send less"
            );
            return Err(Problem::at(&format!("{section}.{}", link.name), message));
        }
    }
    Ok(())
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
