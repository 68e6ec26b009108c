//! The hunt: draws networks, holds each to the checks, makes those that fail smaller and keeps them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use celltrain_verify::shrink::{Budget, shrink};
use celltrain_verify::text;
use serde_json::Value;

use crate::case::{Finding, Verdict};
use crate::draw::Generator;
use crate::worker::{HANGS, Limits, Worker};

/// Seed of the runs of networks.
pub const RUN_SEED: u64 = 1;

/// The limits of a run of which only is asked whether it can be cancelled.
const QUICK: Limits = Limits {
    run: Duration::from_millis(50),
    grace: Duration::from_millis(400),
};
/// Findings of one kind that are made smaller, at most; further ones are kept as they were drawn.
const MOST_OF_A_KIND: usize = 50;
/// The same of runs that do not end, of which each try takes half a second.
const MOST_HANGS: usize = 3;

/// What to hunt, and for how long.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// Seed of the networks.
    pub seed: u64,
    /// Number of the first one.
    pub first: u64,
    /// How many.
    pub networks: u64,
    /// Most time; none for as long as it takes.
    pub time: Option<Duration>,
    /// Threads.
    pub jobs: usize,
    /// Where findings are kept; none to keep none.
    pub corpus: Option<PathBuf>,
    /// Names of the checks.
    pub checks: Vec<&'static str>,
    /// The program whose processes check.
    pub program: PathBuf,
    /// Most time for one network.
    pub limit: Duration,
    /// Most time to make one finding smaller.
    pub shrink: Duration,
    /// About the most cells that a network sends.
    pub cells: f64,
}

/// What a hunt has come to.
#[derive(Clone, Default, Debug)]
pub struct Summary {
    /// Networks held to the checks.
    pub networks: usize,
    /// Those that fail.
    pub failed: Vec<(u64, Finding)>,
    /// Numbers of those in which simulated time stands still by all methods alike.
    pub stalled: Vec<u64>,
    /// Numbers of those of which nothing is known, since a run took too long.
    pub too_long: Vec<u64>,
}

impl Hunt {
    /// Draws and checks; `tell` is given a line for each event worth one.
    pub fn run(&self, tell: &(dyn Fn(&str) + Sync)) -> Summary {
        let generator = Generator::new(self.cells);
        let summary = Mutex::new(Summary::default());
        let next = AtomicU64::new(self.first);
        let start = Instant::now();
        let is_over = || self.time.is_some_and(|time| start.elapsed() >= time);
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
                        self.network(&generator, &mut worker, index, &summary, tell);
                        let done = 1 + done.fetch_add(1, Ordering::Relaxed);
                        if done % 100 == 0 {
                            let rate = done as f64 / start.elapsed().as_secs_f64();
                            let line = lock(&summary, |it| it.line());
                            tell(&format!("{line} ({rate:.1} networks/s)"));
                        }
                    }
                });
            }
        });
        let mut summary = summary
            .into_inner()
            .unwrap_or_else(|lock| lock.into_inner());
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
        generator: &Generator,
        worker: &mut Worker,
        index: u64,
        summary: &Mutex<Summary>,
        tell: &(dyn Fn(&str) + Sync),
    ) {
        let scenario = generator.network(self.seed, index).scenario;
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
                for (nth, finding) in findings.into_iter().enumerate() {
                    tell(&format!(
                        "network {index}: {}: {}",
                        finding.check, finding.text
                    ));
                    let of_kind = |it: &Summary| {
                        it.failed
                            .iter()
                            .filter(|it| it.1.kind == finding.kind)
                            .count()
                    };
                    let most = if finding.kind == HANGS {
                        MOST_HANGS
                    } else {
                        MOST_OF_A_KIND
                    };
                    let is_new = lock(summary, |it| of_kind(it)) < most;
                    lock(summary, |it| it.failed.push((index, finding.clone())));
                    let smaller = is_new.then(|| self.smaller(worker, &scenario, &finding));
                    self.keep(
                        (index, nth),
                        worker,
                        &smaller.unwrap_or_else(|| scenario.clone()),
                        &finding,
                        tell,
                    );
                }
            }
            Err(error) => tell(&format!("network {index}: not checked: {error}")),
        }
    }

    /// Writes a finding to the corpus.
    fn keep(
        &self,
        (index, nth): (u64, usize),
        worker: &mut Worker,
        small: &Value,
        finding: &Finding,
        tell: &(dyn Fn(&str) + Sync),
    ) {
        let Some(corpus) = &self.corpus else { return };
        let name = if nth == 0 {
            format!("{}_{index}.toml", self.seed)
        } else {
            format!("{}_{index}_{}.toml", self.seed, finding.check)
        };
        let last = self.same(worker, small, finding);
        let last = last.unwrap_or_else(|| finding.clone());
        let head = [
            format!("network {index} of seed {}, made smaller", self.seed),
            format!("{}: {}", last.check, last.kind),
            last.text.replace('\n', " "),
            format!("celltrain-hunt check {name}"),
        ];
        let head = head.map(|line| format!("# {line}\n")).concat();
        let toml = text::toml(small).unwrap_or_default();
        let file = corpus.join(name);
        let written =
            fs::create_dir_all(corpus).and_then(|()| fs::write(&file, head + "\n" + &toml));
        if let Err(error) = written {
            tell(&format!("{} cannot be written: {error}", file.display()));
        }
    }

    /// The same fault in `value`, if it has it.
    fn same(&self, worker: &mut Worker, value: &Value, finding: &Finding) -> Option<Finding> {
        // Whether a run can be cancelled is seen soon.
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

    /// The smallest scenario found with the fault of `finding`.
    fn smaller(&self, worker: &mut Worker, value: &Value, finding: &Finding) -> Value {
        let budget = Budget {
            time: self.shrink,
            steps: usize::MAX,
        };
        let mut fails = |it: &Value| self.same(worker, it, finding).is_some();
        shrink(value, &mut fails, budget)
    }

    /// Checks all files of the corpus again: each with its verdict.
    pub fn again(&self) -> io::Result<Vec<(PathBuf, Option<Verdict>)>> {
        let Some(corpus) = self.corpus.as_ref().filter(|corpus| corpus.exists()) else {
            return Ok(Vec::new());
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(corpus)? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                files.push(path);
            }
        }
        files.sort();
        let checked = files.into_iter().map(|file| {
            let verdict = self.file(&file).ok();
            (file, verdict)
        });
        Ok(checked.collect())
    }

    /// Holds the scenario in a file to the checks.
    pub fn file(&self, file: &Path) -> Result<Verdict, String> {
        let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
        let value = text::parse(&text).ok_or("it is not TOML")?;
        Worker::new(self.program.clone()).verdict(&value, RUN_SEED, &self.checks, self.limits())
    }
}

fn lock<T>(summary: &Mutex<Summary>, change: impl FnOnce(&mut Summary) -> T) -> T {
    change(&mut summary.lock().unwrap_or_else(|lock| lock.into_inner()))
}

impl Summary {
    /// The summary in a line.
    pub fn line(&self) -> String {
        format!(
            "{} networks, {} findings, {} stalled, {} too long",
            self.networks,
            self.failed.len(),
            self.stalled.len(),
            self.too_long.len()
        )
    }
}
