//! Where marked cells are no events: at sources of which nothing looks at them as they leave, and at queues that such
//! sources fill.

use super::super::Simulation;
use super::super::flow::FlowKind;
use super::super::hop::Hop;
use super::super::port::Treatment;
use super::super::source::{Ahead, Pace};
use super::super::train::Destination;

impl Simulation<'_> {
    /// Finds the sources of which nothing looks at marked cells as they leave.
    pub(super) fn find_sources_ahead(&mut self) {
        let mut crossings = vec![0; self.links.len()];
        for hop in &self.hops {
            crossings[hop.link as usize] += 1;
        }
        let mut is_awaited = vec![false; self.sources.directions()];
        for flow in &self.flows {
            if let FlowKind::Tcp(connection) = &flow.kind {
                is_awaited[connection.data] |= connection.waits_for_host();
            }
        }
        for (direction, is_awaited) in is_awaited.into_iter().enumerate() {
            let source = &self.sources[direction];
            let may = source.is_lazy && !source.carries() && !is_awaited;
            let Some((number, hops)) = source.way.filter(|_| may) else {
                continue;
            };
            let channel = &self.channels[number as usize];
            let is_process = source.is_process();
            let ahead = match channel.destination {
                _ if source.is_of_crowd() => source.ahead,
                _ if !channel.is_at_once() => Ahead::Channel,
                Destination::Link { link, .. } if hops == 0 && !is_process => {
                    let crossings = crossings[link as usize];
                    if crossings == 1 && self.is_plain(link as usize) {
                        self.ports[link as usize].owner = Some(direction as u32);
                        Ahead::Queue(link)
                    } else {
                        Ahead::No
                    }
                }
                _ => Ahead::No,
            };
            self.sources[direction].ahead = ahead;
        }
    }

    /// Finds the queues at which nothing looks at marked cells: those that sources fill of which nothing looks at them
    /// before, either, and where each direction has channels of its own.
    pub(super) fn find_passing(&mut self) {
        for link in 0..self.ports.len() {
            let port = &self.ports[link];
            let count = port.channels.len();
            let has_own = |&channel: &u32| {
                let feeders = self.channels[channel as usize].feeders.as_ref();
                feeders.map_or(count == 1, |inputs| inputs.len() == 1)
            };
            if port.treatment == Treatment::Whole
                && port.owner.is_none()
                && port.crowd.is_none()
                && port.fills.len() == count
                && port.fills.iter().all(has_own)
                && port
                    .channels
                    .iter()
                    .all(|&channel| self.brings_ahead(channel as usize))
                && self.links[link].algorithm().is_none()
            {
                let port = &mut self.ports[link];
                port.passes_marks = true;
                for &channel in &port.channels {
                    self.channels[channel as usize].is_passed = true;
                }
            }
        }
    }

    /// Whether nothing looks at the marked cells of a channel from their source on, nor at the node before its end.
    fn brings_ahead(&self, channel: usize) -> bool {
        let Some(direction) = self.sender_ahead(channel) else {
            return false;
        };
        let channel = &self.channels[channel];
        let end = channel.ends[0] as usize;
        let source = &self.sources[direction];
        let last = end - 1 - channel.transparent as usize;
        let is_direct = channel.leapt.is_empty() && channel.transparent == 0;
        // Cells of other kinds are counted at the ends of channels alone.
        let has_data_alone = !matches!(source.pace, Pace::Abr(_)) && !self.hops[last].shows_each;
        let mut before = self.hops[last.max(source.first_hop as usize)..end].iter();
        (is_direct || has_data_alone) && !before.any(Hop::has_actions)
    }

    /// Whether nothing looks at the cells that come to a queue.
    fn is_plain(&mut self, link: usize) -> bool {
        let rated = self.links[link].line.as_mut();
        self.ports[link].treatment == Treatment::Whole
            && rated.is_some_and(|rated| rated.plain_fifo().is_some())
    }
}
