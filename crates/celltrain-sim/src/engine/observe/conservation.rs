//! Conservation: what came in went out, was dropped, or is on its way.

use crate::engine::host::sink::Sink;
use crate::engine::link::{Becn, Link};
use crate::engine::simulation::Simulation;
use crate::engine::source::Source;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::cell::{KINDS, Kind};
use crate::engine::state::hop::{self, Hop};
use crate::engine::state::shaper::Shaper;
use crate::engine::state::sparse::Sparse;
use crate::engine::trains::arrived::Arrived;

impl Simulation<'_> {
    /// Checks, hop by hop and kind by kind, that no cell appeared or vanished.
    pub fn check_conservation(&mut self) -> Result<(), String> {
        self.count_transparent();
        let (on_the_way, of_sources) = self.on_the_way();
        let bypassed = self.trains.bypassed_hops(self.paths.hops.len());
        let made = made_downstream(&self.paths.hops, &self.links, &self.ends.sinks);
        let arrived = self.arrived();
        for (index, (entry, on_the_way)) in self.paths.hops.iter().zip(&on_the_way).enumerate() {
            if bypassed[index] {
                continue;
            }
            let went_on = arrived.went_on(index, &bypassed);
            let offered = entry.counts.offered;
            for (kind, on_the_way) in on_the_way.iter().enumerate() {
                let faults = self.paths.faults.get(index);
                let gone = faults.lost[kind] + faults.errored[kind] + faults.policed[kind];
                let dropped = if kind == 0 {
                    self.links[entry.link as usize].dropped(entry.port_vc)
                } else {
                    0
                };
                let accounted = gone + faults.refused[kind] + dropped + on_the_way + went_on[kind];
                // Backward RM cells of a local loop appear at the node that turned them around, those of a switch there.
                let made_here = if kind == Kind::BackwardRm as usize {
                    made.get(index)
                } else {
                    0
                };
                if offered[kind] + made_here != accounted {
                    return Err(format!(
                        "hop {index}, kind {kind}: {} arrived, {made_here} were made, {accounted} are accounted for",
                        offered[kind]
                    ));
                }
            }
        }
        if let Some(link) = self.links.iter().position(|link| !link.is_balanced()) {
            return Err(format!(
                "link {link}: octets of frames appeared or vanished"
            ));
        }
        let on_the_way = on_the_way.iter().map(|kinds| kinds[1] + kinds[2]);
        let on_the_way = on_the_way.sum::<u64>() + of_sources;
        let parts = self.schedule.parts.iter();
        let resting = parts.map(|part| part.resting.rms.len());
        let contents = self.paths.rms.len() + resting.sum::<usize>();
        if contents as u64 == on_the_way {
            Ok(())
        } else {
            Err(format!("{contents} RM contents for {on_the_way} RM cells"))
        }
    }

    /// By hop and kind: cells in queues, in flight, in channels, at shapers and at tunnel VCs. Second: the RM cells that sources are
    /// about to send.
    fn on_the_way(&self) -> (Vec<[u64; KINDS]>, u64) {
        let mut on_the_way = vec![[0_u64; KINDS]; self.paths.hops.len()];
        // Iterating within the chain is several times faster than stepping through it, and queues can be long.
        self.links.iter().for_each(|link| {
            link.trains().for_each(|(train, _)| {
                let (cell, count) = (train.first, u64::from(train.count));
                on_the_way[cell.hop()][cell.kind() as usize] += count;
            });
        });
        let (in_channels, of_sources) = self.trains.in_channels(on_the_way.len(), &self.sources);
        for (on_the_way, in_channels) in on_the_way.iter_mut().zip(in_channels) {
            for (on_the_way, more) in on_the_way.iter_mut().zip(in_channels) {
                *on_the_way += more;
            }
        }
        let shaped = self.paths.shapers.iter().flat_map(Shaper::cells);
        for cell in { self.sources.iter() }
            .flat_map(Source::aggregate)
            .chain(shaped)
        {
            on_the_way[cell.hop()][cell.kind() as usize] += 1;
        }
        (on_the_way, of_sources)
    }
}

impl Arrived<'_> {
    /// By kind: cells of a hop that reached the next hop or the end of their direction, or were ended or turned around.
    fn went_on(&self, index: usize, bypassed: &[bool]) -> [u64; KINDS] {
        let entry = &self.paths.hops[index];
        let sink = &self.sinks[entry.direction as usize];
        let is_last = entry.next_link == hop::END;
        let mut went_on = if is_last {
            sink.cells()
        } else if bypassed.get(index + 1) == Some(&true) {
            self.passed_downstream(index)
        } else {
            self.paths.hops[index + 1].counts.offered
        };
        if let Some(end) = entry.virtual_end() {
            // RM cells of one loop end here, and those of the next are made here.
            let end = &self.paths.virtual_ends[end as usize];
            went_on = [went_on[0] + end.waiting.len() as u64, 0, 0];
            for (went_on, ended) in went_on.iter_mut().zip(end.ended) {
                *went_on += ended;
            }
        }
        if entry.turn_around().is_some() {
            went_on[1] += sink.turned_around();
        }
        went_on
    }

    /// Cells that have reached the end of the channel by which they leave the node downstream of hop number `index`.
    fn passed_downstream(&self, index: usize) -> [u64; KINDS] {
        let hop = &self.paths.hops[index];
        let (channel, end) = if self.is_taken_up_lazily(index) {
            let (channel, ahead) = hop.resumes();
            (channel, index + 1 + ahead as usize)
        } else {
            (hop.channel, index + hop.ahead as usize)
        };
        let transparent = self.trains.channels[channel as usize].transparent;
        self.passed_over(end - transparent as usize - 1, end)
    }
}

/// By hop: backward RM cells made by local loops and switches at the node downstream of it.
fn made_downstream(hops: &[Hop], links: &[Link], sinks: &ByDirection<Sink>) -> Sparse<u64> {
    let mut made = Sparse::new(hops.len());
    for hop in hops {
        if let Some(back) = hop.turn_around() {
            let turned_around = sinks[hop.direction as usize].turned_around();
            // A local loop is always at a switch, so another hop leads to it.
            *made.get_mut(back as usize - 1) += turned_around;
        }
    }
    for (back, count) in { links.iter() }.filter_map(Link::becn).flat_map(Becn::made) {
        // Not at the source's own node, so another hop leads to it.
        *made.get_mut(back - 1) += count;
    }
    made
}
