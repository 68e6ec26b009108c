//! Finds where event cells are not events: at sources whose event cells nothing inspects as they leave, and at queues
//! that such sources fill.

use crate::engine::plan::facts::Facts;
use crate::engine::plan::value::{Plan, StagePlan};
use crate::engine::state::hop::Hop;
use crate::engine::state::mode::{EventReach, Mode};
use crate::engine::trains::channel::{Course, Destination, Origin};

/// Finds the sources whose event cells nothing inspects as they leave, and the queues that these cells pass.
pub(super) fn find(plan: &mut Plan, facts: &Facts) {
    find_sources(plan, facts);
    find_passed(plan, facts);
    for channel in 0..plan.channels.len() {
        plan.channels[channel].sender = sender(plan, &plan.channels[channel]);
    }
}

/// Finds the sources whose event cells nothing inspects as they leave.
fn find_sources(plan: &mut Plan, facts: &Facts) {
    for direction in facts.directions() {
        let source = &plan.sources[direction];
        let described = &facts.sources[direction];
        // A source that sends cell by cell has an event for each anyway. What a tunnel VC carries has sources of its own.
        // A sender that waits for its host must learn at once that a PDU has left.
        let may = source.is_lazy && !described.is_tunnel && !described.is_awaited;
        let Some(way) = source.way.filter(|_| may) else {
            continue;
        };
        let course = &plan.channels[way.channel as usize];
        let ahead = match course.destination {
            _ if source.event_reach == EventReach::Group => EventReach::Group,
            // Nothing happens to the cell before the end of its channel.
            _ if !course.is_at_once() => EventReach::Channel,
            // A process has no event cells. Over a transparent link the cells would have to be counted there, too.
            Destination::Link { link, .. } if way.hops == 0 && !described.is_process => {
                let crossings = facts.crossings[link as usize];
                // What others send, or a policy refuses, depends on the instant at which the queue takes a cell.
                if crossings == 1 && is_plain(plan, facts, link as usize) {
                    plan.stages[link as usize].owner = Some(direction as u32);
                    EventReach::Queue(link)
                } else {
                    EventReach::Departure
                }
            }
            _ => EventReach::Departure,
        };
        plan.sources[direction].event_reach = ahead;
    }
}

/// Finds the queues at which event cells are not events: queues filled only by such sources, with nothing that inspects
/// the event cells on the way, and with separate channels for each direction.
fn find_passed(plan: &mut Plan, facts: &Facts) {
    for number in 0..plan.stages.len() {
        let stage = &plan.stages[number];
        let may_pass = match stage.mode {
            // The merge of a batched queue shows an algorithm how many cells arrive, but no contents of RM cells.
            Mode::Batched => !has_algorithm(facts, number),
            // That of a strict-priority queue does.
            Mode::Priority => true,
            // Other queues keep event cells, whose departures are events of the link.
            _ => false,
        };
        // A cell that comes by itself takes its place in the queue when it arrives, and what passed before did not see it.
        if !may_pass || stage.owner.is_some() || !come_by_channels(plan, facts, number) {
            continue;
        }
        // A source group brings no event cells.
        let group = stage.group.as_ref();
        let group = group.map_or(0..0, |group| group.inputs.clone());
        let inputs = stage.inputs.iter().enumerate();
        let inputs = inputs.filter(|(input, _)| !group.contains(input));
        let inputs: Vec<usize> = inputs.map(|(_, &channel)| channel as usize).collect();
        let fills = stage.fills.iter().map(|&it| &plan.channels[it as usize]);
        let fills = fills.filter(|it| it.destination != Destination::Counters);
        let is_whole = stage.mode == Mode::Batched;
        // What no channel brings has no sender. And the event at the end of a channel is due when the one sender of its
        // cells may send its next event cell, so the cells of two senders must not share one.
        if !inputs.is_empty()
            && fills.clone().count() == inputs.len()
            && fills.clone().all(|it| has_own(it, stage))
            && inputs
                .iter()
                .all(|&it| brings_ahead(plan, facts, it, is_whole))
        {
            plan.stages[number].passes_event_cells = true;
            for channel in inputs {
                plan.channels[channel].is_passed = true;
            }
        }
    }
}

/// Whether channels bring all cells of a link, and none comes by itself: from a link or source that is evaluated cell by
/// cell, or as an RM cell that a local loop or BECN sends back. No source knows of such a cell, so nothing would look for it
/// downstream of the queue.
fn come_by_channels(plan: &Plan, facts: &Facts, link: usize) -> bool {
    let Some(&crossings) = facts.crossings.get(link) else {
        return true;
    };
    let inputs = plan.stages[link].inputs.iter();
    let ends = inputs.flat_map(|&it| plan.channels[it as usize].ends.iter());
    let mut brought = ends.filter(|&&end| facts.link_of(end as usize) == link);
    brought.clone().count() == crossings as usize
        && !brought.any(|&end| facts.is_entrance[end as usize])
}

/// Whether the queue of a link has a switch algorithm.
fn has_algorithm(facts: &Facts, link: usize) -> bool {
    let rated = facts.line_of(link);
    rated.is_some_and(|line| line.algorithm.is_some())
}

/// Whether nothing inspects the event cells of a channel on the way from their source, nor at the node before its end.
/// Where they pass batched queues (`is_whole`), no RM cells may come over bypassed links.
fn brings_ahead(plan: &Plan, facts: &Facts, channel: usize, is_whole: bool) -> bool {
    let course = &plan.channels[channel];
    let Some(direction) = sender(plan, course) else {
        return false;
    };
    let end = course.ends[0] as usize;
    let last = end - 1 - course.transparent as usize;
    let is_direct = course.bypassed.is_empty() && course.transparent == 0;
    let shows_each = plan.hops[last].shows_each;
    // Cells of other kinds are counted only at the ends of channels.
    let has_data_alone = !facts.sources[direction as usize].is_abr && !shows_each;
    // A node that acts on cells must get event cells by events.
    let mut before = facts.hops[last.max(facts.way(direction as usize).start)..end].iter();
    let is_counted = !is_whole && course.transparent == 0 && !shows_each;
    (is_direct || has_data_alone || is_counted) && !before.any(Hop::has_actions)
}

/// The direction whose source fills a channel, directly or through queues that pass event cells, if the source sends its
/// event cells on demand, too.
fn sender(plan: &Plan, course: &Course) -> Option<u32> {
    match course.origin {
        Origin::Source(direction) => {
            let is_ahead = plan.sources[direction as usize].event_reach == EventReach::Channel;
            is_ahead.then_some(direction)
        }
        Origin::Link(link) => {
            let stage = &plan.stages[link as usize];
            if stage.passes_event_cells {
                let input = course.feeders.as_ref().map_or(0, |inputs| inputs[0]);
                return sender(plan, &plan.channels[stage.inputs[input as usize] as usize]);
            }
            stage.owner
        }
    }
}

/// Whether nothing inspects the cells that arrive at a queue.
fn is_plain(plan: &Plan, facts: &Facts, link: usize) -> bool {
    let rated = facts.line_of(link);
    plan.mode(link) == Mode::Batched && rated.is_some_and(|line| line.takes_all)
}

/// Whether the cells of a channel reach the stage at its start by an input that brings no other cells.
fn has_own(course: &Course, stage: &StagePlan) -> bool {
    let feeders = course.feeders.as_ref();
    feeders.map_or(stage.inputs.len() == 1, |inputs| inputs.len() == 1)
}
