//! The order in which links, channels and tunnel VCs act at one instant.

use crate::engine::plan::facts::Facts;
use crate::engine::plan::value::Plan;
use crate::engine::schedule::timed::Timed;
use crate::engine::trains::channel::{Course, Origin};

/// The links over which the cells of a channel come, the last one first, and then the channel's origin.
fn way(course: &Course, facts: &Facts) -> Vec<Origin> {
    let bypassed = course.bypassed.iter().rev();
    let bypassed = bypassed.filter(|bypassed| !facts.links[bypassed.link as usize].is_transparent);
    let bypassed = bypassed.map(|bypassed| Origin::Link(bypassed.link));
    bypassed.chain([course.origin]).collect()
}

/// Sorts channels into the order in which they act at one instant: by the last link over which their cells come, then by
/// the links before.
pub(super) fn sort(plan: &mut Plan, facts: &Facts) {
    let channels = &mut plan.channels;
    let mut sorted: Vec<u32> = (0..channels.len() as u32).collect();
    sorted.sort_by_cached_key(|&channel| way(&channels[channel as usize], facts));
    let mut place = vec![0; sorted.len()];
    for (now, &before) in sorted.iter().enumerate() {
        place[before as usize] = now as u32;
    }
    // Swaps in place, because a copy of all channels would take much memory.
    let mut goes_to = place.clone();
    for at in 0..channels.len() {
        while goes_to[at] as usize != at {
            let to = goes_to[at] as usize;
            channels.swap(at, to);
            goes_to.swap(at, to);
        }
    }
    plan.renumber(&place);
}

/// Links, channels and tunnel VCs, in the order in which they act at one instant. Channels must be in order.
pub(super) fn order(plan: &Plan, facts: &Facts) -> Vec<Timed> {
    let mut timed: Vec<(Vec<Origin>, Timed)> = Vec::new();
    for (index, link) in facts.links.iter().enumerate() {
        let mode = plan.mode(index);
        // At any other link nothing is due by itself.
        let acts = mode.is_by_event() || mode.keeps_cells();
        if acts && !link.is_transparent {
            let link = index as u32;
            timed.push((vec![Origin::Link(link)], Timed::Link(link)));
        }
    }
    for (index, course) in plan.channels.iter().enumerate() {
        // Cells that arrive as they leave their source have the turn of the source.
        if !course.is_at_once() {
            timed.push((way(course, facts), Timed::Channel(index as u32)));
        }
    }
    // A tunnel VC is examined after the last channel that leads to it.
    let mut ports: Vec<(u32, Vec<Origin>)> = Vec::new();
    for course in &plan.channels {
        if let Some(stage) = course.stage()
            && stage as usize >= facts.links.len()
        {
            match ports.iter_mut().find(|(port, _)| *port == stage) {
                Some((_, last)) => *last = way(course, facts),
                None => ports.push((stage, way(course, facts))),
            }
        }
    }
    timed.extend(
        ports
            .into_iter()
            .map(|(port, way)| (way, Timed::Port(port))),
    );
    // The sort is stable: a link stays before the channels that it fills, and a tunnel VC after the last one to it.
    timed.sort_by(|(one, _), (other, _)| one.cmp(other));
    timed.into_iter().map(|(_, timed)| timed).collect()
}
