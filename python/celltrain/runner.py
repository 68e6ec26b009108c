"""Runs on all cores: threads, because the compiled core works without the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

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


class Pool(Generic[Tag]):
    """Threads that run jobs, each job with a tag of the caller's; see :func:`pool`."""

    def __init__(self, jobs: int | None = None) -> None:
        self._cancel = _native.Cancel()
        self._executor = ThreadPoolExecutor(jobs or available_cores(), thread_name_prefix="celltrain")
        self._done: SimpleQueue[tuple[Tag, Future[Result]]] = SimpleQueue()
        self._pending = 0

    def submit(self, job: Job, tag: Tag) -> None:
        """Queue a job."""
        self._pending += 1
        future = self._executor.submit(_run, job, self._cancel)
        future.add_done_callback(lambda done: self._done.put((tag, done)))

    def finished(self) -> Iterator[tuple[Tag, Result]]:
        """Yield (tag, result) as jobs finish, until none is left; more may be submitted meanwhile."""
        while self._pending:
            try:
                tag, future = self._done.get(timeout=_LOOK_EVERY_S)
            except Empty:
                continue
            self._pending -= 1
            yield tag, future.result()

    def stop(self) -> None:
        """Stop running jobs within milliseconds, drop waiting ones, and wait for the threads."""
        self._cancel.cancel()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Let the threads end."""
        self._executor.shutdown(wait=True)


@contextmanager
def pool(_tag: type[Tag], jobs: int | None = None) -> Iterator[Pool[Tag]]:
    """Give a pool that is stopped if the block is left by an exception, Ctrl-C included.

    Parameters
    ----------
    _tag
        The type of the tags.
    jobs
        Cores to use; default: all.
    """
    threads: Pool[Tag] = Pool(jobs)
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
    with pool(Job, cores) as threads:
        for job in jobs:
            threads.submit(job, job)
        yield from threads.finished()


def available_cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
