"""Sweeps: many scenarios, many seeds, stored as they finish."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from celltrain import _native
from celltrain.files import atomic_write, json_text
from celltrain.progress import Progress
from celltrain.scenario import Scenario
from celltrain.stored import Damaged
from celltrain.stored.seals import sealed_toml
from celltrain.stored.tables import write_parquet
from celltrain.sweeps import checks, collect
from celltrain.sweeps.campaign import Campaign, Ended, Run, Workers, workers
from celltrain.sweeps.contents import WARNINGS
from celltrain.sweeps.design import Design
from celltrain.sweeps.errors import OtherSweep
from celltrain.sweeps.metric import Metric
from celltrain.sweeps.points import Point, check_all, points_of, to_table, traces_of, warnings_in_short
from celltrain.sweeps.record import Record, key
from celltrain.sweeps.replications import Replications
from celltrain.sweeps.results import SweepResults
from celltrain.sweeps.store import Store


@dataclass(frozen=True)
class Sweep:
    """A sweep: a scenario, its variations, and how often each point is run.

    Attributes
    ----------
    scenario : Scenario
        The base scenario.
    design : Design
        The points. Without a design, the base is the only point.
    replications : Replications
        The seeds of each point, the same for all, so that all points see the same line and the same background.
    deadline_s : float or None
        Maximum time of a run; a longer one fails.
    """

    scenario: Scenario
    design: Design = field(default_factory=Design)
    replications: Replications = field(default_factory=Replications)
    deadline_s: float | None = None

    def run(
        self,
        folder: str | Path,
        *,
        jobs: int | None = None,
        executor: Executor | Workers | None = None,
        retry_failed: bool = False,
        skip_invalid: bool = True,
        replace: bool = False,
        progress: Progress | None = None,
    ) -> SweepResults:
        """Run what is missing in the folder.

        Parameters
        ----------
        folder
            Folder for results, which is searched first.
        jobs
            Cores to use; default: all. For an executor, it decides itself.
        executor
            Executor to use instead of this process: any ``concurrent.futures.Executor`` whose workers have celltrain.
        retry_failed
            Whether to run failed runs again.
        skip_invalid
            Whether points that cannot be run count as failed, while the others are run.
        replace
            Whether index and tables of another sweep in the folder are replaced. Its records stay.
        progress
            Display of the progress.

        Returns
        -------
        SweepResults
            All results of the sweep; failed runs are listed with their errors.

        Raises
        ------
        ScenarioError
            No point can be run.
        InvalidPoints
            Some points cannot be run, and ``skip_invalid`` is false; nothing has been run or written.
        OtherSweep
            The folder holds a sweep with results that this one would drop; nothing has been run or written.
        OSError
            The folder cannot be written to; earlier records are safe.
        Busy
            Another process writes to the folder.
        MetricError
            The tables lack the stopping rule's metric.
        EnginesDiffer
            The two engines, which are compared with the first run of each structure, differ: a defect.
        """
        points = points_of(self.scenario, self.design)
        if not skip_invalid:
            check_all(points)
        if not replace:
            self._check_folder(Path(folder), points)
        store = Store(Path(folder))
        places = workers(executor, jobs)
        with store.writing():
            self._describe(store, points)
            with places as runners:
                campaign: Campaign[_Group] = Campaign(
                    store, runners, deadline_s=self.deadline_s, retry_failed=retry_failed
                )
                recent = collect.Recent()
                self._run(campaign, points, progress or Progress(), recent)
            atomic_write(store.folder / checks.FILE, json_text(campaign.checks.to_json()))
            collect.write(store, recent)
        return SweepResults(store.folder)

    def _check_folder(self, folder: Path, points: Sequence[Point]) -> None:
        """Refuse to drop results of another sweep; one with more points or more seeds keeps all of them."""
        if not (folder / "sweep.toml").is_file() or not (folder / "points.parquet").is_file():
            return
        try:
            there = SweepResults(folder)
            hashes = {text for text in there.points["scenario_hash"].to_pylist() if text}
        except Damaged:
            return  # It is written again; no record is lost, whichever sweep it was.
        stored, build = Store(folder).listing()[0], there.plan["celltrain"]
        seeds = Replications.from_toml(there.plan).all_seeds
        done = [(text, seed) for text in hashes for seed in seeds if key(text, seed, build) in stored]
        points_now, seeds_now = {point.scenario_hash for point in points}, self.replications.all_seeds
        lost = sum(scenario not in points_now or seed not in seeds_now for scenario, seed in done)
        if lost:
            raise OtherSweep(
                f"{folder} holds another sweep, which varies {', '.join(there.keys) or 'nothing'}: {lost} of its "
                f"{len(done)} runs would no longer be in the index and the tables"
            )

    def _describe(self, store: Store, points: Sequence[Point]) -> None:
        """Write the definition of the sweep."""
        folder = store.folder
        valid = [point for point in points if point.scenario]
        store.traces.keep(dict.fromkeys(trace for point in valid for trace in traces_of(point.values)))
        asked: dict[str, Any] = {
            "form": collect.FORM,
            "celltrain": _native.__build__,
            "scenario": self.scenario.origin,
            "scenario_hash": self.scenario.hash,
            **self.replications.to_toml(),
        }
        if self.deadline_s is not None:
            asked["deadline_s"] = self.deadline_s
        asked["design"] = self.design.to_toml()
        write_parquet(folder / "points.parquet", to_table(points, self.design.keys))
        atomic_write(folder / "scenario.json", self.scenario.to_json())
        atomic_write(folder / WARNINGS, json_text(warnings_in_short(points)))
        atomic_write(folder / "sweep.toml", sealed_toml(tomli_w.dumps(asked)))

    def _run(
        self, campaign: Campaign[_Group], points: Sequence[Point], progress: Progress, recent: collect.Recent
    ) -> None:
        rule = self.replications
        metric = Metric.parse(rule.until.metric) if rule.until else None

        def value_of(ended: Ended[_Group]) -> float:
            return collect.value_of_run(metric, ended.record) if metric else math.nan

        groups: dict[str, _Group] = {}
        progress.points(len(points))
        for point in points:
            if point.scenario is None or point.scenario_hash is None:
                progress.refused(len(rule.seeds({})))
                progress.point_done()
                continue
            group = _Group(point.scenario, point.scenario_hash, point.structure, self.scenario.origin)
            groups.setdefault(point.scenario_hash, group).points += 1
        campaign.announce((group.run(seed) for group in groups.values() for seed in rule.all_seeds), progress)
        for group in groups.values():
            group.ask(campaign, rule, progress)
        for ended in campaign.ended():
            group = ended.tag
            progress.run_done(failed=ended.status == "failed", reused=ended.reused)
            if isinstance(ended.source, Record):
                recent.keep(ended.run.key, ended.source)
            group.values[ended.run.seed] = None if ended.status == "failed" else value_of(ended)
            if len(group.values) == group.asked:
                group.ask(campaign, rule, progress)
            if len(group.values) == group.asked:
                for _ in range(group.points):
                    progress.point_done()


@dataclass
class _Group:
    """Points with one scenario, and their runs so far."""

    scenario: str
    scenario_hash: str
    structure: str
    origin: str
    points: int = 0
    asked: int = 0
    values: dict[int, float | None] = field(default_factory=dict)

    def ask(self, campaign: Campaign[_Group], rule: Replications, progress: Progress) -> None:
        """Request the further runs that the rule needs."""
        seeds = rule.seeds(self.values)
        progress.asked(len(seeds) - self.asked)
        for seed in seeds[self.asked :]:
            campaign.ask(self, self.run(seed))
        self.asked = len(seeds)

    def run(self, seed: int) -> Run:
        """Return one of the runs."""
        return Run(self.scenario, self.scenario_hash, seed, self.structure, self.origin)
