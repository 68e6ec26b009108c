//! The parts of a network, between which nothing passes, take turns: each runs up to the end before the next one does.

use celltrain_proto::units::Time;

use super::crowd::Member;
use super::flow::FlowKind;
use super::lazy::{STEP, minus};
use super::train::Destination;
use super::{Simulation, Stop};

/// What belongs to a part, by number; of the last three nothing in a network that is evaluated cell by cell.
#[derive(Clone, Default, Debug)]
pub(super) struct Part {
    pub(super) flows: Vec<u32>,
    pub(super) links: Vec<u32>,
    pub(super) directions: Vec<u32>,
    pub(super) ports: Vec<u32>,
    pub(super) channels: Vec<u32>,
}

impl Part {
    /// What belongs to any of these parts.
    fn of_all(parts: &[Self]) -> Self {
        let all = |of: fn(&Self) -> &Vec<u32>| {
            let mut all: Vec<u32> = parts.iter().flat_map(of).copied().collect();
            all.sort_unstable();
            all
        };
        Self {
            flows: all(|part| &part.flows),
            links: all(|part| &part.links),
            directions: all(|part| &part.directions),
            ports: all(|part| &part.ports),
            channels: all(|part| &part.channels),
        }
    }
}

impl Simulation<'_> {
    /// The parts become one, which goes on in the order of time.
    pub(super) fn unite(&mut self) {
        self.parts = vec![Part::of_all(&self.parts)];
        self.calendar.unite();
    }

    /// Everything happens in a part that happens before `now`, which becomes the present instant.
    ///
    /// An error says that the order of cells was lost on a link that must be evaluated cell by cell.
    pub(super) fn settle_at(&mut self, number: usize, now: Time) -> Result<(), Stop> {
        self.now = now;
        self.events += 1;
        self.turns.begin(self.events);
        let Some(before) = minus(now, STEP) else {
            return Ok(());
        };
        let part = std::mem::take(&mut self.parts[number]);
        for &flow in &part.flows {
            if let FlowKind::Tcp(connection) = &mut self.flows[flow as usize].kind {
                connection.catch_up(before);
            }
        }
        for &direction in &part.directions {
            self.catch_up_source(direction as usize, before);
        }
        for &port in &part.ports {
            self.catch_up(port as usize, before);
        }
        for &link in &part.links {
            self.let_depart(link as usize, now);
        }
        for &channel in &part.channels {
            match self.channels[channel as usize].destination {
                Destination::Sink(_) => self.drain(channel as usize, before),
                Destination::Counters => self.count(channel as usize, before),
                Destination::Link { .. } | Destination::Node => {}
            }
        }
        for &port in &part.ports {
            self.count_crowd(port as usize);
            let crowd = self.ports[port as usize].crowd.iter_mut();
            for (direction, passed) in crowd
                .flat_map(|crowd| &mut crowd.members)
                .map(Member::take_passed)
            {
                self.sinks[direction].add(&passed);
            }
        }
        let ports = &self.ports;
        let are_lost = |&&port: &&u32| ports[port as usize].turns.are_lost();
        let lost = part.ports.iter().find(are_lost).copied();
        self.parts[number] = part;
        lost.map_or(Ok(()), |link| Err(Stop::OrderLost(link as usize)))
    }
}
