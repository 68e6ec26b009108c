"""A row of the table: a kind of check, how it is run, and its result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import TypeVar

from celltrain.progress import Progress
from celltrain.results import Result
from celltrain.runner import Job, run_jobs
from celltrain.scenario import Scenario
from celltrain.threads import Pool, threads
from celltrain.trust.case import Case, Verdict

_TEXT = Path(__file__).parent / "text"

#: Runs of each line and variant between kernels, for intervals.
KERNEL_REPEATS = 5

Item = TypeVar("Item")
Value = TypeVar("Value")


def method(name: str, **values: object) -> str:
    """Read a part of the page from the folder ``text``; ``$NAME`` in it becomes a value, numbers in short form."""
    words = {key: f"{value:g}" if isinstance(value, float) else str(value) for key, value in values.items()}
    return Template((_TEXT / f"{name}.md").read_text("utf-8")).substitute(words).rstrip("\n")


class NotRun(Exception):
    """A row cannot be run here; the message says why, and what to do."""


@dataclass(frozen=True)
class Context:
    """How rows are run.

    Attributes
    ----------
    quick : bool
        Only parts that take about a second; a quick table shows that the checks work, not that TCP is right.
    jobs : int or None
        Cores to use; None: all.
    progress : Progress
        Is notified when runs finish.
    scripts : Path or None
        A folder, searched recursively, of packetdrill scripts that the user has fetched.
    kernel_lines : int
        How many lines are run between kernels, in real time; 0: none.
    kernel_jobs : int
        How many of them at a time. More than one wait without spinning (:func:`celltrain.live.line.open_line`).
    kernel_repeats : int
        Runs of each line and variant between kernels.
    kernel_folder : Path or None
        Where runs between kernels are kept, to be compared again; None: nowhere.
    """

    quick: bool = False
    jobs: int | None = None
    progress: Progress = field(default_factory=Progress)
    scripts: Path | None = None
    kernel_lines: int = 0
    kernel_jobs: int = 1
    kernel_repeats: int = KERNEL_REPEATS
    kernel_folder: Path | None = None

    def run(self, scenarios: Sequence[Scenario], seeds: Sequence[int] = (1,)) -> list[list[Result]]:
        """Run scenarios on all cores; return the results of each in the order of the seeds."""
        jobs = {Job(scenario, seed): (i, j) for i, scenario in enumerate(scenarios) for j, seed in enumerate(seeds)}
        self.progress.points(len(jobs))
        found: dict[tuple[int, int], Result] = {}
        for job, result in run_jobs(jobs, self.jobs):
            found[jobs[job]] = result
            self.progress.run_done()
            self.progress.point_done()
        return [[found[i, j] for j in range(len(seeds))] for i in range(len(scenarios))]

    def map(self, work: Callable[[Item], Value], items: Iterable[Item], jobs: int | None = None) -> list[Value]:
        """Do other work, such as running programs, on all cores or ``jobs``; results are in the order of the items."""
        todo = list(items)
        self.progress.points(len(todo))
        found: dict[int, Future[Value]] = {}
        with threads(jobs or self.jobs) as (executor, _):
            pool: Pool[int, Value] = Pool(executor)
            for index, item in enumerate(todo):
                pool.submit(index, work, item)
            for index, future in pool.finished():
                future.result()
                found[index] = future
                self.progress.run_done()
                self.progress.point_done()
        return [found[index].result() for index in range(len(todo))]


@dataclass(frozen=True)
class Row:
    """A kind of check.

    Attributes
    ----------
    name : str
        The name for ``celltrain trust --row``.
    says : str
        What is compared with what, in one line.
    target : str
        The target, in words.
    method : str
        How the check is made: Markdown for the page.
    cases : callable
        Runs the check. Raises :class:`NotRun` if that is impossible.
    reference : callable
        Returns the version of the program compared with; empty if there is none. Called after ``cases``.
    """

    name: str
    says: str
    target: str
    method: str
    cases: Callable[[Context], list[Case]]
    reference: Callable[[], str] = str

    def carry_out(self, context: Context) -> RowResult:
        """Run it; a row that cannot be run also gives a result."""
        try:
            return RowResult(self.name, tuple(self.cases(context)), reference=self.reference())
        except NotRun as why:
            return RowResult(self.name, (), str(why))


@dataclass(frozen=True)
class RowResult:
    """The result of a row.

    Attributes
    ----------
    name : str
        The name of the row.
    cases : tuple of Case
        Worst first.
    why_not : str
        Why it was not run, and what to do; empty if it was.
    reference : str
        Version of the program that it was compared with; empty if there is none.
    """

    name: str
    cases: tuple[Case, ...]
    why_not: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        worst_first = sorted(self.cases, key=lambda case: (not case.binds, math.isnan(case.miss), -case.miss))
        object.__setattr__(self, "cases", tuple(worst_first))

    @property
    def binding(self) -> tuple[Case, ...]:
        """The cases on which the verdict depends."""
        return tuple(case for case in self.cases if case.binds)

    @property
    def differing(self) -> tuple[Case, ...]:
        """The binding cases that miss their target."""
        return tuple(case for case in self.binding if case.verdict is Verdict.DIFFERS)

    @property
    def verdict(self) -> Verdict:
        """Whether all binding cases meet their targets; a row without any was not run."""
        if not self.binding:
            return Verdict.NOT_RUN
        return Verdict.DIFFERS if self.differing else Verdict.AGREES

    @property
    def miss(self) -> float:
        """The largest miss of a binding case; NaN if it was not run."""
        return max((case.miss for case in self.binding), default=math.nan)
