//! What comes to links from sources that nothing holds back: packets of UDP, and cells below it.

use celltrain_proto::units::{CELL_BITS, Rate};

use super::model::Network;

/// Most bits of cells for a bit of an IP packet: two cells for the smallest.
const CELL_TAX: f64 = 106.0 / 28.0;

/// The highest rates in bit/s at which cells of sources that nothing holds back come to links for long, by link; infinite
/// behind a greedy source without a PCR.
///
/// A line lets no more through to the links behind it. What TCP sends is not counted: its acknowledgments hold it back.
pub(super) fn arrivals(network: &Network) -> Vec<f64> {
    let mut arrivals = vec![0.0; network.links.len()];
    for (number, given) in given(network).into_iter().enumerate() {
        let direction = network.direction(number);
        let pcr = direction.service.pcr().map(Rate::as_bps);
        let mut rate = pcr.map_or(given, |pcr| given.min(pcr));
        for &link in direction.links.iter() {
            arrivals[link] += rate;
            if let Some(line) = &network.links[link].line {
                rate = rate.min(line.rate.highest_lasting().as_bps());
            }
        }
    }
    arrivals
}

/// What directions of VCs are given to send by sources that nothing holds back, in bit/s.
fn given(network: &Network) -> Vec<f64> {
    let mut given = vec![0.0; 2 * network.vcs.len()];
    for (direction, rate) in offers(network) {
        given[direction] += rate.unwrap_or_default();
    }
    given
}

/// What each background and flow brings to its direction of a VC, in bit/s: infinite from a greedy source, none of a
/// connection, which its acknowledgments hold back.
pub(super) fn offers(network: &Network) -> impl Iterator<Item = (usize, Option<f64>)> {
    let cells = network.backgrounds.iter().map(|background| {
        let peak = background.group.traffic.peak(CELL_BITS);
        let rate = peak.map_or(f64::INFINITY, Rate::as_bps);
        (background.feeds(), Some(rate))
    });
    let packets = network.flows.iter().map(|flow| {
        let udp = flow.udp.as_ref();
        let peak = udp.and_then(|udp| udp.traffic.peak(8 * udp.packet.0.0));
        let direction = 2 * flow.vc + flow.direction.index();
        (direction, peak.map(|peak| peak.as_bps() * CELL_TAX))
    });
    cells.chain(packets)
}
