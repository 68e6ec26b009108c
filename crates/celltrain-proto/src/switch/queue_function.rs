//! The queue control functions of ERICA+, all equal to 1 at the target queue.

use core::cmp::Ordering;

use crate::units::{CELL_BITS, Cells, Rate, Span};

/// The shape of the queue control function.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Shape {
    /// Two hyperbolas (ATM Forum 96-1172).
    Hyperbolic,
    /// Two straight-line segments: from b at an empty queue to 1 at the target, and on to QDLF at `k` times the target.
    Linear {
        /// More than 1.
        k: f64,
    },
    /// b below the target, 1 at it, QDLF above.
    Step,
}

/// A queue control function with its parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct QueueFunction {
    /// T0: the target queueing delay.
    pub(super) t0: Span,
    /// a, at least 1: how steeply the gain falls above the target.
    pub(super) a: f64,
    /// b, at least 1: the gain at an empty queue.
    pub(super) b: f64,
    /// QDLF, in \[0, 1\]: the queue drain limit factor, the minimum gain.
    pub(super) qdlf: f64,
    /// Its shape.
    pub(super) shape: Shape,
}

impl QueueFunction {
    /// Q0 in cells: the queue that drains in T0 at `capacity`.
    pub(super) fn target(&self, capacity: Rate) -> f64 {
        capacity.bits_in(self.t0) / CELL_BITS as f64
    }

    /// The fraction of the capacity to allocate at a queue of `queue` cells with a target of `target` cells. It is b at
    /// an empty queue, exactly 1 at the target, and falls to QDLF.
    pub(super) fn gain(&self, queue: Cells, target: f64) -> f64 {
        let queue = queue.0 as f64;
        let hyperbola = |k: f64| k * target / ((k - 1.0) * queue + target);
        match queue.total_cmp(&target) {
            Ordering::Less => match self.shape {
                Shape::Hyperbolic => hyperbola(self.b),
                Shape::Linear { .. } => self.b - (self.b - 1.0) * queue / target,
                Shape::Step => self.b,
            },
            // Without this case, an empty queue with target zero, on a stopped line, would give 0/0.
            Ordering::Equal => 1.0,
            Ordering::Greater => match self.shape {
                Shape::Hyperbolic => hyperbola(self.a).max(self.qdlf),
                Shape::Linear { k } => {
                    let excess = (queue - target) / ((k - 1.0) * target);
                    (1.0 - (1.0 - self.qdlf) * excess).max(self.qdlf)
                }
                Shape::Step => self.qdlf,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gain at `queue` cells for a target of 100.
    fn gain(shape: Shape, queue: u64) -> f64 {
        let function = QueueFunction {
            t0: Span::from_ms(1),
            a: 1.15,
            b: 1.05,
            qdlf: 0.5,
            shape,
        };
        function.gain(Cells(queue), 100.0)
    }

    #[test]
    fn all_shapes_begin_at_b_pass_the_target_at_1_and_end_at_qdlf() {
        for shape in [Shape::Hyperbolic, Shape::Linear { k: 8.667 }, Shape::Step] {
            assert_eq!(gain(shape, 0), 1.05, "{shape:?}");
            assert_eq!(gain(shape, 100), 1.0, "{shape:?}");
            assert_eq!(gain(shape, 10_000), 0.5, "{shape:?}");
        }
    }

    #[test]
    fn the_linear_shape_falls_evenly() {
        let shape = Shape::Linear { k: 5.0 };
        assert!((gain(shape, 50) - 1.025).abs() < 1e-12);
        assert!((gain(shape, 300) - 0.75).abs() < 1e-12);
        assert_eq!(gain(shape, 500), 0.5);
    }

    #[test]
    fn the_step_shape_knows_two_sides() {
        assert_eq!(gain(Shape::Step, 99), 1.05);
        assert_eq!(gain(Shape::Step, 101), 0.5);
    }
}
