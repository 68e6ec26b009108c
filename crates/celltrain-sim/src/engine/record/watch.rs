//! Watches over a run: its limits, and how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use celltrain_proto::units::Time;

use crate::engine::error::{Limit, Passed, RunError};
use crate::scenario::Limits;

/// How far a run is, for who waits for it; shared by threads.
#[derive(Default, Debug)]
pub struct Progress(AtomicU64);

/// The parts into which [`Progress`] divides a run.
const WHOLE: f64 = 1e9;

impl Progress {
    /// The part of the simulated time that is done, from 0 to 1.
    pub fn done(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as f64 / WHOLE
    }

    /// Notes that this part is done. Parts of a network run one after the other, so the largest value counts.
    fn note(&self, done: f64) {
        self.0.fetch_max((done * WHOLE) as u64, Ordering::Relaxed);
    }
}

/// What a part of a network has used, or all of them.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Used {
    /// Cells that came to links.
    pub(in crate::engine) cells: u64,
    /// Octets of memory of everything that grows.
    pub(in crate::engine) memory: u64,
    /// Rows of probes.
    pub(in crate::engine) rows: u64,
}

impl Used {
    fn add(&mut self, other: Self) {
        self.cells += other.cells;
        self.memory += other.memory;
        self.rows += other.rows;
    }

    /// The first limit that is passed.
    fn passes(self, limits: &Limits) -> Option<Limit> {
        let Self {
            cells,
            memory,
            rows,
        } = self;
        if cells as f64 > limits.cells {
            Some(Limit::Cells)
        } else if memory as f64 > limits.memory_mib * f64::from(1 << 20) {
            Some(Limit::Memory)
        } else if rows as f64 > limits.trace_rows {
            Some(Limit::TraceRows)
        } else {
            None
        }
    }
}

/// A part of a network, as last looked at.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Part {
    used: Used,
    /// What all other parts had used when the interval began. A part learns no more of them before its end, so that it
    /// stops at one instant on any number of threads. Parts that grow together in one interval are seen at its end.
    others: Used,
    /// The work since the last look.
    work: u64,
    /// The first limit that was passed, and when.
    passed: Option<(Limit, Time)>,
}

impl Part {
    fn judge(&mut self, used: Used, limits: &Limits, now: Time) {
        if let Some(limit) = used.passes(limits) {
            self.passed.get_or_insert((limit, now));
        }
    }
}

/// The limits of a run and what was used of them. Without limits nothing is looked at.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct Watch {
    limits: Option<Limits>,
    progress: Option<Arc<Progress>>,
    pub(in crate::engine) parts: Vec<Part>,
    /// The part that takes its turn.
    pub(in crate::engine) active: usize,
}

impl Watch {
    /// Watches over these limits from now on, and tells `progress` how far the run is.
    pub(in crate::engine) fn begin(
        &mut self,
        limits: Option<Limits>,
        progress: Option<Arc<Progress>>,
        parts: usize,
    ) {
        (self.limits, self.progress) = (limits, progress);
        self.parts = vec![Part::default(); parts];
    }

    /// Begins an interval.
    pub(in crate::engine) fn begin_interval(&mut self) {
        let all = self.used();
        for Part { used, others, .. } in &mut self.parts {
            *others = Used {
                cells: all.cells - used.cells,
                memory: all.memory - used.memory,
                rows: all.rows - used.rows,
            };
        }
    }

    /// Ends an interval at `now`.
    ///
    /// # Errors
    ///
    /// All parts together have passed a limit.
    pub(in crate::engine) fn end_interval(&self, now: Time) -> Result<(), RunError> {
        let limit = self.limits.and_then(|limits| self.used().passes(&limits));
        limit.map_or(Ok(()), |limit| Err(self.error(limit, now)))
    }

    /// Adds the work of the active part; returns whether it is to be looked at, which is due after this much work.
    pub(in crate::engine) fn is_due(&mut self, work: u64, after: u64) -> bool {
        // Without limits there are no parts here.
        let Some(part) = self.parts.get_mut(self.active) else {
            return false;
        };
        part.work += work;
        let is_due = part.work >= after;
        if is_due {
            part.work = 0;
        }
        is_due
    }

    /// Notes the cells and the memory that the active part has used by `now`.
    pub(in crate::engine) fn note(&mut self, now: Time, cells: u64, memory: u64) {
        if let (Some(part), Some(limits)) = (self.parts.get_mut(self.active), &self.limits) {
            (part.used.cells, part.used.memory) = (cells, memory);
            let mut used = part.used;
            used.add(part.others);
            part.judge(used, limits, now);
        }
    }

    /// Notes a row of a probe in the active part.
    pub(in crate::engine) fn note_row(&mut self, now: Time) {
        if let (Some(part), Some(limits)) = (self.parts.get_mut(self.active), &self.limits) {
            part.used.rows += 1;
            let rows = Used {
                rows: part.used.rows + part.others.rows,
                ..Used::default()
            };
            part.judge(rows, limits, now);
        }
    }

    /// Notes that the system has no memory for the active part.
    #[cold]
    pub(in crate::engine) fn exhaust(&mut self, now: Time) {
        if let Some(part) = self.parts.get_mut(self.active) {
            part.passed.get_or_insert((Limit::System, now));
        }
    }

    /// Whether the active part has passed a limit.
    pub(in crate::engine) fn is_passed(&self) -> bool {
        self.passed().is_some()
    }

    /// An error if the active part has passed a limit.
    pub(in crate::engine) fn verdict(&self) -> Result<(), RunError> {
        let passed = self.passed();
        passed.map_or(Ok(()), |(limit, at)| Err(self.error(limit, at)))
    }

    fn passed(&self) -> Option<(Limit, Time)> {
        self.parts.get(self.active)?.passed
    }

    #[cold]
    fn error(&self, limit: Limit, at: Time) -> RunError {
        let allowed = self
            .limits
            .map_or(f64::INFINITY, |limits| limit.of(&limits));
        RunError::LimitPassed(Box::new(Passed {
            limit,
            allowed,
            at,
            partial: None,
        }))
    }

    /// Tells how far the run is: at `now` in the active part, one of `parts`, of a run until `last`.
    pub(in crate::engine) fn tell(&self, now: Time, last: Time, parts: usize) {
        if let Some(progress) = &self.progress {
            let own = (now - Time::ZERO).as_secs() / (last - Time::ZERO).as_secs();
            progress.note((self.active as f64 + own) / parts as f64);
        }
    }

    /// What all parts have used, as last looked at.
    fn used(&self) -> Used {
        let mut all = Used::default();
        for part in &self.parts {
            all.add(part.used);
        }
        all
    }
}
