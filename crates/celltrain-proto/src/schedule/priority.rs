//! Strict priority of service categories (TM 4.0 §2.1): a class waits while a class before it has cells.

use super::class::Class;
use super::service_order::{Kind, Queues, ServiceOrder};

parameters! {
    /// Strict priority has no parameters.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct PriorityParameters {}
}

/// Serves the first queue that is ready.
#[derive(Clone, Copy, Debug)]
pub struct Priority;

impl Kind for Priority {
    type Parameters = PriorityParameters;
    const QUEUES: Queues = Queues::PerClass;

    fn build(_: &PriorityParameters, _: &[f64]) -> Self {
        Self
    }
}

impl ServiceOrder for Priority {
    fn next(&self, ready: impl Fn(u32) -> bool) -> Option<u32> {
        let mut queues = Class::ALL.iter().map(|&class| class as u32);
        queues.find(|&queue| ready(queue))
    }

    fn is_by_number(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_class_with_a_cell_that_may_be_sent_is_served() {
        let next =
            |ready: &[Class]| Priority.next(|it| ready.iter().any(|&class| class as u32 == it));
        assert_eq!(next(&[Class::Ubr, Class::RtVbr, Class::Abr]), Some(1));
        assert_eq!(next(&[Class::Ubr]), Some(4));
        assert_eq!(next(&[]), None);
    }
}
