//! Weighted fair queueing of cells by virtual spacing (self-clocked fair queueing, INFOCOM 1994).
//!
//! Each backlogged VC has one tag, that of its first cell: the virtual time V when the cell became the first, plus the
//! reciprocal of the weight. The smallest tag is served, and V is the tag last served. This gives the same order as
//! tags stamped on each cell at its arrival, max(V, previous tag) + 1/weight, since V equals the previous tag when a
//! cell becomes the first of a queue that was never empty.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::service_order::{Kind, Queues, ServiceOrder};

/// When V exceeds this, all tags are lowered, so that they stay exact to 2^-22.
const REBASE_ABOVE: f64 = (1_u64 << 30) as f64;

parameters! {
    /// Weighted fair queueing has no parameters: a VC has its weight.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct WeightedFairParameters {}
}

/// Serves VCs in proportion to their weights while they are backlogged. A VC is identified by its queue.
#[derive(Clone, Debug)]
pub struct WeightedFair {
    /// 1/weight.
    costs: Vec<f64>,
    /// The tag of each VC's first cell; `None` while the queue is empty.
    tags: Vec<Option<Tag>>,
    /// The backlogged VCs by tag, then by number.
    order: BTreeSet<(Tag, u32)>,
    virtual_time: f64,
}

/// An instant of virtual time.
#[derive(Clone, Copy, Debug)]
struct Tag(f64);

impl Ord for Tag {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
impl PartialOrd for Tag {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Tag {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Tag {}

impl Kind for WeightedFair {
    type Parameters = WeightedFairParameters;
    const QUEUES: Queues = Queues::PerVc;

    fn build(_: &WeightedFairParameters, weights: &[f64]) -> Self {
        Self {
            costs: weights.iter().map(|weight| 1.0 / weight).collect(),
            tags: vec![None; weights.len()],
            order: BTreeSet::new(),
            virtual_time: 0.0,
        }
    }
}

impl ServiceOrder for WeightedFair {
    fn on_arrival(&mut self, vc: u32) {
        if self.tags[vc as usize].is_none() {
            self.tag(vc);
        }
    }

    /// The VC with the smallest tag, the lowest number among equals.
    #[inline]
    fn next(&self, ready: impl Fn(u32) -> bool) -> Option<u32> {
        self.order.iter().map(|&(_, vc)| vc).find(|&vc| ready(vc))
    }

    /// V never decreases: a VC that was not ready while others were served does not catch up.
    fn on_served(&mut self, vc: u32, still_backlogged: bool) {
        let Some(tag) = self.tags[vc as usize].take() else {
            return;
        };
        self.order.remove(&(tag, vc));
        self.virtual_time = self.virtual_time.max(tag.0);
        if still_backlogged {
            self.tag(vc);
        }
        if self.virtual_time > REBASE_ABOVE {
            self.rebase();
        }
    }
}

impl WeightedFair {
    fn tag(&mut self, vc: u32) {
        let tag = Tag(self.virtual_time + self.costs[vc as usize]);
        self.tags[vc as usize] = Some(tag);
        self.order.insert((tag, vc));
    }

    fn rebase(&mut self) {
        for tag in self.tags.iter_mut().flatten() {
            tag.0 -= self.virtual_time;
        }
        self.virtual_time = 0.0;
        let backlogged = self.tags.iter().zip(0..);
        self.order = backlogged
            .filter_map(|(tag, vc)| tag.map(|tag| (tag, vc)))
            .collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn fair(weights: &[f64]) -> WeightedFair {
        WeightedFair::build(&WeightedFairParameters {}, weights)
    }

    /// Serves queues of these lengths until `n` cells have left; returns which VC was served each time.
    fn serve(wfq: &mut WeightedFair, queues: &mut [u64], n: usize) -> Vec<u32> {
        for (&queue, vc) in queues.iter().zip(0..) {
            if queue > 0 {
                wfq.on_arrival(vc);
            }
        }
        let served = core::iter::from_fn(|| {
            let vc = wfq.next(|_| true)?;
            let queue = &mut queues[vc as usize];
            *queue -= 1;
            wfq.on_served(vc, *queue > 0);
            Some(vc)
        });
        served.take(n).collect()
    }

    #[test]
    fn three_to_one_with_four_cells_each_is_a_a_a_b_a_b_b_b() {
        let mut wfq = fair(&[0.75, 0.25]);
        assert_eq!(
            serve(&mut wfq, &mut [4, 4], 9),
            [0, 0, 0, 1, 0, 1, 1, 1] // 4/3, 8/3, then the tie at 4: the lower number first
        );
    }

    #[test]
    fn equal_weights_take_turns_from_the_lowest_number() {
        let mut wfq = fair(&[1.0; 3]);
        assert_eq!(serve(&mut wfq, &mut [2, 2, 2], 6), [0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn a_vc_that_was_idle_has_saved_nothing() {
        let mut wfq = fair(&[1.0, 1.0]);
        serve(&mut wfq, &mut [5, 0], 4);
        assert_eq!(serve(&mut wfq, &mut [3, 3], 6), [0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn a_vc_that_is_not_ready_is_passed_over_and_does_not_make_up_for_it() {
        let mut wfq = fair(&[1.0, 1.0]);
        wfq.on_arrival(0);
        wfq.on_arrival(1);
        for _ in 0..10 {
            assert_eq!(wfq.next(|vc| vc != 0), Some(1));
            wfq.on_served(1, true);
        }
        assert_eq!(wfq.next(|_| false), None);
        assert_eq!(serve(&mut wfq, &mut [9, 9], 4), [0, 0, 1, 0]);
    }

    #[test]
    fn nothing_waits_where_nothing_arrived() {
        let mut wfq = fair(&[1.0]);
        assert_eq!(wfq.next(|_| true), None);
        wfq.on_arrival(0);
        wfq.on_arrival(0);
        wfq.on_served(0, false);
        wfq.on_served(0, false);
        assert_eq!(wfq.next(|_| true), None);
    }

    #[test]
    fn lowering_all_tags_leaves_the_order_as_it_was() {
        let weights = [0.5, 0.25, 0.125, 0.125];
        let mut low = fair(&weights);
        let mut high = fair(&weights);
        high.virtual_time = REBASE_ABOVE - 50.0;
        assert_eq!(
            serve(&mut low, &mut [1_000; 4], 500),
            serve(&mut high, &mut [1_000; 4], 500)
        );
        assert!(high.virtual_time < 1_000.0);
    }

    proptest! {
        #[test]
        fn backlogged_vcs_are_served_in_proportion_to_their_weights(
            weights in proptest::collection::vec(1_u32..100, 1..10), n in 1_usize..2_000,
        ) {
            let weights: Vec<_> = weights.into_iter().map(f64::from).collect();
            let sum: f64 = weights.iter().sum();
            let mut queues = vec![u64::MAX; weights.len()];
            let mut counts = BTreeMap::new();
            for vc in serve(&mut fair(&weights), &mut queues, n) {
                *counts.entry(vc).or_insert(0_u32) += 1;
            }
            for (weight, vc) in weights.iter().zip(0..) {
                let served = f64::from(counts.get(&vc).copied().unwrap_or(0));
                let share = n as f64 * weight / sum;
                // The service of each VC is less than one cell behind V times its weight, and never ahead.
                prop_assert!((served - share).abs() < weights.len() as f64 + 1e-6);
            }
        }

        #[test]
        fn every_cell_is_served_once(
            queues in proptest::collection::vec(0_u64..20, 1..20),
        ) {
            let weights: Vec<_> = (1..=queues.len()).map(|weight| weight as f64).collect();
            let mut left = queues.clone();
            let served = serve(&mut fair(&weights), &mut left, 1_000);
            prop_assert_eq!(served.len() as u64, queues.iter().sum::<u64>());
        }
    }
}
