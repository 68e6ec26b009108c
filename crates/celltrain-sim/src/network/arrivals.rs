//! Traffic that sources without flow control offer to links: UDP packets, and cells below TCP.

use celltrain_proto::traffic::TrafficSource;
use celltrain_proto::units::{CELL_BITS, Rate};

use super::model::Network;

/// The most bits of cells for each bit of an IP packet in one piece: two cells for the smallest packet.
const CELL_TAX: f64 = 106.0 / 28.0;

/// By link, the highest sustained rate in bit/s at which cells of sources without flow control arrive; infinite
/// downstream of a greedy source without a PCR.
///
/// A line passes no more than its own rate downstream. TCP traffic is not counted, because it is limited by its
/// acknowledgments.
pub(super) fn arrivals(network: &Network) -> Vec<f64> {
    let mut arrivals = vec![0.0; network.links.len()];
    for (number, given) in given(network).into_iter().enumerate() {
        let direction = network.direction(number);
        let pcr = direction.service.pcr().map(Rate::as_bps);
        let mut rate = pcr.map_or(given, |pcr| given.min(pcr));
        for &link in direction.links.iter() {
            arrivals[link] += rate;
            if let Some(line) = &network.links[link].line {
                rate = rate.min(line.highest_lasting.as_bps());
            }
        }
    }
    arrivals
}

/// By direction of a VC, the rate in bit/s that sources without flow control offer to it.
fn given(network: &Network) -> Vec<f64> {
    let mut given = vec![0.0; 2 * network.vcs.len()];
    for (direction, rate) in offers(network) {
        given[direction] += rate.unwrap_or_default();
    }
    given
}

/// The direction of a VC and the rate in bit/s of each background and flow: infinite for a greedy source, `None` for a
/// connection, which is limited by its acknowledgments.
pub(super) fn offers(network: &Network) -> impl Iterator<Item = (usize, Option<f64>)> {
    let cells = network.backgrounds.iter().map(|background| {
        let peak = background.group.traffic.peak(CELL_BITS);
        let rate = peak.map_or(f64::INFINITY, Rate::as_bps);
        (background.feeds(), Some(rate))
    });
    let packets = network.flows.iter().map(|flow| {
        let udp = flow.udp.as_ref();
        let direction = 2 * flow.vc + flow.direction.index();
        let rate = udp.and_then(|udp| {
            let octets = udp.packet.0.0;
            let cells = network.packet_cells(direction, octets, true);
            let tax = (cells * CELL_BITS) as f64 / (8 * octets) as f64;
            let peak = udp.traffic.peak(8 * octets)?;
            Some(peak.as_bps() * tax.max(CELL_TAX))
        });
        (direction, rate)
    });
    cells.chain(packets)
}
