//! How a network is evaluated: a mode for each link and each source, and the channels between them.

mod by_cell;
mod channels;
mod circles;
mod coincide;
mod each;
mod explained;
mod groups;
mod layout;
mod order;
mod reach;
mod stage;
mod stages;

use celltrain_proto::units::Span;

use crate::engine::link::{Crossing, Link};
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::Hop;
use crate::engine::state::mode::Mode;
use crate::engine::state::ways::Ways;
use crate::network::Network;
use order::{find_feeders, order, ports, sort};
use stages::Stages;

pub(in crate::engine) use by_cell::ByCell;
pub(in crate::engine) use each::each;
pub(in crate::engine) use explained::Explained;
pub(in crate::engine) use layout::{Layout, first_chunk};

/// Decides how each link and each source is evaluated, and after what time everything is to be brought up to date.
fn decided<'a, 'l>(
    network: &'a Network,
    ways: &Ways,
    hops: &'a mut [Hop],
    links: &'l [Link],
    sources: &'a mut ByDirection<Source>,
    by_cell: &'a ByCell,
) -> (Stages<'a, 'l>, Span) {
    let mut plan = Stages::new(network, ways, hops, links, sources, by_cell);
    let chunk = plan.break_rounds();
    loop {
        plan.find_bypassed();
        plan.mark();
        plan.lay();
        if plan.keeps_order() {
            break;
        }
        plan.clear();
    }
    plan.note_bypassed();
    (plan, chunk)
}

/// How each link and each source is evaluated, and why.
pub(in crate::engine) fn explain(
    network: &Network,
    ways: &Ways,
    hops: &mut [Hop],
    links: &[Link],
    sources: &mut ByDirection<Source>,
) -> Explained {
    let by_cell = ByCell::default();
    let (plan, _) = decided(network, ways, hops, links, sources, &by_cell);
    plan.explained()
}

/// Links are evaluated lazily where nothing needs to see each of their cells.
pub(in crate::engine) fn lazy(
    network: &Network,
    ways: &Ways,
    hops: &mut [Hop],
    links: &mut [Link],
    sources: &mut ByDirection<Source>,
    by_cell: &ByCell,
) -> Layout {
    let (plan, chunk) = decided(network, ways, hops, links, sources, by_cell);
    let Stages {
        mut modes,
        mut channels,
        hops,
        sources,
        tunnels,
        watched,
        ..
    } = plan;
    sort(&mut channels, hops, sources, links);
    let tunnels = tunnels.into_iter().map(Mode::Tunnel);
    modes.extend(tunnels);
    groups::gather(&mut channels, hops, sources, &modes);
    let timed = order(&channels, &modes, links);
    let mut ports = ports(&mut channels, &modes, links, network);
    for link in watched {
        ports[link].turns.watch();
    }
    find_feeders(&mut channels, hops, &mut ports);
    prepare(links, &modes);
    for (number, port) in ports.iter_mut().enumerate() {
        let link = links.get(number);
        port.group = groups::crowd(port, &channels, hops, sources, link);
    }
    Layout {
        ports,
        channels,
        timed,
        chunk,
    }
}

/// Links get the queues that their modes need.
fn prepare(links: &mut [Link], modes: &[Mode]) {
    for (link, mode) in links.iter_mut().zip(modes) {
        if !mode.is_per_cell() && *mode != Mode::Bypassed {
            link.passage = Crossing::Lazy;
        }
        let Some(line) = &mut link.line else { continue };
        match mode {
            Mode::Batched => line.be_first_come(),
            Mode::Priority => line.be_priority(),
            Mode::Varying => line.be_varying(),
            _ => {}
        }
    }
}
