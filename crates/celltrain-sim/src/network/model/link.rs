//! One-way links with their queues and lines.

use celltrain_proto::frame::{Framing, LONGEST_PACKET};
use celltrain_proto::line::{self, VaryingDelay};
use celltrain_proto::random::Stream;
use celltrain_proto::units::{Rate, Span, Unit};

use crate::scenario::{
    Becn, ClassBuffers, Control, Credit, DelayProcess, Discard, Gfc, Jitter, LineRate, Loss,
    Misinsertion, OnRateChange, PacketQueue, PriorityLoad, QueueManagement, RateRange, Scheduling,
};

/// A one-way link and the queue in front of it; or a LAN, which leads from itself to itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Its name, with the member's number in a group. The two directions of a `between` share it.
    pub name: String,
    /// Whether it is the second of the two directions of a `between`.
    pub is_back: bool,
    /// The node that sends.
    pub from: usize,
    /// The node that receives.
    pub to: usize,
    /// The shortest delay, including that of the switches at its ends and of interleaving on its line.
    pub delay: Span,
    /// The process of a propagation delay that changes.
    pub delay_process: Option<DelayProcess>,
    /// The longest IP packet that crosses it, in octets.
    pub mtu: Option<u32>,
    /// The part of the delay that switches and interleaving add to propagation.
    pub added_delay: Span,
    /// The queue and the line that serves it; `None` for a pure delay.
    pub line: Option<Line>,
    /// Cells lost on the line.
    pub loss: Option<Loss>,
    /// Cells whose payload the line corrupts.
    pub errors: Option<Loss>,
    /// Cells that come in by mistake.
    pub misinsertion: Option<Misinsertion>,
    /// Added delay.
    pub jitter: Option<Jitter>,
    /// Whether a frame whose own delay is short overtakes those before it.
    pub overtaking: bool,
}

impl Link {
    /// Whether the line loses or corrupts cells, or lets others in.
    pub fn is_impaired(&self) -> bool {
        self.loss.is_some() || self.errors.is_some() || self.misinsertion.is_some()
    }

    /// The longest delay without jitter, including what [`Link::delay`] includes.
    pub fn longest_delay(&self) -> Span {
        let process = self.delay_process.as_ref();
        self.delay + process.map_or(Span::ZERO, |it| it.longest() - it.shortest())
    }

    /// What differs from cell to cell in its delay, with the random numbers of a run with this seed.
    pub fn varying_delay(&self, seed: u64) -> VaryingDelay {
        let process = self.delay_process.as_ref().map(DelayProcess::start);
        let jitter = self.jitter.clone().map(|law| {
            let stream = Stream::named(seed, &format!("links.{}.jitter", self.unique_name()));
            line::Jitter::new(law, stream)
        });
        VaryingDelay::new(process, jitter).with_overtaking(self.overtaking)
    }

    /// Whether cells have different delays, so that several may arrive at one instant.
    pub fn has_varying_delay(&self) -> bool {
        self.delay_process.is_some() || self.jitter.is_some()
    }
}

/// What a line that carries frames has in addition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frames {
    /// Their framing.
    pub framing: Framing,
    /// The octets on the line for which the queue has room.
    pub room: u64,
}

/// A queue and the line that serves it.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Line rate.
    pub rate: LineRate,
    /// Its bounds. Kept, since those of a DMT line or of a long trace take long to compute.
    pub range: RateRange,
    /// Its highest sustained rate.
    pub highest_lasting: Rate,
    /// The unit of transmission. Where units are not cells, the queue counts units.
    pub unit: Unit,
    /// The frames that it carries instead; then the queue counts frames.
    pub frames: Option<Frames>,
    /// The queue of frames; `None` for a FIFO.
    pub packet_queue: Option<PacketQueue>,
    /// The number of cells that the queue can hold, the one in transmission included; [`UNLIMITED`] for a LAN without a
    /// limit.
    pub buffer: u32,
    /// What happens to a cell in transmission when the rate changes.
    pub on_rate_change: OnRateChange,
    /// Order of service.
    pub scheduling: Scheduling,
    /// Separate buffers per class.
    pub class_buffers: ClassBuffers,
    /// Which cells are refused before the queue is full.
    pub discard: Option<Discard>,
    /// The queue length at which cells of low priority are refused.
    pub clp_threshold: Option<u32>,
    /// Active queue management.
    pub queue_management: Option<QueueManagement>,
    /// Credit-based flow control with the node downstream.
    pub credit: Option<Credit>,
    /// Switch algorithm.
    pub control: Option<Control>,
    /// When the switch algorithm counts cells of classes above ABR.
    pub priority_load: PriorityLoad,
    /// Backward RM cells of the switch.
    pub becn: Option<Becn>,
    /// GFC.
    pub gfc: Option<Gfc>,
}

impl Link {
    /// A name that no other one-way link has: `.back` is appended for the second direction of a `between`.
    pub fn unique_name(&self) -> String {
        let way = if self.is_back { ".back" } else { "" };
        format!("{}{way}", self.name)
    }
}

impl Line {
    /// A FIFO queue with tail drop.
    pub(in crate::network) fn fifo(rate: LineRate, buffer: u32) -> Self {
        Self {
            range: rate.range(),
            highest_lasting: rate.highest_lasting(),
            rate,
            unit: Unit::CELL,
            frames: None,
            packet_queue: None,
            buffer,
            on_rate_change: OnRateChange::default(),
            scheduling: Scheduling::default(),
            class_buffers: ClassBuffers::default(),
            discard: None,
            clp_threshold: None,
            queue_management: None,
            credit: None,
            control: None,
            priority_load: PriorityLoad::default(),
            becn: None,
            gfc: None,
        }
    }

    /// The shortest transmission time of a unit.
    pub(crate) fn shortest_transmission(&self) -> Span {
        self.range.high.time_of(self.shortest_unit())
    }

    /// The shortest unit that it sends.
    pub(crate) fn shortest_unit(&self) -> Unit {
        self.frames
            .map_or(self.unit, |it| Unit::octets(it.framing.shortest().into()))
    }

    /// The longest unit that it sends.
    pub(crate) fn longest_unit(&self) -> Unit {
        self.frames.map_or(self.unit, |it| {
            Unit::octets(it.framing.octets(LONGEST_PACKET).into())
        })
    }

    /// The most units per second that it sends at `rate`.
    pub(crate) fn units_per_s(&self, rate: Rate) -> f64 {
        rate.as_bps() / self.shortest_unit().bits() as f64
    }

    /// The most units for which its queue has room; infinite without a limit.
    pub(crate) fn most_queued(&self) -> f64 {
        let most = if self.buffer == UNLIMITED {
            f64::INFINITY
        } else {
            self.buffer.into()
        };
        let octets = |it: Frames| it.room as f64 / f64::from(it.framing.shortest());
        most.min(self.frames.map_or(f64::INFINITY, octets))
    }
}

/// A buffer without a limit.
pub const UNLIMITED: u32 = u32::MAX;
