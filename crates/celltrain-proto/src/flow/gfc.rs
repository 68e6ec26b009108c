//! First form; the rules of the standard follow.
#![allow(missing_docs)]
use crate::units::*;
#[derive(Clone, Debug)]
pub struct Controlling {
    high: Cells,
    low: Cells,
    halt: bool,
}
impl Controlling {
    pub fn new(high: Cells, low: Cells) -> Self {
        Self {
            high,
            low,
            halt: false,
        }
    }
    pub fn on_queue(&mut self, q: Cells) {
        if q > self.high {
            self.halt = true
        } else if q < self.low {
            self.halt = false
        }
    }
    pub fn halt(&self) -> bool {
        self.halt
    }
}
#[derive(Clone, Debug)]
pub struct Controlled {
    timeout: Span,
    until: Option<Time>,
}
impl Controlled {
    pub fn new(timeout: Span) -> Self {
        Self {
            timeout,
            until: None,
        }
    }
    pub fn on_command(&mut self, now: Time, halt: bool) {
        self.until = halt.then(|| now.saturating_add(self.timeout));
    }
    pub fn halted_until(&self) -> Option<Time> {
        self.until
    }
}
