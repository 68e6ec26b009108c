//! Cells that leave a link at one instant: the order in which they came to it must not get lost.
//!
//! The cells of a rated link leave one after the other. Those of a mere delay leave at the instants at which they came, a
//! delay later, and jitter can make cells arrive together that left one after the other: the one that drew a short delay
//! waits for the one before it. Such a link keeps the order of its cells within a channel, but cells in different
//! channels take turns at one instant by the numbers of these. So a link that fills several channels is watched
//! ([`Turns`](crate::engine::trains::port::Turns)): where cells leave it at one instant in another order than that of their
//! channels, the run begins anew, and evaluates the link cell by cell.

use celltrain_proto::units::Span;

use crate::engine::plan::stages::Stages;
use crate::engine::state::mode::{Mode, Why};
use crate::engine::trains::channel::{Channel, Destination, Origin};

impl Stages<'_, '_> {
    /// Whether cells that leave a link at one instant stay in order, or the link is watched. Where that is not so, links
    /// are to be treated in another way from now on, and the channels must be laid anew.
    pub(in crate::engine) fn keeps_order(&mut self) -> bool {
        let mut keeps = true;
        for link in 0..self.links.len() {
            // Those that bypass a mere delay would take turns with those that enter it by the links before it, which
            // the latter have forgotten.
            let is_mixed = self.is_entered[link] && self.is_passed[link];
            if is_mixed && self.modes[link] == Mode::Delay {
                self.must_enter[link] = true;
                keeps = false;
            }
        }
        keeps &= self.tunnels_look_ahead() & self.tunnels_keep_turns();
        if !keeps {
            return false;
        }
        self.watched.clear();
        for link in 0..self.links.len() {
            let filled = self.filled[link].iter().map(|&it| &self.channels[it]);
            // The order of cells that are only counted makes no difference.
            let channels = filled.filter(|it| it.destination != Destination::Counters);
            if channels.count() < 2 || !self.can_coincide(link) {
                continue;
            }
            if self.plain.contains(link) {
                self.evaluate(link, Mode::PerCell, Why::OrderLost);
                keeps = false;
            } else {
                self.watched.push(link);
            }
        }
        keeps
    }

    /// Whether it is known before an instant which cells come to a tunnel VC then. Behind a link or another tunnel VC that may
    /// let cells pass in no time it is not: whoever acts later at that instant can bring one, and the tunnel VC would have
    /// to be looked at again and again.
    fn tunnels_look_ahead(&mut self) -> bool {
        let mut found = Vec::new();
        for channel in &self.channels {
            let leads_to_tunnel = matches!(
                channel.destination,
                Destination::Link { link, .. } if link as usize >= self.links.len()
            );
            if leads_to_tunnel && channel.delay == Span::ZERO {
                found.push(channel.origin);
            }
        }
        let mut looks = true;
        for origin in found {
            match origin {
                Origin::Link(link) if !self.modes[link as usize].takes_time() => {
                    self.evaluate(link as usize, Mode::PerCell, Why::BeforeTunnel);
                    looks = false;
                }
                Origin::Source(direction) if self.sources[direction as usize].carries() => {
                    self.eager[direction as usize] = Some(Why::BeforeTunnel);
                    looks = false;
                }
                _ => {}
            }
        }
        looks
    }

    /// Whether tunnel VCs that let cells pass at once keep their turn. What comes to an idle tunnel VC goes on at that instant,
    /// in the turn of whoever brought it, and not in that of the tunnel VC. Where cells come to the same link by other
    /// channels, these have turns of their own, before or after. The numbers of the channels tell only one order, so there
    /// the tunnel VC goes cell by cell.
    fn tunnels_keep_turns(&mut self) -> bool {
        let mut inputs = vec![0; self.filled.len()];
        for channel in &self.channels {
            if let Destination::Link { link, .. } = channel.destination {
                inputs[link as usize] += 1;
            }
        }
        let mut keeps = true;
        for channel in &self.channels {
            let (Origin::Source(direction), Destination::Link { link, .. }) =
                (channel.origin, channel.destination)
            else {
                continue;
            };
            let direction = direction as usize;
            let is_shared = inputs[link as usize] > 1;
            if self.sources[direction].carries() && is_shared && self.eager[direction].is_none() {
                self.eager[direction] = Some(Why::SharesLink);
                keeps = false;
            }
        }
        keeps
    }

    /// Whether two cells may leave a link at one instant.
    fn can_coincide(&self, link: usize) -> bool {
        if self.links[link].is_disturbed() {
            return true;
        }
        if self.links[link].line.is_some() {
            return false;
        }
        // Nor do they leave a mere delay together that come over one rated link, all by one channel.
        let leads_here = |channel: &&Channel| matches!(channel.destination, Destination::Link { link: to, .. } if to as usize == link);
        let mut channels = self.channels.iter().filter(leads_here);
        let (Some(channel), None) = (channels.next(), channels.next()) else {
            return true;
        };
        let Origin::Link(before) = channel.origin else {
            return true;
        };
        let before = &self.links[before as usize];
        let is_rated = before.line.is_some() && !before.is_disturbed();
        let crossings = self.crossings[link] as usize;
        let mut crossing = channel.ends.iter().map(|&end| end as usize);
        !is_rated || channel.ends.len() < crossings || crossing.any(|hop| self.is_entrance[hop])
    }

    /// Forgets the channels that have been laid.
    pub(in crate::engine) fn clear(&mut self) {
        self.channels.clear();
        self.tunnels.clear();
        for of_link in [
            &mut self.is_bypassed,
            &mut self.is_entered,
            &mut self.is_passed,
        ] {
            of_link.fill(false);
        }
        for hop in &mut *self.hops {
            (hop.channel, hop.ahead) = (0, 0);
            if let Some(actions) = &mut hop.actions {
                actions.resumes = (0, 0);
            }
        }
        for source in self.sources.iter_mut() {
            (source.way, source.port) = (None, None);
        }
    }
}
