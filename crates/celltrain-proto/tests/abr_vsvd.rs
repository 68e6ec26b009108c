//! Two ABR loops in series, joined by virtual ends; the bottleneck is in the second.

use std::collections::VecDeque;

use celltrain_proto::abr::{
    Coupling, Destination, NextCell, Parameters, Source, TurnAround, VirtualEnds,
};
use celltrain_proto::cell::RmCell;
use celltrain_proto::units::{Cells, Rate, Span, Time};

const DELAY: Span = Span::from_ms(5);
const TARGET: u64 = 20;

/// Cells sent from one node to the next arrive after [`DELAY`].
struct Wire<T>(VecDeque<(Time, T)>);

impl<T> Wire<T> {
    const fn new() -> Self {
        Self(VecDeque::new())
    }

    fn send(&mut self, now: Time, cell: T) {
        self.0.push_back((now + DELAY, cell));
    }

    fn arrival(&self) -> Option<Time> {
        self.0.front().map(|front| front.0)
    }

    fn receive(&mut self, now: Time) -> Option<T> {
        self.arrival().filter(|at| *at <= now)?;
        self.0.pop_front().map(|front| front.1)
    }
}

/// A greedy source, virtual ends, and a destination. Backward RM cells are not delayed by other cells.
struct Chain {
    now: Time,
    source: Source,
    ends: VirtualEnds,
    destination: Destination,
    queue: u64,
    most_queued: u64,
    /// The ER granted by the bottleneck of loop 2.
    bottleneck: Rate,
    loop_1: (Wire<NextCell>, Wire<RmCell>),
    loop_2: (Wire<NextCell>, Wire<RmCell>),
}

impl Chain {
    fn new(bottleneck: Rate) -> Self {
        let parameters = Parameters {
            rif: 1.0,
            ..Parameters::new(Rate::cells_per_s(10_000.0))
        };
        let coupling = Coupling {
            queue_target: Cells(TARGET),
            round_trip: DELAY * 2,
            limits_source: false,
        };
        Self {
            now: Time::ZERO,
            source: Source::new(parameters),
            ends: VirtualEnds::new(parameters, coupling),
            destination: Destination::default(),
            queue: 0,
            most_queued: 0,
            bottleneck,
            loop_1: (Wire::new(), Wire::new()),
            loop_2: (Wire::new(), Wire::new()),
        }
    }

    fn run_until(&mut self, end: Time) {
        while let Some(next) = self.deadline().filter(|next| *next < end) {
            self.now = self.now.max(next);
            self.step();
        }
        self.now = end;
    }

    fn deadline(&self) -> Option<Time> {
        let deadlines = [
            self.source.next_deadline(true),
            self.ends.next_deadline(self.queue > 0),
            self.loop_1.0.arrival(),
            self.loop_1.1.arrival(),
            self.loop_2.0.arrival(),
            self.loop_2.1.arrival(),
        ];
        deadlines.into_iter().flatten().min()
    }

    /// Processes everything that happens at `now`.
    fn step(&mut self) {
        let now = self.now;
        if let Some(rm) = self.loop_1.1.receive(now) {
            self.source.on_backward_rm(now, &rm);
        }
        if let Some(rm) = self.loop_2.1.receive(now) {
            self.ends.on_backward_rm(now, &rm);
        }
        match self.loop_1.0.receive(now) {
            Some(NextCell::ForwardRm(rm)) => {
                let backward = self.ends.on_forward_rm(now, rm, Cells(self.queue));
                self.loop_1.1.send(now, backward);
            }
            Some(_) => {
                self.ends.on_data(false);
                self.queue += 1;
                self.most_queued = self.most_queued.max(self.queue);
            }
            None => {}
        }
        if let Some(NextCell::ForwardRm(rm)) = self.loop_2.0.receive(now) {
            let er = rm.er.min(self.bottleneck);
            let backward = self.destination.on_forward_rm(RmCell { er, ..rm });
            self.loop_2.1.send(now, backward);
        }
        if let Some(cell) = self.source.next_cell(now, true) {
            self.loop_1.0.send(now, cell);
        }
        if let Some(cell) = self.ends.next_cell(now, self.queue > 0) {
            self.queue -= u64::from(cell == NextCell::Data);
            self.loop_2.0.send(now, cell);
        }
    }
}

fn second(s: u64) -> Time {
    Time::ZERO + Span::from_secs(s)
}

#[test]
fn abr_section_10_vsvd_the_source_of_loop_1_settles_at_the_rate_that_loop_2_has() {
    let bottleneck = Rate::cells_per_s(2_000.0);
    let mut chain = Chain::new(bottleneck);
    chain.run_until(second(5));
    assert!(chain.most_queued > TARGET, "{}", chain.most_queued);
    // From now on all rates are constant.
    for tenths in 1..=20 {
        chain.run_until(second(5) + Span::from_ms(100) * tenths);
        assert_eq!(chain.ends.acr(), bottleneck);
        assert_eq!(chain.source.acr(), bottleneck);
        assert!(chain.queue <= TARGET, "{}", chain.queue);
    }
}

#[test]
fn abr_section_10_vsvd_the_queue_holds_what_loop_1_sends_within_its_own_round_trip() {
    // Loop 2 falls from 10,000 to 2,000 cells/s. Loop 1 learns of it at its next forward RM cell, at most 3.2 ms later,
    // and cells at the old rate arrive for another 10 ms: about 0.013 s x 8,000 cells/s, not the 26 ms that both loops
    // take together.
    let mut chain = Chain::new(Rate::cells_per_s(10_000.0));
    chain.run_until(second(1));
    assert_eq!(chain.source.acr(), Rate::cells_per_s(10_000.0));
    chain.bottleneck = Rate::cells_per_s(2_000.0);
    chain.most_queued = 0;
    chain.run_until(second(2));
    assert!(
        (70..=125).contains(&chain.most_queued),
        "{}",
        chain.most_queued
    );
    chain.bottleneck = Rate::cells_per_s(6_000.0);
    chain.run_until(second(5));
    assert_eq!(chain.source.acr(), Rate::cells_per_s(6_000.0));
}

#[test]
fn abr_section_10_vsvd_backward_rm_cells_of_the_other_direction_leave_in_loop_2() {
    let mut chain = Chain::new(Rate::cells_per_s(2_000.0));
    let rm = RmCell {
        direction: celltrain_proto::cell::Direction::Backward,
        bn: false,
        ci: false,
        ni: false,
        er: Rate::cells_per_s(1.0),
        ccr: Rate::ZERO,
        mcr: Rate::ZERO,
    };
    assert_eq!(chain.ends.turn_around(rm), TurnAround::Waits);
    // The first cell is a forward RM cell; then the backward one is sent before data.
    assert!(matches!(
        chain.ends.next_cell(Time::ZERO, true),
        Some(NextCell::ForwardRm(_))
    ));
    assert_eq!(
        chain.ends.next_cell(second(1), true),
        Some(NextCell::BackwardRm(rm))
    );
}
