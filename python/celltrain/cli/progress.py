"""Progress on stderr: a bar on a terminal, otherwise an occasional line."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from celltrain._native import Interrupted
from celltrain.cli.console import err
from celltrain.progress import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

#: Without a terminal, a line is printed after each such fraction of the runs.
_PART = 0.25


class Display(Progress):
    """Shows finished runs, runs per minute, the time left, and the failures so far.

    Parameters
    ----------
    title
        The work.
    kept
        The folder with finished runs, from which the same command goes on after an interruption.
    """

    def __init__(self, title: str, kept: Path | None = None) -> None:
        self._title = title
        self._kept = kept
        self._console = err()
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._start = time.perf_counter()
        self._points = 0
        self._asked = 0
        self._done = 0
        self._shown = 0.0
        self.runs = 0
        self.reused = 0
        self.failed = 0

    def __enter__(self) -> Display:
        """Show the bar."""
        if self._console.is_terminal:
            from rich import progress

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(bar_width=None),
                progress.MofNCompleteColumn(),
                progress.TextColumn("runs{task.fields[speed]},"),
                progress.TimeRemainingColumn(),
                progress.TextColumn("left"),
                progress.TextColumn("{task.fields[failures]}", style="bold red"),
                console=self._console,
                transient=True,
                expand=True,
            )
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar; after an interruption, say what was kept."""
        if self._bar:
            self._bar.stop()
        if self._kept and kind is not None and issubclass(kind, KeyboardInterrupt | Interrupted):
            done = self.runs + self.reused
            self._console.print(
                f"{self._title}: {done} of {self._total} runs are kept in {self._kept}; the same command goes on there",
                markup=False,
            )

    def points(self, total: int) -> None:
        """Set the number of points; a second call begins another step."""
        self._points, self._asked, self._done, self._shown = total, 0, 0, 0.0
        if self._bar and self._task is not None:
            self._bar.remove_task(self._task)
        if self._bar:
            self._task = self._bar.add_task(self._title, total=total, speed="", failures="")

    def asked(self, runs: int) -> None:
        """Note more runs that are needed."""
        self._asked += runs
        self._shown = min(self._shown, self._done / max(self._total, 1))
        self._show()

    @property
    def _total(self) -> int:
        return self._asked or self._points

    def found(self, runs: int, failed: int, others: int) -> None:
        """Print what is skipped."""
        if self._bar and self._task is not None:
            # Points that cannot be run take no time, so they are ignored for the estimate.
            self._bar.reset(self._task, completed=self._done)
        if runs:
            retry = f"; {failed} of them failed, --retry-failed runs them again" if failed else ""
            self._note(f"skipping {runs} runs that the folder has{retry}")
        if others:
            self._note(f"{others} records in the folder are of another design, scenario or version: they are not used")

    def refused(self, runs: int) -> None:
        """Note that a point cannot be run, and how many runs fail because of it."""
        self.failed += runs

    def run_done(self, *, failed: bool = False, reused: bool = False) -> None:
        """Note that a run has finished, or that its record was found."""
        self.runs += not reused
        self.reused += reused
        self.failed += failed
        self._done += 1
        if self._bar is None and self._done / self._total >= self._shown + _PART:
            self._shown = self._done / self._total
            note = f", {self._failures}" if self.failed else ""
            self._console.print(f"{self._title}: {self._done} of {self._total} runs{note}", markup=False)
        self._show()

    def _show(self) -> None:
        if self._bar and self._task is not None:
            speed, failures = self._speed, self._failures
            self._bar.update(self._task, total=self._total, completed=self._done, speed=speed, failures=failures)

    def _note(self, text: str) -> None:
        self._console.print(text, style="dim", markup=False)

    @property
    def summary(self) -> str:
        """The finished work, in words."""
        reused = f", {self.reused} taken from the folder" if self.reused else ""
        return f"{self.runs} runs in {time.perf_counter() - self._start:.1f} s{reused}"

    @property
    def _speed(self) -> str:
        """The speed of runs that were made; nothing can be said while all come from the folder."""
        if not self.runs:
            return f", {self.reused} from the folder" if self.reused else ""
        speed = self.runs / (time.perf_counter() - self._start)
        return f", {speed:.0f}/s" if speed >= 1 else f", {60 * speed:.2g}/min"

    @property
    def _failures(self) -> str:
        return f"{self.failed} failed" if self.failed else ""
