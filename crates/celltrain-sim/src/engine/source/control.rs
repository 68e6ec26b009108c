//! The rate of a source, and the RM cells that control it.

use celltrain_proto::abr::TurnAround;
use celltrain_proto::cell::RmCell;
use celltrain_proto::units::{CELL_BITS, Rate, Span, Time};

use crate::engine::source::Source;
use crate::engine::source::pace::Pace;
use crate::scenario::Service;

impl Source {
    /// Handles a backward RM cell that has returned to this source.
    pub(in crate::engine) fn on_backward_rm(&mut self, now: Time, rm: &RmCell) {
        self.queue().counts.backward_rm_received += 1;
        if let Pace::Abr(source) = &mut self.pace {
            source.on_backward_rm(now, rm);
        }
    }

    /// Turns around a forward RM cell of the other direction, which may have come out-of-rate. Returns the backward RM
    /// cell that leaves immediately, out-of-rate, if any.
    pub(in crate::engine) fn turn_around(
        &mut self,
        rm: RmCell,
        out_of_rate: bool,
    ) -> Option<RmCell> {
        let Pace::Abr(source) = &mut self.pace else {
            return None;
        };
        let turned = if out_of_rate {
            source.turn_around_out_of_rate(rm)
        } else {
            source.turn_around(rm)
        };
        let counts = &mut self.queue().counts;
        counts.backward_rm_overwritten += u64::from(turned.overwrites());
        match turned {
            TurnAround::Waits | TurnAround::Overwrites => None,
            TurnAround::OutOfRate { rm, .. } | TurnAround::Ideal(rm) => {
                counts.backward_rm += 1;
                self.cells += 1;
                Some(rm)
            }
        }
    }

    /// The rate that an ABR source requested in its last forward RM cell, or MCR before the first.
    pub(in crate::engine) fn requested_rate(&self) -> Option<Rate> {
        match &self.pace {
            Pace::Abr(source) => {
                let requested = self.queue.as_ref().and_then(|queue| queue.requested);
                Some(requested.unwrap_or(source.mcr()))
            }
            _ => None,
        }
    }

    /// The initial rate of a source of this service; none if nothing limits it.
    pub(in crate::engine) fn initial_rate(service: &Service) -> Option<Rate> {
        Self::new(Pace::of(service), 0, Time::ZERO).allowed_rate()
    }

    /// The rate at which the source may send; none if nothing limits it, as under UBR without PCR.
    pub(in crate::engine) fn allowed_rate(&self) -> Option<Rate> {
        match &self.pace {
            Pace::Ubr { gap: Span::ZERO } => None,
            Pace::Ubr { gap } => Some(Rate::bps(CELL_BITS as f64 / gap.as_secs())),
            Pace::Abr(source) => Some(source.acr()),
            Pace::Shaped(shaper) => Some(shaper.pcr()),
            Pace::Process(_) => Some(Rate::ZERO),
        }
    }
}
