//! Which processes come to a port in a source group, and what they have in common.

use std::ops::Range;

use crate::engine::link::Link;
use crate::engine::plan::order::renumber;
use crate::engine::source::{Ahead, Source};
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::Hop;
use crate::engine::state::mode::Mode;
use crate::engine::trains::channel::{Channel, Destination, Origin};
use crate::engine::trains::group::{Member, SourceGroup, longest_run};
use crate::engine::trains::port::Port;

/// Processes that come to a source group as their cells leave share a channel in name, by which their port knows them: no cell is
/// ever in it, for the source group takes these from the sources. Channels must be in order.
pub(in crate::engine) fn gather(
    channels: &mut Vec<Channel>,
    hops: &mut [Hop],
    sources: &mut ByDirection<Source>,
    modes: &[Mode],
) {
    let mut inputs = vec![Vec::new(); modes.len()];
    for (channel, number) in channels.iter().zip(0..) {
        if let Destination::Link { link, .. } = channel.destination {
            inputs[link as usize].push(number);
        }
    }
    // By channel: the one that takes its place.
    let mut stands_for: Vec<u32> = (0..channels.len() as u32).collect();
    for (inputs, &mode) in inputs.iter().zip(modes) {
        let Some(crowd) = processes(inputs, channels, sources, mode) else {
            continue;
        };
        // The channel that the next one of as many transparent links shares.
        let mut shared: Option<(u32, u32)> = None;
        for &number in &inputs[crowd] {
            let channel = &channels[number as usize];
            let Origin::Source(direction) = channel.origin else {
                continue;
            };
            if !channel.is_at_once() {
                // These come behind those that are.
                break;
            }
            sources[direction as usize].ahead = Ahead::Group;
            let (transparent, end) = (channel.transparent, channel.ends[0]);
            match shared {
                Some((of_all, first)) if of_all == transparent => {
                    channels[first as usize].ends.push(end);
                    stands_for[number as usize] = first;
                }
                _ => shared = Some((transparent, number)),
            }
        }
    }
    let mut place = vec![0; channels.len()];
    let mut kept = 0;
    for at in 0..channels.len() {
        let first = stands_for[at] as usize;
        if first == at {
            place[at] = kept as u32;
            channels.swap(kept, at);
            kept += 1;
        } else {
            place[at] = place[first];
        }
    }
    channels.truncate(kept);
    channels.shrink_to_fit();
    renumber(hops, sources, &place);
}

/// Those of the `inputs` of a port, by the numbers of their channels, that are to be its source group. Beside others a process
/// is one by itself where classes are served, for they take cells of a source group before those behind them.
fn processes(
    inputs: &[u32],
    channels: &[Channel],
    sources: &ByDirection<Source>,
    mode: Mode,
) -> Option<Range<usize>> {
    let processes = inputs.iter().map(|&channel| {
        let channel = &channels[channel as usize];
        match channel.origin {
            Origin::Source(source) if sends_ahead(&sources[source as usize]) => channel.ends.len(),
            _ => 0,
        }
    });
    let may_be_one = mode == Mode::Priority && inputs.len() > 1;
    longest_run(processes, if may_be_one { 1 } else { 2 })
}

/// The source group of a port, if there is one, and the link behind it.
pub(in crate::engine) fn crowd(
    port: &Port,
    channels: &[Channel],
    hops: &[Hop],
    sources: &ByDirection<Source>,
    link: Option<&Link>,
) -> Option<Box<SourceGroup>> {
    let inputs = processes(&port.channels, channels, sources, port.mode)?;
    let members = port.channels[inputs.clone()].iter();
    let ends = members.flat_map(|&channel| channels[channel as usize].ends.iter());
    let members = ends.map(|&end| member(end, hops, channels));
    let mut crowd = SourceGroup::new(inputs, members.collect());
    if let Some(strict) = link.and_then(Link::priority) {
        let mut members = crowd.members.iter();
        crowd.goes_first =
            members.all(|member| strict.is_of_first(member.vc) && !strict.judges(member.vc));
    }
    Some(Box::new(crowd))
}

/// The direction of a process, whose cells come to a port at hop number `end`.
fn member(end: u32, hops: &[Hop], channels: &[Channel]) -> Member {
    let hop = &hops[end as usize];
    let next = channels.get(hop.channel as usize);
    let counting = next.filter(|channel| channel.destination == Destination::Counters);
    let to_sink = counting.map(|channel| channel.delay);
    Member::new(end, hop.port_vc, hop.direction, to_sink)
}

/// Whether a source sends its cells ahead, whatever happens to them.
fn sends_ahead(source: &Source) -> bool {
    source.is_process() && source.is_lazy
}
