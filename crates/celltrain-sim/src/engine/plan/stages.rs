//! The inputs of each stage in the order in which they take turns, the channels that it fills, and when cells can arrive.

use celltrain_proto::units::Span;

use crate::engine::plan::facts::Facts;
use crate::engine::plan::value::{Plan, StagePlan};
use crate::engine::trains::channel::{Course, Destination, Origin};

/// Connects the channels to their stages. They must be in order.
pub(super) fn connect(plan: &mut Plan, facts: &Facts) {
    let mut inputs = vec![Vec::new(); plan.stages.len()];
    let mut fills = vec![Vec::new(); plan.stages.len()];
    for index in 0..plan.channels.len() {
        if let Some(stage) = plan.filler(&plan.channels[index]) {
            fills[stage as usize].push(index as u32);
        }
        if let Destination::Link { link, input } = &mut plan.channels[index].destination {
            let inputs = &mut inputs[*link as usize];
            *input = inputs.len() as u32;
            inputs.push(index as u32);
        }
    }
    let connected = inputs.into_iter().zip(fills).enumerate();
    for (number, (inputs, fills)) in connected {
        let stage = &mut plan.stages[number];
        (stage.inputs, stage.fills) = (inputs.into_boxed_slice(), fills.into_boxed_slice());
        stage.transmission = transmission(stage, number, facts);
        stage.spacing = spacing(stage, &plan.channels, facts);
        // When queue management drops a cell that has waited, all cells after it move forward.
        stage.are_places_vague = facts.line_of(number).is_some_and(|line| line.drops_late);
    }
    find_feeders(plan, facts);
}

/// The shortest time from the arrival of a cell at a stage to its departure.
fn transmission(stage: &StagePlan, number: usize, facts: &Facts) -> Span {
    let rated = facts.network.links.get(number);
    let rated = rated.and_then(|link| link.line.as_ref());
    match (stage.mode, rated) {
        // Elsewhere a cell may leave sooner: the bound passed downstream would be too late.
        (mode, Some(line)) if mode.takes_time() => line.shortest_transmission(),
        _ => Span::ZERO,
    }
}

/// The minimum spacing of cells that arrive at a stage: they all leave one line, and nothing on the way brings them
/// closer together.
fn spacing(stage: &StagePlan, channels: &[Course], facts: &Facts) -> Span {
    if let [input] = *stage.inputs
        && let Origin::Link(before) = channels[input as usize].origin
        && !facts.links[before as usize].is_disturbed
        && let Some(line) = &facts.network.links[before as usize].line
    {
        line.shortest_transmission()
    } else {
        Span::ZERO
    }
}

/// Finds the inputs whose cells each channel receives from the stage at its start.
fn find_feeders(plan: &mut Plan, facts: &Facts) {
    let mut feeders = vec![Vec::new(); plan.channels.len()];
    for course in &plan.channels {
        let Destination::Link { link, input } = course.destination else {
            continue;
        };
        for &end in course.ends.iter() {
            if facts.link_of(end as usize) == link as usize
                && let Some(lead) = plan.hops[end as usize].lead
            {
                feeders[lead.channel as usize].push(input);
            }
        }
    }
    for (course, mut inputs) in plan.channels.iter_mut().zip(feeders) {
        inputs.sort_unstable();
        inputs.dedup();
        if let Origin::Link(link) = course.origin
            && inputs.len() < plan.stages[link as usize].inputs.len()
        {
            course.feeders = Some(inputs.into_boxed_slice());
        }
    }
    for stage in &mut plan.stages {
        let split = stage.fills.iter().copied();
        let split = split.filter(|&channel| {
            let course = &plan.channels[channel as usize];
            let leads_on = matches!(course.destination, Destination::Link { .. });
            leads_on && course.feeders.is_some()
        });
        stage.split = split.collect();
    }
}
