//! A rate with what a queue must know of it.

use serde_json::Value;

use super::pen::Pen;
use super::units::{self, MS};

/// The rate of a line.
#[derive(Clone, Debug)]
pub(super) struct Rated {
    pub(super) value: Value,
    /// Its usual and its lowest value, in bit/s.
    pub(super) usual: u64,
    pub(super) floor: u64,
    /// Whether cells leave by opportunities, so that there is no rate.
    pub(super) bursts: bool,
}

impl Rated {
    pub(super) fn new(value: Value, usual: u64, floor: u64) -> Self {
        Self {
            value,
            usual,
            floor,
            bursts: false,
        }
    }

    /// Gathers opportunities of cells into rates.
    pub(super) fn gather(&mut self, pen: &mut Pen) {
        if self.bursts {
            self.value["bin"] = units::time(pen.dice.between(1, 20) * MS);
            self.bursts = false;
        }
    }
}
