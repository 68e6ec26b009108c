//! Cells enter a channel, or are taken at the end of their direction.

use celltrain_proto::units::Time;

use crate::engine::host::sink::Sink;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::Hop;
use crate::engine::state::train::Train;
use crate::engine::trains::Trains;
use crate::engine::trains::channel::{Channel, Destination};

/// Puts mid-PDU cells into a channel; returns whether they are the first in it. At the end of their direction they are
/// taken immediately if nothing reads it before `end`, unless cells ahead of them must be inspected.
#[inline]
pub(in crate::engine) fn put(
    channel: &mut Channel,
    train: Train,
    hops: &[Hop],
    sinks: &mut ByDirection<Sink>,
    end: Time,
) -> bool {
    let (direction, is_next) = match channel.destination {
        Destination::Link { .. } | Destination::Node => return channel.push(train),
        Destination::Sink(direction) => (direction as usize, channel.first().is_none()),
        Destination::Counters => (hops[train.first.hop() - 1].direction as usize, true),
    };
    if !is_next || train.last() >= end {
        return channel.push(train);
    }
    let sink = &mut sinks[direction];
    sink.take_data(train.first, train.gap, train.count);
    if channel.destination != Destination::Counters {
        sink.reassembly.on_cells(train.first.load(), train.count);
    }
    false
}

impl Trains {
    /// Counts, at the ends of their directions, the cells of a channel that arrive up to `time`.
    pub(in crate::engine) fn count(
        &mut self,
        index: usize,
        time: Time,
        hops: &[Hop],
        sinks: &mut ByDirection<Sink>,
    ) {
        let mut trains = self.channels[index].take_trains();
        trains.retain_mut(|train| {
            if train.first.at > time {
                return true;
            }
            let direction = hops[train.first.hop() - 1].direction as usize;
            let (taken, are_all) = train.take_until(time);
            sinks[direction].take_data(taken.first, taken.gap, taken.count);
            !are_all
        });
        self.channels[index].put_back(trains);
    }

    /// Lets the end of a direction take the mid-PDU cells of its channel that arrive up to `time`.
    pub(in crate::engine) fn drain(
        &mut self,
        index: usize,
        time: Time,
        sinks: &mut ByDirection<Sink>,
    ) {
        let channel = &mut self.channels[index];
        let Destination::Sink(direction) = channel.destination else {
            return;
        };
        while let Some(train) = channel.first().copied() {
            if train.is_event || train.first.at > time {
                return;
            }
            let count = train.count_until(time);
            channel.consume(count);
            let sink = &mut sinks[direction as usize];
            sink.take_data(train.first, train.gap, count);
            sink.reassembly.on_cells(train.first.load(), count);
        }
    }
}
