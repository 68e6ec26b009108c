//! The links of a network, including the queues of LANs.

use std::borrow::Cow;

use celltrain_proto::frame::Framing;
use celltrain_proto::line::opportunity;
use celltrain_proto::units::{BufferSize, Span, Unit};

use super::groups::{Nodes, within_bounds};
use crate::network::model::{Frames, Line, Link, UNLIMITED};
use crate::network::mtus::octets;
use crate::network::name::Name;
use crate::network::schedule::followed;
use crate::scenario::{self, LineDelay, LineRate, Problem, Scenario};

/// The links of a scenario, with groups expanded.
pub(super) fn links(scenario: &Scenario, nodes: &Nodes) -> Result<Vec<Link>, Problem> {
    let mut links: Vec<Link> = Vec::new();
    for (name, link) in described(scenario) {
        let path = format!("links.{name}");
        let (ends, both_ways, at) = match (&link.from, &link.to, &link.between) {
            (_, _, Some([one, other])) => ([one.as_str(), other.as_str()], true, "between"),
            (Some(from), Some(to), None) => ([from.as_str(), to.as_str()], false, "from"),
            _ => return Err(Problem::at(&path, "expected `from` and `to`, or `between`")),
        };
        let path = format!("{path}.{at}");
        let (groups, size) = nodes.side_by_side(&path, &ends)?;
        for (index, name) in Name::members(name, size).enumerate() {
            let name = name.to_string();
            let (from, to) = (groups[0].member(index), groups[1].member(index));
            if from == to {
                return Err(Problem::at(&path, "a link cannot end where it starts"));
            }
            let written = link.delay.as_ref();
            let delay = written
                .map(LineDelay::shortest)
                .or_else(|| member_delay(&link, index, size.unwrap_or(1)));
            let line = line(&link);
            let interleaving = link.rate.as_ref().map_or(Span::ZERO, LineRate::delay);
            let added_delay =
                |to: usize, from: usize| interleaving + switch_delay(scenario, nodes, to, from);
            let delay = delay.unwrap_or_default();
            let forward = Link {
                name,
                is_back: false,
                from,
                to,
                delay: delay + added_delay(to, from),
                delay_process: written.and_then(LineDelay::process).cloned(),
                mtu: octets(link.mtu).or_else(|| link.frames.map(Framing::mtu)),
                added_delay: added_delay(to, from),
                line,
                loss: link.loss.clone(),
                errors: link.errors.clone(),
                misinsertion: link.misinsertion,
                jitter: link.jitter.clone(),
                overtaking: link.overtaking,
            };
            let back = both_ways.then(|| Link {
                is_back: true,
                from: to,
                to: from,
                delay: delay + added_delay(from, to),
                added_delay: added_delay(from, to),
                ..forward.clone()
            });
            links.push(forward);
            links.extend(back);
        }
        within_bounds(&path, links.len())?;
    }
    lans(scenario, nodes, &mut links)?;
    one_for_each_pair(&links, nodes)?;
    Ok(links)
}

/// The links of a scenario with their names, and the lists of their recordings as their keys.
fn described(scenario: &Scenario) -> impl Iterator<Item = (&String, Cow<'_, scenario::Link>)> {
    let links = scenario.links.iter();
    links.map(|(name, link)| (name, followed(link)))
}

/// The queue and line of a link with a rate.
fn line(link: &scenario::Link) -> Option<Line> {
    let rate = link.rate.clone();
    let rate = rate.map(|rate| rate.carrying_packets(opportunity(link.frames)));
    rate.map(|rate| Line {
        range: rate.range(),
        highest_lasting: rate.highest_lasting(),
        rate,
        unit: Unit::CELL,
        frames: frames(link),
        packet_queue: link.queue.clone(),
        buffer: units(link),
        on_rate_change: link.on_rate_change,
        scheduling: link.scheduling.clone(),
        class_buffers: link.class_buffers,
        discard: link.discard.clone(),
        clp_threshold: link.clp_threshold.map(|threshold| threshold.0.0 as u32),
        queue_management: link.queue_management.clone(),
        credit: link.credit,
        control: link.control.clone(),
        priority_load: link.priority_load,
        becn: link.becn,
        gfc: link.gfc.clone(),
    })
}

/// The most cells or frames in the queue of a link.
fn units(link: &scenario::Link) -> u32 {
    match link.buffer.map(|buffer| buffer.0) {
        Some(BufferSize::Octets(_)) if link.frames.is_some() => UNLIMITED,
        Some(BufferSize::Packets(packets)) => packets as u32,
        Some(size) => size.cells().unwrap_or_default() as u32,
        None => 0,
    }
}

/// The frames that a link carries, if it does.
fn frames(link: &scenario::Link) -> Option<Frames> {
    let framing = link.frames?;
    let room = match link.buffer.map(|buffer| buffer.0) {
        Some(BufferSize::Octets(octets)) => octets,
        _ => u64::MAX,
    };
    Some(Frames { framing, room })
}

/// The delay that switches add to a link from node `from` to node `to`.
fn switch_delay(scenario: &Scenario, nodes: &Nodes, to: usize, from: usize) -> Span {
    let (input, output) = (nodes.switch(scenario, to), nodes.switch(scenario, from));
    let input = input.and_then(|switch| switch.input_delay);
    let output = output.and_then(|switch| switch.output_delay);
    let span = |delay: Option<scenario::Text<Span>>| delay.map_or(Span::ZERO, |it| it.0);
    span(input) + span(output)
}

/// Checks that no two links lead from one node to the same other node, because routes of VCs name only nodes.
fn one_for_each_pair(links: &[Link], nodes: &Nodes) -> Result<(), Problem> {
    let mut ends: Vec<_> = links
        .iter()
        .map(|link| (link.from, link.to, &link.name))
        .collect();
    ends.sort_unstable();
    if let Some(pair) = ends
        .windows(2)
        .find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1))
    {
        let [from, to] = [pair[0].0, pair[0].1].map(|node| &nodes.nodes[node].name);
        let message = format!(
            "\"{}\" and \"{}\" both lead from {from} to {to}",
            pair[0].2, pair[1].2
        );
        return Err(Problem::at("links", message));
    }
    Ok(())
}

/// Adds the queues of LANs, as links from a LAN to itself.
fn lans(scenario: &Scenario, nodes: &Nodes, links: &mut Vec<Link>) -> Result<(), Problem> {
    for (name, lan) in &scenario.lans {
        let path = format!("lans.{name}");
        if links.iter().any(|link| link.name == *name) {
            let message = format!("the name \"{name}\" is taken by a link");
            return Err(Problem::at(&path, message));
        }
        let (groups, _) = nodes.side_by_side(&path, &[name])?;
        let lan_node = groups[0].member(0);
        links.push(Link {
            name: name.clone(),
            is_back: false,
            from: lan_node,
            to: lan_node,
            delay: lan.delay.0 + lan.rate.delay(),
            delay_process: None,
            mtu: octets(lan.mtu),
            added_delay: lan.rate.delay(),
            line: Some(Line::fifo(
                lan.rate.clone(),
                lan.buffer.map_or(UNLIMITED, |buffer| buffer.0.0 as u32),
            )),
            loss: None,
            errors: None,
            misinsertion: None,
            jitter: None,
            overtaking: false,
        });
    }
    Ok(())
}

/// The delay of member number `index` of `size`, from the link's distances.
fn member_delay(link: &scenario::Link, index: usize, size: usize) -> Option<Span> {
    let first = link.distance?.delay().as_ps();
    let last = link
        .distance_to_last
        .map_or(first, |last| last.delay().as_ps());
    let (index, gaps) = (index as u64, (size as u64 - 1).max(1));
    Some(Span::from_ps(
        (first * (gaps - index) + last * index) / gaps,
    ))
}
