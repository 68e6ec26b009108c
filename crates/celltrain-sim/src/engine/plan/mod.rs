//! Which links are evaluated lazily, and the channels between sources, links and sinks.

mod circles;
pub(in crate::engine) mod coincide;
mod groups;
mod order;
mod reach;

use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::{Span, Time};

use crate::engine::build::hop::Ways;
use crate::engine::link::{Line, Link, Passage};
use crate::engine::plan::order::{find_feeders, order, ports, sort};
use crate::engine::plan::reach::Reach;
use crate::engine::source::{Pace, Source};
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::Hop;
use crate::engine::trains::port::{Port, Treatment};
use crate::engine::trains::train::{Channel, Destination, Leapt, Origin};
use crate::network::Network;

pub(in crate::engine) use crate::engine::plan::coincide::Plain;

/// Lazy evaluation of a network.
pub(in crate::engine) struct Layout {
    pub(in crate::engine) ports: Vec<Port>,
    pub(in crate::engine) channels: Vec<Channel>,
    /// Links and channels in the order in which they act at one instant.
    pub(in crate::engine) timed: Vec<Timed>,
    /// After so long everything is brought up to date.
    pub(in crate::engine) chunk: Span,
}

/// An actor behind the sources and virtual ends.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Timed {
    Link(u32),
    Channel(u32),
    /// What comes to the port of a source that carries cells of other VCs.
    Port(u32),
}

/// A port without inputs.
pub(in crate::engine) fn port(treatment: Treatment) -> Port {
    Port::new(treatment, Box::default(), Box::default(), Span::ZERO)
}

/// Links are evaluated lazily where nothing needs to see each of their cells.
pub(in crate::engine) fn lazy(
    network: &Network,
    ways: &Ways,
    hops: &mut [Hop],
    links: &mut [Link],
    sources: &mut ByDirection<Source>,
    by_cell: &Plain,
) -> Layout {
    let mut plan = Plan::new(network, ways, hops, links, sources, by_cell);
    let chunk = plan.break_rounds();
    loop {
        plan.find_leapt();
        plan.mark();
        plan.lay();
        if plan.keeps_order() {
            break;
        }
        plan.clear();
    }
    plan.note_leapt();
    let Plan {
        mut treatments,
        mut channels,
        hops,
        sources,
        carriers,
        watched,
        ..
    } = plan;
    sort(&mut channels, hops, sources, links);
    let carriers = carriers.into_iter().map(Treatment::Carrier);
    treatments.extend(carriers);
    groups::gather(&mut channels, hops, sources, &treatments);
    let timed = order(&channels, &treatments, links);
    let mut ports = ports(&mut channels, &treatments, links, network);
    for link in watched {
        ports[link].turns.watch();
    }
    find_feeders(&mut channels, hops, &mut ports);
    for (link, treatment) in links.iter_mut().zip(&treatments) {
        if !matches!(treatment, Treatment::Each | Treatment::Leapt) {
            link.passage = Passage::Lazy;
        }
        let Some(line) = &mut link.line else { continue };
        match treatment {
            Treatment::Whole => line.be_first_come(),
            Treatment::Strict => line.be_strict(),
            Treatment::Varying => line.be_varying(),
            _ => {}
        }
    }
    for (number, port) in ports.iter_mut().enumerate() {
        let link = links.get(number);
        port.crowd = groups::crowd(port, &channels, hops, sources, link);
    }
    Layout {
        ports,
        channels,
        timed,
        chunk,
    }
}

struct Plan<'a, 'l> {
    network: &'a Network,
    hops: &'a mut [Hop],
    links: &'l [Link],
    sources: &'a mut ByDirection<Source>,
    treatments: Vec<Treatment>,
    /// By link: how many directions cross it.
    crossings: Vec<u32>,
    /// By link: whether a probe looks at it.
    is_probed: Vec<bool>,
    /// By link: whether it is rated and yet never holds up a cell.
    is_leapt: Vec<bool>,
    /// By link: whether cells are looked at as they enter, and whether others leap over it.
    is_entered: Vec<bool>,
    is_passed: Vec<bool>,
    /// By link: whether no channel may leap over it.
    must_enter: Vec<bool>,
    /// By direction: whether its source, which carries others, sends cell by cell.
    is_eager: Vec<bool>,
    /// The links of which it is watched that cells stay in order, and those that are evaluated cell by cell instead.
    watched: Vec<usize>,
    plain: &'a Plain,
    /// By hop: whether cells can enter its link that did not come over the hop before.
    is_entrance: Vec<bool>,
    /// By direction: its first hop and the one behind its last.
    ways: Vec<(usize, usize)>,
    channels: Vec<Channel>,
    /// By port: the channels that it fills.
    filled: Vec<Vec<usize>>,
    /// Sources that carry cells of other VCs and are evaluated lazily.
    carriers: Vec<u32>,
}

impl<'a, 'l> Plan<'a, 'l> {
    fn new(
        network: &'a Network,
        ways: &Ways,
        hops: &'a mut [Hop],
        links: &'l [Link],
        sources: &'a mut ByDirection<Source>,
        plain: &'a Plain,
    ) -> Self {
        let mut is_entrance = vec![false; hops.len() + 1];
        for (index, hop) in hops.iter().enumerate() {
            if let Some(back) = hop.turn_round() {
                is_entrance[back as usize] = true;
            }
            is_entrance[index + 1] |= hop.virtual_end().is_some();
        }
        let mut crossings = vec![0; links.len()];
        for hop in hops.iter() {
            crossings[hop.link as usize] += 1;
        }
        let ways = (0..ways.len()).map(|direction| ways.of(direction));
        let ways: Vec<_> = ways.map(|way| (way.start, way.end)).collect();
        let channels = Vec::with_capacity(hops.len());
        Self {
            network,
            treatments: links.iter().map(treatment).collect(),
            crossings,
            is_probed: network.probed_links(),
            is_leapt: vec![false; links.len()],
            is_entered: vec![false; links.len()],
            is_passed: vec![false; links.len()],
            must_enter: vec![false; links.len()],
            is_eager: vec![false; sources.directions()],
            watched: Vec::new(),
            plain,
            hops,
            links,
            sources,
            is_entrance,
            ways,
            channels,
            filled: Vec::new(),
            carriers: Vec::new(),
        }
    }

    fn link(&self, hop: usize) -> usize {
        self.hops[hop].link as usize
    }

    /// Finds rated links that cells reach no faster than they leave: those behind a slower or equal one.
    fn find_leapt(&mut self) {
        let mut crossing = vec![Vec::new(); self.links.len()];
        for hop in 0..self.hops.len() {
            crossing[self.link(hop)].push(hop);
        }
        for (link, crossing) in crossing.into_iter().enumerate() {
            // A switch algorithm measures its load, and a discard judges frames, even where no cell waits.
            let line = self.links[link].line.as_ref();
            let is_more = line.is_some_and(|line| line.control.is_some() || line.managed.is_some());
            if self.treatments[link] != Treatment::Whole || self.is_probed[link] || is_more {
                continue;
            }
            let mut before = crossing.into_iter().map(|hop| self.before(hop));
            let Some(Some(first)) = before.next() else {
                continue;
            };
            if before.all(|other| other.as_ref() == Some(&first)) && self.is_slower(&first, link) {
                self.is_leapt[link] = true;
            }
        }
    }

    /// Where the cells of a hop come from, and the delays on the way; `None` if something happens to them on
    /// the way.
    fn before(&self, hop: usize) -> Option<(Origin, Vec<usize>)> {
        let direction = self.hops[hop].direction as usize;
        let mut delays = Vec::new();
        let mut at = hop;
        loop {
            if self.is_entrance[at] {
                return None;
            }
            if at == self.ways[direction].0 {
                return Some((Origin::Source(direction as u32), delays));
            }
            at -= 1;
            if self.hops[at].has_actions() {
                return None;
            }
            let link = self.link(at);
            if self.links[link].is_transparent() {
                if self.is_probed[link] {
                    return None;
                }
                continue;
            }
            if self.treatments[link] != Treatment::Delay {
                return Some((Origin::Link(link as u32), delays));
            }
            delays.push(link);
        }
    }

    /// Whether cells come from there no closer to each other than the link serves them.
    fn is_slower(&self, (origin, _): &(Origin, Vec<usize>), link: usize) -> bool {
        let Some(served) = &self.links[link].line else {
            return false;
        };
        let shortest = match *origin {
            Origin::Link(origin) => {
                let origin = origin as usize;
                let treatment = self.treatments[origin];
                let is_lazy = treatment == Treatment::Whole || treatment.keeps_cells();
                let queue = self.network.links[origin].line.as_ref();
                match queue.filter(|_| is_lazy && !self.links[origin].is_disturbed()) {
                    Some(queue) => queue.rate.range().high.cell_time(),
                    None => return false,
                }
            }
            Origin::Source(direction) => match &self.sources[direction as usize].pace {
                Pace::Ubr { gap } => *gap,
                _ => return false,
            },
        };
        shortest >= served.cell_time()
    }

    /// Finds the hops whose cells must be seen one by one as they arrive, and the sources that are lazy.
    fn mark(&mut self) {
        // Carriers are lazy unless something shows up that needs to see what they send cell by cell; then all
        // that comes to them is shown, too, which other carriers may send.
        for direction in 0..self.sources.directions() {
            let source = &mut self.sources[direction];
            source.is_lazy = source.gfc.is_none() && !self.is_eager[direction];
        }
        while self.mark_once() {}
        for direction in 0..self.sources.directions() {
            let source = &mut self.sources[direction];
            if source.is_lazy && source.carries() {
                let port = (self.links.len() + self.carriers.len()) as u32;
                source.port = Some(port);
                self.carriers.push(direction as u32);
            }
        }
    }

    /// Marks hops and sources; whether a source turned out not to be lazy.
    fn mark_once(&mut self) -> bool {
        let mut has_changed = false;
        for (direction, &(first, end)) in self.ways.iter().enumerate() {
            let mut shows_each = self.sources[direction ^ 1].gfc.is_some();
            for hop in (first..end).rev() {
                let entry = &mut self.hops[hop];
                if let Some(carrier) = entry.taken_up() {
                    // What it sends goes on here.
                    let carrier = &mut self.sources[carrier as usize];
                    has_changed |= shows_each && carrier.is_lazy;
                    carrier.is_lazy &= !shows_each;
                    shows_each = !carrier.is_lazy;
                }
                shows_each |= entry.actions.as_ref().is_some_and(|actions| {
                    actions.gfc.is_some()
                        || actions.policer.is_some()
                        || actions.credit.is_some()
                        || actions.virtual_end.is_some()
                });
                let link = entry.link as usize;
                // A probe counts the cells that cross a link in no time.
                shows_each |= self.is_probed[link] && self.links[link].is_transparent();
                entry.shows_each = shows_each;
                shows_each |=
                    self.treatments[link] == Treatment::Each && !self.links[link].is_transparent();
            }
            let source = &mut self.sources[direction];
            has_changed |= shows_each && source.is_lazy;
            source.is_lazy &= !shows_each;
        }
        has_changed
    }

    /// Lays the channels of all directions.
    fn lay(&mut self) {
        let ports = self.links.len() + self.carriers.len();
        self.filled = vec![Vec::new(); ports];
        for direction in 0..self.ways.len() {
            let (first, end) = self.ways[direction];
            if first == end {
                continue;
            }
            let mut start = Some((Origin::Source(direction as u32), first));
            let mut reach = Reach::default();
            let mut is_blocked = false;
            for hop in first..end {
                let link = self.link(hop);
                let delay = self.links[link].delay();
                is_blocked |= self.is_entrance[hop];
                let is_transparent = self.links[link].is_transparent();
                // A source can be woken at the very instant at which another one sends: which cell comes first
                // is seen where the first shared link begins.
                let is_first =
                    reach.leapt.is_empty() && matches!(start, Some((Origin::Source(_), _)));
                let is_entered = self.is_probed[link]
                    || self.must_enter[link]
                    || is_first && self.crossings[link] > 1;
                let is_delay = self.treatments[link] == Treatment::Delay && !is_entered;
                if is_transparent {
                    reach.transparent.push(link);
                    // What crosses it is counted as it does.
                    is_blocked |= self.is_probed[link];
                } else if start.is_some() && !is_blocked && (is_delay || self.is_leapt[link]) {
                    let rated = self.links[link].line.as_ref();
                    let transmission = rated.map_or(Span::ZERO, Line::cell_time);
                    self.is_passed[link] = true;
                    reach.leap(link, transmission, delay);
                } else {
                    self.is_entered[link] = true;
                    self.connect(start, &reach, hop, |input| Destination::Link {
                        link: link as u32,
                        input,
                    });
                    let is_lazy = self.treatments[link] != Treatment::Each;
                    start = is_lazy.then_some((Origin::Link(link as u32), hop));
                    reach = Reach {
                        delay: if is_lazy { delay } else { Span::ZERO },
                        ..Reach::default()
                    };
                    is_blocked = false;
                }
                is_blocked |= self.hops[hop].has_actions();
                if let Some(carrier) = self.hops[hop].taken_up() {
                    let port = self.sources[carrier as usize].port;
                    // Cells that leave a lazy link need a channel even where the router takes them up one by one.
                    let to = |input| match port {
                        Some(link) => Destination::Link { link, input },
                        None => Destination::Node,
                    };
                    self.connect(start, &reach, hop + 1, to);
                    start = port.map(|_| (Origin::Source(carrier), hop + 1));
                    reach = Reach::default();
                    is_blocked = false;
                }
            }
            // RM cells of a local loop come to the end of the direction that they entered, whatever its source sends.
            let shows = self.hops[first..end].iter().any(|hop| hop.shows_each)
                || self.is_entrance[first..end].contains(&true);
            let to = if self.sources[direction].is_process() && !shows {
                Destination::Counters
            } else {
                Destination::Sink(direction as u32)
            };
            self.connect(start, &reach, end, |_| to);
        }
    }

    /// Notes the links that all directions leap over: queues that hold up no cell, and mere delays.
    fn note_leapt(&mut self) {
        for (link, treatment) in self.treatments.iter_mut().enumerate() {
            if self.is_leapt[link] || *treatment == Treatment::Delay && !self.is_entered[link] {
                *treatment = Treatment::Leapt;
            }
        }
    }

    /// The channel from the start of a stretch of a direction to hop number `to`.
    fn connect(
        &mut self,
        start: Option<(Origin, usize)>,
        reach: &Reach,
        to: usize,
        destination: impl Fn(u32) -> Destination,
    ) {
        let Some((origin, from)) = start else { return };
        let leapt: Box<[Leapt]> = reach
            .leapt
            .iter()
            .map(|leapt| Leapt {
                link: leapt.link,
                hops_before: (to - from) as u32
                    - leapt.place
                    - u32::from(matches!(origin, Origin::Link(_))),
                to_end: reach.delay - leapt.since,
                transmission: leapt.transmission,
            })
            .collect();
        let transparent = reach.transparent.len() as u32;
        let same = |channel: &Channel| {
            channel.origin == origin
                && channel.leapt == leapt
                && channel.transparent == transparent
                && match (channel.destination, destination(0)) {
                    (Destination::Link { link: a, .. }, Destination::Link { link: b, .. }) => {
                        a == b
                    }
                    (one, other) => one == other,
                }
        };
        let port = match origin {
            Origin::Link(link) => Some(link),
            Origin::Source(direction) => self.sources[direction as usize].port,
        };
        // A source that carries no others fills one alone.
        let mut filled = port.map(|port| &mut self.filled[port as usize]);
        let known = filled.as_ref().and_then(|filled| {
            let mut filled = filled.iter().copied();
            filled.find(|&it| same(&self.channels[it]))
        });
        let channel = known.unwrap_or_else(|| {
            if let Some(filled) = &mut filled {
                filled.push(self.channels.len());
            }
            self.channels.push(Channel::new(
                origin,
                destination(0),
                reach.delay,
                leapt.clone(),
                transparent,
            ));
            self.channels.len() - 1
        });
        self.channels[channel].ends.push(to as u32);
        let ahead = (to - from) as u32;
        match origin {
            Origin::Source(direction) if from == self.ways[direction as usize].0 => {
                self.sources[direction as usize].way = Some((channel as u32, ahead));
            }
            Origin::Source(_) => {
                if let Some(actions) = &mut self.hops[from - 1].actions {
                    actions.resumes = (channel as u32, ahead);
                }
            }
            Origin::Link(_) => {
                self.hops[from].channel = channel as u32;
                self.hops[from].ahead = ahead;
            }
        }
    }
}

fn treatment(link: &Link) -> Treatment {
    if link.loss.is_some() || link.grants_credits() {
        return Treatment::Each;
    }
    let Some(rated) = &link.line else {
        return match (link.is_transparent(), link.is_disturbed()) {
            (true, _) => Treatment::Each,
            (false, true) => Treatment::OneByOne,
            (false, false) => Treatment::Delay,
        };
    };
    let takes_credits = rated
        .managed
        .as_ref()
        .is_some_and(|managed| managed.takes_credits());
    if rated.gfc.is_some() || takes_credits {
        return Treatment::Each;
    }
    let watches = rated
        .control
        .as_ref()
        .is_some_and(|control| control.is_followed || control.algorithm.follows_departures());
    if watches || link.is_disturbed() {
        Treatment::OneByOne
    } else if !rated.is_constant() {
        if rated.is_plain() {
            Treatment::Varying
        } else {
            Treatment::OneByOne
        }
    } else if rated.is_first_come() {
        Treatment::Whole
    } else if rated.strict_queue().is_some() {
        Treatment::Strict
    } else {
        Treatment::OneByOne
    }
}

/// The first instant at which that happens.
pub(in crate::engine) fn first_chunk(layout: &Layout) -> Time {
    if layout.channels.is_empty() {
        Time::NEVER
    } else {
        Time::ZERO + layout.chunk
    }
}
