//! Queues of frames that know their flows. The next frame is chosen when its transmission starts; until then it waits.

use celltrain_proto::frame::Framing;
use celltrain_proto::packet_queue::{Label, Packet, PacketQueue};
use celltrain_proto::units::{Bytes, Rate, Time, Unit};

use crate::engine::queue::octets::{OctetCounts, OctetMeter};
use crate::engine::state::cell::Cell;

/// A frame and the number of its VC at the link.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Frame {
    cell: Cell,
    vc: u32,
}

/// Queues of frames that know their flows.
#[derive(Clone, Debug)]
pub(in crate::engine) struct FlowQueue {
    meter: OctetMeter,
    /// The most frames and octets that it holds, those in transmission included.
    most: u32,
    room: u64,
    queues: PacketQueue<Frame>,
    in_service: Option<Frame>,
    /// The frames that it holds.
    frames: u32,
    /// By VC number at the link: frames dropped after they were admitted.
    dropped: Box<[u64]>,
    /// Those of them that have not been reported, each with the instant at which it was dropped.
    unreported: Vec<Cell>,
}

impl FlowQueue {
    /// Empty queues for frames of so many VCs, with room for `most` frames and `room` octets.
    pub(in crate::engine) fn new(
        framing: Framing,
        (most, room): (u32, u64),
        queues: PacketQueue<Frame>,
        vcs: usize,
    ) -> Self {
        Self {
            meter: OctetMeter::new(framing),
            most,
            room,
            queues,
            in_service: None,
            frames: 0,
            dropped: vec![0; vcs].into(),
            unreported: Vec::new(),
        }
    }

    /// Takes a frame that comes at `now`, and drops others, or this one, if it must. `forgotten` is called with each that is
    /// dropped.
    pub(in crate::engine) fn enqueue(
        &mut self,
        now: Time,
        cell: Cell,
        (vc, label): (u32, Label),
        mut forgotten: impl FnMut(Cell),
    ) {
        let octets = self.meter.octets(cell);
        let has_room =
            self.frames < self.most && self.meter.queued().saturating_add(octets) <= self.room;
        self.meter.admit(now, cell);
        self.frames += 1;
        let packet = Packet {
            item: Frame { cell, vc },
            octets: Bytes(octets),
            label,
            ecn_capable: cell.ecn_capable(),
            is_marked: false,
            arrived: now,
        };
        let (queues, mut losses) = self.losses(now);
        queues.enqueue(packet, has_room, |packet| {
            losses.lose(packet.item);
            forgotten(packet.item.cell);
        });
        while self.frames > self.most || self.meter.queued() > self.room {
            let before = self.frames;
            let (queues, mut losses) = self.losses(now);
            queues.drop_some(now, |packet| {
                losses.lose(packet.item);
                forgotten(packet.item.cell);
            });
            // Only the frame in transmission is left.
            if self.frames == before {
                break;
            }
        }
        self.meter.note_longest();
    }

    /// Chooses the frame whose transmission starts at `now`; `forgotten` is called with each that is dropped before it.
    pub(in crate::engine) fn start(
        &mut self,
        now: Time,
        mut forgotten: impl FnMut(Cell),
    ) -> Option<Unit> {
        let (queues, mut losses) = self.losses(now);
        let leaving = queues.dequeue(now, |packet| {
            losses.lose(packet.item);
            forgotten(packet.item.cell);
        });
        self.in_service = leaving.map(|leaving| {
            let mut frame = leaving.item;
            if leaving.is_marked {
                frame.cell.set_congestion_experienced();
            }
            frame
        });
        let frame = self.in_service?;
        Some(self.meter.unit(frame.cell))
    }

    /// The queues, and what counts the frames that they drop at `now`.
    fn losses(&mut self, now: Time) -> (&mut PacketQueue<Frame>, Losses<'_>) {
        let losses = Losses {
            now,
            meter: &mut self.meter,
            frames: &mut self.frames,
            dropped: &mut self.dropped,
            unreported: &mut self.unreported,
        };
        (&mut self.queues, losses)
    }

    /// Removes the frame in transmission, which leaves at `now`.
    pub(in crate::engine) fn finish(&mut self, now: Time) -> Option<Cell> {
        let frame = self.in_service.take()?;
        self.frames -= 1;
        self.meter.depart(now, frame.cell);
        Some(frame.cell)
    }

    /// Notes the rate of the line from now on.
    pub(in crate::engine) fn on_rate(&mut self, rate: Rate) {
        self.queues.on_rate(rate);
    }

    /// Whether a frame is being transmitted.
    pub(in crate::engine) fn is_serving(&self) -> bool {
        self.in_service.is_some()
    }

    /// The number of frames, the one in transmission included.
    pub(in crate::engine) fn queued(&self) -> u32 {
        self.frames
    }

    /// Its octets.
    pub(in crate::engine) fn meter(&self) -> &OctetMeter {
        &self.meter
    }

    /// What it has counted in octets up to `now`.
    pub(in crate::engine) fn read_octets(&mut self, now: Time) -> OctetCounts {
        self.meter.read(now)
    }

    /// All frames, in arbitrary order.
    pub(in crate::engine) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let waiting = self.queues.packets().map(|packet| &packet.item);
        waiting.chain(&self.in_service).map(|frame| frame.cell)
    }

    /// The frames of VC number `vc` that were dropped after they were admitted.
    pub(in crate::engine) fn dropped(&self, vc: u32) -> u64 {
        self.dropped[vc as usize]
    }

    /// Takes the frames that have been dropped since the last call.
    pub(in crate::engine) fn take_dropped(&mut self) -> Vec<Cell> {
        std::mem::take(&mut self.unreported)
    }

    /// The octets of memory that its frames take.
    pub(in crate::engine) fn memory(&self) -> u64 {
        u64::from(self.frames) * size_of::<Packet<Frame>>() as u64
    }
}

/// What counts dropped frames.
struct Losses<'a> {
    now: Time,
    meter: &'a mut OctetMeter,
    frames: &'a mut u32,
    dropped: &'a mut [u64],
    unreported: &'a mut Vec<Cell>,
}

impl Losses<'_> {
    fn lose(&mut self, frame: Frame) {
        self.meter.drop_waiting(self.now, frame.cell);
        *self.frames -= 1;
        self.dropped[frame.vc as usize] += 1;
        self.unreported.push(frame.cell.leaving(self.now));
    }
}
