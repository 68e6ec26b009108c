//! What a queue of two classes alone costs: cells of 15 sources that take turns, behind the pulses of one that goes first,
//! as in `abr-erica`, in a loop that serves and counts them and does nothing else. Prints CPU ns for the 24 cells, half of
//! them of each class, that come for a segment there.
//!
//! ```text
//! cargo run --release -p celltrain-benches --example classes_alone
//! ```

use std::collections::VecDeque;
use std::hint::black_box;

#[path = "../src/cost.rs"]
#[expect(dead_code, reason = "only time is measured here")]
mod cost;

use cost::Clock;

const SOURCES: usize = 15;
/// A cell at 155.52 Mbit/s and at the peak of the pulses, in ps.
const CELL: u64 = 2_726_337;
const PEAK: u64 = 3_407_922;
/// Pulses that last so long of each period, in ps.
const PULSE: u64 = 8_000_000_000;
const PERIOD: u64 = 10_000_000_000;
/// Cells for a segment.
const CELLS: u32 = 24;
const SEGMENTS: u32 = 500_000;

/// The line and the class that waits behind the other.
#[derive(Default)]
struct Queue {
    /// When the line has sent all cells that it was given.
    free: u64,
    waiting: VecDeque<(u64, usize)>,
    longest: usize,
    /// By source: cells that left, and the sum of their departures.
    left: [(u64, u128); SOURCES + 1],
}

impl Queue {
    fn send(&mut self, at: u64, source: usize) {
        self.free = self.free.max(at) + CELL;
        let (count, sum) = &mut self.left[source];
        *count += 1;
        *sum += u128::from(self.free);
    }

    /// Cells that wait start as far as the line is free before `now`.
    fn start(&mut self, now: u64) {
        while self.free < now
            && let Some((at, source)) = self.waiting.pop_front()
        {
            self.send(at, source);
        }
    }

    fn take_first(&mut self, at: u64) {
        self.start(at);
        self.send(at, SOURCES);
    }

    fn take_behind(&mut self, at: u64, source: usize) {
        self.start(at);
        self.waiting.push_back((at, source));
        self.longest = self.longest.max(self.waiting.len());
    }
}

/// When the pulses bring their next cell.
fn behind(at: u64) -> u64 {
    let next = at + PEAK;
    if next % PERIOD < PULSE {
        next
    } else {
        (next / PERIOD + 1) * PERIOD
    }
}

fn main() {
    let mut queue = Queue::default();
    // As many cells of each class in a period.
    let gap = PERIOD / (PULSE / PEAK);
    let (mut pulse, mut next, mut source) = (0, 0, 0);
    let clock = Clock::start();
    for _ in 0..SEGMENTS * CELLS {
        if pulse <= next {
            queue.take_first(pulse);
            pulse = behind(pulse);
        } else {
            queue.take_behind(next, source);
            next += gap;
            source = if source + 1 == SOURCES { 0 } else { source + 1 };
        }
    }
    let (cpu, _) = clock.seconds();
    black_box((queue.longest, queue.left));
    let ns = cpu / f64::from(SEGMENTS) * 1e9;
    #[expect(clippy::print_stdout, reason = "the result of the program")]
    {
        println!("{ns:.0} ns a segment, of {SEGMENTS}");
    }
}
