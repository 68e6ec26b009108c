//! Cells enter a channel, or are taken immediately at its end.

use celltrain_proto::units::Time;

use crate::engine::host::sink::Sink;
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::hop::Hop;
use crate::engine::state::train::Train;
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
