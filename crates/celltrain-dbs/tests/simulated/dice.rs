//! Chances and clocks.

use celltrain_proto::random::SplitMix64;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Dice(SplitMix64);

impl Dice {
    pub(crate) fn new(state: u64) -> Self {
        Self(SplitMix64(state))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.word()
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// Whether something with a chance of `per_mille` in a thousand happens.
    pub(crate) fn chance(&mut self, per_mille: u64) -> bool {
        self.next() % 1_000 < per_mille
    }
}

/// A clock that was started at some time, and is too fast or too slow by some parts in a million.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    offset_ns: u64,
    ppm: i64,
}

impl Clock {
    pub(crate) fn new(dice: &mut Dice) -> Self {
        Self {
            offset_ns: dice.within(0, 1 << 50),
            ppm: dice.within(0, 200).cast_signed() - 100,
        }
    }

    /// What it shows at the true time `now`.
    pub(crate) fn read(&self, now: u64) -> u64 {
        let drift = i128::from(now) * i128::from(self.ppm) / 1_000_000;
        self.offset_ns + now.saturating_add_signed(drift as i64)
    }

    /// A true time at which it shows at least `shown`.
    pub(crate) fn when(&self, shown: u64) -> u64 {
        let since = i128::from(shown.saturating_sub(self.offset_ns));
        (since * 1_000_000 / i128::from(1_000_000 + self.ppm)) as u64 + 1
    }
}
