//! One network under test, and the findings on it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use celltrain_sim::engine::{CaptureRecord, RunError, run_captured};
use celltrain_sim::measure::Results;
use celltrain_sim::network::Network;
use celltrain_sim::scenario::{Problem, Scenario};
use celltrain_verify::compare::{self, Failure, Method};
use serde_json::Value;

/// A network with the seed of its runs. Each method evaluates it once, when a check first asks for it.
#[derive(Debug)]
pub struct Case {
    /// The scenario as written.
    pub value: Value,
    /// The scenario as read.
    pub scenario: Scenario,
    /// The network.
    pub network: Network,
    /// The seed of its runs.
    pub seed: u64,
    cancel: AtomicBool,
    /// The check and the evaluation in progress.
    work: Mutex<(&'static str, String)>,
    outcomes: [OnceLock<Result<Results, Failure>>; Method::ALL.len()],
}

impl Case {
    /// A case of `value`, or the reason why the language refuses it.
    pub fn new(value: Value, seed: u64) -> Result<Self, Problem> {
        let (scenario, network) = crate::accept::read(&value)?;
        Ok(Self {
            value,
            scenario,
            network,
            seed,
            cancel: AtomicBool::new(false),
            work: Mutex::default(),
            outcomes: Default::default(),
        })
    }

    /// The outcome of `method`, evaluated once.
    pub fn outcome(&self, method: Method) -> &Result<Results, Failure> {
        let index = Method::ALL.iter().position(|it| *it == method);
        self.outcomes[index.unwrap_or_default()].get_or_init(|| self.again(method))
    }

    /// The outcome of `method`, evaluated again.
    pub fn again(&self, method: Method) -> Result<Results, Failure> {
        self.other(&self.network, method)
    }

    /// Evaluates another network, such as one derived from this one, under the same time limit.
    pub fn other(&self, network: &Network, method: Method) -> Result<Results, Failure> {
        self.work().1 = method.to_string();
        compare::evaluate(network, self.seed, method, &self.cancel)
    }

    /// Runs the network cell by cell, under the same time limit, and shows the packets of all hosts and what arrives over
    /// each link.
    pub fn seen(&self, see: &mut dyn FnMut(&CaptureRecord)) -> Result<Results, RunError> {
        "what is seen".clone_into(&mut self.work().1);
        let links: Vec<usize> = (0..self.network.links.len()).collect();
        run_captured(&self.network, self.seed, &self.cancel, &links, see)
    }

    /// This case, with another outcome of `method`.
    #[cfg(test)]
    pub(crate) fn doctored(mut self, method: Method, outcome: Result<Results, Failure>) -> Self {
        let index = Method::ALL.iter().position(|it| *it == method);
        self.outcomes[index.unwrap_or_default()] = OnceLock::from(outcome);
        self
    }

    fn work(&self) -> MutexGuard<'_, (&'static str, String)> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The check and the evaluation in progress.
    pub fn at_work(&self) -> (&'static str, String) {
        self.work().clone()
    }

    /// Whether the time limit ended an evaluation, so that nothing can be said.
    pub fn is_cut_off(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Whether simulated time stands still with the plainest method.
    pub fn is_stalled(&self) -> bool {
        let outcome = self.outcome(Method::ALL[0]);
        matches!(outcome, Err(Failure::Run(RunError::Stuck { .. })))
    }

    /// Runs `work` and cancels the evaluations in it after `limit`.
    pub fn within<T>(&self, limit: Duration, work: impl FnOnce() -> T) -> T {
        thread::scope(|scope| {
            let (done, waits) = mpsc::channel::<()>();
            scope.spawn(move || {
                if waits.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                    self.cancel.store(true, Ordering::Relaxed);
                }
            });
            let result = work();
            drop(done);
            result
        })
    }
}

/// A fault that a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The name of the check.
    pub check: &'static str,
    /// The kind of fault: a smaller network has the same fault only if the kind is the same.
    pub kind: String,
    /// What differs.
    pub text: String,
}

/// A check of a case.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// The check.
    pub run: fn(&Case) -> Result<(), Finding>,
}

/// The outcome of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All checks hold.
    Passed,
    /// Simulated time stands still with all methods.
    Stalled,
    /// A run took too long, so nothing is known.
    TooLong,
    /// The checks that failed.
    Failed(Vec<Finding>),
}

/// Runs `checks` on `case` for at most `limit`.
pub fn verdict(case: &Case, checks: &[Check], limit: Duration) -> Verdict {
    let mut findings = Vec::new();
    let is_cut_off = case.within(limit, || {
        for check in checks {
            case.work().0 = check.name;
            let result = (check.run)(case);
            // Nothing is known about a run that was cut off; earlier findings stand.
            if case.is_cut_off() {
                return true;
            }
            findings.extend(result.err());
        }
        false
    });
    if !findings.is_empty() {
        return Verdict::Failed(findings);
    }
    if is_cut_off {
        return Verdict::TooLong;
    }
    if case.is_stalled() {
        return Verdict::Stalled;
    }
    Verdict::Passed
}
