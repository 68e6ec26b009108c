//! In which queue the packets of a flow are.

use crate::random::{SplitMix64, Stream};

/// A perturbed hash of flows.
#[derive(Clone, Debug)]
pub(super) struct Hashing {
    queues: u32,
    perturbation: u64,
}

impl Hashing {
    /// Hashes flows into so many queues.
    pub(super) fn new(queues: u32, stream: &mut Stream) -> Self {
        Self {
            queues,
            perturbation: stream.uniform().to_bits(),
        }
    }

    /// The hash of a number.
    #[inline]
    pub(super) fn word(&self, number: u64) -> u64 {
        SplitMix64(number ^ self.perturbation).word()
    }

    /// The number of queues.
    pub(super) fn queues(&self) -> u32 {
        self.queues
    }

    /// The queue of a flow.
    #[inline]
    pub(super) fn queue_of(&self, flow: u64) -> u32 {
        // The high bits, scaled: no division.
        (((self.word(flow) >> 32) * u64::from(self.queues)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_spread_over_the_queues() {
        let hashing = |seed| Hashing::new(64, &mut Stream::named(seed, "queue"));
        let (one, other) = (hashing(3), hashing(4));
        let mut load = [0; 64];
        for flow in 0..6_400 {
            load[one.queue_of(flow) as usize] += 1;
        }
        assert!(
            load.iter().all(|&flows| (60..145).contains(&flows)),
            "{load:?}"
        );
        assert!((0..99).any(|flow| one.queue_of(flow) != other.queue_of(flow)));
    }
}
