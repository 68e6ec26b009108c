//! How a network is evaluated: a mode for each link and each source, and the channels between them.
//!
//! A plan is a value ([`Plan`]) made from what is known of a network at the start of a run ([`Facts`]), which it does not
//! change. `build` makes the objects of a run from it.

mod by_cell;
mod bypassed;
mod channels;
mod circles;
mod coincide;
mod decided;
mod each;
mod event_reach;
mod facts;
mod groups;
mod order;
mod reach;
mod shown;
mod stage;
mod stages;
mod value;

use celltrain_proto::units::Span;

use crate::engine::state::mode::{Mode, Why};
use bypassed::{IsBypassed, bypassed};
use channels::{Laid, lay};
use decided::Decided;
use shown::ShownHops;

pub(in crate::engine) use by_cell::ByCell;
pub(in crate::engine) use each::each;
pub(in crate::engine) use facts::{AlgorithmFacts, Facts, LineFacts, LinkFacts, SourceFacts};
pub(in crate::engine) use value::{GroupPlan, HopPlan, Plan, SourcePlan, StagePlan};

/// Plans the evaluation by the train engine: lazily wherever nothing needs to see each cell. In an earlier attempt of the
/// run, the links in `by_cell` lost the order of cells that left at one instant.
pub(in crate::engine) fn lazy(facts: &Facts, by_cell: &ByCell) -> Plan {
    let mut decided = Decided::new(facts);
    let chunk = circles::open(facts, &mut decided);
    let mut plan = loop {
        let is_bypassed = bypassed(facts, &decided);
        let shown = ShownHops::new(facts, &decided);
        let laid = lay(facts, &decided, &is_bypassed, &shown);
        if let Some(watched) = coincide::watched(facts, &mut decided, &laid, by_cell) {
            let mut plan = draft(facts, &decided, &is_bypassed, &shown, laid, chunk);
            for link in watched {
                plan.stages[link].is_watched = true;
            }
            break plan;
        }
    };
    order::sort(&mut plan, facts);
    groups::gather(&mut plan, facts);
    plan.timed = order::order(&plan, facts);
    stages::connect(&mut plan, facts);
    groups::find(&mut plan, facts);
    event_reach::find(&mut plan, facts);
    plan
}

/// The plan as decided so far; its channels are not yet in order and not connected to their stages.
fn draft(
    facts: &Facts,
    decided: &Decided,
    is_bypassed: &IsBypassed,
    shown: &ShownHops,
    laid: Laid,
    chunk: Span,
) -> Plan {
    let sources = facts.by_direction(|direction| SourcePlan {
        is_lazy: shown.is_lazy[direction],
        why: shown.why(facts, decided, direction),
        way: laid.ways[direction],
        port: shown.tunnels.get(&(direction as u32)).copied(),
        ..SourcePlan::PER_CELL
    });
    // If all directions bypass a link, it is bypassed: queues that hold up no cell, and mere delays.
    let links = decided.modes().enumerate();
    let links = links.map(|(link, (mode, why))| match mode {
        _ if is_bypassed[link] => (Mode::Bypassed, Why::NeverHoldsUp),
        Mode::Delay if !laid.is_entered[link] => (Mode::Bypassed, Why::HasNoRate),
        _ => (mode, why),
    });
    let tunnels = shown.tunnels.keys();
    let tunnels = tunnels.map(|&direction| (Mode::Tunnel(direction), Why::NothingLooks));
    let stages = links.chain(tunnels).map(StagePlan::new).collect();
    let shows_each = shown.shows_each.iter().zip(laid.leads);
    let hops = shows_each.map(|(&shows_each, lead)| HopPlan { shows_each, lead });
    Plan {
        stages,
        channels: laid.courses,
        hops: hops.collect(),
        resumes: laid.resumes,
        sources,
        timed: Vec::new(),
        chunk,
    }
}
