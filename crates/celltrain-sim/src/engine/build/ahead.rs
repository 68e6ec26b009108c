//! Where event cells are no events: at sources of which nothing looks at them as they leave, and at queues that such
//! sources fill.

use crate::engine::host::flow::FlowKind;
use crate::engine::simulation::Simulation;
use crate::engine::source::{Ahead, Pace};
use crate::engine::state::hop::Hop;
use crate::engine::state::mode::Mode;
use crate::engine::trains::channel::{Channel, Destination};
use crate::engine::trains::port::Port;

impl Simulation<'_> {
    /// Finds the sources of which nothing looks at event cells as they leave.
    pub(super) fn find_sources_ahead(&mut self) {
        let mut crossings = vec![0; self.links.len()];
        for hop in &self.paths.hops {
            crossings[hop.link as usize] += 1;
        }
        let mut is_awaited = vec![false; self.sources.directions()];
        for flow in &self.ends.flows {
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
            let channel = &self.trains.channels[number as usize];
            let is_process = source.is_process();
            let ahead = match channel.destination {
                _ if source.is_of_group() => source.ahead,
                _ if !channel.is_at_once() => Ahead::Channel,
                Destination::Link { link, .. } if hops == 0 && !is_process => {
                    let crossings = crossings[link as usize];
                    if crossings == 1 && self.is_plain(link as usize) {
                        self.trains.ports[link as usize].owner = Some(direction as u32);
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

    /// Finds the queues at which event cells are no events: those that sources fill of which nothing looks at them
    /// before, either, and where each direction has channels of its own.
    pub(super) fn find_passing(&mut self) {
        for link in 0..self.trains.ports.len() {
            let port = &self.trains.ports[link];
            let may_pass = match port.mode {
                Mode::Batched => port.group.is_none() && !self.has_algorithm(link),
                Mode::Priority => true,
                _ => false,
            };
            if !may_pass || port.owner.is_some() {
                continue;
            }
            // A source group brings no event cells.
            let crowd = port.group.as_ref();
            let crowd = crowd.map_or(0..0, |crowd| crowd.inputs.clone());
            let inputs = port.channels.iter().enumerate();
            let inputs = inputs.filter(|(input, _)| !crowd.contains(input));
            let inputs: Vec<usize> = inputs.map(|(_, &channel)| channel as usize).collect();
            let fills = port
                .fills
                .iter()
                .map(|&it| &self.trains.channels[it as usize]);
            let fills = fills.filter(|it| it.destination != Destination::Counters);
            let is_whole = port.mode == Mode::Batched;
            if fills.clone().count() == inputs.len()
                && fills.clone().all(|it| has_own(it, port))
                && inputs.iter().all(|&it| self.brings_ahead(it, is_whole))
            {
                self.trains.ports[link].passes_event_cells = true;
                for channel in inputs {
                    self.trains.channels[channel].is_passed = true;
                }
            }
        }
    }

    /// Whether the queue of a link has a switch algorithm.
    fn has_algorithm(&self, link: usize) -> bool {
        let rated = self.links.get(link).and_then(|link| link.line.as_ref());
        rated.is_some_and(|line| line.control.is_some())
    }

    /// Whether nothing looks at the event cells of a channel from their source on, nor at the node before its end. Where
    /// they pass whole queues, RM cells must not come over other links.
    fn brings_ahead(&self, channel: usize, is_whole: bool) -> bool {
        let Some(direction) = self.sender_ahead(channel) else {
            return false;
        };
        let channel = &self.trains.channels[channel];
        let end = channel.ends[0] as usize;
        let source = &self.sources[direction];
        let last = end - 1 - channel.transparent as usize;
        let is_direct = channel.bypassed.is_empty() && channel.transparent == 0;
        // Cells of other kinds are counted at the ends of channels alone.
        let has_data_alone =
            !matches!(source.pace, Pace::Abr(_)) && !self.paths.hops[last].shows_each;
        let mut before = self.paths.hops[last.max(source.first_hop as usize)..end].iter();
        let is_counted = !is_whole && channel.transparent == 0 && !self.paths.hops[last].shows_each;
        (is_direct || has_data_alone || is_counted) && !before.any(Hop::has_actions)
    }

    /// Whether nothing looks at the cells that come to a queue.
    fn is_plain(&mut self, link: usize) -> bool {
        let rated = self.links[link].line.as_mut();
        self.trains.ports[link].mode == Mode::Batched
            && rated.is_some_and(|rated| rated.plain_fifo().is_some())
    }
}

/// Whether the cells of a channel come to the port at its start by an input that brings no others.
fn has_own(channel: &Channel, port: &Port) -> bool {
    let feeders = channel.feeders.as_ref();
    feeders.map_or(port.channels.len() == 1, |inputs| inputs.len() == 1)
}
