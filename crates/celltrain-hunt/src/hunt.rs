//! The hunt: draws networks, runs the checks on each, reduces those that fail and keeps them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use celltrain_verify::shrink::{Budget, shrink};
use serde_json::Value;

use crate::case::{Finding, Verdict};
use crate::corpus;
use crate::coverage;
use crate::generators::{Networks, Source};
use crate::schema::Shape;
use crate::worker::{HANGS, Limits, Worker};

/// The seed of the runs.
pub const RUN_SEED: u64 = 1;

/// Limits for runs that only test whether a run can be cancelled.
const QUICK: Limits = Limits {
    run: Duration::from_millis(50),
    grace: Duration::from_millis(400),
};
/// The most findings of one kind to reduce; others are kept as drawn.
const MOST_OF_A_KIND: usize = 50;
/// The most findings of hanging runs to reduce; each try takes half a second.
const MOST_HANGS: usize = 3;

/// What to hunt, and for how long.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// The generator of the networks.
    pub generator: Source,
    /// The seed of the networks.
    pub seed: u64,
    /// The number of the first network.
    pub first: u64,
    /// The number of networks.
    pub networks: u64,
    /// The time limit; `None` for no limit.
    pub time: Option<Duration>,
    /// The number of threads.
    pub jobs: usize,
    /// Where findings are kept; `None` to keep none.
    pub corpus: Option<PathBuf>,
    /// The names of the checks.
    pub checks: Vec<&'static str>,
    /// The program whose processes run the checks.
    pub program: PathBuf,
    /// The time limit for one network.
    pub limit: Duration,
    /// The time limit for reducing one finding.
    pub shrink: Duration,
    /// The approximate maximum number of cells that a network sends.
    pub cells: f64,
    /// The key or value that a network must have, as a path of [`coverage::leaves`] or the start of one; others are left
    /// out.
    pub having: Option<String>,
    /// Whether to stop at the first network that fails or takes too long, after all networks before it have been checked.
    pub stop: bool,
}

/// The result of a hunt.
#[derive(Clone, Default, Debug)]
pub struct Summary {
    /// The number of networks checked.
    pub networks: usize,
    /// The number of networks left out.
    pub left_out: usize,
    /// The networks that failed, by number.
    pub failed: Vec<(u64, Finding)>,
    /// The numbers of networks in which simulated time stands still with all methods.
    pub stalled: Vec<u64>,
    /// The numbers of networks about which nothing is known, because a run took too long.
    pub too_long: Vec<u64>,
}

impl Hunt {
    /// Draws and checks networks; calls `tell` with a line for each event worth reporting.
    pub fn run(&self, tell: &(dyn Fn(&str) + Sync)) -> Summary {
        let generator = Networks::new(self.generator, self.cells);
        let summary = Mutex::new(Summary::default());
        let shape = self.having.as_ref().map(|path| (Shape::scenario(), path));
        let having = shape.as_ref().map(|(shape, path)| (shape, path.as_str()));
        let next = AtomicU64::new(self.first);
        let start = Instant::now();
        let is_over = || {
            let is_late = self.time.is_some_and(|time| start.elapsed() >= time);
            is_late || self.stop && lock(&summary, |it| it.has_found())
        };
        let end = self.first.saturating_add(self.networks);
        let done = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    let mut worker = Worker::new(self.program.clone());
                    while !is_over() {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= end {
                            return;
                        }
                        self.network(&generator, having, &mut worker, index, &summary, tell);
                        let done = 1 + done.fetch_add(1, Ordering::Relaxed);
                        if done.is_multiple_of(100) {
                            let rate = done as f64 / start.elapsed().as_secs_f64();
                            let line = lock(&summary, |it| it.line());
                            tell(&format!("{line} ({rate:.1} networks/s)"));
                        }
                    }
                });
            }
        });
        let mut summary = summary.into_inner().unwrap_or_else(PoisonError::into_inner);
        summary.failed.sort_by_key(|it| it.0);
        summary.stalled.sort_unstable();
        summary.too_long.sort_unstable();
        summary
    }

    fn limits(&self) -> Limits {
        Limits {
            run: self.limit,
            grace: Duration::from_millis(1_500),
        }
    }

    fn network(
        &self,
        generator: &Networks,
        having: Option<(&Shape, &str)>,
        worker: &mut Worker,
        index: u64,
        summary: &Mutex<Summary>,
        tell: &(dyn Fn(&str) + Sync),
    ) {
        let scenario = generator.network(self.seed, index).scenario;
        if let Some((shape, path)) = having
            && !coverage::met(shape, &scenario)
                .iter()
                .any(|it| it.starts_with(path))
        {
            return lock(summary, |it| it.left_out += 1);
        }
        let verdict = worker.verdict(&scenario, RUN_SEED, &self.checks, self.limits());
        lock(summary, |it| it.networks += 1);
        match verdict {
            Ok(Verdict::Passed) => {}
            Ok(Verdict::Stalled) => lock(summary, |it| it.stalled.push(index)),
            Ok(Verdict::TooLong) => {
                tell(&format!("network {index}: too long, skipped"));
                lock(summary, |it| it.too_long.push(index));
            }
            Ok(Verdict::Failed(findings)) => {
                for finding in findings {
                    tell(&format!(
                        "network {index}: {}: {}",
                        finding.check, finding.text
                    ));
                    self.found(worker, index, &scenario, finding, summary, tell);
                }
            }
            Err(error) => tell(&format!("network {index}: not checked: {error}")),
        }
    }

    /// Reduces a finding and writes it to the corpus.
    fn found(
        &self,
        worker: &mut Worker,
        index: u64,
        scenario: &Value,
        finding: Finding,
        summary: &Mutex<Summary>,
        tell: &(dyn Fn(&str) + Sync),
    ) {
        let before = lock(summary, |it| {
            it.failed.push((index, finding.clone()));
            it.failed
                .iter()
                .filter(|it| it.1.kind == finding.kind)
                .count()
                - 1
        });
        let Some(corpus) = &self.corpus else { return };
        let most = if finding.kind == HANGS {
            MOST_HANGS
        } else {
            MOST_OF_A_KIND
        };
        let small = if before < most {
            self.smaller(worker, scenario, &finding)
        } else {
            (scenario.clone(), finding)
        };
        let name = format!("{}_{index}_{}.toml", self.seed, small.1.check);
        let origin = format!("network {index} of seed {}", self.seed);
        let file = corpus.join(name);
        if let Err(error) = corpus::write(&file, &origin, &small.0, &small.1) {
            tell(&format!("{} cannot be written: {error}", file.display()));
        }
    }

    /// The same fault in `value`, if present.
    fn same(&self, worker: &mut Worker, value: &Value, finding: &Finding) -> Option<Finding> {
        // It shows quickly whether a run can be cancelled.
        let limits = if finding.kind == HANGS {
            QUICK
        } else {
            self.limits()
        };
        match worker.verdict(value, RUN_SEED, &[finding.check], limits) {
            Ok(Verdict::Failed(found)) => found.into_iter().find(|it| it.kind == finding.kind),
            _ => None,
        }
    }

    /// The smallest scenario found with the fault of `finding`, and the finding there.
    fn smaller(&self, worker: &mut Worker, value: &Value, finding: &Finding) -> (Value, Finding) {
        let budget = Budget {
            time: self.shrink,
            steps: usize::MAX,
        };
        let mut last = finding.clone();
        let mut fails = |it: &Value| {
            let found = self.same(worker, it, finding);
            let fails = found.is_some();
            last = found.unwrap_or_else(|| last.clone());
            fails
        };
        let small = shrink(value, &mut fails, budget);
        (small, last)
    }

    /// Checks all files of the corpus again: each with its verdict, or the reason why there is none.
    pub fn again(&self) -> io::Result<Vec<(PathBuf, Result<Verdict, String>)>> {
        let files = match &self.corpus {
            Some(corpus) if corpus.exists() => corpus::files(corpus)?,
            _ => Vec::new(),
        };
        let checked = files.into_iter().map(|file| {
            let verdict = self.file(&file);
            (file, verdict)
        });
        Ok(checked.collect())
    }

    /// Reduces the scenario in a file, in place, as long as the first fault found remains.
    pub fn shrink_file(&self, file: &Path) -> Result<Verdict, String> {
        let value = corpus::read(file)?;
        let mut worker = Worker::new(self.program.clone());
        let verdict = worker.verdict(&value, RUN_SEED, &self.checks, self.limits())?;
        if let Verdict::Failed(findings) = &verdict
            && let Some(finding) = findings.first()
        {
            let (small, last) = self.smaller(&mut worker, &value, finding);
            let origin = corpus::origin(file);
            let written = corpus::write(file, &origin, &small, &last);
            written.map_err(|error| error.to_string())?;
        }
        Ok(verdict)
    }

    /// Runs the checks on the scenario in a file.
    pub fn file(&self, file: &Path) -> Result<Verdict, String> {
        let value = corpus::read(file)?;
        Worker::new(self.program.clone()).verdict(&value, RUN_SEED, &self.checks, self.limits())
    }
}

fn lock<T>(summary: &Mutex<Summary>, change: impl FnOnce(&mut Summary) -> T) -> T {
    change(&mut summary.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Summary {
    /// Whether a network failed or took too long.
    fn has_found(&self) -> bool {
        !(self.failed.is_empty() && self.too_long.is_empty())
    }

    /// The summary on one line.
    pub fn line(&self) -> String {
        let left_out = match self.left_out {
            0 => String::new(),
            others => format!(", {others} left out"),
        };
        format!(
            "{} networks, {} findings, {} stalled, {} too long{left_out}",
            self.networks,
            self.failed.len(),
            self.stalled.len(),
            self.too_long.len()
        )
    }
}
