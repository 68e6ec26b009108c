//! Draws the values of one network according to its taste.

use serde_json::Value;

use super::dice::Dice;
use super::framing::Medium;
use super::taste::{Taste, Wish, on};
use super::units::{self, CELL, SECOND};

/// Random numbers and the taste of the network.
#[derive(Clone, Debug)]
pub(super) struct Pen {
    pub(super) dice: Dice,
    pub(super) taste: Taste,
}

impl Pen {
    /// For a network whose run is `length` of its usual length.
    pub(super) fn new(mut dice: Dice, length: f64) -> Self {
        let taste = Taste::new(&mut dice, length);
        Self { dice, taste }
    }

    /// Whether a feature is wanted here.
    pub(super) fn wants(&mut self, wish: Wish) -> bool {
        let likes = self.taste.likes(wish);
        self.dice.chance(likes)
    }

    /// Whether the lines between two nodes carry frames.
    pub(super) fn frames(&mut self) -> bool {
        match self.taste.framed.medium {
            Medium::Cells => false,
            Medium::Frames => true,
            Medium::Both => self.dice.chance(0.5),
        }
    }

    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.dice.chance(probability)
    }

    pub(super) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        self.dice.pick(items)
    }

    /// A rate in bit/s, nearly always one that the network has elsewhere.
    pub(super) fn bps(&mut self) -> u64 {
        let rate = self.dice.pick(&self.taste.rates);
        match self.dice.below(12) {
            0 => rate * 2,
            1 => (rate / self.dice.between(2, 9)).max(100),
            2 => rate + self.dice.below(rate),
            _ => rate,
        }
    }

    /// The time of a cell at the first rate of the network, in ps.
    pub(super) fn cell_time(&self) -> u64 {
        SECOND * CELL / self.taste.rates[0]
    }

    /// A delay in ps, which may be zero.
    pub(super) fn delay(&mut self) -> u64 {
        if self.dice.chance(self.taste.zero) {
            return 0;
        }
        self.dice.pick(&self.taste.delays)
    }

    /// A time of one to `cells` cell times, on the grid, at least `least` ps.
    pub(super) fn span(&mut self, cells: u64, least: u64) -> u64 {
        let cells = self.dice.spread(1, cells.max(1));
        let time = (self.cell_time() * cells).min(self.taste.end / 5);
        on(self.taste.grid, time.max(least)).max(least)
    }

    /// An instant of the run, often one at which something else happens.
    pub(super) fn instant(&mut self) -> u64 {
        match self.dice.below(6) {
            0 => 0,
            1 => on(self.taste.grid, self.dice.below(self.taste.end)),
            2 => self.taste.warm_up,
            _ => self.dice.pick(&self.taste.instants),
        }
    }

    /// The start of a flow or a background.
    pub(super) fn start(&mut self) -> Option<Value> {
        if self.wants(Wish::RandomStart) {
            let from = self.instant();
            let to = from + self.span(100, 1);
            return Some(serde_json::json!({"uniform": [units::time(from), units::time(to)]}));
        }
        self.wants(Wish::LateStart)
            .then(|| units::time(self.instant()))
    }

    /// A buffer in cells.
    pub(super) fn buffer(&mut self) -> u64 {
        let (low, high) = self.taste.buffers;
        self.dice.spread(low, high)
    }

    /// A fraction above 0 and at most 1, as a number or as text.
    pub(super) fn fraction(&mut self) -> Value {
        match self.dice.below(4) {
            0 => Value::from(1.0),
            1 => Value::from(format!("1/{}", self.dice.between(2, 64))),
            2 => Value::from(self.dice.pick(&[0.5, 0.25, 0.125, 0.0625])),
            _ => Value::from((self.dice.unit() * 1000.0).ceil() / 1000.0),
        }
    }

    /// A number from `low` to `high` with three decimals.
    pub(super) fn number(&mut self, low: f64, high: f64) -> Value {
        let drawn = low + (high - low) * self.dice.unit();
        Value::from((drawn * 1000.0).ceil() / 1000.0)
    }
}
