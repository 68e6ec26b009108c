//! How a network is evaluated, for people to read.

use crate::engine::build;
use crate::network::Network;

/// How the train engine evaluates a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The links in their order, then the sources of VCs, in both directions.
    pub stages: Vec<Stage>,
}

/// How one link, or one source, is evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// `links.NAME` or `vcs.NAME`, with ` back` for the other direction of what is given once for both.
    pub name: String,
    /// The mode: `in trains` and others that are fast, `cell by cell` for the plain way.
    pub mode: String,
    /// Why it is evaluated so.
    pub why: String,
}

/// Plans how the train engine evaluates a network, and says why.
///
/// A run can turn out to need more links cell by cell than its plan says: where cells of one instant leave a link out of the
/// order of their channels, the run begins anew.
pub fn explain(network: &Network) -> Plan {
    let layout = build::layout(network);
    let links = network.links.iter().zip(&layout.links);
    let links = links.map(|(link, (mode, why))| Stage {
        name: format!("links.{}{}", link.name, back(link.is_back)),
        mode: mode.to_string(),
        why: why.to_string(),
    });
    let sources = layout.sources.iter().enumerate();
    let sources = sources.filter_map(|(direction, source)| {
        let (is_lazy, why) = (*source)?;
        let vc = &network.vcs[direction / 2].name;
        Some(Stage {
            name: format!("vcs.{vc}{}", back(direction % 2 == 1)),
            mode: if is_lazy { "in trains" } else { "cell by cell" }.to_owned(),
            why: why.to_string(),
        })
    });
    Plan {
        stages: links.chain(sources).collect(),
    }
}

fn back(is_back: bool) -> &'static str {
    if is_back { " back" } else { "" }
}
