//! The ABR source: which in-rate cell is sent next, and when (TM 4.0 §5.10.4).

use super::turn_around::{BackwardRm, Slot, TurnAround};
use super::{Parameters, Starved};
use crate::cell::{Direction, RmCell, rate_code};
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
    /// The time between cells at ACR.
    gap: Span,
    /// When the last in-rate cell was sent.
    last_in_rate: Option<Time>,
    last_forward_rm: Option<Time>,
    /// When the last out-of-rate forward RM cell was sent.
    last_out_of_rate: Option<Time>,
    /// In-rate cells since the last forward RM cell.
    since_forward_rm: u32,
    /// Forward RM cells since the last backward RM cell returned.
    unanswered: u64,
    /// A waiting RM cell of the other loop, turned around.
    backward_rm: Slot,
    backward_rm_sent: bool,
    /// Rule 13 has lowered ACR, and no backward RM cell has returned since.
    lowered_to_use: bool,
}

impl Source {
    /// Creates a source that has sent nothing; ACR is ICR (rule 2).
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
            backward_rm: Slot::default(),
            backward_rm_sent: false,
            lowered_to_use: false,
        }
    }

    /// The rate at which the source may send now.
    pub fn acr(&self) -> Rate {
        self.acr
    }

    /// The negotiated minimum rate, which it may always use.
    pub fn mcr(&self) -> Rate {
        self.parameters.mcr
    }

    /// The time between consecutive in-rate cells at ACR.
    #[inline]
    pub fn gap(&self) -> Span {
        self.gap
    }

    /// The earliest instant of the next in-rate cell, [`Time::NEVER`] while the source is starved. Idle time earns no
    /// credit; a change of ACR moves the instant at once.
    #[inline]
    pub fn next_tx(&self) -> Time {
        match self.last_in_rate {
            _ if self.is_starved() => Time::NEVER,
            Some(last) => last.saturating_add(self.gap),
            None => Time::ZERO,
        }
    }

    /// When [`Source::next_cell`] next has a cell to send, given whether data wait; it may lie in the past. Any other
    /// call, or the arrival of data, may change it.
    #[inline]
    #[must_use]
    pub fn next_deadline(&self, data_waits: bool) -> Option<Time> {
        let next_tx = self.next_tx();
        if next_tx == Time::NEVER {
            return None;
        }
        if data_waits || self.backward_rm.is_taken() {
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

    /// The in-rate cell sent at `now` (rule 3), or `None` before [`Source::next_deadline`].
    #[inline]
    pub fn next_cell(&mut self, now: Time, data_waits: bool) -> Option<NextCell> {
        if now < self.next_tx() {
            return None;
        }
        let something_waits = data_waits || self.backward_rm.is_taken();
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
        let first = self.parameters.backward_rm == BackwardRm::Priority;
        if (first || !self.backward_rm_sent || !data_waits)
            && let Some(rm) = self.backward_rm.take()
        {
            self.backward_rm_sent = true;
            return Some(NextCell::BackwardRm(rm));
        }
        Some(NextCell::Data)
    }

    /// How many consecutive data cells are sent, the first `at`, the others spaced by `gap`, which is at least
    /// [`Source::gap`], before a cell of another kind is due; at most `most`. `at` is no earlier than
    /// [`Source::next_deadline`]. Any other call may change it.
    #[inline]
    #[must_use]
    pub fn data_run(&self, at: Time, gap: Span, most: u32) -> u32 {
        let Some(last) = self.last_forward_rm else {
            return 0;
        };
        if self.backward_rm.is_taken() || self.is_starved() {
            return 0;
        }
        let most = most.min((self.parameters.nrm - 1).saturating_sub(self.since_forward_rm));
        // After this many cells, Trm may make the next one a forward RM cell.
        let before_mrm = self.parameters.mrm.saturating_sub(self.since_forward_rm);
        if most <= before_mrm {
            return most;
        }
        let due = last.saturating_add(self.parameters.trm);
        let then = at.saturating_add(gap * u64::from(before_mrm));
        let more = due
            .saturating_since(then)
            .as_ps()
            .div_ceil(gap.as_ps().max(1));
        u32::try_from(more).map_or(most, |more| most.min(before_mrm.saturating_add(more)))
    }

    /// A lower bound on the time of the next cell that is not data. That cell is sent no earlier than `at`, which is no
    /// earlier than [`Source::next_tx`]. Data cells may arrive from `quiet` on, which is no later than `at`, at least
    /// `spacing` apart. Any other call may change it.
    #[must_use]
    pub fn next_other(&self, at: Time, quiet: Time, spacing: Span) -> Time {
        let Some(last) = self.last_forward_rm else {
            return at;
        };
        if self.backward_rm.is_taken() || self.is_starved() {
            return at;
        }
        let left = (self.parameters.nrm - 1).saturating_sub(self.since_forward_rm);
        let by_count = at.saturating_add(self.gap * u64::from(left));
        // The last of these cells arrives no earlier than this; without it no RM cell is due by count.
        let last_cell = quiet.saturating_add(spacing * u64::from(left.saturating_sub(1)));
        let by_count = by_count.max(last_cell);
        by_count.min(at.max(last.saturating_add(self.parameters.trm)))
    }

    /// `n` cells of a [`Source::data_run`], at least one, have been sent, the last `at`.
    #[inline]
    pub fn on_data_run(&mut self, at: Time, n: u32) {
        self.last_in_rate = Some(at);
        self.since_forward_rm += n;
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
        if parameters.use_it_or_lose_it {
            let used = self.lowered_towards_use(now, acr); // rule 13
            self.lowered_to_use |= used < acr;
            acr = used;
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

    /// ACR after rule 13 (use it or lose it; TM 4.0, appendix I, leaves the policy open): a source that used less than
    /// half of ACR since the last forward RM cell keeps what it used plus ICR.
    fn lowered_towards_use(&self, now: Time, acr: Rate) -> Rate {
        let Some(last) = self.last_forward_rm.filter(|last| *last < now) else {
            return acr;
        };
        let cells = f64::from(self.since_forward_rm + 1);
        let used = Rate::cells_per_s(cells / now.saturating_since(last).as_secs());
        let icr = self.parameters.icr;
        if acr > icr.max(used.scaled(2.0)) {
            acr.min((used + icr).max(self.parameters.floor()))
        } else {
            acr
        }
    }

    /// A backward RM cell of the source's own loop has returned (rules 8 and 9). One generated by a switch or the
    /// destination (BN = 1) does not answer a forward RM cell.
    pub fn on_backward_rm(&mut self, _now: Time, rm: &RmCell) {
        let may_increase = !rm.ni && !self.lowered_to_use;
        if !rm.bn {
            self.unanswered = 0;
            self.lowered_to_use = false;
        }
        let parameters = &self.parameters;
        let er = self.coded(rm.er);
        let mut acr = self.acr;
        if rm.ci {
            acr = acr.scaled(1.0 - parameters.rdf);
        } else if may_increase {
            acr = acr + parameters.pcr.scaled(parameters.rif);
            // TCR, which a starved source has out-of-rate anyway, suffices to restart.
            if self.is_starved() && er >= parameters.tcr {
                acr = acr.max(parameters.tcr);
            }
        }
        self.set_acr(acr.min(parameters.pcr).min(er).max(parameters.floor()));
    }

    /// When [`Source::out_of_rate_cell`] next has a cell to send; it may lie in the past. `None` unless the source is
    /// starved ([`Starved::OutOfRate`]) and either something waits or `idle_forward_rm` is set. Any other call, or the
    /// arrival of data, may change it.
    #[must_use]
    pub fn next_out_of_rate(&self, data_waits: bool) -> Option<Time> {
        let something_waits = data_waits || self.backward_rm.is_taken();
        if !self.is_starved() || !(something_waits || self.parameters.idle_forward_rm) {
            return None;
        }
        // Earlier in-rate cells postpone it.
        let last = self.last_in_rate.max(self.last_out_of_rate);
        let gap = self.parameters.tcr.cell_time();
        Some(last.map_or(Time::ZERO, |last| last.saturating_add(gap)))
    }

    /// The forward RM cell sent at `now` with CLP = 1 (rule 11), or `None` before [`Source::next_out_of_rate`]. It does
    /// not count in the in-rate stream.
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

    /// A rate as an RM cell carries it: rounded down if it is coded in 16 bits.
    fn coded(&self, rate: Rate) -> Rate {
        if self.parameters.rm_quantise {
            rate_code::decode(rate_code::encode(rate))
        } else {
            rate
        }
    }

    /// A forward RM cell (rule 10). Only ER is rounded up, so that ACR can return to PCR.
    fn rm_cell(&self, ccr: Rate) -> RmCell {
        let pcr = self.parameters.pcr;
        RmCell {
            direction: Direction::Forward,
            bn: false,
            ci: false,
            ni: false,
            er: if self.parameters.rm_quantise {
                rate_code::decode(rate_code::encode_up(pcr))
            } else {
                pcr
            },
            ccr: self.coded(ccr),
            mcr: self.coded(self.parameters.mcr),
        }
    }

    /// Queues a turned-around RM cell of the other loop as [`Parameters::backward_rm`] says. A newer one is never sent
    /// before an older one (destination rules 3 and 4).
    pub fn turn_around(&mut self, rm: RmCell) -> TurnAround {
        let older = self.parameters.older_backward_rm;
        match self.parameters.backward_rm {
            BackwardRm::InRate | BackwardRm::Priority => self.backward_rm.put(rm, older),
            BackwardRm::OutOfRate => self.backward_rm.pass(rm, older),
            BackwardRm::Ideal => TurnAround::Ideal(rm),
        }
    }

    /// Sends a turned-around RM cell that came with CLP = 1 (destination rule 6): at once, again with CLP = 1. An older
    /// one that still waits in-rate is discarded, since it must not be sent after this one (rule 4).
    pub fn turn_around_out_of_rate(&mut self, rm: RmCell) -> TurnAround {
        match self.parameters.backward_rm {
            BackwardRm::Ideal => TurnAround::Ideal(rm),
            _ => self.backward_rm.pass(rm, self.parameters.older_backward_rm),
        }
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
