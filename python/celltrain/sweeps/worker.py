"""What a worker does: text of a scenario in, a record out. It needs nothing but the package."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from celltrain import _native
from celltrain.runner import Stop
from celltrain.sweeps.record import Record, Status


@dataclass(frozen=True)
class Outcome:
    """What became of a run.

    Attributes
    ----------
    status : {"done", "failed"}
        What became of it.
    octets : bytes
        Its record, as it is stored.
    record : Record or None
        The same, for who is in the process that ran it; it does not travel to others.
    """

    status: Status
    octets: bytes
    record: Record | None = None

    @classmethod
    def of(cls, record: Record) -> Outcome:
        """Encode a record."""
        return cls(record.status, record.encode(), record)

    def __reduce__(self) -> tuple[type[Outcome], tuple[Status, bytes]]:
        """Leave out what the octets say."""
        return Outcome, (self.status, self.octets)


def run_record(
    scenario: str,
    scenario_hash: str,
    seed: int,
    version: str,
    deadline_s: float | None = None,
    stop: Stop | None = None,
) -> Outcome:
    """Run a scenario once, and record what became of it.

    Parameters
    ----------
    scenario
        The canonical JSON.
    scenario_hash
        Its hash.
    seed
        Of the run.
    version
        The version that is asked for; a worker with another one fails the run.
    deadline_s
        Longest time that the run may take.
    stop
        What stops the run from another thread.

    Raises
    ------
    Interrupted
        ``stop`` was asked.
    """
    start = time.perf_counter()
    if version != _native.__build__:
        error = f"the worker has celltrain {_native.__build__}, the sweep {version}; install the same"
        return Outcome.of(Record.failure(scenario_hash, seed, error))
    error = ""
    with (stop or Stop()).run() as cancel, _deadline(deadline_s, cancel):
        try:
            result = _native_scenario(scenario).run(seed, cancel)
            return Outcome.of(Record.of(result, scenario_hash, time.perf_counter() - start))
        except _native.Interrupted:
            if deadline_s is None or (stop and stop.asked):
                raise
            error = f"longer than the deadline of {deadline_s:g} s"
        except (_native.ScenarioError, _native.RunError, MemoryError) as failure:
            error = str(failure) or "out of memory"
    return Outcome.of(Record.failure(scenario_hash, seed, error, time.perf_counter() - start))


@contextmanager
def _deadline(deadline_s: float | None, cancel: _native.Cancel) -> Iterator[None]:
    """Cancel a run that lasts longer."""
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
    """Read a scenario; the replications of a point come one after another."""
    return _native.Scenario.from_json(scenario, "scenario")
