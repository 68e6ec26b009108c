"""Execution of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from pathlib import Path
from typing import Any, TypeVar

from celltrain import _native
from celltrain.dbs.plan import Plan
from celltrain.dbs.reach import Reach, programs
from celltrain.dbs.result import Measurement

T = TypeVar("T")
Tables = Mapping[str, Mapping[str, Any]]
Units = Mapping[str, Mapping[str, str]]

#: Interval at which the main thread wakes during a run to notice Ctrl-C, in s.
_LOOK_EVERY_S = 0.2


def run(
    plan: Plan,
    *,
    reach: Reach | None = None,
    key: bytes | None = None,
    out: str | Path | None = None,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Measurement:
    """Carry out a plan.

    Hosts that cannot be reached, or that fail, affect only their own flows: the table ``missing`` lists these, and why.
    Ctrl-C ends the run, and the measurements up to then are the result.

    Parameters
    ----------
    plan
        The plan.
    reach
        How hosts are reached, in addition to the plan.
    key
        The controller's private key (PKCS #8), for hosts that are reached over TLS.
    out
        Folder in which the result is saved after each repetition, so that none is lost.
    progress
        Called with the number of finished repetitions and the total number.

    Raises
    ------
    ValueError
        The key is invalid or missing.
    OSError
        The result cannot be saved.
    """
    cancel = _native.Cancel()
    argv = programs(plan.data, reach or Reach())
    repetitions = plan.data["measure"]["repetitions"]
    with ThreadPoolExecutor(1, thread_name_prefix="celltrain-dbs") as executor:

        def run_interruptibly(work: Callable[[], T]) -> T:
            future = executor.submit(work)
            while True:
                try:
                    return future.result(timeout=_LOOK_EVERY_S)
                except NotYet:
                    if future.done():
                        raise
                except KeyboardInterrupt:
                    if cancel.cancelled():
                        raise
                    cancel.cancel()

        controller = run_interruptibly(lambda: _native.DbsController(plan.native, argv, key, cancel))
        try:
            progress(0, repetitions)
            parts: list[tuple[Tables, Units]] = []
            for number in range(1, repetitions + 1):
                if number > 1:
                    run_interruptibly(lambda: controller.pause(plan.native.pause_s, cancel))
                if parts and cancel.cancelled():
                    break
                tables, units, _ = run_interruptibly(lambda number=number: controller.repetition(number, cancel))  # type: ignore[misc]
                parts.append((tables, units))
                result = Measurement.of(parts, plan.data, plan.hash, interrupted=cancel.cancelled())
                if out is not None:
                    result.save(out)
                progress(number, repetitions)
        finally:
            run_interruptibly(controller.close)
    return result
