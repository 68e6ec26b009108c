//! First form; the rules of the standard follow.
#![allow(missing_docs)]
use crate::cell::{Direction, RmCell};
use crate::units::*;
#[derive(Clone, Debug)]
pub struct Parameters {
    pub pcr: Rate,
    pub mcr: Rate,
    pub icr: Rate,
    pub rif: f64,
    pub rdf: f64,
    pub nrm: u32,
    pub mrm: u32,
    pub trm: Span,
    pub adtf: Span,
    pub tbe: Cells,
    pub cdf: f64,
    pub idle_forward_rm: bool,
    pub tcr: Rate,
}
impl Parameters {
    pub fn new(pcr: Rate) -> Self {
        Self {
            pcr,
            mcr: Rate::ZERO,
            icr: pcr,
            rif: 1. / 16.,
            rdf: 1. / 16.,
            nrm: 32,
            mrm: 2,
            trm: Span::from_ms(100),
            adtf: Span::from_ms(500),
            tbe: Cells(16777215),
            cdf: 1. / 16.,
            idle_forward_rm: true,
            tcr: Rate::cells_per_s(10.),
        }
    }
}
#[derive(Clone, Copy, Debug)]
pub enum NextCell {
    ForwardRm(RmCell),
    BackwardRm(RmCell),
    Data,
}
#[derive(Clone, Debug)]
pub struct Source {
    p: Parameters,
    acr: Rate,
    gap: Span,
    last: Option<Time>,
    last_frm: Time,
    first: bool,
    n: u32,
    brm: Option<RmCell>,
    brm_sent: bool,
}
impl Source {
    pub fn new(p: Parameters) -> Self {
        let acr = p.icr;
        Self {
            acr,
            gap: acr.cell_time(),
            p,
            last: None,
            last_frm: Time::ZERO,
            first: true,
            n: 0,
            brm: None,
            brm_sent: false,
        }
    }
    pub fn acr(&self) -> Rate {
        self.acr
    }
    #[inline]
    pub fn next_deadline(&self, data: bool) -> Option<Time> {
        if data || self.brm.is_some() {
            Some(self.last.map_or(Time::ZERO, |l| l.saturating_add(self.gap)))
        } else {
            None
        }
    }
    #[inline]
    pub fn next_cell(&mut self, now: Time, data: bool) -> Option<NextCell> {
        if !data && self.brm.is_none() {
            return None;
        }
        self.last = Some(now);
        if self.first
            || self.n >= self.p.nrm - 1
            || (self.n >= self.p.mrm && now.saturating_since(self.last_frm) >= self.p.trm)
        {
            self.first = false;
            self.n = 0;
            self.last_frm = now;
            self.brm_sent = false;
            return Some(NextCell::ForwardRm(RmCell {
                direction: Direction::Forward,
                bn: false,
                ci: false,
                ni: false,
                er: self.p.pcr,
                ccr: self.acr,
                mcr: self.p.mcr,
            }));
        }
        self.n += 1;
        if self.brm.is_some() && (!self.brm_sent || !data) {
            self.brm_sent = true;
            return self.brm.take().map(NextCell::BackwardRm);
        }
        Some(NextCell::Data)
    }
    pub fn on_backward_rm(&mut self, _now: Time, rm: &RmCell) {
        let mut a = self.acr;
        if rm.ci {
            a = a.scaled(1.0 - self.p.rdf);
        } else if !rm.ni {
            a = a + self.p.pcr.scaled(self.p.rif);
        }
        self.acr = a.min(self.p.pcr).min(rm.er).max(self.p.mcr).max(self.p.tcr);
        self.gap = self.acr.cell_time();
    }
    pub fn turn_round(&mut self, rm: RmCell) -> bool {
        self.brm.replace(rm).is_some()
    }
}
#[derive(Clone, Debug, Default)]
pub struct Destination {
    efci: bool,
}
impl Destination {
    #[inline]
    pub fn on_data(&mut self, efci: bool) {
        self.efci = efci;
    }
    pub fn on_forward_rm(&mut self, mut rm: RmCell) -> RmCell {
        rm.direction = Direction::Backward;
        rm.ci |= self.efci;
        self.efci = false;
        rm
    }
}
