//! The interface of a scheduler: its inputs and its decisions.

/// Which queues a link has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queues {
    /// One for all cells.
    One,
    /// One for each service category, in the order of [`Class::ALL`](super::Class::ALL), each with a buffer of its own.
    PerClass,
    /// One for each direction of a VC, numbered as the directions are at the link. They share the buffer.
    PerVc,
}

/// How to create a scheduler, and the queues that it serves.
pub trait Kind: Sized {
    /// The scheduler's parameters.
    type Parameters;
    /// The queues that it serves.
    const QUEUES: Queues;

    /// Creates the scheduler of empty queues, one for each weight. Weights are positive; they are 1 unless the queues are
    /// those of VCs.
    fn build(parameters: &Self::Parameters, weights: &[f64]) -> Self;
}

/// Which of several queues is served next. A queue is identified by the position of its weight.
#[enum_dispatch::enum_dispatch]
#[expect(
    unused_variables,
    reason = "the defaults ignore their arguments, whose names are documentation"
)]
pub trait ServiceOrder {
    /// A cell has arrived at `queue`, which was empty.
    #[inline]
    fn on_arrival(&mut self, queue: u32) {}
    /// The queue to serve, of those that are `ready`: they hold a cell that may be sent. Does not change the state.
    fn next(&self, ready: impl Fn(u32) -> bool) -> Option<u32>;
    /// A cell of `queue` has been served; `still_backlogged` says whether the queue holds more.
    #[inline]
    fn on_served(&mut self, queue: u32, still_backlogged: bool) {}
    /// Whether [`ServiceOrder::next`] is always the ready queue with the lowest number, so that an engine need not ask.
    fn is_by_number(&self) -> bool {
        false
    }
}
