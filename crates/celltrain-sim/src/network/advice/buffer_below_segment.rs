//! Queues, at links and at the ends of VCs, that a single segment overflows.
//!
//! A queue need not hold a whole segment if the line drains it as cells arrive: of n cells that arrive at rate r,
//! `n - (n - 1) s / r` remain in a queue served at rate s. To be certain, the smallest number is used: s is the highest
//! rate of the line, r the lowest before it.

use std::collections::BTreeSet;

use super::path;
use crate::network::{Flow, Link, Network, UNLIMITED};
use crate::scenario::ClassBuffers;

pub(super) fn find(network: &Network) -> Vec<(&'static str, String, String)> {
    let mut found = Vec::new();
    let mut told = BTreeSet::new();
    for flow in path::admitted(network) {
        let cells = path::segment_cells(network, flow);
        let [data, _] = path::ways(network, flow);
        if !data.carried().is_empty() {
            // Its cells arrive downstream of a router as the tunnel VC sends them.
            continue;
        }
        at_source(network, flow, cells, &mut found);
        let mut rate = path::sure_rate(&data.service);
        for (place, &index) in data.links.iter().enumerate() {
            let is_shaped = data.shapers().iter().any(|shaper| shaper.place == place);
            if is_shaped || data.path_at(place).is_some() {
                break;
            }
            let link = &network.links[index];
            let Some(rated) = &link.line else {
                if link.has_varying_delay() {
                    break;
                }
                continue;
            };
            let range = rated.range;
            if let Some(buffer) = plain_buffer(link) {
                let served = range.high.as_bps() / rate;
                let needed = cells - ((cells - 1) as f64 * served).min(cells as f64 - 1.0) as u64;
                if buffer < needed && told.insert(index) {
                    let message = format!(
                        "its buffer of {buffer} cells cannot hold a full segment of flow {}, whose {cells} cells come faster \
                         than they leave: each loses cells; expected at least {needed} cells: give it more, or the flow \
                         shorter segments or a `pcr`",
                        flow.name
                    );
                    found.push(("link", link.unique_name(), message));
                }
            }
            if link.has_varying_delay() {
                break;
            }
            rate = rate.min(range.low.as_bps());
        }
    }
    found
}

/// The buffer of a queue that cells enter directly, if it is shared by all classes.
fn plain_buffer(link: &Link) -> Option<u64> {
    let rated = link.line.as_ref()?;
    let holds_back = rated.credit.is_some() || rated.gfc.is_some();
    let is_plain =
        rated.buffer != UNLIMITED && !holds_back && rated.class_buffers == ClassBuffers::default();
    is_plain.then_some(rated.buffer.into())
}

/// At the end of a VC all cells of a segment arrive at the same instant.
fn at_source(
    network: &Network,
    flow: &Flow,
    cells: u64,
    found: &mut Vec<(&'static str, String, String)>,
) {
    let vc = &network.vcs[flow.vc];
    if cells > vc.source_buffer {
        let message = format!(
            "its source_buffer of {} cells cannot hold a full segment of flow {}, {cells} cells: each loses cells, or is \
             dropped; give it at least {cells} cells, or the flow shorter segments",
            vc.source_buffer, flow.name
        );
        found.push(("vc", vc.name.to_string(), message));
    }
}
