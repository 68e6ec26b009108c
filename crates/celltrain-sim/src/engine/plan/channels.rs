//! The channels of a network: from where cells leave to where they are looked at next.

use celltrain_proto::units::Span;

use crate::engine::link::Line;
use crate::engine::plan::reach::Reach;
use crate::engine::plan::stages::Stages;
use crate::engine::state::mode::Mode;
use crate::engine::trains::channel::{Bypassed, Channel, Destination, Origin};

impl Stages<'_, '_> {
    /// Lays the channels of all directions.
    pub(in crate::engine::plan) fn lay(&mut self) {
        let ports = self.links.len() + self.tunnels.len();
        self.filled = vec![Vec::new(); ports];
        for direction in 0..self.ways.len() {
            let (first, end) = self.ways[direction];
            if first == end {
                continue;
            }
            self.lay_direction(direction, first, end);
        }
    }

    /// Lays the channels of a direction, whose hops are those from `first` up to `end`.
    fn lay_direction(&mut self, direction: usize, first: usize, end: usize) {
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
                reach.bypassed.is_empty() && matches!(start, Some((Origin::Source(_), _)));
            let is_entered = self.is_probed[link]
                || self.must_enter[link]
                || is_first && self.crossings[link] > 1;
            let is_delay = self.modes[link] == Mode::Delay && !is_entered;
            if is_transparent {
                reach.transparent.push(link);
                // What crosses it is counted as it does.
                is_blocked |= self.is_probed[link];
            } else if start.is_some() && !is_blocked && (is_delay || self.is_bypassed[link]) {
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
                let is_lazy = !self.modes[link].is_per_cell();
                start = is_lazy.then_some((Origin::Link(link as u32), hop));
                reach = Reach {
                    delay: if is_lazy { delay } else { Span::ZERO },
                    ..Reach::default()
                };
                is_blocked = false;
            }
            is_blocked |= self.hops[hop].has_actions();
            if let Some(tunnel) = self.hops[hop].taken_up() {
                let port = self.sources[tunnel as usize].port;
                // Cells that leave a lazy link need a channel even where the router takes them up one by one.
                let to = |input| match port {
                    Some(link) => Destination::Link { link, input },
                    None => Destination::Node,
                };
                self.connect(start, &reach, hop + 1, to);
                start = port.map(|_| (Origin::Source(tunnel), hop + 1));
                reach = Reach::default();
                is_blocked = false;
            }
        }
        let to = self.end_of(direction, first, end);
        self.connect(start, &reach, end, |_| to);
    }

    /// Where the cells of a direction come to their end.
    fn end_of(&self, direction: usize, first: usize, end: usize) -> Destination {
        // RM cells of a local loop come to the end of the direction that they entered, whatever its source sends.
        let shows = self.hops[first..end].iter().any(|hop| hop.shows_each)
            || self.is_entrance[first..end].contains(&true);
        if self.sources[direction].is_process() && !shows {
            Destination::Counters
        } else {
            Destination::Sink(direction as u32)
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
        let bypassed: Box<[Bypassed]> = reach
            .bypassed
            .iter()
            .map(|bypassed| Bypassed {
                link: bypassed.link,
                hops_before: (to - from) as u32
                    - bypassed.place
                    - u32::from(matches!(origin, Origin::Link(_))),
                to_end: reach.delay - bypassed.since,
                transmission: bypassed.transmission,
            })
            .collect();
        let transparent = reach.transparent.len() as u32;
        let same = |channel: &Channel| {
            channel.origin == origin
                && channel.bypassed == bypassed
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
                bypassed.clone(),
                transparent,
            ));
            self.channels.len() - 1
        });
        self.channels[channel].ends.push(to as u32);
        self.lead(origin, from, channel as u32, (to - from) as u32);
    }

    /// Cells that leave an origin at hop number `from` go into this channel, so many hops `ahead`.
    fn lead(&mut self, origin: Origin, from: usize, channel: u32, ahead: u32) {
        match origin {
            Origin::Source(direction) if from == self.ways[direction as usize].0 => {
                self.sources[direction as usize].way = Some((channel, ahead));
            }
            Origin::Source(_) => {
                if let Some(actions) = &mut self.hops[from - 1].actions {
                    actions.resumes = (channel, ahead);
                }
            }
            Origin::Link(_) => {
                self.hops[from].channel = channel;
                self.hops[from].ahead = ahead;
            }
        }
    }
}
