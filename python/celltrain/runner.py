"""Runs on all cores: threads, because the compiled core works without the interpreter's lock."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

from celltrain import _native, crosschecks
from celltrain.crosschecks import CrossCheck
from celltrain.refused import EnginesDiffer
from celltrain.results import Result

if TYPE_CHECKING:
    from celltrain.scenario import Scenario

Tag = TypeVar("Tag")
Value = TypeVar("Value")

#: The main thread wakes so often while runs go on, so that Ctrl-C is seen, in s.
_LOOK_EVERY_S = 0.2


@dataclass(frozen=True)
class Job:
    """One run: a scenario and a seed, and how it is done."""

    scenario: Scenario
    seed: int
    cell_by_cell: bool = False
    """Whether each cell is moved by itself."""
    cross_check: bool = True
    """Whether the two ways are compared for a short time."""
    threads: int = 1
    """On how many its parts may run: one where other runs have the other cores."""


class Stop:
    """Stops the runs of this process that look at it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[_native.Cancel] = set()
        self.asked = False

    def ask(self) -> None:
        """Stop the runs that go on, and those to come, within milliseconds."""
        with self._lock:
            self.asked = True
            for cancel in self._running:
                cancel.cancel()

    @contextmanager
    def run(self) -> Iterator[_native.Cancel]:
        """Give the flag of a run, for as long as that lasts."""
        cancel = _native.Cancel()
        with self._lock:
            self._running.add(cancel)
            if self.asked:
                cancel.cancel()
        try:
            yield cancel
        finally:
            with self._lock:
                self._running.discard(cancel)


class Pool(Generic[Tag, Value]):
    """Work in progress on an executor, each piece with a tag of the caller's."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._done: SimpleQueue[tuple[Tag, Future[Value]]] = SimpleQueue()
        self._pending: set[Future[Value]] = set()

    def __len__(self) -> int:
        """Count the pieces in progress."""
        return len(self._pending)

    def submit(self, tag: Tag, work: Callable[..., Value], *arguments: object) -> None:
        """Queue a piece of work."""
        future = self._executor.submit(work, *arguments)
        self._pending.add(future)
        future.add_done_callback(lambda done: self._done.put((tag, done)))

    def finished(self) -> Iterator[tuple[Tag, Future[Value]]]:
        """Yield (tag, future) as pieces finish, until none is left; more may be submitted meanwhile."""
        while self._pending:
            try:
                tag, future = self._done.get(timeout=_LOOK_EVERY_S)
            except Empty:
                continue
            self._pending.discard(future)
            yield tag, future

    def cancel(self) -> None:
        """Drop what has not begun."""
        for future in self._pending:
            future.cancel()


@contextmanager
def threads(jobs: int | None = None) -> Iterator[tuple[Executor, Stop]]:
    """Give threads, and what stops the runs on them: it is asked if the block is left by an exception, Ctrl-C included.

    Parameters
    ----------
    jobs
        Cores to use; default: all.
    """
    executor, stop = ThreadPoolExecutor(jobs or available_cores(), thread_name_prefix="celltrain"), Stop()
    try:
        yield executor, stop
    except BaseException:
        stop.ask()
        executor.shutdown(wait=True, cancel_futures=True)
        raise
    executor.shutdown(wait=True)


def _run(job: Job, stop: Stop) -> Result:
    scenario = job.scenario
    with stop.run() as cancel:
        began = time.thread_time()
        try:
            native = scenario.native.run(job.seed, cancel, job.cell_by_cell, job.threads)
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


def verify(scenario: Scenario, seed: int) -> Result:
    """Run a scenario wholly by both engines; Ctrl-C stops it."""
    native, simulated_ps, differing = interruptible(lambda cancel: scenario.native.verify(seed, cancel))
    simulated_s = simulated_ps / 1e12
    if differing is not None or native is None:
        raise EnginesDiffer(scenario.as_written(), scenario.origin, seed, differing or {}, simulated_s)
    facts = crosschecks.Facts(scenario.structure, scenario.hash, seed, simulated_s, whole=True)
    crosschecks.remember(facts)
    return Result.of(native, scenario, CrossCheck.of(facts, scenario.hash, seed))


def interruptible(work: Callable[[_native.Cancel], Value]) -> Value:
    """Do work of the core that looks at a flag; Ctrl-C sets it."""

    def flagged(stop: Stop) -> Value:
        with stop.run() as cancel:
            return work(cancel)

    with threads(1) as (executor, stop):
        pool: Pool[None, Value] = Pool(executor)
        pool.submit(None, flagged, stop)
        return next(future.result() for _, future in pool.finished())


def run_one(job: Job) -> Result:
    """Run a job; Ctrl-C stops it."""
    return next(iter(run_jobs([job], 1)))[1]


def run_jobs(jobs: Iterable[Job], cores: int | None = None) -> Iterator[tuple[Job, Result]]:
    """Run jobs on so many cores (default: all); results come as they finish."""
    with threads(cores) as (executor, stop):
        pool: Pool[Job, Result] = Pool(executor)
        for job in jobs:
            pool.submit(job, _run, job, stop)
        for job, future in pool.finished():
            yield job, future.result()


def available_cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
