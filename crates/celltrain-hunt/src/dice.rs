//! Random choices, the same on every computer for a given seed and number.

use celltrain_proto::random::Stream;

/// The random stream from which all choices for one network are drawn.
#[derive(Clone, Debug)]
pub struct Dice(Stream);

impl Dice {
    /// The choices for network number `index` of `seed`.
    pub fn new(seed: u64, index: u64) -> Self {
        Self(Stream::named(seed, &format!("hunt.{index}")))
    }

    /// Uniform on [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.uniform()
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A whole number below `n`; 0 for `n` = 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// A whole number from `low` to `high`, both included.
    pub fn whole(&mut self, low: u64, high: u64) -> u64 {
        low + self.below((high - low + 1) as usize) as u64
    }

    /// One of `items`, all equally likely; panics if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// The index of one of `weights`, drawn in proportion to them.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut left = self.below(weights.iter().sum::<u32>() as usize) as u32;
        for (index, &weight) in weights.iter().enumerate() {
            if left < weight {
                return index;
            }
            left -= weight;
        }
        0
    }

    /// A number from `low` to `high` whose logarithm is uniform.
    pub fn log_uniform(&mut self, low: f64, high: f64) -> f64 {
        (low.ln() + (high.ln() - low.ln()) * self.unit()).exp()
    }

    /// Puts `items` into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
