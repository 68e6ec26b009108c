//! From names to indices: groups written out, routes found.

use std::collections::BTreeSet;

use celltrain_proto::units::{Cells, Span, Time};

use super::groups::{Group, Nodes, members, within_bounds};
use super::record::Names;
use super::{
    Background, Flow, Line, Link, MOST_HOPS, Network, Node, Probe, SampleTimes, Vc, VcDirection,
};
use crate::scenario::{self, Direction, Named, Problem, Scenario, Service, suggestion};

/// The network of a scenario whose single values are in order.
pub(super) fn network(scenario: &Scenario) -> Result<Network, Problem> {
    let nodes = Nodes::new(scenario)?;
    let links = links(scenario, &nodes)?;
    let (vcs, vc_groups) = vcs(scenario, &nodes, &links)?;
    let flows = flows(scenario, &vc_groups)?;
    let backgrounds = backgrounds(scenario, &vc_groups, &flows)?;
    check_loops(&vcs, &links)?;
    let names = Names {
        links: links.iter().map(Link::unique_name).collect(),
        vcs: vcs.iter().map(|vc| vc.name.clone()).collect(),
        flows: flows.iter().map(|flow| flow.name.clone()).collect(),
    };
    let at = |span: Span| Time::ZERO + span;
    Ok(Network {
        probes: probes(scenario, &names, &flows)?,
        nodes: nodes.nodes,
        links,
        vcs,
        flows,
        backgrounds,
        warm_up: at(scenario.measure.warm_up.0),
        parts: scenario.measure.parts.unwrap_or(0),
        end: at(scenario.measure.duration.0),
    })
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
        for (index, name) in members(name, size).into_iter().enumerate() {
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
            let forward = Link {
                name,
                is_back: false,
                from,
                to,
                delay: delay.unwrap_or_default(),
                line,
                loss: link.loss.clone(),
                jitter: link.jitter.clone(),
            };
            let back = both_ways.then(|| Link {
                is_back: true,
                from: to,
                to: from,
                ..forward.clone()
            });
            links.push(forward);
            links.extend(back);
        }
        within_bounds(&path, links.len())?;
    }
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

/// The indices of VCs by the name that the scenario uses, and whether that name is counted.
type VcGroups = Named<(Vec<usize>, bool)>;

fn vcs(scenario: &Scenario, nodes: &Nodes, links: &[Link]) -> Result<(Vec<Vc>, VcGroups), Problem> {
    let mut by_ends: Vec<_> = links
        .iter()
        .enumerate()
        .map(|(index, l)| (l.from, l.to, index))
        .collect();
    by_ends.sort_unstable();
    let mut vcs = Vec::new();
    let mut vc_groups = VcGroups::new();
    for (name, vc) in &scenario.vcs {
        let path = format!("vcs.{name}.route");
        let names: Vec<&str> = vc.route.iter().map(String::as_str).collect();
        if names.len() < 2 {
            return Err(Problem::at(
                &path,
                "expected at least two nodes: the host at each end",
            ));
        }
        let (groups, size) = nodes.side_by_side(&path, &names)?;
        let first = vcs.len();
        for (index, member) in members(name, size).into_iter().enumerate() {
            let route: Vec<usize> = groups.iter().map(|group| group.member(index)).collect();
            check_route(&path, nodes, &route)?;
            let reversed: Vec<usize> = route.iter().rev().copied().collect();
            let directions = [
                direction(name, Direction::Forward, vc, nodes, &route, &by_ends)?,
                direction(name, Direction::Backward, vc, nodes, &reversed, &by_ends)?,
            ];
            let encapsulation = vc.encapsulation;
            vcs.push(Vc {
                name: member,
                nodes: route,
                encapsulation,
                weight: vc.weight.0,
                source_buffer: vc.source_buffer.map_or(u64::MAX, |buffer| buffer.0.0),
                source_drop: vc.source_drop,
                virtual_ends: virtual_ends(name, vc, nodes, &groups, index)?,
                virtual_end_target: vc
                    .virtual_ends
                    .as_ref()
                    .map_or(Cells(0), |it| it.queue_target.0),
                virtual_end_buffer: vc
                    .virtual_ends
                    .as_ref()
                    .and_then(|it| it.buffer)
                    .map(|it| it.0.0),
                directions,
            });
        }
        vc_groups.insert(name.clone(), ((first..vcs.len()).collect(), size.is_some()));
        within_bounds(&path, vcs.len())?;
    }
    let hops: usize = vcs
        .iter()
        .flat_map(|vc| &vc.directions)
        .map(|direction| direction.links.len())
        .sum();
    if hops >= MOST_HOPS {
        let message =
            format!("the VCs cross {hops} links together, more than {MOST_HOPS}; lower a `count`");
        return Err(Problem::at("vcs", message));
    }
    Ok((vcs, vc_groups))
}

/// The switches of a VC's virtual ends, on its route.
fn virtual_ends(
    name: &str,
    vc: &scenario::Vc,
    nodes: &Nodes,
    route: &[Group],
    index: usize,
) -> Result<Vec<usize>, Problem> {
    let Some(written) = &vc.virtual_ends else {
        return Ok(Vec::new());
    };
    let path = format!("vcs.{name}.virtual_ends.at");
    let is_abr =
        |service: &Service| matches!(service, Service::Abr(abr) if abr.turn_round_at.is_none());
    if !is_abr(&vc.forward) || !is_abr(&vc.backward) {
        let message = "virtual ends need `service = \"abr\"` from end to end in both directions";
        return Err(Problem::at(&path, message));
    }
    let inner: Vec<usize> = route[1..route.len() - 1]
        .iter()
        .map(|it| it.member(index))
        .collect();
    let find = |switch: &String| {
        let found = inner
            .iter()
            .find(|&&node| nodes.nodes[node].name == *switch);
        let known = inner.iter().map(|&node| nodes.nodes[node].name.as_str());
        let message = || {
            format!(
                "\"{switch}\" is no switch on the route{}",
                suggestion(switch, known.clone())
            )
        };
        found.copied().ok_or_else(|| Problem::at(&path, message()))
    };
    written.at.iter().map(find).collect()
}

/// What one direction of a VC requires of the other, and GFC of the VCs that it holds back.
fn check_loops(vcs: &[Vc], links: &[Link]) -> Result<(), Problem> {
    for vc in vcs {
        for (own, other) in [(0, 1), (1, 0)] {
            let (direction, reverse) = (&vc.directions[own], &vc.directions[other]);
            let end_to_end = matches!(direction.service, Service::Abr(_))
                && direction.loop_links == direction.links.len();
            if end_to_end && !matches!(reverse.service, Service::Abr(_)) {
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
        has_local_loop || !vc.virtual_ends.is_empty()
    };
    let with_credits = vcs.iter().filter(makes_cells).find_map(|vc| {
        let mut crossed = vc.directions.iter().flat_map(|it| &it.links);
        crossed
            .find(|link| has_credit(link))
            .map(|&link| (vc, link))
    });
    if let Some((vc, link)) = with_credits {
        let message = format!(
            "credits count the cells that cross the link \"{}\", but switches make RM cells of their own for \"{}\"; \
             give the VC neither `turn_round_at` nor `virtual_ends`, or the link no `credit`",
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

fn check_route(path: &str, nodes: &Nodes, route: &[usize]) -> Result<(), Problem> {
    for (position, &node) in route.iter().enumerate() {
        let Node { name, is_host } = &nodes.nodes[node];
        let is_end = position == 0 || position + 1 == route.len();
        if *is_host != is_end {
            let rule = "a route goes from a host over switches to a host";
            let what = if *is_host {
                "a host in the middle"
            } else {
                "a switch at the end"
            };
            return Err(Problem::at(path, format!("{rule}; \"{name}\" is {what}")));
        }
        if route[..position].contains(&node) {
            return Err(Problem::at(
                path,
                format!("the route comes to \"{name}\" twice"),
            ));
        }
    }
    Ok(())
}

fn direction(
    vc: &str,
    direction: Direction,
    written: &scenario::Vc,
    nodes: &Nodes,
    route: &[usize],
    by_ends: &[(usize, usize, usize)],
) -> Result<VcDirection, Problem> {
    let links = route.windows(2).map(|pair| {
        let found = by_ends.binary_search_by_key(&(pair[0], pair[1]), |&(from, to, _)| (from, to));
        let [from, to] = [pair[0], pair[1]].map(|node| &nodes.nodes[node].name);
        let message = format!("there is no link from \"{from}\" to \"{to}\"");
        found
            .map(|at| by_ends[at].2)
            .map_err(|_| Problem::at(&format!("vcs.{vc}.route"), message))
    });
    let links = links.collect::<Result<Vec<_>, _>>()?;
    let service = match direction {
        Direction::Forward => &written.forward,
        Direction::Backward => &written.backward,
    };
    let police = written.police.as_ref();
    let mut loop_links = links.len();
    if let Service::Abr(abr) = service
        && let Some(name) = &abr.turn_round_at
    {
        let inner = &route[1..route.len() - 1];
        let at = inner
            .iter()
            .position(|&node| nodes.nodes[node].name == *name);
        let hint = || {
            suggestion(
                name,
                inner.iter().map(|&node| nodes.nodes[node].name.as_str()),
            )
        };
        let message = || format!("\"{name}\" is no switch on the route{}", hint());
        let path = format!("vcs.{vc}.{}.turn_round_at", direction.as_str());
        loop_links = at.ok_or_else(|| Problem::at(&path, message()))? + 1;
    }
    Ok(VcDirection {
        links,
        service: service.clone(),
        police: police
            .filter(|police| police.direction == direction)
            .cloned(),
        loop_links,
    })
}

fn group_of<'a>(
    path: &str,
    name: &str,
    vcs: &'a VcGroups,
) -> Result<&'a (Vec<usize>, bool), Problem> {
    let hint = || suggestion(name, vcs.keys().map(String::as_str));
    vcs.get(name)
        .ok_or_else(|| Problem::at(path, format!("there is no VC \"{name}\"{}", hint())))
}

fn flows(scenario: &Scenario, vcs: &VcGroups) -> Result<Vec<Flow>, Problem> {
    let mut flows = Vec::new();
    for (name, flow) in &scenario.flows {
        let (indices, counted) = group_of(&format!("flows.{name}.vc"), &flow.vc, vcs)?;
        let names = members(name, counted.then_some(indices.len()));
        flows.extend(indices.iter().zip(names).map(|(&vc, name)| Flow {
            name,
            vc,
            direction: flow.direction,
            start: flow.start.clone(),
            tcp: flow.tcp.clone(),
            application: flow.application.clone(),
            sockets: flow.sockets.clone(),
            udp: flow.udp.clone(),
        }));
    }
    Ok(flows)
}

fn backgrounds(
    scenario: &Scenario,
    vcs: &VcGroups,
    flows: &[Flow],
) -> Result<Vec<Background>, Problem> {
    let mut backgrounds: Vec<Background> = Vec::new();
    let both = [Direction::Forward, Direction::Backward].map(Direction::index);
    let mut taken: BTreeSet<(usize, usize)> = flows
        .iter()
        .flat_map(|flow| both.map(|direction| (flow.vc, direction)))
        .collect();
    for (name, background) in &scenario.backgrounds {
        let path = format!("backgrounds.{name}.vc");
        let (indices, counted) = group_of(&path, &background.vc, vcs)?;
        for (&vc, name) in indices
            .iter()
            .zip(members(name, counted.then_some(indices.len())))
        {
            let direction = background.direction;
            if !taken.insert((vc, direction.index())) {
                let message = format!(
                    "the VC \"{}\" already carries other traffic {}; give the background a VC of its own",
                    background.vc,
                    direction.as_str()
                );
                return Err(Problem::at(&path, message));
            }
            let (start, traffic) = (background.start.clone(), background.traffic.clone());
            backgrounds.push(Background {
                name,
                vc,
                direction,
                start,
                traffic,
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
