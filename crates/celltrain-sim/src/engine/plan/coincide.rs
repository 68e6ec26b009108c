//! Cells that leave a link at one instant must keep the order in which they entered it.
//!
//! The cells of a rated link leave one after another. Those of a mere delay leave one delay after they entered, and
//! a delay that varies can bring cells together that entered one after another: a cell that drew a short delay waits for the one
//! before it. Such a link keeps the order of its cells within a channel, but at one instant cells in different channels
//! take turns by channel number. So a link that fills several channels is watched
//! ([`OrderWatch`](crate::engine::trains::port::OrderWatch)): if cells leave it at one instant in an order other than
//! that of their channels, the run is restarted and evaluates the link cell by cell.

use celltrain_proto::units::Span;

use crate::engine::plan::by_cell::ByCell;
use crate::engine::plan::channels::Laid;
use crate::engine::plan::decided::Decided;
use crate::engine::plan::facts::Facts;
use crate::engine::state::mode::{Mode, Why};
use crate::engine::trains::channel::{Course, Destination, Origin};

/// The links that must be watched so that cells that leave one of them at the same instant stay in order. `None` if
/// watching would not be enough: then more has been decided, and the channels must be laid again.
pub(super) fn watched(
    facts: &Facts,
    decided: &mut Decided,
    laid: &Laid,
    by_cell: &ByCell,
) -> Option<Vec<usize>> {
    let keeps = enters_or_passes(decided, laid)
        & tunnels_look_ahead(facts, decided, laid)
        & tunnels_keep_turns(facts, decided, laid);
    if !keeps {
        return None;
    }
    let mut watched = Vec::new();
    let mut keeps = true;
    for link in 0..facts.links.len() {
        let filled = laid.filled[link].iter().map(|&it| &laid.courses[it]);
        // The order of cells that are only counted makes no difference.
        let channels = filled.filter(|it| it.destination != Destination::Counters);
        // One channel keeps the order by itself, and so does a link that releases its cells one after another.
        if channels.count() < 2 || !can_coincide(facts, laid, link) {
            continue;
        }
        // Channels cannot express the order in which cells left this link in the last attempt.
        if by_cell.contains(link) {
            decided.evaluate(link, Mode::PerCell, Why::OrderLost);
            keeps = false;
        } else {
            watched.push(link);
        }
    }
    keeps.then_some(watched)
}

/// Whether each mere delay is entered by all directions or bypassed by all. Otherwise, cells that bypass it would take
/// turns by the links before it, and cells that enter it would not.
fn enters_or_passes(decided: &mut Decided, laid: &Laid) -> bool {
    let mut keeps = true;
    for link in 0..laid.is_entered.len() {
        let is_mixed = laid.is_entered[link] && laid.is_passed[link];
        if is_mixed && decided.mode(link) == Mode::Delay {
            decided.must_enter[link] = true;
            keeps = false;
        }
    }
    keeps
}

/// Whether the cells that arrive at a tunnel VC at an instant are known in advance. Downstream of a link or another
/// tunnel VC that may pass cells without delay they are not: any actor that acts later at that instant can bring one, and
/// the tunnel VC would have to be examined again and again.
fn tunnels_look_ahead(facts: &Facts, decided: &mut Decided, laid: &Laid) -> bool {
    let leads_to_tunnel = |course: &&Course| {
        let stage = course.stage();
        stage.is_some_and(|stage| stage as usize >= facts.links.len())
    };
    let mut looks = true;
    for course in laid.courses.iter().filter(leads_to_tunnel) {
        // Cells on their way for some time have been sent before this instant.
        if course.delay > Span::ZERO {
            continue;
        }
        match course.origin {
            Origin::Link(link) if !decided.mode(link as usize).takes_time() => {
                decided.evaluate(link as usize, Mode::PerCell, Why::BeforeTunnel);
                looks = false;
            }
            Origin::Source(direction) if facts.sources[direction as usize].is_tunnel => {
                decided.per_cell[direction as usize] = Some(Why::BeforeTunnel);
                looks = false;
            }
            _ => {}
        }
    }
    looks
}

/// Whether tunnel VCs that pass cells immediately keep their turn. A cell that arrives at an idle tunnel VC goes on at
/// that instant, in the turn of the actor that brought it and not in that of the tunnel VC. Cells that reach the next
/// link through other channels have their own turns, before or after. Channel numbers can express only one order, so in
/// this case the tunnel VC is evaluated cell by cell.
fn tunnels_keep_turns(facts: &Facts, decided: &mut Decided, laid: &Laid) -> bool {
    let mut inputs = vec![0; laid.filled.len()];
    for course in &laid.courses {
        if let Some(stage) = course.stage() {
            inputs[stage as usize] += 1;
        }
    }
    let mut keeps = true;
    for course in &laid.courses {
        let (Origin::Source(direction), Some(stage)) = (course.origin, course.stage()) else {
            continue;
        };
        let direction = direction as usize;
        // The cells of a single input have one order, whoever brought them.
        let is_shared = inputs[stage as usize] > 1;
        let carries = facts.sources[direction].is_tunnel;
        if carries && is_shared && decided.per_cell[direction].is_none() {
            decided.per_cell[direction] = Some(Why::SharesLink);
            keeps = false;
        }
    }
    keeps
}

/// Whether two cells may leave a link at one instant.
fn can_coincide(facts: &Facts, laid: &Laid, link: usize) -> bool {
    // Where the delay varies, a cell with a short one waits for the one before it: both arrive together.
    if facts.links[link].is_disturbed {
        return true;
    }
    // A line sends one cell at a time.
    if facts.links[link].line.is_some() {
        return false;
    }
    // Cells that arrive over one rated link through a single channel do not leave a mere delay together, either.
    let leads_here = |course: &&Course| course.stage() == Some(link as u32);
    let mut courses = laid.courses.iter().filter(leads_here);
    let (Some(course), None) = (courses.next(), courses.next()) else {
        return true;
    };
    // A source may send several cells at one instant.
    let Origin::Link(before) = course.origin else {
        return true;
    };
    let before = &facts.links[before as usize];
    let is_rated = before.line.is_some() && !before.is_disturbed;
    let crossings = facts.crossings[link] as usize;
    let mut crossing = course.ends.iter().map(|&end| end as usize);
    !is_rated || course.ends.len() < crossings || crossing.any(|hop| facts.is_entrance[hop])
}
