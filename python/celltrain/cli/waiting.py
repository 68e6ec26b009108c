"""A sign of life from a long run: how far it is, on stderr."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from celltrain import _native
from celltrain.cli.console import err

#: The time in s after which a run says how far it is for the first time; then each time twice as late.
FIRST_S = 5.0


@contextmanager
def sign_of_life(first_s: float = FIRST_S) -> Iterator[_native.Progress]:
    """Yield what a run tells its progress to; print it after ``first_s``, and then less and less often."""
    progress, over = _native.Progress(), threading.Event()
    thread = threading.Thread(target=_tell, args=(progress, over, first_s), daemon=True)
    thread.start()
    try:
        yield progress
    finally:
        over.set()
        thread.join()


def _tell(progress: _native.Progress, over: threading.Event, first_s: float) -> None:
    began, wait = time.perf_counter(), first_s
    while not over.wait(wait):
        wait = time.perf_counter() - began
        err().print(_in_words(progress.done(), wait), style="dim", markup=False)


def _in_words(done: float, spent_s: float) -> str:
    """Say how much is done, and how long the rest takes at the same speed.

    >>> _in_words(0.25, 10.0)
    '25 % of the simulated time after 10 s, about 30 s left; Ctrl-C stops it'
    >>> _in_words(1e-12, 20.0)
    'less than 0.01 % of the simulated time after 20 s; Ctrl-C stops it'
    """
    if done < 1e-4:
        return f"less than 0.01 % of the simulated time after {spent_s:.0f} s; Ctrl-C stops it"
    left_s = spent_s * (1 - done) / done
    amount, unit = (left_s, "s") if left_s < 120 else (left_s / 60, "min") if left_s < 7200 else (left_s / 3600, "h")
    said = f"{100 * done:.2g} % of the simulated time after {spent_s:.0f} s"
    return f"{said}, about {amount:.0f} {unit} left; Ctrl-C stops it"
