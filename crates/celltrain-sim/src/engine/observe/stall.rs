//! Finds out why simulated time stands still: which actors act endlessly at one instant.

use std::collections::BTreeSet;

use celltrain_proto::units::Span;

use crate::engine::error::RunError;
use crate::engine::schedule::timed::Timed;
use crate::engine::simulation::Simulation;
use crate::engine::state::mode::Mode;
use crate::engine::trains::channel::Origin;
use crate::network::Network;
use crate::scenario::Service;

/// The number of events examined; a round of endless events is shorter.
const EVENTS: u32 = 4096;
/// The most names given in a message.
const NAMED: usize = 6;

impl Simulation<'_> {
    /// Reports that time stands still, with the actors that act now and what would let time advance.
    #[cold]
    pub(in crate::engine) fn stuck(&mut self) -> RunError {
        let mut actors = BTreeSet::new();
        for _ in 0..EVENTS {
            let (due, actor) = self.schedule.calendar.next();
            if due > self.schedule.now {
                break;
            }
            actors.insert(actor);
            self.schedule.events += 1;
            self.schedule.turns.act(self.schedule.events, actor, true);
            self.act(actor);
        }
        let who: BTreeSet<Who> = actors.iter().filter_map(|&it| self.who(it)).collect();
        RunError::Stuck {
            at: self.schedule.now,
            who: in_words(who.iter().map(|it| it.name(self.network))),
            cure: cure(self.network, &who),
        }
    }

    /// The flow, link or VC to which an actor belongs; `None` for probes.
    fn who(&self, actor: usize) -> Option<Who> {
        let actors = self.schedule.actors;
        let flows = self.ends.flows.len();
        Some(if actor >= actors.links {
            let origin = match self.schedule.timed[actor - actors.links] {
                Timed::Link(link) => Origin::Link(link),
                Timed::Channel(channel) => self.trains.channels[channel as usize].origin,
                Timed::Port(port) => match self.trains.ports[port as usize].mode {
                    Mode::Tunnel(source) => Origin::Source(source),
                    _ => Origin::Link(port),
                },
            };
            match origin {
                Origin::Link(link) => Who::Link(link as usize),
                Origin::Source(direction) => Who::Vc(direction as usize / 2),
            }
        } else if actor >= actors.shapers {
            Who::Vc(self.paths.shaped_vcs()[actor - actors.shapers]?)
        } else if actor >= actors.virtual_ends {
            let hop = self.paths.virtual_ends[actor - actors.virtual_ends].next_hop;
            Who::Vc(self.paths.hops[hop as usize].direction as usize / 2)
        } else if actor >= actors.sources {
            Who::Vc((actor - actors.sources) / 2)
        } else if actor >= actors.senders {
            Who::Flow((actor - actors.senders) % flows)
        } else {
            return None;
        })
    }
}

/// What would let time advance.
fn cure(network: &Network, who: &BTreeSet<Who>) -> String {
    let vcs = who.iter().filter_map(|it| match *it {
        Who::Vc(vc) => Some(vc),
        Who::Flow(flow) => network.flows.get(flow).map(|flow| flow.vc),
        Who::Link(_) => None,
    });
    let timeless: BTreeSet<usize> = vcs.filter(|&vc| is_timeless(network, vc)).collect();
    if timeless.is_empty() {
        return "give the links or VCs concerned a rate".to_owned();
    }
    let names = timeless.into_iter().map(|vc| Who::Vc(vc).name(network));
    format!(
        "cells go round in no time on {}: give it a `pcr`, or one of its links a delay or a rate",
        in_words(names)
    )
}

/// A flow, link or VC that acts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Flow(usize),
    Vc(usize),
    Link(usize),
}

impl Who {
    fn name(self, network: &Network) -> String {
        match self {
            Self::Flow(flow) => network.flows.get(flow).map_or_else(
                || "a flow from outside".to_owned(),
                |flow| format!("flow \"{}\"", flow.name),
            ),
            Self::Vc(vc) => format!("VC \"{}\"", network.vcs[vc].name),
            Self::Link(link) => format!("link \"{}\"", network.links[link].unique_name()),
        }
    }
}

/// Whether cells of a VC make the round trip without any rate or delay.
fn is_timeless(network: &Network, vc: usize) -> bool {
    network.vcs[vc].directions.iter().all(|direction| {
        let is_unshaped = match &*direction.service {
            Service::Ubr(ubr) => ubr.pcr.is_none(),
            _ => false,
        };
        let takes_none = |&link: &usize| {
            let link = &network.links[link];
            link.line.is_none() && link.delay == Span::ZERO
        };
        is_unshaped && direction.links.iter().all(takes_none)
    })
}

/// Lists names as in a sentence, up to [`NAMED`] of them.
fn in_words(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match &names[..] {
        [] => "nobody in particular".to_owned(),
        [one] => one.clone(),
        [others @ .., last] if names.len() <= NAMED => {
            format!("{} and {last}", others.join(", "))
        }
        _ => format!(
            "{} and {} more",
            names[..NAMED].join(", "),
            names.len() - NAMED
        ),
    }
}
