//! First form; the rules of the standard follow.
#![allow(missing_docs, unused_variables)]
use crate::cell::RmCell;
use crate::units::*;
use alloc::vec::Vec;
#[derive(Clone, Copy, Debug)]
pub struct PortState {
    pub queue: Cells,
    pub rate: Rate,
}
pub trait SwitchAlgorithm {
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {}
    fn on_activity(&mut self, now: Time, vc: u32) {}
    fn on_rate_change(&mut self, now: Time, rate: Rate) {}
    fn on_forward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {}
    fn on_backward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {}
    fn marks_efci(&self, queue: Cells) -> bool {
        false
    }
    fn mean_active_vcs(&mut self, now: Time) -> Option<f64> {
        None
    }
    fn reset_statistics(&mut self, now: Time) {}
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Marking {
    BackwardRm,
    ForwardRm,
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BinaryMarking {
    BackwardRm,
    ForwardRm,
    Efci,
}
#[derive(Clone, Debug)]
pub struct Binary(Cells, BinaryMarking);
impl Binary {
    pub fn new(c: Cells, m: BinaryMarking) -> Self {
        Self(c, m)
    }
}
impl SwitchAlgorithm for Binary {
    fn on_backward_rm(&mut self, _: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        rm.ci |= port.queue > self.0;
    }
}
#[derive(Clone, Debug)]
pub struct FairShare {
    t: Span,
    w: u64,
    seen: Vec<u64>,
    count: u64,
    n: u64,
}
impl FairShare {
    pub fn new(t: Span, _: Marking) -> Self {
        Self {
            t,
            w: 0,
            seen: Vec::new(),
            count: 0,
            n: 0,
        }
    }
    fn roll(&mut self, now: Time) {
        let w = (now - Time::ZERO).div_floor(self.t);
        if w != self.w {
            self.n = if w == self.w + 1 { self.count } else { 0 };
            self.count = 0;
            self.w = w;
        }
    }
}
impl SwitchAlgorithm for FairShare {
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
        self.on_activity(now, vc);
    }
    fn on_activity(&mut self, now: Time, vc: u32) {
        self.roll(now);
        let vc = vc as usize;
        if vc >= self.seen.len() {
            self.seen.resize(vc + 1, u64::MAX);
        }
        if self.seen[vc] != self.w {
            self.seen[vc] = self.w;
            self.count += 1;
        }
    }
    fn on_backward_rm(&mut self, now: Time, _: u32, rm: &mut RmCell, port: &PortState) {
        self.roll(now);
        rm.er = rm.er.min(port.rate.scaled(1.0 / self.n.max(1) as f64));
    }
}
#[derive(Clone, Debug)]
pub struct EricaPlusSmoothedParameters {
    pub t0: Span,
    pub a: f64,
    pub b: f64,
    pub qdlf: f64,
    pub x: f64,
    pub smoothing_interval: Span,
    pub averaging_interval: Span,
    pub marking: Marking,
}
#[derive(Clone, Debug)]
pub struct EricaPlusSmoothed;
impl EricaPlusSmoothed {
    pub fn new(_: EricaPlusSmoothedParameters) -> Self {
        Self
    }
}
impl SwitchAlgorithm for EricaPlusSmoothed {}
#[derive(Clone, Debug)]
pub enum Algorithm {
    B(Binary),
    F(FairShare),
    E(EricaPlusSmoothed),
}
impl From<Binary> for Algorithm {
    fn from(x: Binary) -> Self {
        Self::B(x)
    }
}
impl From<FairShare> for Algorithm {
    fn from(x: FairShare) -> Self {
        Self::F(x)
    }
}
impl From<EricaPlusSmoothed> for Algorithm {
    fn from(x: EricaPlusSmoothed) -> Self {
        Self::E(x)
    }
}
impl SwitchAlgorithm for Algorithm {
    #[inline]
    fn on_cells(&mut self, now: Time, vc: u32, n: u64) {
        match self {
            Self::B(x) => x.on_cells(now, vc, n),
            Self::F(x) => x.on_cells(now, vc, n),
            Self::E(x) => x.on_cells(now, vc, n),
        }
    }
    fn on_activity(&mut self, now: Time, vc: u32) {
        match self {
            Self::B(x) => x.on_activity(now, vc),
            Self::F(x) => x.on_activity(now, vc),
            Self::E(x) => x.on_activity(now, vc),
        }
    }
    fn on_backward_rm(&mut self, now: Time, vc: u32, rm: &mut RmCell, port: &PortState) {
        match self {
            Self::B(x) => x.on_backward_rm(now, vc, rm, port),
            Self::F(x) => x.on_backward_rm(now, vc, rm, port),
            Self::E(x) => x.on_backward_rm(now, vc, rm, port),
        }
    }
}
