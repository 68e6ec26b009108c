"""Runs on all cores: threads, because the compiled core works without the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from celltrain import _native
from celltrain.results import Result

if TYPE_CHECKING:
    from celltrain.scenario import Scenario

Tag = TypeVar("Tag")

#: The main thread wakes so often while runs go on, so that Ctrl-C is seen, in s.
_LOOK_EVERY_S = 0.2


@dataclass(frozen=True)
class Job:
    """One run: a scenario and a seed."""

    scenario: Scenario
    seed: int


class Pool:
    """Threads that run jobs; leaving the ``with`` block early stops the runs and drops what waits."""

    def __init__(self, jobs: int | None = None) -> None:
        self.jobs = jobs or available_cores()
        self._cancel = _native.Cancel()
        self._executor = ThreadPoolExecutor(self.jobs, thread_name_prefix="celltrain")

    def submit(self, job: Job) -> Future[Result]:
        """Queue a job."""
        return self._executor.submit(_run, job, self._cancel)

    def stop(self) -> None:
        """Stop running jobs within milliseconds, drop waiting ones, and wait for the threads."""
        self._cancel.cancel()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Let the threads end."""
        self._executor.shutdown(wait=True)


@contextmanager
def pool(jobs: int | None = None) -> Iterator[Pool]:
    """Give a pool that is stopped if the block is left by an exception, Ctrl-C included."""
    threads = Pool(jobs)
    try:
        yield threads
    except BaseException:
        threads.stop()
        raise
    threads.close()


def _run(job: Job, cancel: _native.Cancel) -> Result:
    scenario = job.scenario
    return Result(scenario.native.run(job.seed, cancel), scenario.to_json(), scenario.hash)


def run_one(job: Job) -> Result:
    """Run a job; Ctrl-C stops it."""
    return next(iter(run_jobs([job], 1)))[1]


def run_jobs(jobs: Iterable[Job], cores: int | None = None) -> Iterator[tuple[Job, Result]]:
    """Run jobs on so many cores (default: all); results come as they finish."""
    with pool(cores) as threads:
        futures = {threads.submit(job): job for job in jobs}
        yield from finished(futures)


def finished(
    futures: dict[Future[Result], Tag], more: Callable[[], object] | None = None
) -> Iterator[tuple[Tag, Result]]:
    """Yield (tag, result) as futures finish; the dictionary may grow meanwhile.

    Parameters
    ----------
    futures
        Futures and their tags. Finished ones are taken out.
    more
        Called now and then while nothing finishes (a progress display, say).
    """
    while futures:
        done, _ = wait(futures, timeout=_LOOK_EVERY_S, return_when=FIRST_COMPLETED)
        for future in done:
            yield futures.pop(future), future.result()
        if more is not None:
            more()


def available_cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
