"""Running the cases of a suite, and keeping its results consistent whenever it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from celltrain import _native
from celltrain.ci import live, simulated
from celltrain.ci.junit import document
from celltrain.ci.outcome import Outcome, State
from celltrain.ci.page import page
from celltrain.ci.suite import Case, Suite
from celltrain.files import atomic_write, json_text, replace_together
from celltrain.threads import Pool, threads

#: The files of a suite's results; the last one is the seal.
JUNIT, PAGE, RESULTS = "junit.xml", "report.html", "results.json"
#: The folder with the output of commands.
COMMANDS = "commands"
#: Files are written again after a case, but not more often than this, in s.
_EVERY_S = 2.0


class Run:
    """A run of some cases of a suite.

    Parameters
    ----------
    suite
        The suite.
    cases
        The cases to run.
    folder
        The folder for results; it must exist.
    junit
        A further place for the XML.
    """

    def __init__(self, suite: Suite, cases: Sequence[Case], folder: Path, junit: Path | None = None) -> None:
        self._suite, self._cases = suite, cases
        self._folder, self._junit = folder, junit
        self._started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
        self._done: dict[Case, Outcome] = {}
        self._written_s = 0.0

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes of all cases, in the order of the file; those that have not run are skipped."""
        return [
            self._done.get(case, Outcome(case, State.SKIPPED, message="not run to its end: interrupted"))
            for case in self._cases
        ]

    def run(self, jobs: int | None, progress: Callable[[Outcome], None]) -> list[Outcome]:
        """Run all cases: those in virtual time on ``jobs`` cores (default: all), ``jobs`` lines at once (default: 1).

        However it ends, the files of the folder are of the cases that have run.
        """

        def ended(outcome: Outcome) -> None:
            self._done[outcome.case] = outcome
            progress(outcome)
            if time.monotonic() - self._written_s >= _EVERY_S:
                self.write()

        # Runs in virtual time use all cores, which would make lines late: they come first.
        try:
            for case in self._cases:
                if not case.is_live:
                    ended(simulated.run(self._suite, case, jobs))
            self._run_live([case for case in self._cases if case.is_live], jobs or 1, ended)
        finally:
            self.write()
        return self.outcomes()

    def _run_live(self, cases: Sequence[Case], jobs: int, ended: Callable[[Outcome], None]) -> None:
        stop = threading.Event()
        with threads(jobs) as (executor, _):
            pool: Pool[Case, Outcome] = Pool(executor)
            for case in cases:
                pool.submit(case, live.run, self._suite, case, self._folder / COMMANDS, stop)
            try:
                for _, future in pool.finished():
                    ended(future.result())
            except BaseException:
                stop.set()
                pool.cancel()
                raise

    def write(self) -> None:
        """Write JUnit XML, page and results, so that they agree with one another."""
        outcomes = self.outcomes()
        xml = document(self._suite.name, outcomes, self._started)
        told = {
            "celltrain": _native.__version__,
            "suite": self._suite.name,
            "started": f"{self._started}Z",
            "scenarios": {name: network.hash for name, network in self._suite.networks.items()},
            "cases": [outcome.to_json() for outcome in outcomes],
        }
        html = page(self._suite, outcomes, self._started)
        files: dict[str, str | bytes] = {JUNIT: xml, PAGE: html, RESULTS: json_text(told)}
        replace_together(self._folder, files, seal=RESULTS, stale=f"{RESULTS}.*")
        if self._junit:
            atomic_write(self._junit, xml)
        self._written_s = time.monotonic()
