//! Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995), for cells: all packets have length 1.
//!
//! Backlogged VCs take turns. A turn raises the VC's deficit counter by its quantum and lasts as long as the counter is
//! at least 1; each cell lowers it by 1. The remainder is kept for the next turn, and lost when the queue becomes
//! empty. Since no quantum is less than 1, each turn sends a cell, so that a choice takes constant time.
//!
//! Not from the paper: a VC whose turn it is but whose cell may not be sent (credits) loses this turn, and keeps its
//! counter.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::service_order::{Kind, Queues, ServiceOrder};
use crate::parameters::Bounds;

parameters! {
    /// The parameters of [`DeficitRoundRobin`].
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct DeficitRoundRobinParameters {
        /// Cells in a turn of the VC with the smallest weight; the turns of others are longer in proportion to theirs.
        pub quantum: f64 = 1.0, in Bounds::within(1.0, 1e6);
    }
}

/// Serves backlogged VCs in turns whose lengths are proportional to their weights. A VC is identified by its queue.
#[derive(Clone, Debug)]
pub struct DeficitRoundRobin {
    /// By VC.
    quanta: Vec<f64>,
    deficits: Vec<f64>,
    /// The backlogged VCs in the order of their turns; the present turn is that of the first.
    turns: VecDeque<u32>,
}

impl Kind for DeficitRoundRobin {
    type Parameters = DeficitRoundRobinParameters;
    const QUEUES: Queues = Queues::PerVc;

    fn build(parameters: &DeficitRoundRobinParameters, weights: &[f64]) -> Self {
        let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
        let quantum = |weight: &f64| parameters.quantum * (weight / least);
        Self {
            quanta: weights.iter().map(quantum).collect(),
            deficits: vec![0.0; weights.len()],
            turns: VecDeque::new(),
        }
    }
}

impl ServiceOrder for DeficitRoundRobin {
    fn on_arrival(&mut self, vc: u32) {
        self.turns.push_back(vc);
    }

    fn next(&self, ready: impl Fn(u32) -> bool) -> Option<u32> {
        self.turns.iter().copied().find(|&vc| ready(vc))
    }

    fn on_served(&mut self, vc: u32, still_backlogged: bool) {
        let Some(passed_over) = self.turns.iter().position(|&it| it == vc) else {
            return;
        };
        self.turns.rotate_left(passed_over);
        let deficit = &mut self.deficits[vc as usize];
        if *deficit < 1.0 {
            *deficit += self.quanta[vc as usize];
        }
        *deficit -= 1.0;
        if !still_backlogged {
            *deficit = 0.0;
            self.turns.pop_front();
        } else if *deficit < 1.0 {
            self.turns.rotate_left(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(quantum: f64, weights: &[f64]) -> DeficitRoundRobin {
        DeficitRoundRobin::build(&DeficitRoundRobinParameters { quantum }, weights)
    }

    /// Serves queues of these lengths until `n` cells have left; returns which VC was served each time.
    fn serve(scheduler: &mut DeficitRoundRobin, queues: &mut [u32], n: usize) -> Vec<u32> {
        for (&queue, vc) in queues.iter().zip(0..) {
            if queue > 0 && !scheduler.turns.contains(&vc) {
                scheduler.on_arrival(vc);
            }
        }
        let served = core::iter::from_fn(|| {
            let vc = scheduler.next(|_| true)?;
            queues[vc as usize] -= 1;
            scheduler.on_served(vc, queues[vc as usize] > 0);
            Some(vc)
        });
        served.take(n).collect()
    }

    #[test]
    fn a_turn_has_as_many_cells_as_the_quantum_of_the_vc() {
        let served = serve(&mut turns(2.0, &[1.0, 0.5]), &mut [9, 9], 12);
        assert_eq!(served, [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1]);
    }

    #[test]
    fn the_rest_of_a_quantum_is_kept_for_the_next_turn() {
        // Quanta of 1.5 and 1: turns of 1, 2, 1, 2 cells.
        let served = serve(&mut turns(1.0, &[1.5, 1.0]), &mut [9, 9], 10);
        assert_eq!(served, [0, 1, 0, 0, 1, 0, 1, 0, 0, 1]);
    }

    #[test]
    fn a_queue_that_becomes_empty_keeps_nothing() {
        let mut scheduler = turns(4.0, &[1.0, 1.0]);
        // VC 0 has 3 cells of its quantum left when its queue becomes empty.
        assert_eq!(serve(&mut scheduler, &mut [1, 1], 9), [0, 1]);
        let served = serve(&mut scheduler, &mut [9, 9], 8);
        assert_eq!(served, [0, 0, 0, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn a_vc_that_may_not_send_loses_its_turn() {
        let mut scheduler = turns(2.0, &[1.0; 3]);
        (0..3).for_each(|vc| scheduler.on_arrival(vc));
        assert_eq!(scheduler.next(|vc| vc != 0), Some(1));
        scheduler.on_served(1, true);
        // The turn of 1 goes on, although 0 may send again; then come 2 and 0.
        let order: Vec<u32> = core::iter::from_fn(|| {
            let vc = scheduler.next(|_| true)?;
            scheduler.on_served(vc, true);
            Some(vc)
        })
        .take(5)
        .collect();
        assert_eq!(order, [1, 2, 2, 0, 0]);
        assert_eq!(scheduler.next(|_| false), None);
    }
}
