"""Work on threads that Ctrl-C can stop; the compiled core releases the interpreter's lock, so it uses all cores."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from celltrain import _native

Tag = TypeVar("Tag")
Value = TypeVar("Value")

#: Interval at which the main thread wakes during runs to notice Ctrl-C, in s.
_LOOK_EVERY_S = 0.2


class Stop:
    """Stops the runs of this process that check it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[_native.Cancel] = set()
        self.asked = False

    def ask(self) -> None:
        """Stop current and future runs within milliseconds."""
        with self._lock:
            self.asked = True
            for cancel in self._running:
                cancel.cancel()

    @contextmanager
    def run(self) -> Iterator[_native.Cancel]:
        """Yield the flag of a run for its duration."""
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
    """Tasks in progress on an executor, each with a tag chosen by the caller."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._done: SimpleQueue[tuple[Tag, Future[Value]]] = SimpleQueue()
        self._pending: set[Future[Value]] = set()

    def __len__(self) -> int:
        """Return the number of tasks in progress."""
        return len(self._pending)

    def submit(self, tag: Tag, work: Callable[..., Value], *arguments: object) -> None:
        """Submit a task."""
        future = self._executor.submit(work, *arguments)
        self._pending.add(future)
        future.add_done_callback(lambda done: self._done.put((tag, done)))

    def finished(self) -> Iterator[tuple[Tag, Future[Value]]]:
        """Yield (tag, future) as tasks finish, until none is left; more may be submitted meanwhile."""
        while self._pending:
            try:
                tag, future = self._done.get(timeout=_LOOK_EVERY_S)
            except Empty:
                continue
            self._pending.discard(future)
            yield tag, future

    def cancel(self) -> None:
        """Cancel the tasks that have not begun."""
        for future in self._pending:
            future.cancel()


@contextmanager
def threads(jobs: int | None = None) -> Iterator[tuple[Executor, Stop]]:
    """Yield threads, and a :class:`Stop` for their runs, used if an exception (including Ctrl-C) leaves the block.

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


def interruptible(work: Callable[[_native.Cancel], Value]) -> Value:
    """Do work of the core that checks a flag; Ctrl-C sets it."""

    def flagged(stop: Stop) -> Value:
        with stop.run() as cancel:
            return work(cancel)

    with threads(1) as (executor, stop):
        pool: Pool[None, Value] = Pool(executor)
        pool.submit(None, flagged, stop)
        return next(future.result() for _, future in pool.finished())


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
