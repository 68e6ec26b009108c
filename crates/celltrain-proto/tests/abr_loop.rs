//! Complete ABR loops: two end systems, a line of constant delay each way, and a switch that marks backward RM cells.
//! These are the conformance tests of ATM Forum TM 4.0 that need a loop.

use std::collections::VecDeque;

use celltrain_proto::abr::{Destination, NextCell, Parameters, Source, Starved};
use celltrain_proto::cell::{Direction, RmCell};
use celltrain_proto::units::{Rate, Span, Time};

/// A cell in transit.
#[derive(Clone, Copy)]
enum Cell {
    Data,
    Rm { rm: RmCell, clp: bool },
}

/// An end of the VC: source, destination, and the cells in transit to it.
struct End {
    source: Source,
    destination: Destination,
    data_waits: bool,
    arrivals: VecDeque<(Time, Cell)>,
    /// What its source sent: in-rate forward RM cells with their instants, other in-rate cells, cells with CLP = 1.
    forward: Vec<(Time, RmCell)>,
    others: u64,
    out_of_rate: Vec<Time>,
    /// Backward RM cells that it received, and turned-around ones that it overwrote.
    answers: u64,
    overwritten: u64,
}

impl End {
    fn new(parameters: Parameters, data_waits: bool) -> Self {
        Self {
            source: Source::new(parameters),
            destination: Destination::default(),
            data_waits,
            arrivals: VecDeque::new(),
            forward: Vec::new(),
            others: 0,
            out_of_rate: Vec::new(),
            answers: 0,
            overwritten: 0,
        }
    }

    fn deadline(&self) -> Time {
        let due = [
            self.source.next_deadline(self.data_waits),
            self.source.next_out_of_rate(self.data_waits),
            self.arrivals.front().map(|arrival| arrival.0),
        ];
        due.into_iter().flatten().min().unwrap_or(Time::NEVER)
    }

    /// Sends everything that is due at `now`.
    fn send(&mut self, now: Time) -> Option<Cell> {
        if let Some(rm) = self.source.out_of_rate_cell(now, self.data_waits) {
            self.out_of_rate.push(now);
            return Some(Cell::Rm { rm, clp: true });
        }
        let clp = false;
        Some(match self.source.next_cell(now, self.data_waits)? {
            NextCell::ForwardRm(rm) => {
                self.forward.push((now, rm));
                Cell::Rm { rm, clp }
            }
            NextCell::BackwardRm(rm) => {
                self.others += 1;
                Cell::Rm { rm, clp }
            }
            NextCell::Data => {
                self.others += 1;
                Cell::Data
            }
        })
    }
}

/// The loop of the data from end 0 to end 1. `mark` is the switch, at end 0.
struct Loop<F> {
    ends: [End; 2],
    delay: Span,
    now: Time,
    mark: F,
}

impl<F: FnMut(Time, &mut RmCell) -> bool> Loop<F> {
    /// A greedy source at end 0, and the same parameters without data at end 1. `mark` returns whether the backward RM
    /// cell passes.
    fn new(parameters: &Parameters, delay: Span, mark: F) -> Self {
        Self {
            ends: [true, false].map(|data_waits| End::new(*parameters, data_waits)),
            delay,
            now: Time::ZERO,
            mark,
        }
    }

    fn run_until(&mut self, end: Time) {
        loop {
            let deadlines = self.ends.each_ref().map(End::deadline);
            let index = usize::from(deadlines[1] < deadlines[0]);
            let due = deadlines[index].max(self.now);
            if due >= end {
                self.now = end;
                return;
            }
            self.now = due;
            let arrivals = &mut self.ends[index].arrivals;
            let arrives = arrivals.front().is_some_and(|arrival| arrival.0 <= due);
            if let Some((_, cell)) = arrives.then(|| arrivals.pop_front()).flatten() {
                self.arrive(index, cell);
            } else if let Some(cell) = self.ends[index].send(due) {
                self.leave(index, cell);
            }
        }
    }

    fn leave(&mut self, from: usize, cell: Cell) {
        let arrival = (self.now + self.delay, cell);
        self.ends[1 - from].arrivals.push_back(arrival);
    }

    fn arrive(&mut self, to: usize, cell: Cell) {
        let end = &mut self.ends[to];
        match cell {
            Cell::Data => end.destination.on_data(false),
            Cell::Rm { rm, clp } if rm.direction == Direction::Forward => {
                let rm = end.destination.on_forward_rm(rm);
                if clp {
                    self.leave(to, Cell::Rm { rm, clp });
                } else {
                    end.overwritten += u64::from(end.source.turn_around(rm).overwrites());
                }
            }
            Cell::Rm { mut rm, .. } => {
                if to == 1 || (self.mark)(self.now, &mut rm) {
                    end.source.on_backward_rm(self.now, &rm);
                    end.answers += 1;
                }
            }
        }
    }

    /// ACR of the source at end 0 in cells/s.
    fn acr(&self) -> f64 {
        self.ends[0].source.acr().as_cells_per_s()
    }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn cells_per_s(rate: f64) -> Rate {
    Rate::cells_per_s(rate)
}

/// 10,000 cells/s: 0.1 ms per cell, 3.2 ms between forward RM cells.
fn parameters() -> Parameters {
    Parameters::new(cells_per_s(10_000.0))
}

const DELAY: Span = Span::from_ms(5);

#[test]
fn abr_section_13_two_sources_settle_at_a_constant_explicit_rate_after_a_round_trip() {
    let er = cells_per_s(1_234.0);
    let mut loops = [5, 20].map(|delay| {
        let delay = Span::from_ms(delay);
        Loop::new(&parameters(), delay, move |_, rm: &mut RmCell| {
            rm.er = rm.er.min(er);
            true
        })
    });
    for lap in &mut loops {
        let round_trip = Time::ZERO + lap.delay * 2;
        lap.run_until(round_trip);
        assert_eq!(lap.acr(), 10_000.0);
        // The far end first sends a forward RM cell of its own.
        lap.run_until(round_trip + Span::from_ms(1));
        assert_eq!(lap.acr(), 1_234.0);
        lap.run_until(ms(1_000));
        assert_eq!(lap.acr(), 1_234.0);
    }
}

#[test]
fn abr_section_13_ci_in_every_backward_rm_cell_takes_acr_down_to_mcr_by_a_sixteenth_each() {
    let mcr = cells_per_s(2_000.0);
    let slow_down = |_: Time, rm: &mut RmCell| {
        rm.ci = true;
        true
    };
    let mut lap = Loop::new(
        &Parameters {
            mcr,
            ..parameters()
        },
        DELAY,
        slow_down,
    );
    let mut expected = 10_000.0;
    let mut steps = 0;
    while lap.acr() > 2_000.0 {
        let before = lap.acr();
        let step = lap.now + Span::from_us(100);
        lap.run_until(step);
        if lap.acr() != before {
            expected = f64::max(expected * 15.0 / 16.0, 2_000.0);
            assert!((lap.acr() - expected).abs() < 1e-9 * expected);
            steps += 1;
        }
    }
    // (15/16)^24 is 0.212, and (15/16)^25 is 0.199.
    assert_eq!(steps, 25);
    let later = lap.now + Span::from_secs(1);
    lap.run_until(later);
    assert_eq!(lap.acr(), 2_000.0);
}

#[test]
fn abr_section_13_without_answers_acr_falls_by_a_sixteenth_a_forward_rm_cell_from_crm_on_but_not_below_mcr()
 {
    let cut_off = Parameters {
        mcr: cells_per_s(5_000.0),
        tbe: celltrain_proto::units::Cells(10 * 32),
        ..parameters()
    };
    let cut = ms(100);
    let mut lap = Loop::new(&cut_off, DELAY, |now, _: &mut RmCell| now < cut);
    lap.run_until(ms(1_000));
    let ccr = |rm: &RmCell| rm.ccr.as_cells_per_s();
    let sent = &lap.ends[0].forward;
    // With answers there are at most 1 + 10 ms / 3.2 ms unanswered cells: rule 6 does not apply.
    let first = sent.iter().position(|(_, rm)| ccr(rm) < 10_000.0).unwrap();
    assert!(sent[first].0 > cut + (Span::from_us(3_200) * 5));
    assert!(sent[first].0 < cut + (Span::from_us(3_200) * 11));
    let mut expected = 10_000.0;
    for (_, rm) in &sent[first..] {
        expected = f64::max(expected * 15.0 / 16.0, 5_000.0);
        assert!((ccr(rm) - expected).abs() < 1e-9 * expected);
    }
    assert_eq!(lap.acr(), 5_000.0);
}

#[test]
fn abr_section_13_after_a_pause_of_600_ms_the_first_forward_rm_cell_tells_icr() {
    for idle_forward_rm in [true, false] {
        let icr = cells_per_s(1_000.0);
        let restarting = Parameters {
            icr,
            idle_forward_rm,
            ..parameters()
        };
        let mut lap = Loop::new(&restarting, DELAY, |_, _: &mut RmCell| true);
        lap.run_until(ms(500));
        assert_eq!(lap.acr(), 10_000.0);
        lap.ends[0].data_waits = false;
        lap.run_until(ms(1_101));
        let before = lap.ends[0].forward.len();
        lap.ends[0].data_waits = true;
        lap.run_until(ms(1_110));
        assert_eq!(lap.ends[0].forward[before].1.ccr, icr);
    }
}

#[test]
fn abr_section_13_a_source_stopped_for_a_second_probes_ten_times_out_of_rate_and_recovers() {
    let starving = Parameters {
        starved: Starved::OutOfRate,
        ..parameters()
    };
    let (stop, go) = (ms(1_000), ms(2_500));
    let mut lap = Loop::new(&starving, DELAY, |now, rm: &mut RmCell| {
        if (stop..go).contains(&now) {
            rm.er = Rate::ZERO;
        }
        true
    });
    lap.run_until(go);
    assert_eq!(lap.acr(), 0.0);
    let end = &lap.ends[0];
    // An RM cell with ER = 0 arrives within 3.2 ms, and the last cell was sent within 0.1 ms of it.
    let probes = &end.out_of_rate;
    let last_in_rate = probes[0] - Span::from_ms(100);
    assert!(stop <= last_in_rate && last_in_rate < stop + Span::from_us(3_200));
    let in_the_second = |at: &&Time| **at <= last_in_rate + Span::from_secs(1);
    assert_eq!(probes.iter().filter(in_the_second).count(), 10);
    let mut gaps = probes.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps.all(|gap| gap == Span::from_ms(100)));
    // The answer to the next probe raises it by 1/16 of PCR at once.
    lap.run_until(go + Span::from_ms(115));
    assert!(lap.acr() >= 625.0);
    lap.run_until(go + Span::from_secs(2));
    assert_eq!(lap.acr(), 10_000.0);
}

#[test]
fn abr_section_13_of_100000_cells_exactly_one_in_32_is_a_forward_rm_cell() {
    let mut lap = Loop::new(&parameters(), DELAY, |_, _: &mut RmCell| true);
    lap.run_until(ms(10_000));
    let end = &lap.ends[0];
    assert_eq!(end.forward.len(), 3_125);
    assert_eq!(end.others, 96_875);
}

#[test]
fn abr_section_12_where_both_ways_are_busy_the_slower_one_limits_the_feedback_to_its_own_rm_cells()
{
    let mut lap = Loop::new(&parameters(), DELAY, |_, _: &mut RmCell| true);
    // End 1 has data to send at a tenth of the rate: one backward RM cell per forward one of its own.
    lap.ends[1] = End::new(Parameters::new(cells_per_s(1_000.0)), true);
    lap.run_until(ms(10_000));
    // One cell per millisecond: 313 forward RM cells in 10 s, each followed by one backward.
    let [near, far] = &lap.ends;
    assert_eq!((near.forward.len(), far.forward.len()), (3_125, 313));
    assert!((312..=313).contains(&near.answers), "{}", near.answers);
    // All others were overwritten, except those in transit: 10 ms, or 3 forward RM cells.
    let lost = 3_125 - near.answers - far.overwritten;
    assert!(lost <= 4, "{lost}");
}
