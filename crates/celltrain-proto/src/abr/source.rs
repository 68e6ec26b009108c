//! The ABR source: which in-rate cell leaves next, and when (TM 4.0 §5.10.4).

use super::{Parameters, Starved};
use crate::cell::{Direction, RmCell};
use crate::units::{Rate, Span, Time};

/// The next in-rate cell of a source.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum NextCell {
    /// A forward RM cell of its own loop.
    ForwardRm(RmCell),
    /// A backward RM cell of the other loop.
    BackwardRm(RmCell),
    /// A data cell.
    Data,
}

/// The source half of an ABR end system.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    parameters: Parameters,
    crm: u64,
    acr: Rate,
    /// The time of a cell at ACR.
    gap: Span,
    /// When the last in-rate cell left.
    last_in_rate: Option<Time>,
    last_forward_rm: Option<Time>,
    /// When the last out-of-rate forward RM cell left.
    last_out_of_rate: Option<Time>,
    /// In-rate cells since the last forward RM cell.
    since_forward_rm: u32,
    /// Forward RM cells since the last backward RM cell came back.
    unanswered: u64,
    /// A turned-round RM cell of the other loop that waits.
    backward_rm: Option<RmCell>,
    backward_rm_sent: bool,
}

impl Source {
    /// A source that has sent nothing; ACR is ICR (rule 2).
    pub fn new(parameters: Parameters) -> Self {
        let acr = parameters.icr.max(parameters.floor());
        Self {
            parameters,
            crm: parameters.crm(),
            acr,
            gap: acr.cell_time(),
            last_in_rate: None,
            last_forward_rm: None,
            last_out_of_rate: None,
            since_forward_rm: 0,
            unanswered: 0,
            backward_rm: None,
            backward_rm_sent: false,
        }
    }

    /// The rate at which the source may send now.
    pub fn acr(&self) -> Rate {
        self.acr
    }

    /// The time from one in-rate cell to the next at ACR.
    #[inline]
    pub fn gap(&self) -> Span {
        self.gap
    }

    /// The earliest instant of the next in-rate cell, [`Time::NEVER`] while the source is starved. No credit collects while nothing is sent; a
    /// change of ACR moves the instant at once.
    #[inline]
    pub fn next_tx(&self) -> Time {
        match self.last_in_rate {
            _ if self.is_starved() => Time::NEVER,
            Some(last) => last.saturating_add(self.gap),
            None => Time::ZERO,
        }
    }

    /// When [`Source::next_cell`] next has a cell to send, given whether data wait; it may lie in the
    /// past. Changes with every other call, and with the arrival of data.
    #[inline]
    #[must_use]
    pub fn next_deadline(&self, data_waits: bool) -> Option<Time> {
        let next_tx = self.next_tx();
        if next_tx == Time::NEVER {
            return None;
        }
        if data_waits || self.backward_rm.is_some() {
            return Some(next_tx);
        }
        if !self.parameters.idle_forward_rm {
            return None;
        }
        let last = self.last_forward_rm?;
        if self.since_forward_rm >= self.parameters.nrm - 1 {
            Some(next_tx)
        } else if self.since_forward_rm >= self.parameters.mrm {
            Some(next_tx.max(last.saturating_add(self.parameters.trm)))
        } else {
            None
        }
    }

    /// The in-rate cell that leaves `now` (rule 3); `None` before [`Source::next_deadline`].
    #[inline]
    pub fn next_cell(&mut self, now: Time, data_waits: bool) -> Option<NextCell> {
        if now < self.next_tx() {
            return None;
        }
        let something_waits = data_waits || self.backward_rm.is_some();
        if !something_waits && !self.parameters.idle_forward_rm {
            return None;
        }
        if self.forward_rm_is_due(now) && (something_waits || self.last_forward_rm.is_some()) {
            return Some(NextCell::ForwardRm(self.forward_rm(now)));
        }
        if !something_waits {
            return None;
        }
        self.last_in_rate = Some(now);
        self.since_forward_rm += 1;
        if (!self.backward_rm_sent || !data_waits)
            && let Some(rm) = self.backward_rm.take()
        {
            self.backward_rm_sent = true;
            return Some(NextCell::BackwardRm(rm));
        }
        Some(NextCell::Data)
    }

    #[inline]
    fn forward_rm_is_due(&self, now: Time) -> bool {
        let Some(last) = self.last_forward_rm else {
            return true;
        };
        self.since_forward_rm >= self.parameters.nrm - 1
            || self.since_forward_rm >= self.parameters.mrm
                && now.saturating_since(last) >= self.parameters.trm
    }

    fn forward_rm(&mut self, now: Time) -> RmCell {
        let parameters = &self.parameters;
        let mut acr = self.acr;
        let idle = self
            .last_forward_rm
            .is_some_and(|last| now.saturating_since(last) > parameters.adtf);
        if idle {
            acr = acr.min(parameters.icr).max(parameters.floor()); // rule 5
        }
        if self.unanswered >= self.crm {
            acr = acr.scaled(1.0 - parameters.cdf).max(parameters.floor()); // rule 6
        }
        let rm = self.rm_cell(acr); // rule 7
        self.set_acr(acr);
        self.last_forward_rm = Some(now);
        self.last_in_rate = Some(now);
        self.since_forward_rm = 0;
        self.unanswered += 1;
        self.backward_rm_sent = false;
        rm
    }

    /// A backward RM cell of the source's own loop has come back (rules 8 and 9).
    pub fn on_backward_rm(&mut self, _now: Time, rm: &RmCell) {
        if !rm.bn {
            self.unanswered = 0;
        }
        let parameters = &self.parameters;
        let mut acr = self.acr;
        if rm.ci {
            acr = acr.scaled(1.0 - parameters.rdf);
        } else if !rm.ni {
            acr = acr + parameters.pcr.scaled(parameters.rif);
        }
        self.set_acr(acr.min(parameters.pcr).min(rm.er).max(parameters.floor()));
    }

    /// When [`Source::out_of_rate_cell`] next has a cell to send; it may lie in the past. `None` unless the
    /// source is starved ([`Starved::OutOfRate`]) and, without `idle_forward_rm`, something waits. Changes
    /// with every other call, and with the arrival of data.
    #[must_use]
    pub fn next_out_of_rate(&self, data_waits: bool) -> Option<Time> {
        let something_waits = data_waits || self.backward_rm.is_some();
        if !self.is_starved() || !(something_waits || self.parameters.idle_forward_rm) {
            return None;
        }
        // In-rate cells that left before postpone it.
        let last = self.last_in_rate.max(self.last_out_of_rate);
        let gap = self.parameters.tcr.cell_time();
        Some(last.map_or(Time::ZERO, |last| last.saturating_add(gap)))
    }

    /// The forward RM cell that leaves `now` with CLP = 1 (rule 11); `None` before
    /// [`Source::next_out_of_rate`]. It counts for nothing in the in-rate stream.
    pub fn out_of_rate_cell(&mut self, now: Time, data_waits: bool) -> Option<RmCell> {
        if self.next_out_of_rate(data_waits)? > now {
            return None;
        }
        self.last_out_of_rate = Some(now);
        Some(self.rm_cell(self.acr))
    }

    #[inline]
    fn is_starved(&self) -> bool {
        self.parameters.starved == Starved::OutOfRate && self.acr < self.parameters.tcr
    }

    /// A forward RM cell (rule 10).
    fn rm_cell(&self, ccr: Rate) -> RmCell {
        RmCell {
            direction: Direction::Forward,
            bn: false,
            ci: false,
            ni: false,
            er: self.parameters.pcr,
            ccr,
            mcr: self.parameters.mcr,
        }
    }

    /// A turned-round RM cell of the other loop is to leave in-rate. A newer one takes the place of one
    /// that still waits (destination rules 3 and 4); returns whether it did.
    pub fn turn_round(&mut self, rm: RmCell) -> bool {
        self.backward_rm.replace(rm).is_some()
    }

    fn set_acr(&mut self, acr: Rate) {
        if acr != self.acr {
            self.acr = acr;
            self.gap = acr.cell_time();
        }
    }
}

#[cfg(test)]
mod tests;
