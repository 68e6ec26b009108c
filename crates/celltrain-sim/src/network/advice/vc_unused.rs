//! VCs on which nothing is sent.

use crate::network::{Network, VcDirection};

pub(super) fn find(network: &Network) -> Vec<(&'static str, String, String)> {
    let mut is_used = vec![false; network.vcs.len()];
    for flow in &network.flows {
        is_used[flow.vc] = true;
    }
    for background in &network.backgrounds {
        is_used[background.vc as usize] = true;
    }
    let directions = network.vcs.iter().flat_map(|vc| &vc.directions);
    for carried in directions.flat_map(VcDirection::carried) {
        is_used[carried.by / 2] = true;
    }
    let unused = network.vcs.iter().zip(is_used).filter(|(_, used)| !used);
    unused
        .map(|(vc, _)| {
            let message = "it carries nothing: no flow, no background and no other VC uses it; give it one, or leave it \
                           out. Packets from outside, as those of `celltrain shell`, are not known here";
            ("vc", vc.name.to_string(), message.to_owned())
        })
        .collect()
}
