//! Runs parts on several threads.
//!
//! One simulation is home: it holds all parts while none of them runs, and counters are read only from it. Each thread
//! has a bare copy of it. A thread takes a part from home, runs it to the end of the interval and puts it back; then it
//! takes the next one, those with the most work first. A part behaves the same on every thread, so results do not depend
//! on threads.

use std::panic::resume_unwind;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use celltrain_proto::units::Time;

use crate::engine::error::Stop;
use crate::engine::exchange::Holding;
use crate::engine::schedule::parts::LEAST;
use crate::engine::simulation::Simulation;
use crate::network::cells_by_link;

/// The number of cells that makes up for the start of a thread and its copy of the network, some 10 ms.
const WORTHWHILE: f64 = 2e6;

/// How many threads run the connected components of a network. Results are the same for any number.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Threads {
    /// Only the caller's thread.
    #[default]
    One,
    /// At most this many, fewer if there is too little to do.
    UpTo(usize),
    /// This many threads even if there is little to do, but no more than there are parts, which may then be as small as a
    /// component: for tests.
    Exactly(usize),
}

impl Threads {
    /// The fewest actors that form a separate part.
    pub(in crate::engine) fn least_part(self) -> u32 {
        match self {
            Self::One | Self::UpTo(_) => LEAST,
            Self::Exactly(_) => 1,
        }
    }
}

/// The threads of a run.
pub(in crate::engine) struct Crew<'n> {
    threads: Threads,
    /// For each thread, a simulation in which it runs parts.
    places: Vec<Simulation<'n>>,
    /// By link: the most cells per second; empty until asked for.
    cells: Vec<f64>,
    shares: Shares,
}

/// The work to be shared.
#[derive(Default)]
struct Shares {
    /// By part: its elements.
    holdings: Vec<Holding>,
    /// All parts, those with the most work first.
    order: Vec<usize>,
}

/// What the threads share during an interval.
struct Pool<'a, 'n> {
    home: &'a mut Simulation<'n>,
    shares: &'a Shares,
    /// How many of the parts have been taken.
    taken: usize,
    /// The first part that failed, and why.
    failed: Option<(usize, Stop)>,
}

impl<'n> Crew<'n> {
    /// The threads of a run that has not begun.
    pub(in crate::engine) fn new(threads: Threads) -> Self {
        Self {
            threads,
            places: Vec::new(),
            cells: Vec::new(),
            shares: Shares::default(),
        }
    }

    /// Runs the simulation `home` up to, but not including, `end`.
    pub(in crate::engine) fn evaluate_until(
        &mut self,
        home: &mut Simulation<'n>,
        end: Time,
        cancel: &AtomicBool,
    ) -> Result<(), Stop> {
        let threads = self.wanted(home, end);
        if threads < 2 {
            return home.evaluate_until(end, cancel);
        }
        self.prepare(home, threads);
        let start = home.begin(end);
        let pool = Mutex::new(Pool {
            home,
            shares: &self.shares,
            taken: 0,
            failed: None,
        });
        let work = |place: &mut Simulation<'n>| {
            place.schedule.end = end;
            work(&pool, place, start, cancel);
        };
        let mut places = self.places[..threads].iter_mut();
        thread::scope(|scope| {
            let own = places.next();
            let start = |place| {
                let work = &work;
                thread::Builder::new().spawn_scoped(scope, move || work(place))
            };
            // If the system gives no more threads, the existing ones do the work.
            let others: Vec<_> = places.map_while(|place| start(place).ok()).collect();
            own.map(&work);
            for other in others {
                if let Err(panic) = other.join() {
                    resume_unwind(panic);
                }
            }
        });
        let pool = pool.into_inner().unwrap_or_else(PoisonError::into_inner);
        pool.home.schedule.now = end;
        if let Some((_, stop)) = pool.failed {
            return Err(stop);
        }
        pool.home.observation.watch.end_interval(end)?;
        Ok(())
    }

    /// The number of threads worth using for an interval up to `end`.
    fn wanted(&mut self, home: &Simulation<'_>, end: Time) -> usize {
        let parts = home.schedule.parts.len();
        match self.threads {
            Threads::One => 1,
            Threads::Exactly(threads) => threads.min(parts),
            Threads::UpTo(threads) if threads < 2 || parts < 2 => 1,
            Threads::UpTo(threads) => {
                let seconds = (end - home.schedule.now).as_secs();
                let cells = self.cells_by_link(home).iter().sum::<f64>() * seconds;
                threads.min(parts).min((cells / WORTHWHILE) as usize).max(1)
            }
        }
    }

    /// By link: the most cells per second, equal for all intervals.
    fn cells_by_link(&mut self, home: &Simulation<'_>) -> &[f64] {
        if self.cells.is_empty() {
            self.cells = cells_by_link(home.network);
        }
        &self.cells
    }

    /// Prepares this many threads.
    fn prepare(&mut self, home: &Simulation<'n>, threads: usize) {
        if self.shares.order.is_empty() {
            self.shares = Shares::of(home, self.cells_by_link(home));
        }
        let missing = threads.saturating_sub(self.places.len());
        let copies: Vec<_> = thread::scope(|scope| {
            let copies: Vec<_> = (0..missing).map(|_| scope.spawn(|| home.clone())).collect();
            copies
                .into_iter()
                .filter_map(|copy| copy.join().ok())
                .collect()
        });
        self.places.extend(copies);
    }
}

impl Shares {
    /// The shares of a simulation, given the cells per second of each link.
    fn of(home: &Simulation<'_>, cells: &[f64]) -> Self {
        let holdings = home.holdings();
        let work = |part: usize| {
            let links = holdings[part].links();
            links.map(|link| cells[link]).sum::<f64>()
        };
        let work: Vec<f64> = (0..holdings.len()).map(work).collect();
        let mut order: Vec<usize> = (0..holdings.len()).collect();
        order.sort_by(|&one, &other| work[other].total_cmp(&work[one]));
        Self { holdings, order }
    }
}

impl<'n> Pool<'_, 'n> {
    /// Moves the next part to a thread's simulation.
    fn take(&mut self, place: &mut Simulation<'n>) -> Option<usize> {
        let shares = self.shares;
        // A run without threads would not have reached the parts after a failed one; a part before it may still fail
        // first.
        let counts = |part: usize| {
            self.failed
                .as_ref()
                .is_none_or(|&(failed, _)| part < failed)
        };
        let left = shares.order[self.taken..].iter();
        let skipped = left.take_while(|&&part| !counts(part)).count();
        let part = *shares.order.get(self.taken + skipped)?;
        self.taken += skipped + 1;
        self.home.exchange(place, part, &shares.holdings[part]);
        Some(part)
    }

    /// Moves a part back home.
    fn put(&mut self, place: &mut Simulation<'n>, part: usize, outcome: Result<(), Stop>) {
        self.home.exchange(place, part, &self.shares.holdings[part]);
        let is_first = |failed: &(usize, Stop)| failed.0 < part;
        if let Err(stop) = outcome
            && !self.failed.as_ref().is_some_and(is_first)
        {
            self.failed = Some((part, stop));
        }
    }
}

/// Runs parts until none is left.
fn work<'n>(
    pool: &Mutex<Pool<'_, 'n>>,
    place: &mut Simulation<'n>,
    start: Time,
    cancel: &AtomicBool,
) {
    let mut done = None;
    loop {
        let mut pool: MutexGuard<'_, _> = pool.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((part, outcome)) = done.take() {
            pool.put(place, part, outcome);
        }
        let Some(part) = pool.take(place) else {
            return;
        };
        drop(pool);
        done = Some((part, place.run_part(part, start, cancel)));
    }
}

#[cfg(test)]
mod tests;
