//! Applies a plan: sets how links, hops and sources are evaluated, and makes stages and channels.

use crate::engine::link::Link;
use crate::engine::plan::{GroupPlan, HopPlan, Plan, SourcePlan, StagePlan};
use crate::engine::schedule::Actors;
use crate::engine::schedule::timed::Timed;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::Hop;
use crate::engine::trains::channel::{Channel, Origin};
use crate::engine::trains::group::{Member, SourceGroup};
use crate::engine::trains::port::Port;

/// What a run keeps of a plan, apart from the settings of its links, hops and sources.
pub(super) struct Stages {
    pub(super) ports: Vec<Port>,
    pub(super) channels: Vec<Channel>,
    /// Links, channels and ports, in the order in which they act at one instant.
    pub(super) timed: Vec<Timed>,
}

/// Makes the stages and channels of a plan, and sets how hops, links and sources are evaluated.
pub(super) fn apply(
    plan: Plan,
    hops: &mut [Hop],
    links: &mut [Link],
    sources: &mut ByDirection<Source>,
    actors: &Actors,
) -> Stages {
    for (hop, plan) in hops.iter_mut().zip(&plan.hops) {
        lead(hop, *plan);
    }
    for (hop, lead) in plan.resumes {
        if let Some(actions) = &mut hops[hop as usize].actions {
            actions.resumes = (lead.channel, lead.hops);
        }
    }
    for (source, plan) in sources.iter_mut().zip(plan.sources.iter()) {
        evaluate(source, plan);
    }
    for (link, stage) in links.iter_mut().zip(&plan.stages) {
        link.evaluate(stage.mode);
    }
    let ports = plan.stages.into_iter().map(|stage| port(stage, hops));
    let mut stages = Stages {
        ports: ports.collect(),
        channels: plan.channels.into_iter().map(Channel::new).collect(),
        timed: plan.timed,
    };
    stages.number_actors(links, sources, actors);
    stages
}

/// Sets where the cells of a hop go.
fn lead(hop: &mut Hop, plan: HopPlan) {
    hop.shows_each = plan.shows_each;
    (hop.channel, hop.ahead) = plan.lead.map_or((0, 0), |lead| (lead.channel, lead.hops));
}

/// Sets how a source is evaluated.
fn evaluate(source: &mut Source, plan: &SourcePlan) {
    source.is_lazy = plan.is_lazy;
    source.event_reach = plan.event_reach;
    source.way = plan.way.map(|way| (way.channel, way.hops));
    source.port = plan.port;
}

/// The port that evaluates a stage.
fn port(plan: StagePlan, hops: &[Hop]) -> Port {
    let mut port = Port::new(plan.mode, plan.inputs, plan.fills, plan.transmission);
    port.lookahead.partly_fed = plan.split;
    port.spacing = plan.spacing;
    port.group = plan.group.map(|plan| Box::new(group(plan, hops)));
    port.owner = plan.owner;
    port.passes_event_cells = plan.passes_event_cells;
    port.event_cells.are_vague = plan.are_places_vague;
    if plan.is_watched {
        port.turns.watch();
    }
    port
}

/// The source group of a stage.
fn group(plan: GroupPlan, hops: &[Hop]) -> SourceGroup {
    let members = plan.members.iter().map(|member| {
        let hop = &hops[member.hop as usize];
        Member::new(member.hop, hop.port_vc, hop.direction, member.to_sink)
    });
    let mut group = SourceGroup::new(plan.inputs, members.collect());
    group.goes_first = plan.goes_first;
    group
}

impl Stages {
    /// Sets the actor numbers of links, channels, ports and members of source groups.
    fn number_actors(
        &mut self,
        all_links: &mut [Link],
        all_sources: &ByDirection<Source>,
        actors: &Actors,
    ) {
        let (sources, links) = (actors.sources, actors.links);
        for (at, timed) in self.timed.iter().enumerate() {
            match *timed {
                Timed::Link(link) => all_links[link as usize].actor = links + at,
                Timed::Channel(channel) => self.channels[channel as usize].actor = links + at,
                Timed::Port(port) => self.ports[port as usize].actor = links + at,
            }
        }
        for channel in &mut self.channels {
            if let Origin::Source(direction) = channel.origin
                && channel.is_at_once()
            {
                channel.actor = sources + direction as usize;
            }
        }
        let groups = self.ports.iter_mut().flat_map(|port| &mut port.group);
        for member in groups.flat_map(|group| &mut group.members) {
            let source = &all_sources[member.direction()];
            let actor = match source.way {
                Some((channel, _)) if !source.is_of_group() => {
                    self.channels[channel as usize].actor
                }
                _ => sources + member.direction(),
            };
            member.actor = actor as u32;
        }
    }
}
