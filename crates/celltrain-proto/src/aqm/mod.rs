//! Active queue management at packet boundaries, for comparison with discard by cells.
//!
//! A manager decides about packets, or AAL5 frames: [`Pie`] as they arrive, [`CoDel`] as they leave. The
//! queue stays its owner's, who asks [`Aqm`] at both ends and calls it at [`Aqm::next_update`]. Sizes
//! are in cells, so that a packet costs what its AAL5 frame takes on the line.
//!
//! A manager with ECN takes every packet for ECN-capable.
//!
//! Not modelled here: overflow of the queue, which the owner refuses itself, and flow queueing.

mod codel;
mod pie;
mod verdict;

pub use codel::{CoDel, CoDelOptions};
pub use pie::{Pie, PieOptions};
pub use verdict::Verdict;

use crate::units::{Cells, Span, Time};

/// Any of the managers. Times never decrease from one call to the next.
#[derive(Clone, Debug)]
pub enum Aqm {
    /// Drops at the head, at intervals that shrink while every packet waits longer than a target.
    CoDel(CoDel),
    /// Drops arrivals by chance, with a probability steered by the queueing delay.
    Pie(Pie),
}

impl Aqm {
    /// A packet arrives at a queue with room, behind `backlog` cells; see [`Pie::on_arrival`].
    pub fn on_arrival(&mut self, now: Time, backlog: Cells, one_packet: Cells) -> Verdict {
        match self {
            Self::CoDel(_) => Verdict::Pass,
            Self::Pie(pie) => pie.on_arrival(now, backlog, one_packet),
        }
    }

    /// A packet is at the head, before `backlog` cells, when the line is free; see [`CoDel::on_dequeue`].
    pub fn on_dequeue(
        &mut self,
        now: Time,
        sojourn: Span,
        backlog: Cells,
        one_packet: Cells,
    ) -> Verdict {
        match self {
            Self::CoDel(codel) => codel.on_dequeue(now, sojourn, backlog, one_packet),
            Self::Pie(_) => Verdict::Pass,
        }
    }

    /// When [`Aqm::on_update`] is due, [`Time::NEVER`] if it never is. May change after each call of it.
    #[must_use]
    pub fn next_update(&self) -> Time {
        match self {
            Self::CoDel(_) => Time::NEVER,
            Self::Pie(pie) => pie.next_update(),
        }
    }

    /// The regular update, at or after [`Aqm::next_update`]; `delay` is the queueing delay now.
    pub fn on_update(&mut self, now: Time, delay: Span) {
        match self {
            Self::CoDel(_) => {}
            Self::Pie(pie) => pie.on_update(now, delay),
        }
    }
}
