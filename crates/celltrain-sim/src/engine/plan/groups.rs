//! The source group of each stage.

use std::ops::Range;

use crate::engine::plan::facts::Facts;
use crate::engine::plan::value::{GroupPlan, MemberPlan, Plan};
use crate::engine::state::mode::{EventReach, Mode};
use crate::engine::trains::channel::{Destination, Origin};
use crate::engine::trains::group::longest_run;

/// Lets the processes of a source group share a channel that serves only to connect them to their stage. It never holds a
/// cell, because the source group takes the cells as they leave the sources. Channels must be in order.
pub(super) fn gather(plan: &mut Plan, facts: &Facts) {
    let mut inputs = vec![Vec::new(); plan.stages.len()];
    for (course, number) in plan.channels.iter().zip(0..) {
        if let Some(stage) = course.stage() {
            inputs[stage as usize].push(number);
        }
    }
    // By channel: the one that replaces it.
    let mut stands_for: Vec<u32> = (0..plan.channels.len() as u32).collect();
    for (stage, inputs) in inputs.iter().enumerate() {
        let Some(group) = processes(plan, facts, inputs, plan.mode(stage)) else {
            continue;
        };
        // The channel shared by processes with a given number of transparent links, with that number.
        let mut shared: Option<(u32, u32)> = None;
        for &number in &inputs[group] {
            let course = &plan.channels[number as usize];
            let Origin::Source(direction) = course.origin else {
                continue;
            };
            if !course.is_at_once() {
                // Inputs without the delay come first, so no more follow.
                break;
            }
            plan.sources[direction as usize].event_reach = EventReach::Group;
            let (transparent, end) = (course.transparent, course.ends[0]);
            match shared {
                Some((of_all, first)) if of_all == transparent => {
                    plan.channels[first as usize].ends.push(end);
                    stands_for[number as usize] = first;
                }
                _ => shared = Some((transparent, number)),
            }
        }
    }
    keep(plan, &stands_for);
}

/// Removes the channels that have been replaced.
fn keep(plan: &mut Plan, stands_for: &[u32]) {
    let channels = &mut plan.channels;
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
    plan.renumber(&place);
}

/// The `inputs` of a stage (numbers of channels) that are to be its source group. A strict-priority queue with other
/// inputs makes a group even of a single process, because it takes cells of the group before cells of lower classes
/// arrive.
fn processes(plan: &Plan, facts: &Facts, inputs: &[u32], mode: Mode) -> Option<Range<usize>> {
    // Nothing changes what a process sends, so it can send ahead of time. A group does not tell when each cell leaves.
    let sends_ahead = |source: u32| {
        let (source, planned) = (
            &facts.sources[source as usize],
            &plan.sources[source as usize],
        );
        source.is_process && !source.is_timed && planned.is_lazy
    };
    let processes = inputs.iter().map(|&channel| {
        let course = &plan.channels[channel as usize];
        match course.origin {
            Origin::Source(source) if sends_ahead(source) => course.ends.len(),
            _ => 0,
        }
    });
    // A single process gains nothing from a group elsewhere: its channel holds a train of the same length.
    let may_be_one = mode == Mode::Priority && inputs.len() > 1;
    longest_run(processes, if may_be_one { 1 } else { 2 })
}

/// Finds the source group of each stage. Channels must be in order and connected to their stages.
pub(super) fn find(plan: &mut Plan, facts: &Facts) {
    for number in 0..plan.stages.len() {
        plan.stages[number].group = group(plan, facts, number);
    }
}

/// The source group of a stage, if there is one.
fn group(plan: &Plan, facts: &Facts, number: usize) -> Option<GroupPlan> {
    let stage = &plan.stages[number];
    let inputs = processes(plan, facts, &stage.inputs, stage.mode)?;
    let channels = stage.inputs[inputs.clone()].iter();
    let ends = channels.flat_map(|&channel| plan.channels[channel as usize].ends.iter());
    let members: Vec<MemberPlan> = ends.map(|&end| member(plan, end)).collect();
    let line = facts.line_of(number);
    let line = line.filter(|_| stage.mode == Mode::Priority);
    // Cells that other classes wait for, or that a discard policy may refuse, are examined as they arrive.
    let goes_first = line.and_then(|line| line.goes_first.as_ref());
    let goes_first = goes_first.is_some_and(|goes_first| {
        let vc = |member: &MemberPlan| facts.hops[member.hop as usize].port_vc;
        let mut vcs = members.iter().map(vc);
        vcs.all(|vc| goes_first[vc as usize])
    });
    Some(GroupPlan {
        inputs,
        members,
        goes_first,
    })
}

/// The direction of a process whose cells arrive at a stage at hop number `hop`.
fn member(plan: &Plan, hop: u32) -> MemberPlan {
    let lead = plan.hops[hop as usize].lead;
    let next = lead.map(|lead| &plan.channels[lead.channel as usize]);
    let counting = next.filter(|course| course.destination == Destination::Counters);
    let to_sink = counting.map(|course| course.delay);
    MemberPlan { hop, to_sink }
}
