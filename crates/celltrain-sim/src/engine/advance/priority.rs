//! Strict-priority queues take the cells that have arrived and pass on those certain to leave.

use celltrain_proto::units::Time;

use crate::engine::advance::ingress::Ingress;
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Kind;
use crate::engine::trains::merge::{Input, Until};

impl Simulation<'_> {
    /// Lets the queues of a link take the cells of all inputs up to `time` in order of arrival.
    pub(in crate::engine) fn merge_priority(&mut self, link: usize, time: Time) {
        let mut merge = self.trains.begin_merge(link, time, &self.schedule);
        let port = &mut self.trains.ports[link];
        let rated = self.links[link].line.as_mut();
        let (hops, served) = (&mut self.paths.hops, &mut self.trains.served);
        if let Some(mut ingress) = rated.and_then(|line| Ingress::of(line, hops, served)) {
            loop {
                if let Some(group) = &mut port.group {
                    // Only up to the first cell of a channel, which may come before cells of the group.
                    ingress.take_group(group, merge.group_alone_before());
                }
                let channels = &mut self.trains.channels;
                match merge.next(port, channels, Until::NextChannel) {
                    None => break,
                    Some((Input::Group, train)) => ingress.take(train.first),
                    Some((Input::Channel(input), train)) if train.is_event => {
                        let channel = &self.trains.channels[port.channels[input] as usize];
                        // Bypassed links upstream count the RM cells that have passed them.
                        if !channel.bypassed.is_empty() && train.first.kind() != Kind::Data {
                            let passed = self.trains.passed.get_mut(train.first.hop() - 1);
                            passed[train.first.kind() as usize] += 1;
                        }
                        let group = port.group.as_deref_mut();
                        ingress.take_event_cell(train.first, input, group, &mut self.paths.rms);
                    }
                    Some((Input::Channel(input), train)) => {
                        ingress.take_train(&train, input, port.group.as_deref_mut());
                    }
                }
            }
        }
        self.trains.end_merge(link, merge);
        self.pass_on();
    }

    /// Passes on the cells whose transmission starts by `time`.
    pub(in crate::engine) fn advance_priority(&mut self, link: usize, time: Time) {
        let Some(rated) = &mut self.links[link].line else {
            return;
        };
        if let Some(mut ingress) = Ingress::of(rated, &mut self.paths.hops, &mut self.trains.served)
        {
            ingress.advance(time);
        }
        rated.queue.look(time);
        self.pass_on();
    }
}
