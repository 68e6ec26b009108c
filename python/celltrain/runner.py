"""Runs, single or on all cores, each with its cross-check."""

from __future__ import annotations

import operator
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from celltrain import _native, crosschecks
from celltrain.checked import CheckedScenario
from celltrain.crosschecks import CrossCheck
from celltrain.limits import limit_passed
from celltrain.refused import EnginesDiffer
from celltrain.results import Result
from celltrain.threads import Pool, Stop, interruptible, threads


def checked_seed(seed: int) -> int:
    """Return a seed that the core accepts.

    Raises
    ------
    RunError
        It is not a whole number of 64 bits.
    """
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << 64:
        raise _native.RunError(f"seed {seed!r}: expected a whole number from 0 to 2**64 - 1")
    return number


@dataclass(frozen=True)
class Job:
    """One run: a scenario, a seed and options."""

    scenario: CheckedScenario
    seed: int
    cell_by_cell: bool = False
    """Whether each cell is moved by itself."""
    cross_check: bool = True
    """Whether both engines are compared for a short time."""
    threads: int = 1
    """Threads for its parts: one if other runs use the other cores."""
    progress: _native.Progress | None = None
    """Where the run tells how far it is."""

    def __post_init__(self) -> None:
        """Check the seed before anything runs."""
        object.__setattr__(self, "seed", checked_seed(self.seed))


def _run(job: Job, stop: Stop) -> Result:
    scenario = job.scenario
    with stop.run() as cancel:
        began = time.thread_time()
        try:
            native = scenario.native.run(job.seed, cancel, job.cell_by_cell, job.threads, job.progress)
        except _native.LimitPassed as error:
            raise limit_passed(error, scenario) from None
        except _native.RunError:
            if job.cross_check and not job.cell_by_cell:
                crosschecks.after_failure(scenario, job.seed, cancel)
            raise
        cpu_s = time.thread_time() - began
        if job.cell_by_cell:
            check = CrossCheck.none(crosschecks.PLAIN)
        elif not job.cross_check:
            check = CrossCheck.none(crosschecks.SWITCHED_OFF)
        else:
            check = crosschecks.beside(scenario, job.seed, cpu_s, cancel)
        return Result.of(native, scenario, check)


def verify(scenario: CheckedScenario, seed: int) -> Result:
    """Run a scenario completely in both engines; Ctrl-C stops it."""
    seed = checked_seed(seed)
    try:
        native, simulated_ps, differing = interruptible(lambda cancel: scenario.native.verify(seed, cancel))
    except _native.LimitPassed as error:
        raise limit_passed(error, scenario) from None
    simulated_s = simulated_ps / 1e12
    if differing is not None or native is None:
        raise EnginesDiffer(scenario.as_written(), scenario.origin, seed, differing or {}, simulated_s)
    facts = crosschecks.Facts(scenario.structure, scenario.hash, seed, simulated_s, whole=True)
    crosschecks.remember(facts)
    return Result.of(native, scenario, CrossCheck.of(facts, scenario.hash, seed))


def run_one(job: Job) -> Result:
    """Run a job; Ctrl-C stops it."""
    return next(iter(run_jobs([job], 1)))[1]


def run_jobs(jobs: Iterable[Job], cores: int | None = None) -> Iterator[tuple[Job, Result]]:
    """Run jobs on the given number of cores (default: all); yield results as they finish."""
    with threads(cores) as (executor, stop):
        pool: Pool[Job, Result] = Pool(executor)
        for job in jobs:
            pool.submit(job, _run, job, stop)
        for job, future in pool.finished():
            yield job, future.result()
