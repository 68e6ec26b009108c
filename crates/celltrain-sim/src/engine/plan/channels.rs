//! The channels of a network: from where cells leave to where something inspects them next.

use std::collections::BTreeMap;

use celltrain_proto::units::Span;

use crate::engine::plan::bypassed::IsBypassed;
use crate::engine::plan::decided::Decided;
use crate::engine::plan::facts::Facts;
use crate::engine::plan::reach::Reach;
use crate::engine::plan::shown::ShownHops;
use crate::engine::plan::value::Lead;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::mode::Mode;
use crate::engine::trains::channel::{Bypassed, Course, Destination, Origin};

/// The channels of all directions, and where links, tunnel VCs and sources put their cells.
pub(super) struct Laid {
    pub(super) courses: Vec<Course>,
    /// By hop: where cells go from its link, if that is evaluated in trains.
    pub(super) leads: Vec<Option<Lead>>,
    /// By hop: where cells go from the tunnel VC that takes them up downstream of it.
    pub(super) resumes: BTreeMap<u32, Lead>,
    /// Where the cells of sources go.
    pub(super) ways: ByDirection<Option<Lead>>,
    /// By stage: the channels that it fills.
    pub(super) filled: Vec<Vec<usize>>,
    /// By link: whether it is entered, so that something inspects its cells; below, whether channels bypass it.
    pub(super) is_entered: Vec<bool>,
    pub(super) is_passed: Vec<bool>,
}

/// The state while channels are laid.
struct Laying<'a> {
    facts: &'a Facts<'a>,
    decided: &'a Decided,
    is_bypassed: &'a IsBypassed,
    shown: &'a ShownHops,
    laid: Laid,
}

/// Lays the channels of all directions.
pub(super) fn lay(
    facts: &Facts,
    decided: &Decided,
    is_bypassed: &IsBypassed,
    shown: &ShownHops,
) -> Laid {
    let links = facts.links.len();
    let laid = Laid {
        courses: Vec::with_capacity(facts.hops.len()),
        leads: vec![None; facts.hops.len()],
        resumes: BTreeMap::new(),
        ways: facts.by_direction(|_| None),
        filled: vec![Vec::new(); links + shown.tunnels.len()],
        is_entered: vec![false; links],
        is_passed: vec![false; links],
    };
    let mut laying = Laying {
        facts,
        decided,
        is_bypassed,
        shown,
        laid,
    };
    for direction in facts.directions() {
        if !facts.way(direction).is_empty() {
            laying.lay_direction(direction);
        }
    }
    laying.laid
}

/// The start of a stretch of a direction: where its cells leave, and their first hop after that.
type Start = Option<(Origin, usize)>;

impl Laying<'_> {
    /// Lays the channels of a direction.
    fn lay_direction(&mut self, direction: usize) {
        let facts = self.facts;
        let way = facts.way(direction);
        let mut start = Some((Origin::Source(direction as u32), way.start));
        let mut reach = Reach::default();
        let mut is_blocked = false;
        for hop in way.clone() {
            let link = facts.link_of(hop);
            // What enters here came through no channel, and so would be missing in the counts that follow from one.
            is_blocked |= facts.is_entrance[hop];
            if facts.links[link].is_transparent {
                reach.transparent.push(link);
                // A probe counts cells as they cross the link, by events.
                is_blocked |= facts.is_probed[link];
            } else if start.is_some() && !is_blocked && self.is_passed_over(link, start, &reach) {
                // An origin that is evaluated cell by cell would have no channel to count the cells here.
                let rated = facts.links[link].line.as_ref();
                let transmission = rated.map_or(Span::ZERO, |line| line.cell_time);
                self.laid.is_passed[link] = true;
                reach.bypass(link, transmission, facts.links[link].delay);
            } else {
                start = self.enter(start, &reach, hop);
                let is_lazy = start.is_some();
                let delay = facts.links[link].delay;
                reach = Reach {
                    delay: if is_lazy { delay } else { Span::ZERO },
                    ..Reach::default()
                };
                is_blocked = false;
            }
            // A node that acts on cells must get them at its own instant, so the channel ends at the next link.
            is_blocked |= facts.hops[hop].has_actions();
            if let Some(tunnel) = facts.hops[hop].entered_tunnel() {
                start = self.enter_tunnel(start, &reach, hop, tunnel);
                reach = Reach::default();
                is_blocked = false;
            }
        }
        let to = self.end_of(direction);
        self.connect(start, &reach, way.end, |_| to);
    }

    /// Whether a stretch that nothing blocks passes over a link: one that never holds up a cell, or a mere delay that
    /// need not be entered.
    fn is_passed_over(&self, link: usize, start: Start, reach: &Reach) -> bool {
        // A source can be woken at the instant at which another one sends: which cell comes first is decided at the start
        // of the first shared link.
        let is_first = reach.bypassed.is_empty() && matches!(start, Some((Origin::Source(_), _)));
        let is_entered = self.facts.is_probed[link]
            || self.decided.must_enter[link]
            || is_first && self.facts.crossings[link] > 1;
        self.decided.mode(link) == Mode::Delay && !is_entered || self.is_bypassed[link]
    }

    /// Ends a stretch at the link of a hop; returns the start of the next one if the link is evaluated in trains.
    fn enter(&mut self, start: Start, reach: &Reach, hop: usize) -> Start {
        let link = self.facts.link_of(hop);
        self.laid.is_entered[link] = true;
        let link = link as u32;
        self.connect(start, reach, hop, |input| Destination::Link { link, input });
        let is_lazy = !self.decided.mode(link as usize).is_per_cell();
        is_lazy.then_some((Origin::Link(link), hop))
    }

    /// Ends a stretch downstream of a hop, where a tunnel VC takes up its cells; returns the start of the next one if the
    /// tunnel VC is evaluated in trains.
    fn enter_tunnel(&mut self, start: Start, reach: &Reach, hop: usize, tunnel: u32) -> Start {
        let port = self.shown.tunnels.get(&tunnel).copied();
        // Cells that leave a lazy link need a channel even if the router takes them up one by one.
        let to = |input| match port {
            Some(link) => Destination::Link { link, input },
            None => Destination::Node,
        };
        self.connect(start, reach, hop + 1, to);
        port.map(|_| (Origin::Source(tunnel), hop + 1))
    }

    /// Where the cells of a direction end.
    fn end_of(&self, direction: usize) -> Destination {
        let way = self.facts.way(direction);
        // RM cells of a local loop arrive at the end of the direction that they enter, whatever its source sends.
        let shows = self.shown.shows_each[way.clone()].contains(&true)
            || self.facts.is_entrance[way].contains(&true);
        // The end measures the delay of each cell of a timed source.
        let source = &self.facts.sources[direction];
        if source.is_process && !source.is_timed && !shows {
            Destination::Counters
        } else {
            Destination::Sink(direction as u32)
        }
    }

    /// Lays the channel from the start of a stretch of a direction to hop number `to`.
    fn connect(
        &mut self,
        start: Start,
        reach: &Reach,
        to: usize,
        destination: impl Fn(u32) -> Destination,
    ) {
        let Some((origin, from)) = start else { return };
        let hops = (to - from) as u32;
        let course = Course::new(
            origin,
            destination(0),
            reach.delay,
            bypassed(origin, reach, hops),
            reach.transparent.len() as u32,
        );
        let port = match origin {
            Origin::Link(link) => Some(link),
            Origin::Source(direction) => self.shown.tunnels.get(&direction).copied(),
        };
        let Laid {
            courses, filled, ..
        } = &mut self.laid;
        // A source that is not a tunnel VC fills only one channel.
        let mut filled = port.map(|port| &mut filled[port as usize]);
        let known = filled.as_ref().and_then(|filled| {
            let mut filled = filled.iter().copied();
            filled.find(|&it| is_same(&courses[it], &course))
        });
        let channel = known.unwrap_or_else(|| {
            if let Some(filled) = &mut filled {
                filled.push(courses.len());
            }
            courses.push(course);
            courses.len() - 1
        });
        courses[channel].ends.push(to as u32);
        let channel = channel as u32;
        self.lead(origin, from, Lead { channel, hops });
    }

    /// Notes where the cells that leave an origin at hop number `from` go.
    fn lead(&mut self, origin: Origin, from: usize, lead: Lead) {
        match origin {
            Origin::Source(direction) if from == self.facts.way(direction as usize).start => {
                self.laid.ways[direction as usize] = Some(lead);
            }
            Origin::Source(_) => {
                self.laid.resumes.insert(from as u32 - 1, lead);
            }
            Origin::Link(_) => self.laid.leads[from] = Some(lead),
        }
    }
}

/// The links bypassed by a channel that leads `hops` hops downstream from an origin.
fn bypassed(origin: Origin, reach: &Reach, hops: u32) -> Box<[Bypassed]> {
    let own = u32::from(matches!(origin, Origin::Link(_)));
    let bypassed = reach.bypassed.iter().map(|bypassed| Bypassed {
        link: bypassed.link,
        hops_before: hops - bypassed.place - own,
        to_end: reach.delay - bypassed.since,
        transmission: bypassed.transmission,
    });
    bypassed.collect()
}

/// Whether two directions share a channel from one origin: over the same links and to the same place.
fn is_same(one: &Course, other: &Course) -> bool {
    one.origin == other.origin
        && one.bypassed == other.bypassed
        && one.transparent == other.transparent
        && match (one.destination, other.destination) {
            (Destination::Link { link: a, .. }, Destination::Link { link: b, .. }) => a == b,
            (one, other) => one == other,
        }
}
