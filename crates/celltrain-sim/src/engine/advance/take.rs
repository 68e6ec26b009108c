//! A lazily evaluated queue takes mid-PDU cells by merging its inputs, as its evaluation mode requires.

use celltrain_proto::units::Time;

use crate::engine::advance::varying::take_varying;
use crate::engine::link::shown::{is_shown, show_one};
use crate::engine::simulation::Simulation;
use crate::engine::state::cell::Kind;
use crate::engine::state::mode::Mode;
use crate::engine::state::train::Train;
use crate::engine::trains::merge::Until;

impl Simulation<'_> {
    /// Takes the cells of all inputs in order of arrival.
    pub(in crate::engine) fn merge(&mut self, link: usize, time: Time) {
        match self.trains.ports[link].mode {
            Mode::Priority => self.merge_priority(link, time),
            Mode::Batched | Mode::Delay => self.merge_batched(link, time),
            _ => self.merge_one_by_one(link, time),
        }
    }

    fn merge_one_by_one(&mut self, link: usize, time: Time) {
        let mut merge = self.trains.begin_merge(link, time, &self.schedule);
        while let Some((_, train)) = merge.next(
            &mut self.trains.ports[link],
            &mut self.trains.channels,
            Until::NextInput,
        ) {
            match self.trains.ports[link].mode {
                Mode::Tunnel(source) => self.enter_tunnel_train(source as usize, train),
                Mode::Varying => {
                    if let Some(line) = &mut self.links[link].line {
                        let hop = &mut self.paths.hops[train.first.hop()];
                        take_varying(line, hop, &mut self.trains.served, train);
                    }
                }
                _ => self.take_one_by_one(link, train),
            }
        }
        self.trains.end_merge(link, merge);
        self.pass_on();
    }

    /// Offers mid-PDU cells one by one to the queue of a link.
    #[inline]
    pub(in crate::engine) fn take_one_by_one(&mut self, link: usize, train: Train) {
        let hop = &mut self.paths.hops[train.first.hop()];
        hop.counts.offered[Kind::Data as usize] += u64::from(train.count);
        let (vc, control_vc, load) = (hop.port_vc, hop.control_vc, hop.load);
        let rated = self.links[link].line.as_ref();
        let control = rated.and_then(|line| line.control.as_ref());
        let is_shown = control.is_some_and(|control| is_shown(control, load));
        let mut cell = train.first;
        for number in 0..train.count {
            if number > 0 {
                cell = cell.after(train.gap, 1);
            }
            let target = &mut self.links[link];
            if is_shown {
                target.advance(cell.at);
                if let Some(control) = target.line.as_mut().and_then(|line| line.control.as_mut()) {
                    show_one(control, load, cell.at, control_vc);
                }
            }
            if target.enqueue(cell.at, cell, vc) {
                let queue = target.queue_of(vc);
                self.trains.ports[link].event_cells.on_arrival(queue, false);
            } else {
                self.lose(cell.at, cell);
            }
        }
    }
}
