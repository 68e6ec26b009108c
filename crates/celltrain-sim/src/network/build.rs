//! From names to indices: groups written out, routes found.

use std::collections::BTreeSet;
use std::iter::repeat_n;
use std::sync::Arc;

use celltrain_proto::units::{Span, Time};

use super::flows;
use super::groups::{Nodes, within_bounds};
use super::record::Names;
use super::route::{self, VcGroups};
use super::{
    Background, BackgroundGroup, Flow, Line, Link, Name, Network, Probe, SampleTimes, UNLIMITED, Vc,
};
use crate::scenario::{
    self, Direction, OnRateChange, Problem, Scenario, Service, Traffic, suggestion,
};

/// The network of a scenario whose single values are in order.
pub(super) fn network(scenario: &Scenario) -> Result<Network, Problem> {
    let nodes = Nodes::new(scenario)?;
    let links = links(scenario, &nodes)?;
    let (vcs, vc_groups) = route::vcs(scenario, &nodes, &links)?;
    let flows = flows::flows(scenario, &vc_groups)?;
    flows::check_ends(&flows, &vcs, &nodes)?;
    flows::check_frames(&hosts(scenario), &flows, &vcs, &nodes)?;
    let backgrounds = backgrounds(scenario, &vc_groups, &flows, &vcs)?;
    check_loops(&vcs, &links)?;
    let names = Names {
        links: links.iter().map(Link::unique_name).collect(),
        vcs: vcs.iter().map(|vc| vc.name.to_string()).collect(),
        flows: flows.iter().map(|flow| flow.name.clone()).collect(),
    };
    let at = |span: Span| Time::ZERO + span;
    Ok(Network {
        probes: probes(scenario, &names, &flows)?,
        hosts: hosts(scenario),
        nodes: nodes.nodes,
        links,
        vcs,
        flows,
        backgrounds,
        warm_up: at(scenario.measure.warm_up.0),
        parts: scenario.measure.parts.unwrap_or(0),
        end: at(scenario.measure.duration.0),
        silence: scenario.silence.clone(),
    })
}

/// What the scenario says of each host, in the order of the nodes, of which hosts are the first.
fn hosts(scenario: &Scenario) -> Vec<scenario::Host> {
    let each = scenario.hosts.values();
    each.flat_map(|host| repeat_n(*host, host.count.unwrap_or(1) as usize))
        .collect()
}

fn links(scenario: &Scenario, nodes: &Nodes) -> Result<Vec<Link>, Problem> {
    let mut links: Vec<Link> = Vec::new();
    for (name, link) in &scenario.links {
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
            let delay = link
                .delay
                .map(|delay| delay.0)
                .or_else(|| member_delay(link, index, size.unwrap_or(1)));
            let line = link.rate.as_ref().map(|rate| Line {
                rate: rate.clone(),
                buffer: link.buffer.map_or(0, |buffer| buffer.0.0 as u32),
                on_rate_change: link.on_rate_change,
                scheduling: link.scheduling,
                class_buffers: link.class_buffers,
                discard: link.discard.clone(),
                clp_threshold: link.clp_threshold.map(|threshold| threshold.0.0 as u32),
                queue_management: link.queue_management.clone(),
                credit: link.credit,
                control: link.control.clone(),
                priority_load: link.priority_load,
                gfc: link.gfc.clone(),
            });
            let switch_delay = |to: usize, from: usize| {
                let (input, output) = (nodes.switch(scenario, to), nodes.switch(scenario, from));
                let input = input.and_then(|switch| switch.input_delay);
                let output = output.and_then(|switch| switch.output_delay);
                let span =
                    |delay: Option<scenario::Text<Span>>| delay.map_or(Span::ZERO, |it| it.0);
                span(input) + span(output)
            };
            let delay = delay.unwrap_or_default();
            let forward = Link {
                name,
                is_back: false,
                from,
                to,
                delay: delay + switch_delay(to, from),
                switch_delay: switch_delay(to, from),
                line,
                loss: link.loss.clone(),
                jitter: link.jitter.clone(),
            };
            let back = both_ways.then(|| Link {
                is_back: true,
                from: to,
                to: from,
                delay: delay + switch_delay(from, to),
                switch_delay: switch_delay(from, to),
                ..forward.clone()
            });
            links.push(forward);
            links.extend(back);
        }
        within_bounds(&path, links.len())?;
    }
    lans(scenario, nodes, &mut links)?;
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
    Ok(links)
}

/// The queues of LANs, as links from themselves to themselves.
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
            delay: lan.delay.0,
            switch_delay: Span::ZERO,
            line: Some(Line::fifo(
                lan.rate.clone(),
                lan.buffer.map_or(UNLIMITED, |buffer| buffer.0.0 as u32),
            )),
            loss: None,
            jitter: None,
        });
    }
    Ok(())
}

impl Line {
    /// A queue that serves first come, first served, with tail drop.
    fn fifo(rate: scenario::LineRate, buffer: u32) -> Self {
        Self {
            rate,
            buffer,
            on_rate_change: OnRateChange::default(),
            scheduling: scenario::Scheduling::default(),
            class_buffers: scenario::ClassBuffers::default(),
            discard: None,
            clp_threshold: None,
            queue_management: None,
            credit: None,
            control: None,
            priority_load: scenario::PriorityLoad::default(),
            gfc: None,
        }
    }
}

/// The delay of member number `index` of `size` by the link's distances.
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

/// What one direction of a VC requires of the other, and GFC of the VCs that it holds back.
fn check_loops(vcs: &[Vc], links: &[Link]) -> Result<(), Problem> {
    for vc in vcs {
        for (own, other) in [(0, 1), (1, 0)] {
            let (direction, reverse) = (&vc.directions[own], &vc.directions[other]);
            let end_to_end = matches!(*direction.service, Service::Abr(_))
                && direction.loop_links == direction.links.len();
            if end_to_end && !matches!(*reverse.service, Service::Abr(_)) {
                let message = format!(
                    "\"{}\" is ABR from end to end one way only, but RM cells come back the other way; make both \
                     directions `service = \"abr\"`, or close the loop with `turn_round_at`",
                    vc.name
                );
                return Err(Problem::at("vcs", message));
            }
        }
    }
    let has_credit = |&link: &usize| {
        links[link]
            .line
            .as_ref()
            .is_some_and(|line| line.credit.is_some())
    };
    let makes_cells = |vc: &&Vc| {
        let directions = &vc.directions;
        let has_local_loop = directions.iter().any(|it| it.loop_links < it.links.len());
        let waits = directions.iter().any(|it| !it.carried.is_empty());
        has_local_loop || waits || vc.virtual_ends.is_some()
    };
    let with_credits = vcs.iter().filter(makes_cells).find_map(|vc| {
        let mut crossed = vc.directions.iter().flat_map(|it| it.links.iter());
        crossed
            .find(|link| has_credit(link))
            .map(|&link| (vc, link))
    });
    if let Some((vc, link)) = with_credits {
        let message = format!(
            "credits count the cells that cross the link \"{}\", but switches make RM cells of their own for \"{}\", \
             or routers hold its cells back; give the VC neither `turn_round_at` nor `virtual_ends` nor a VC that \
             carries it, or the link no `credit`",
            links[link].name, vc.name
        );
        return Err(Problem::at("vcs", message));
    }
    let has_gfc = |&link: &usize| {
        links[link]
            .line
            .as_ref()
            .is_some_and(|line| line.gfc.is_some())
    };
    let deep = vcs
        .iter()
        .flat_map(|vc| &vc.directions)
        .find_map(|direction| {
            direction
                .links
                .iter()
                .enumerate()
                .find(|&(at, link)| at != 1 && has_gfc(link))
        });
    deep.map_or(Ok(()), |(_, &link)| {
        let name = &links[link].name;
        let message = "GFC acts between hosts and their first switch; a VC crosses this link elsewhere on its way";
        Err(Problem::at(&format!("links.{name}.gfc"), message))
    })
}

pub(super) fn group_of<'a>(
    path: &str,
    name: &str,
    vcs: &'a VcGroups,
) -> Result<&'a (Vec<usize>, bool), Problem> {
    let hint = || suggestion(name, vcs.keys().map(String::as_str));
    vcs.get(name)
        .ok_or_else(|| Problem::at(path, format!("there is no VC \"{name}\"{}", hint())))
}

fn backgrounds(
    scenario: &Scenario,
    vc_groups: &VcGroups,
    flows: &[Flow],
    vcs: &[Vc],
) -> Result<Vec<Background>, Problem> {
    let groups = scenario.backgrounds.values();
    let sizes = groups.map(|it| vc_groups.get(&it.vc).map_or(0, |vcs| vcs.0.len()));
    let mut backgrounds: Vec<Background> = Vec::with_capacity(sizes.sum());
    let both = [Direction::Forward, Direction::Backward].map(Direction::index);
    let mut taken: BTreeSet<(usize, usize)> = flows
        .iter()
        .flat_map(|flow| both.map(|direction| (flow.vc, direction)))
        .collect();
    let carried = vcs.iter().flat_map(|vc| &vc.directions);
    let carried = carried.flat_map(|direction| &direction.carried);
    taken.extend(carried.map(|it| (it.by / 2, it.by % 2)));
    for (name, background) in &scenario.backgrounds {
        let path = format!("backgrounds.{name}.vc");
        let (indices, counted) = group_of(&path, &background.vc, vc_groups)?;
        let direction = background.direction;
        let group = Arc::new(BackgroundGroup {
            name: name.clone(),
            direction,
            start: background.start.clone(),
            traffic: background.traffic.clone(),
        });
        for (&vc, member) in indices.iter().zip(1..) {
            if !taken.insert((vc, direction.index())) {
                let message = format!(
                    "the VC \"{}\" already carries other traffic {}; give the background a VC of its own",
                    background.vc,
                    direction.as_str()
                );
                return Err(Problem::at(&path, message));
            }
            let service = &vcs[vc].directions[direction.index()].service;
            if matches!(background.traffic, Traffic::Greedy(_)) && service.is_unshaped() {
                let message = format!(
                    "a greedy background sends as fast as its VC allows, and \"{}\" has no bound {}; give it a `pcr`",
                    background.vc,
                    direction.as_str()
                );
                return Err(Problem::at(&path, message));
            }
            backgrounds.push(Background {
                group: Arc::clone(&group),
                member: counted.then_some(member),
                vc: vc as u32,
            });
        }
    }
    Ok(backgrounds)
}

fn probes(scenario: &Scenario, names: &Names, flows: &[Flow]) -> Result<Vec<Probe>, Problem> {
    let probe = |(name, probe): (&String, &scenario::Probe)| {
        let columns = probe.record.iter().enumerate().map(|(index, text)| {
            let record = names.resolve(text).map_err(|problem| {
                Problem::at(&format!("probes.{name}.record.{index}"), problem.message)
            })?;
            Ok((text.clone(), record))
        });
        let columns = columns.collect::<Result<_, Problem>>()?;
        Ok(Probe {
            name: name.clone(),
            at: sample_times(name, probe, flows)?,
            columns,
        })
    };
    scenario.probes.iter().map(probe).collect()
}

/// When the probe called `name` takes samples.
fn sample_times(
    name: &str,
    probe: &scenario::Probe,
    flows: &[Flow],
) -> Result<SampleTimes, Problem> {
    let path = format!("probes.{name}");
    match (&probe.every, &probe.events_of) {
        (Some(every), None) => Ok(SampleTimes::Every(every.0)),
        (None, Some(wanted)) => {
            let is_tcp = |flow: &&Flow| flow.udp.is_none();
            let known = flows.iter().filter(is_tcp).map(|flow| flow.name.as_str());
            let hint = suggestion(wanted, known);
            let index = flows
                .iter()
                .position(|flow| flow.name == *wanted && is_tcp(&flow));
            index.map(SampleTimes::EventsOf).ok_or_else(|| {
                let message = format!("there is no TCP connection \"{wanted}\"{hint}");
                Problem::at(&format!("{path}.events_of"), message)
            })
        }
        _ => Err(Problem::at(
            &path,
            "expected either `every` (such as \"10 ms\") or `events_of` (a flow)",
        )),
    }
}
