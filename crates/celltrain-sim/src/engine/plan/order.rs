//! The order in which links and channels act at one instant, and the ports in that order.

use celltrain_proto::units::Span;

use crate::engine::link::Link;
use crate::engine::queue::managed::Managed;
use crate::engine::schedule::timed::Timed;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::Hop;
use crate::engine::state::mode::Mode;
use crate::engine::trains::channel::{Channel, Destination, Origin};
use crate::engine::trains::port::Port;
use crate::network::Network;

/// The links over which the cells of a channel come, the last one first, and the channel's origin.
fn way(channel: &Channel, links: &[Link]) -> Vec<Origin> {
    let bypassed = channel.bypassed.iter().rev();
    let bypassed = bypassed.filter(|bypassed| !links[bypassed.link as usize].is_transparent());
    let bypassed = bypassed.map(|bypassed| Origin::Link(bypassed.link));
    bypassed.chain([channel.origin]).collect()
}

/// Puts channels in the order in which they act at one instant: that of the links over which their cells come
/// last, then of those before.
pub(in crate::engine) fn sort(
    channels: &mut [Channel],
    hops: &mut [Hop],
    sources: &mut ByDirection<Source>,
    links: &[Link],
) {
    let mut sorted: Vec<u32> = (0..channels.len() as u32).collect();
    sorted.sort_by_cached_key(|&channel| way(&channels[channel as usize], links));
    let mut place = vec![0; sorted.len()];
    for (now, &before) in sorted.iter().enumerate() {
        place[before as usize] = now as u32;
    }
    // Swaps, for a second copy of all channels would be the most memory that a run ever takes.
    let mut goes_to = place.clone();
    for at in 0..channels.len() {
        while goes_to[at] as usize != at {
            let to = goes_to[at] as usize;
            channels.swap(at, to);
            goes_to.swap(at, to);
        }
    }
    renumber(hops, sources, &place);
}

/// Channels have come to other places: those of old numbers to these.
pub(in crate::engine) fn renumber(
    hops: &mut [Hop],
    sources: &mut ByDirection<Source>,
    place: &[u32],
) {
    for hop in hops.iter_mut().filter(|hop| hop.ahead > 0) {
        hop.channel = place[hop.channel as usize];
    }
    let actions = hops.iter_mut().filter_map(|hop| hop.actions.as_mut());
    for actions in actions.filter(|actions| actions.taken_up.is_some()) {
        if let Some(place) = place.get(actions.resumes.0 as usize) {
            actions.resumes.0 = *place;
        }
    }
    for (channel, _) in sources.iter_mut().filter_map(|source| source.way.as_mut()) {
        *channel = place[*channel as usize];
    }
}

/// Links and channels in the order in which they act at one instant. Channels must be in order.
pub(in crate::engine) fn order(channels: &[Channel], modes: &[Mode], links: &[Link]) -> Vec<Timed> {
    let mut timed: Vec<(Vec<Origin>, Timed)> = Vec::new();
    for (index, link) in links.iter().enumerate() {
        let acts = modes[index] == Mode::PerCell || modes[index].keeps_cells();
        if acts && !link.is_transparent() {
            let link = index as u32;
            timed.push((vec![Origin::Link(link)], Timed::Link(link)));
        }
    }
    for (index, channel) in channels.iter().enumerate() {
        if !channel.is_at_once() {
            timed.push((way(channel, links), Timed::Channel(index as u32)));
        }
    }
    // A tunnel VC is looked at behind the last channel that leads to it.
    let mut ports: Vec<(u32, Vec<Origin>)> = Vec::new();
    for channel in channels {
        if let Destination::Link { link, .. } = channel.destination
            && link as usize >= links.len()
        {
            match ports.iter_mut().find(|(port, _)| *port == link) {
                Some((_, last)) => *last = way(channel, links),
                None => ports.push((link, way(channel, links))),
            }
        }
    }
    timed.extend(
        ports
            .into_iter()
            .map(|(port, way)| (way, Timed::Port(port))),
    );
    // A link acts before the channels that it fills.
    timed.sort_by_key(|(way, timed)| {
        let place = match timed {
            Timed::Link(_) => 0,
            Timed::Channel(_) => 1,
            Timed::Port(_) => 2,
        };
        (way.clone(), place)
    });
    timed.into_iter().map(|(_, timed)| timed).collect()
}

/// Finds the inputs by which the cells of each channel come to the link at its start.
pub(in crate::engine) fn find_feeders(channels: &mut [Channel], hops: &[Hop], ports: &mut [Port]) {
    let mut feeders = vec![Vec::new(); channels.len()];
    for channel in channels.iter() {
        let Destination::Link { link, input } = channel.destination else {
            continue;
        };
        for &end in channel.ends.iter() {
            let hop = &hops[end as usize];
            if hop.link == link && hop.ahead > 0 {
                feeders[hop.channel as usize].push(input);
            }
        }
    }
    for (channel, mut inputs) in channels.iter_mut().zip(feeders) {
        inputs.sort_unstable();
        inputs.dedup();
        if let Origin::Link(link) = channel.origin
            && inputs.len() < ports[link as usize].channels.len()
        {
            channel.feeders = Some(inputs.into_boxed_slice());
        }
    }
    for port in ports {
        let split = port.fills.iter().copied();
        let split = split.filter(|&channel| {
            let channel = &channels[channel as usize];
            let leads_on = matches!(channel.destination, Destination::Link { .. });
            leads_on && channel.feeders.is_some()
        });
        port.lookahead.partly_fed = split.collect();
    }
}

/// The ports, with their inputs in the order in which they take turns. Channels must be in order.
pub(in crate::engine) fn ports(
    channels: &mut [Channel],
    modes: &[Mode],
    links: &[Link],
    network: &Network,
) -> Vec<Port> {
    let tunnels = &modes[links.len()..];
    let mut inputs = vec![Vec::new(); modes.len()];
    let mut fills = vec![Vec::new(); modes.len()];
    for (index, channel) in channels.iter_mut().enumerate() {
        let fills_it = match channel.origin {
            Origin::Link(link) => Some(link as usize),
            Origin::Source(source) => {
                let of_source = |&it: &Mode| it == Mode::Tunnel(source);
                let tunnel = tunnels.iter().position(of_source);
                tunnel.map(|tunnel| links.len() + tunnel)
            }
        };
        if let Some(port) = fills_it {
            fills[port].push(index as u32);
        }
        if let Destination::Link { link, input } = &mut channel.destination {
            let inputs = &mut inputs[*link as usize];
            *input = inputs.len() as u32;
            inputs.push(index as u32);
        }
    }
    let transmission = |link: usize| {
        let line = network.links.get(link).and_then(|link| link.line.as_ref());
        match (modes[link], line) {
            (mode, Some(line)) if mode.takes_time() => line.shortest_transmission(),
            _ => Span::ZERO,
        }
    };
    let ports = inputs.into_iter().zip(fills).enumerate();
    let ports = ports.map(|(link, (inputs, fills))| {
        let (inputs, fills) = (inputs.into_boxed_slice(), fills.into_boxed_slice());
        let mut port = Port::new(modes[link], inputs, fills, transmission(link));
        let managed = links.get(link).and_then(Link::managed);
        port.event_cells.are_vague = managed.is_some_and(Managed::drops_late);
        if let [input] = *port.channels
            && let Origin::Link(before) = channels[input as usize].origin
            && !links[before as usize].is_disturbed()
            && let Some(line) = &network.links[before as usize].line
        {
            port.spacing = line.shortest_transmission();
        }
        port
    });
    ports.collect()
}
