//! Packets without TCP: nothing acknowledges them or slows them down.

use celltrain_proto::tcp::Segment;
use celltrain_proto::traffic::{Arrivals, Traffic};
use celltrain_proto::units::Time;

/// A flow of packets.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Packets {
    traffic: Traffic,
    /// When the next packet comes.
    pub(in crate::engine) next: Time,
    /// The instant from which on no packet comes.
    stop: Time,
    /// The direction of the VC that carries them.
    pub(in crate::engine) data: usize,
    /// The number of cells of a packet.
    pub(in crate::engine) cells: u32,
    /// The octets of data in a packet.
    payload: u32,
    /// The number of packets handed to the host.
    pub(in crate::engine) sent: u64,
    /// The octets of data delivered.
    pub(in crate::engine) delivered: u64,
}

impl Packets {
    /// Packets of `payload` octets of data in `cells` cells, from `start` until `stop`.
    pub(in crate::engine) fn new(
        mut traffic: Traffic,
        [start, stop]: [Time; 2],
        data: usize,
        cells: u32,
        payload: u32,
    ) -> Self {
        Self {
            next: before(start.saturating_add(traffic.first()), stop),
            stop,
            traffic,
            data,
            cells,
            payload,
            sent: 0,
            delivered: 0,
        }
    }

    /// The packet that is due at `now`, if any.
    pub(in crate::engine) fn poll(&mut self, now: Time) -> Option<Segment> {
        if self.next > now {
            return None;
        }
        self.next = before(self.next.saturating_add(self.traffic.gap()), self.stop);
        self.sent += 1;
        Some(Segment {
            len: self.payload,
            ..Segment::default()
        })
    }
}

/// The instant of a packet if it comes before `stop`, else [`Time::NEVER`].
fn before(at: Time, stop: Time) -> Time {
    if at < stop { at } else { Time::NEVER }
}
