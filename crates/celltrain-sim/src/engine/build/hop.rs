//! Hops, and which directions of VCs have them.

use std::collections::BTreeMap;

use celltrain_proto::flow::credit;
use celltrain_proto::schedule::{Class, Queues};

use crate::engine::build::within::Within;
use crate::engine::state::hop::{Actions, END, Hop, HopCounts, Shown};
use crate::engine::state::shaper::Shaper;
use crate::engine::state::upc::Upc;
use crate::engine::state::ways::Ways;
use crate::network::Network;
use crate::scenario::Service;

/// The number of each direction of a VC among the directions that cross each link.
struct PortVcs {
    /// By direction: the index of its first number.
    first: Vec<u32>,
    numbers: Vec<u32>,
}

impl PortVcs {
    fn new(network: &Network) -> Self {
        let mut crossing = vec![0; network.links.len()];
        let mut first = Vec::with_capacity(2 * network.vcs.len());
        let mut numbers = Vec::new();
        for direction in network.vcs.iter().flat_map(|vc| &vc.directions) {
            first.push(numbers.len() as u32);
            for &link in direction.links.iter() {
                numbers.push(crossing[link]);
                crossing[link] += 1;
            }
        }
        Self { first, numbers }
    }

    /// The number of a direction at link number `at` of its path.
    fn of(&self, direction: usize, at: usize) -> u32 {
        self.numbers[self.first[direction] as usize + at]
    }
}

/// All hops, and the elements that belong to some of them.
pub(super) struct Hops {
    pub(super) all: Vec<Hop>,
    pub(super) policers: Vec<Upc>,
    pub(super) shapers: Vec<Shaper>,
    pub(super) credits: Vec<credit::Receiver>,
}

/// The hops of all directions; `commanding` has the link whose GFC commands the source of a direction obeys.
pub(super) fn hops(network: &Network, ways: &Ways, commanding: &BTreeMap<usize, u32>) -> Hops {
    let port_vcs = PortVcs::new(network);
    let (mut within, mut credits) = (Within::new(network), Vec::new());
    let mut hops = Vec::with_capacity(ways.hops());
    for number in 0..ways.len() {
        let direction = network.direction(number);
        for at in 0..ways.of(number).len() {
            let link = direction.links[at];
            let mut actions = actions(network, ways, &port_vcs, number, at);
            // GFC operates between a host and the first node: on the second last hop of the direction towards the host.
            if at + 2 == direction.links.len() {
                actions.gfc = commanding.get(&(number ^ 1)).copied();
            }
            actions.policer = within.policer(network, number, at);
            actions.shaper = within.shaper(network, number, at);
            let wire = &network.links[link];
            if let Some(line) = &wire.line
                && let Some(written) = &line.credit
            {
                let (n2, n3) = crate::engine::build::link::credits(written, wire, line);
                actions.credit = Some(credits.len() as u32);
                credits.push(credit::Receiver::new(n2, n3));
            }
            let next = direction.links.get(at + 1);
            hops.push(Hop {
                link: link as u32,
                next_link: next.map_or(END, |&next| next as u32),
                direction: number as u32,
                port_vc: port_vcs.of(number, at),
                control_vc: control_vc(network, &port_vcs, number, at),
                load: load(network, network.service_at(number, at), link),
                shows_each: false,
                channel: 0,
                ahead: 0,
                actions: actions.are_some().then(|| Box::new(actions)),
                counts: HopCounts::default(),
            });
        }
    }
    follow(network, ways, &mut hops);
    Hops {
        all: hops,
        policers: within.policers,
        shapers: within.shapers,
        credits,
    }
}

/// The number by which the switch algorithm of link number `at` of a direction knows its cells.
fn control_vc(network: &Network, port_vcs: &PortVcs, number: usize, at: usize) -> u32 {
    match network.direction(number).carried_at(at) {
        Some(carried) => port_vcs.of(carried.by, at - carried.first),
        None => port_vcs.of(number, at),
    }
}

/// Tells the policers of ABR sources of the backward RM cells that leave their node.
fn follow(network: &Network, ways: &Ways, hops: &mut [Hop]) {
    for number in 0..ways.len() {
        let police = network.direction(number).police.as_ref();
        if police.is_some_and(|police| police.dynamic.is_some()) {
            let policer = hops[ways.of(number).start].action(|it| it.policer);
            // The last hop leads from the node to the source.
            let before = ways.of(number ^ 1).end - 2;
            let actions = hops[before].actions.get_or_insert_default();
            actions.followed_by = policer;
        }
    }
}

/// What the node downstream of link number `at` of a direction does with its cells, apart from policing, GFC and credits.
fn actions(
    network: &Network,
    ways: &Ways,
    port_vcs: &PortVcs,
    number: usize,
    at: usize,
) -> Actions {
    let (direction, reverse) = (network.direction(number), network.direction(number ^ 1));
    let line = |link: usize| network.links[link].line.as_ref();
    let count = direction.links.len();
    let has_loop = [direction, reverse]
        .iter()
        .any(|it| matches!(*it.service, Service::Abr(_)));
    // The link by which the other direction leaves the node downstream of this hop.
    let leaving = count - 1 - at;
    let marker = (at + 1 < count).then(|| reverse.links[leaving]);
    let marks = marker
        .filter(|_| has_loop)
        .filter(|&link| line(link).is_some_and(|line| line.control.is_some()))
        .map(|link| (link as u32, port_vcs.of(number ^ 1, leaving)));
    let turns = at + 1 == direction.loop_links && direction.loop_links < count;
    let turn_around = turns.then(|| (ways.of(number ^ 1).start + leaving) as u32);
    let entered_tunnel = direction.carried().iter().find(|it| it.first == at + 1);
    let entered_tunnel = entered_tunnel
        .filter(|it| !network.direction(it.by).service.is_unshaped())
        .map(|it| it.by as u32);
    Actions {
        marks,
        turn_around,
        entered_tunnel,
        ..Actions::default()
    }
}

/// How the cells of a service count for the switch algorithm of a link's queue.
fn load(network: &Network, service: &Service, link: usize) -> Shown {
    let Some(queue) = &network.links[link].line else {
        return Shown::Unseen;
    };
    let class = service.class();
    if queue.control.is_none()
        || (class > Class::Abr && queue.scheduling.queues() == Queues::PerClass)
    {
        Shown::Unseen
    } else if class < Class::Abr {
        Shown::Priority
    } else {
        Shown::Counted
    }
}
