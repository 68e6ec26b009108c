"""Running experiments: every point of every experiment in one pool, replications as precision asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from celltrain import _native, runner
from celltrain.files import atomic_write, csv_text, json_text
from celltrain.papers import figure, metrics
from celltrain.papers.claims import Verdict, judge, read_claims
from celltrain.papers.experiment import Experiment, Paper, Point
from celltrain.papers.progress import Progress
from celltrain.papers.statistics import is_precise
from celltrain.results import SCHEMA_VERSION, Result
from celltrain.scenario import Scenario


@dataclass
class PointRuns:
    """A point and the runs of it so far; run ``k`` has seed ``k + 1``, alike for all points."""

    experiment: Experiment
    point: Point
    scenario: Scenario
    runs: list[dict[str, float] | None] = field(default_factory=list)
    asked: int = 0
    done: bool = False

    def add(self, seed: int, values: dict[str, float]) -> None:
        """Keep the values of one run."""
        self.runs.extend([None] * (seed - len(self.runs)))
        self.runs[seed - 1] = values

    @property
    def values(self) -> list[dict[str, float]]:
        """The runs that have finished, in the order of their seeds."""
        return [run for run in self.runs if run is not None]


@dataclass(frozen=True)
class Outcome:
    """An experiment's rows, what was not precise enough, and the verdicts on its claims."""

    paper: Paper
    experiment: Experiment
    columns: list[str]
    rows: list[dict[str, Any]]
    imprecise: list[dict[str, Any]]
    scenarios: list[dict[str, Any]]

    def verdicts(self, tables: dict[str, list[dict[str, Any]]]) -> list[Verdict]:
        """Check the claims of the experiment."""
        claims = read_claims(self.paper.folder / "claims.toml")
        return [judge(claim, tables) for claim in claims if claim.experiment == self.experiment.id]


@dataclass(frozen=True)
class Options:
    """How to run: ``replications`` for a fixed number, ``quick`` for one short run of each point, cores to use."""

    replications: int | None = None
    quick: bool = False
    jobs: int | None = None


def run(paper: Paper, experiments: Sequence[Experiment], options: Options, progress: Progress) -> list[Outcome]:
    """Run experiments of one paper.

    Every control of a comparison sees the same line: run ``k`` of every point has seed ``k``. Whether a
    point needs more runs is decided after whole steps, so the number of cores changes nothing.
    """
    quick = ("quick",) if options.quick else ()
    todo = [
        PointRuns(experiment, point, Scenario(point.scenario, f"{paper.name}/{experiment.id}"))
        for experiment in experiments
        for point in paper.points(experiment, quick)
    ]
    progress.points(len(todo))
    with runner.pool(options.jobs) as pool:
        futures: dict[Future[Result], tuple[PointRuns, int]] = {}

        def ask(point: PointRuns) -> None:
            for seed in _next_seeds(paper, point, options):
                futures[pool.submit(runner.Job(point.scenario, seed))] = (point, seed)
                point.asked = seed

        for point in todo:
            ask(point)
        for (point, seed), result in runner.finished(futures):
            direction = paper.directions[point.experiment.direction]
            point.add(seed, metrics.point(result, direction, paper.ideal))
            progress.run_done()
            if len(point.values) == point.asked:
                ask(point)
                if len(point.values) == point.asked:
                    progress.point_done()
    return [_outcome(paper, experiment, todo, options) for experiment in experiments]


def _next_seeds(paper: Paper, point: PointRuns, options: Options) -> range:
    """Seeds that a point still needs; none once it is precise enough."""
    rule = paper.replications
    if options.quick or options.replications is not None:
        total = 1 if options.quick else options.replications or 1
        return range(point.asked + 1, total + 1)
    if point.asked < rule.least:
        return range(1, rule.least + 1)
    if point.asked >= rule.most or is_precise([run[rule.column] for run in point.values], rule.precision):
        return range(0)
    return range(point.asked + 1, min(point.asked + rule.step, rule.most) + 1)


def _outcome(paper: Paper, experiment: Experiment, points: Iterable[PointRuns], options: Options) -> Outcome:
    own = [point for point in points if point.experiment is experiment]
    rule = paper.replications
    rows = [dict(point.point.axes) | metrics.row(point.values) for point in own]
    imprecise = [
        dict(point.point.axes)
        for point in own
        if not options.quick and not is_precise([run[rule.column] for run in point.values], rule.precision)
    ]
    scenarios = [
        dict(point.point.axes) | {"scenario_hash": point.scenario.hash, "seeds": len(point.values)} for point in own
    ]
    columns = [axis.column for axis in experiment.axes] + list(metrics.POINT)
    return Outcome(paper, experiment, columns, rows, imprecise, scenarios)


def write(outcome: Outcome, verdicts: list[Verdict] | None, folder: Path) -> list[Path]:
    """Write table, figure, provenance and verdicts into ``folder/PAPER``; each file is whole or absent.

    Returns
    -------
    list of Path
        The files.
    """
    target = folder / outcome.paper.name
    target.mkdir(parents=True, exist_ok=True)
    experiment = outcome.experiment
    files: dict[str, str | bytes] = {"csv": csv_text(outcome.columns, outcome.rows)}
    files |= figure.draw(experiment.plot, f"{outcome.paper.name} {experiment.id}: {experiment.says}", outcome.rows)
    files["provenance.json"] = json_text(provenance(outcome))
    if verdicts is not None:
        files["claims.json"] = json_text([verdict.to_json() for verdict in verdicts])
    for suffix, content in files.items():
        atomic_write(target / f"{experiment.id}.{suffix}", content)
    return [target / f"{experiment.id}.{suffix}" for suffix in files]


def provenance(outcome: Outcome) -> dict[str, Any]:
    """Tell what made a table: version, base scenario, overlays and the hash of each point's whole scenario."""
    return {
        "celltrain": _native.__version__,
        "schema_version": SCHEMA_VERSION,
        "clock": "simulated",
        "paper": outcome.paper.name,
        "experiment": outcome.experiment.id,
        "seeds": "1 to the number of runs of each point, alike for all points",
        "units": {column: unit(column) for column in outcome.columns},
        "base_scenario": outcome.paper.base,
        "overlays": dict(outcome.paper.overlays),
        "points": outcome.scenarios,
        "not_precise_enough": outcome.imprecise,
    }


def unit(column: str) -> str:
    """Tell the unit of a column from its name.

    >>> unit("throughput_bps_ci95"), unit("t_up_s"), unit("max_queue_cells"), unit("utilization")
    ('bit/s', 's', 'cells', '1')
    """
    stem = column.removesuffix("_ci95")
    suffixes: dict[str, str] = {"_bps": "bit/s", "_s": "s", "_cells": "cells", "_bytes": "bytes"}
    for suffix, name in suffixes.items():
        if stem.endswith(suffix):
            return name
    return "" if stem == "control" else "1"
