//! The random numbers of a composed network.

use celltrain_proto::random::SplitMix64;

/// A stream of random numbers that depends on the seed and the number of the network only.
#[derive(Clone, Debug)]
pub(super) struct Dice(SplitMix64);

impl Dice {
    /// The stream of attempt `attempt` at network `index` of `seed`.
    pub(super) fn new(seed: u64, index: u64, attempt: u64) -> Self {
        let mut words = SplitMix64(seed);
        // Neighbouring numbers must not give shifted copies of one stream, so each passes the mixer.
        for part in [index, attempt] {
            words = SplitMix64(words.word() ^ part);
        }
        Self(words)
    }

    /// A number below `n`, which is at least 1.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0.word() % n
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// A number from `low` to `high`, all orders of magnitude alike; `low` is at least 1.
    pub(super) fn spread(&mut self, low: u64, high: u64) -> u64 {
        let (a, b) = ((low as f64).ln(), (high.max(low) as f64).ln());
        let drawn = (a + (b - a) * self.unit()).exp().round() as u64;
        drawn.clamp(low, high.max(low))
    }

    /// A number from 0 to 1, 1 excluded.
    pub(super) fn unit(&mut self) -> f64 {
        (self.0.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of `items`, which has at least one.
    pub(super) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize].clone()
    }

    /// Some of `items`, one to `most`, in any order.
    pub(super) fn some<T: Clone>(&mut self, items: &[T], most: u64) -> Vec<T> {
        let mut all = items.to_vec();
        self.shuffle(&mut all);
        all.truncate(self.between(1, most) as usize);
        all
    }

    /// Puts `items` into a random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}
