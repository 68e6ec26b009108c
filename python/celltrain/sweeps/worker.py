"""The work of a worker: the text of a scenario in, a record out. It needs only the package."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from celltrain import _native, crosschecks
from celltrain.crosschecks import Found
from celltrain.sweeps.record import Record, Status
from celltrain.threads import Stop

#: After this time of running, in s, results are stored before the next run: the most that a killed sweep can lose.
LONG_S = 0.1
_NO_MEMORY = "out of memory"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run.

    Attributes
    ----------
    status : {"done", "failed"}
        The status of the run.
    octets : bytes
        Its record, as stored.
    record : Record or None
        The same as an object, within the process that ran it; it is not sent to others.
    found : Found or None
        The result of a cross-check with the run, if one was requested and had the time.
    """

    status: Status
    octets: bytes
    record: Record | None = None
    found: Found | None = None

    @classmethod
    def of(cls, record: Record, found: Found | None = None) -> Outcome:
        """Encode a record."""
        return cls(record.status, record.encode(), record, found)

    def __reduce__(self) -> tuple[type[Outcome], tuple[Status, bytes, None, Found | None]]:
        """Omit what the octets contain."""
        return Outcome, (self.status, self.octets, None, self.found)


@dataclass(frozen=True)
class Task:
    """A run as sent to a worker.

    Attributes
    ----------
    scenario, scenario_hash : str
        The canonical JSON, and its hash.
    seed : int
        The seed of the run.
    version : str
        The required version; a worker with another one fails the run.
    deadline_s : float or None
        Maximum time of the run.
    cross_check : bool
        Whether to compare both engines after the run.
    """

    scenario: str
    scenario_hash: str
    seed: int
    version: str
    deadline_s: float | None = None
    cross_check: bool = False


def run_tasks(tasks: Sequence[Task], stop: Stop | None = None) -> list[Outcome]:
    """Run tasks one after the other, and record the outcome of each.

    Short runs are combined: making their records together takes half of the time. The function returns early after
    :data:`LONG_S`, so that a longer run is stored before the next one begins.

    Parameters
    ----------
    tasks
        The tasks; a worker in another process has only one.
    stop
        Stops the runs from another thread.

    Returns
    -------
    list of Outcome
        Outcomes of the first tasks, at least one.

    Raises
    ------
    Interrupted
        ``stop`` was used.
    """
    start = time.perf_counter()
    ended: list[tuple[Task, float, _native.Result | str, Found | None]] = []
    for task in tasks:
        began, cpu_began = time.perf_counter(), time.thread_time()
        found = _run(task, stop)
        wall_s, cpu_s = time.perf_counter() - began, time.thread_time() - cpu_began
        ended.append((task, wall_s, found, None if isinstance(found, str) else _compared(task, cpu_s, stop)))
        if time.perf_counter() - start > LONG_S:
            break
    return [Outcome.of(_record(task, wall_s, found), compared) for task, wall_s, found, compared in ended]


def _compared(task: Task, cpu_s: float, stop: Stop | None) -> Found | None:
    """Compare both engines after a run, if requested."""
    if not task.cross_check:
        return None
    with (stop or Stop()).run() as cancel:
        return crosschecks.compare(_native_scenario(task.scenario), task.scenario, task.seed, cpu_s, cancel)


def _run(task: Task, stop: Stop | None) -> _native.Result | str:
    """Run a task; return its result, or why it failed."""
    if task.version != _native.__build__:
        return f"the worker has celltrain {_native.__build__}, the sweep {task.version}; install the same"
    with (stop or Stop()).run() as cancel, _deadline(task.deadline_s, cancel):
        try:
            return _native_scenario(task.scenario).run(task.seed, cancel)
        except _native.Interrupted:
            if task.deadline_s is None or (stop and stop.asked):
                raise
            return f"longer than the deadline of {task.deadline_s:g} s"
        except (_native.ScenarioError, _native.RunError) as error:
            return str(error)
        except MemoryError:
            return _NO_MEMORY


def _record(task: Task, wall_s: float, found: _native.Result | str) -> Record:
    if not isinstance(found, str):
        try:
            return Record.of(found, task.scenario_hash, wall_s)
        except MemoryError:
            found = _NO_MEMORY
    return Record.failure(task.scenario_hash, task.seed, found, wall_s)


@contextmanager
def _deadline(deadline_s: float | None, cancel: _native.Cancel) -> Iterator[None]:
    """Cancel a run that takes longer."""
    if deadline_s is None:
        yield
        return
    timer = threading.Timer(deadline_s, cancel.cancel)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@lru_cache(maxsize=4)
def _native_scenario(scenario: str) -> _native.Scenario:
    """Read a scenario, cached since the replications of a point follow each other."""
    return _native.Scenario.from_json(scenario, "scenario")
