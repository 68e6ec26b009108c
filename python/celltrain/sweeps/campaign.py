"""Runs that are stored as they finish: existing records are reused, the other runs are executed and recorded."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from celltrain import _native
from celltrain.progress import Progress
from celltrain.refused import Refused
from celltrain.sweeps.checks import Checks
from celltrain.sweeps.record import Record, Status, key
from celltrain.sweeps.store import Store
from celltrain.sweeps.worker import Outcome, Task, run_tasks
from celltrain.threads import Pool, Stop, available_cores, threads

Tag = TypeVar("Tag")

#: Number of tasks submitted ahead of their results to the caller's executor: enough for a large cluster, but few
#: enough that a stop need not cancel many.
AHEAD = 1000
#: Number of octets of scenarios that are submitted ahead, and the number of tasks that may exceed them.
_AHEAD_OCTETS, _FEWEST_AHEAD = 256 << 20, 64
#: Number of short runs that a thread of this process gets together.
_TOGETHER = 8


@dataclass(frozen=True)
class Workers:
    """The workers that execute runs.

    Attributes
    ----------
    executor : Executor
        Executes :func:`celltrain.sweeps.worker.run_tasks`.
    ahead : int
        Number of tasks submitted ahead.
    together : int
        Maximum number of runs in a task; one for workers that may be lost.
    stop : Stop or None
        Stops the runs of this process.
    fatal : tuple of type
        Exceptions that mean that a run killed its worker: this run has failed, the others continue.
    """

    executor: Executor
    ahead: int = AHEAD
    together: int = 1
    stop: Stop | None = None
    fatal: tuple[type[BaseException], ...] = ()


@contextmanager
def workers(given: Executor | Workers | None = None, jobs: int | None = None) -> Iterator[Workers]:
    """Yield workers: the caller's, which stay open, or threads of this process, one for each core."""
    if isinstance(given, Workers):
        yield given
    elif given is not None:
        yield Workers(given)
    else:
        with threads(jobs) as (executor, stop):
            yield Workers(executor, ahead=4 * (jobs or available_cores()), together=_TOGETHER, stop=stop)


@dataclass(frozen=True)
class Run:
    """A run: the canonical JSON of a scenario, its hash, a seed, the hash of its structure, its name.

    In place of a trace the JSON may have a reference to one of the folder.
    """

    scenario: str
    scenario_hash: str
    seed: int
    structure: str
    origin: str

    @cached_property
    def key(self) -> str:
        """The key of its record."""
        return key(self.scenario_hash, self.seed, _native.__build__)


@dataclass(frozen=True)
class Ended(Generic[Tag]):
    """A finished run: its tag, its outcome, and whether the folder already had it."""

    tag: Tag
    run: Run
    status: Status
    reused: bool
    source: Record | bytes | Path

    @cached_property
    def record(self) -> Record:
        """Its record; read on access, unless it is in memory."""
        return self.source if isinstance(self.source, Record) else Record.decode(self.source)


#: The runs of a task, each with its tag.
_Asked = list[tuple[Tag, Run]]


class Campaign(Generic[Tag]):
    """The runs of one folder, each with a tag chosen by the caller.

    Parameters
    ----------
    store
        The store of records; None keeps none.
    workers
        The workers that execute runs.
    deadline_s
        Maximum time of a run.
    retry_failed
        Whether to run failed runs again.
    """

    def __init__(
        self, store: Store | None, workers: Workers, *, deadline_s: float | None = None, retry_failed: bool = False
    ) -> None:
        self._store = store
        self._workers = workers
        self._deadline_s = deadline_s
        self._done, self._failed = store.listing() if store else (set(), set())
        if retry_failed:
            self._failed = set()
        self._reused: deque[tuple[Tag, Run]] = deque()
        self._waiting: deque[tuple[Tag, Run]] = deque()
        self.checks = Checks()
        #: Octets of the longest scenario submitted so far.
        self._longest = 1

    def announce(self, runs: Iterable[Run], progress: Progress) -> None:
        """Report which of the possible runs the folder already has."""
        keys = {run.key for run in runs}
        done, failed = len(keys & self._done), len(keys & self._failed)
        progress.found(done + failed, failed, len(self._done) + len(self._failed) - done - failed)

    def ask(self, tag: Tag, run: Run) -> None:
        """Request a run."""
        self.checks.note(run.structure)
        known = run.key in self._done or run.key in self._failed
        (self._reused if known else self._waiting).append((tag, run))

    def ended(self) -> Iterator[Ended[Tag]]:
        """Yield runs as they end, after they are stored; more may be requested meanwhile.

        Raises
        ------
        OSError
            A record cannot be written. Earlier records are safe.
        Refused
            The workers are gone, or lack celltrain.
        EnginesDiffer
            A cross-check found that the engines differ. Its run is not stored.
        """
        pool: Pool[_Asked[Tag], list[Outcome]] = Pool(self._workers.executor)
        try:
            while self._reused or self._waiting or len(pool):
                while self._reused:
                    yield self._stored(*self._reused.popleft())
                self._fill(pool)
                for asked, future in pool.finished():
                    outcomes = self._outcomes(asked, future)
                    # Runs that the worker did not reach go first.
                    for _, run in asked[len(outcomes) :]:
                        self.checks.given_back(run.structure, run.key)
                    self._waiting.extendleft(reversed(asked[len(outcomes) :]))
                    self._fill(pool)
                    yield from [self._kept(*each, outcome) for each, outcome in zip(asked, outcomes, strict=False)]
                    self._fill(pool)
                    if self._reused:
                        break
        except BaseException:
            pool.cancel()
            raise

    def _fill(self, pool: Pool[_Asked[Tag], list[Outcome]]) -> None:
        workers = self._workers
        # Another process does not have our flag; it is stopped by cancelling the future.
        stop = () if workers.stop is None else (workers.stop,)
        while self._waiting and len(pool) < min(workers.ahead, max(_AHEAD_OCTETS // self._longest, _FEWEST_AHEAD)):
            # Towards the end tasks are small, so that all workers have some.
            count = min(workers.together, -(-len(self._waiting) // workers.ahead))
            asked = [self._waiting.popleft() for _ in range(count)]
            tasks = [
                Task(
                    self._whole(run.scenario),
                    run.scenario_hash,
                    run.seed,
                    _native.__build__,
                    self._deadline_s,
                    self.checks.wanted(run.structure, run.key),
                )
                for _, run in asked
            ]
            pool.submit(asked, run_tasks, tasks, *stop)

    def _whole(self, scenario: str) -> str:
        whole = self._store.traces.whole(scenario) if self._store else scenario
        self._longest = max(self._longest, len(whole))
        return whole

    def _stored(self, tag: Tag, run: Run) -> Ended[Tag]:
        assert self._store, "without a store no run is known"
        failed = run.key in self._failed
        path = self._store.path(run.key, failed=failed)
        return Ended(tag, run, "failed" if failed else "done", reused=True, source=path)

    def _outcomes(self, asked: _Asked[Tag], future: Future[list[Outcome]]) -> list[Outcome]:
        try:
            return future.result()
        except self._workers.fatal as error:
            why = f"the run ended its workers: {error}"
            return [Outcome.of(Record.failure(run.scenario_hash, run.seed, why)) for _, run in asked]
        except (BrokenExecutor, CancelledError) as error:
            raise Refused(
                "the workers are gone, or the scheduler that gave them work; what has finished is stored: "
                "start them, and run the same again"
            ) from error
        except ImportError as error:
            raise Refused(f"a worker cannot run celltrain: {error}; it needs the same version as here") from error

    def _kept(self, tag: Tag, run: Run, outcome: Outcome) -> Ended[Tag]:
        self.checks.ended(run.structure, run.key, outcome.found, run.origin)
        if self._store:
            self._store.write(run.key, outcome.octets, failed=outcome.status == "failed")
        return Ended(tag, run, outcome.status, reused=False, source=outcome.record or outcome.octets)
