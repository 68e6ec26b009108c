"""Runs that are stored as they finish: those that a folder has are taken from it, the others are run and recorded."""

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

#: Pieces of work that an executor of the caller's is given ahead of their results: enough for a large cluster, and few
#: enough that a stop need not take back many.
AHEAD = 1000
#: Short runs that a thread of this process is given together.
_TOGETHER = 8


@dataclass(frozen=True)
class Workers:
    """Where runs are carried out.

    Attributes
    ----------
    executor : Executor
        Takes :func:`celltrain.sweeps.worker.run_tasks`.
    ahead : int
        Pieces of work that it is given before their turn.
    together : int
        Runs in a piece of work, at most. A worker that may be lost has one.
    stop : Stop or None
        Stops the runs of this process.
    fatal : tuple of type
        Exceptions that mean that a run ended the worker which had it: the run has failed, the others go on.
    """

    executor: Executor
    ahead: int = AHEAD
    together: int = 1
    stop: Stop | None = None
    fatal: tuple[type[BaseException], ...] = ()


@contextmanager
def workers(given: Executor | Workers | None = None, jobs: int | None = None) -> Iterator[Workers]:
    """Give where to run: what the caller has, which stays open, or threads of this process, one for each core."""
    if isinstance(given, Workers):
        yield given
    elif given is not None:
        yield Workers(given)
    else:
        with threads(jobs) as (executor, stop):
            yield Workers(executor, ahead=4 * (jobs or available_cores()), together=_TOGETHER, stop=stop)


@dataclass(frozen=True)
class Run:
    """What to run: the canonical JSON of a scenario, its hash, a seed, the hash of its structure, its name."""

    scenario: str
    scenario_hash: str
    seed: int
    structure: str
    origin: str

    @cached_property
    def key(self) -> str:
        """The name of its record."""
        return key(self.scenario_hash, self.seed, _native.__build__)


@dataclass(frozen=True)
class Ended(Generic[Tag]):
    """A run that is over: its tag, what became of it, and whether the folder had it before."""

    tag: Tag
    run: Run
    status: Status
    reused: bool
    source: Record | bytes | Path

    @cached_property
    def record(self) -> Record:
        """What it measured; read when it is asked for, unless it is in memory."""
        return self.source if isinstance(self.source, Record) else Record.decode(self.source)


#: Runs of a piece of work, each with its tag.
_Asked = list[tuple[Tag, Run]]


class Campaign(Generic[Tag]):
    """Runs of one folder, each with a tag of the caller's.

    Parameters
    ----------
    store
        Where records are; None keeps none.
    workers
        Where runs are carried out.
    deadline_s
        Longest time of a run.
    retry_failed
        Whether runs that failed before are run again.
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

    def announce(self, runs: Iterable[Run], progress: Progress) -> None:
        """Tell what the folder has of all runs that could be asked for."""
        keys = {run.key for run in runs}
        done, failed = len(keys & self._done), len(keys & self._failed)
        progress.found(done + failed, failed, len(self._done) + len(self._failed) - done - failed)

    def ask(self, tag: Tag, run: Run) -> None:
        """Ask for a run."""
        self.checks.note(run.structure)
        known = run.key in self._done or run.key in self._failed
        (self._reused if known else self._waiting).append((tag, run))

    def ended(self) -> Iterator[Ended[Tag]]:
        """Yield runs as they end, each stored before; more may be asked for meanwhile.

        Raises
        ------
        OSError
            A record cannot be written. Those before it are safe.
        Refused
            The workers are gone, or have no celltrain.
        EnginesDiffer
            A cross-check found that the engines differ. The run beside it is not stored.
        """
        pool: Pool[_Asked[Tag], list[Outcome]] = Pool(self._workers.executor)
        try:
            while self._reused or self._waiting or len(pool):
                while self._reused:
                    yield self._stored(*self._reused.popleft())
                self._fill(pool)
                for asked, future in pool.finished():
                    outcomes = self._outcomes(asked, future)
                    # What the worker has not come to goes first.
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
        # Another process has no flag of ours; a stop travels as a cancelled future.
        stop = () if workers.stop is None else (workers.stop,)
        while self._waiting and len(pool) < workers.ahead:
            # Towards the end pieces are small, so that all workers have some.
            count = min(workers.together, -(-len(self._waiting) // workers.ahead))
            asked = [self._waiting.popleft() for _ in range(count)]
            tasks = [
                Task(
                    run.scenario,
                    run.scenario_hash,
                    run.seed,
                    _native.__build__,
                    self._deadline_s,
                    self.checks.wanted(run.structure, run.key),
                )
                for _, run in asked
            ]
            pool.submit(asked, run_tasks, tasks, *stop)

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
