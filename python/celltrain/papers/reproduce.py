"""Running experiments: every point of every experiment in one pool, replications as precision asks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from celltrain import RunError, _native
from celltrain.papers import metrics
from celltrain.papers.claims import is_shown
from celltrain.papers.experiment import Experiment, Paper, Point
from celltrain.papers.expression import Expression
from celltrain.papers.outcome import Outcome, PointRecord
from celltrain.papers.trace import PROBE
from celltrain.progress import Progress
from celltrain.results import Result
from celltrain.scenario import Scenario
from celltrain.statistics import is_precise
from celltrain.sweeps.campaign import Campaign, Run, Workers, workers
from celltrain.sweeps.store import Store


@dataclass(frozen=True)
class Options:
    """How to run.

    Attributes
    ----------
    replications : int or None
        A fixed number of runs of each point, instead of as many as precision asks.
    quick : bool
        One short run of each point.
    jobs : int or None
        Cores to use; all without it.
    workers : Workers or None
        Where to run instead of this process.
    store : Store or None
        Where runs are kept as they finish, and looked for.
    """

    replications: int | None = None
    quick: bool = False
    jobs: int | None = None
    workers: Workers | None = None
    store: Store | None = None


@dataclass
class Runs:
    """One scenario and its runs so far; run ``k`` has seed ``k``. Points with equal scenarios share them."""

    scenario: Scenario
    columns: tuple[str, ...]
    least: int = 0
    asked: int = 0
    done: dict[int, dict[str, float]] = field(default_factory=dict)
    first: Result | None = None

    @property
    def values(self) -> list[dict[str, float]]:
        """The values of the finished runs, in the order of their seeds."""
        return [self.done[seed] for seed in sorted(self.done)]

    def precise(self, precision: float) -> bool:
        """Whether every interval that precision is asked of is narrow enough."""
        return _precise(self.values, self.columns, precision)

    def complete(self) -> bool:
        """Whether all runs that were asked for have finished."""
        return len(self.done) == self.asked


def _precise(values: Sequence[Mapping[str, float]], columns: Sequence[str], precision: float) -> bool:
    return all(is_precise([run[column] for run in values], precision) for column in columns)


def run(paper: Paper, experiments: Sequence[Experiment], options: Options, progress: Progress) -> Iterator[Outcome]:
    """Run experiments of one paper; each comes as soon as its last run has finished.

    Every control of a comparison sees the same line: run ``k`` of every point has seed ``k``. Whether a
    point needs more runs is decided after whole steps, so the number of cores changes nothing.
    """
    for experiment in experiments:
        if experiment.formulas:
            yield computed(paper, experiment)
        elif experiment.routes:
            yield routed(paper, experiment)
    experiments = [experiment for experiment in experiments if not (experiment.formulas or experiment.routes)]
    by_hash: dict[str, Runs] = {}
    points = {experiment.id: _points(paper, experiment, options, by_hash) for experiment in experiments}
    progress.points(len(by_hash))
    waiting = list(experiments)
    with workers(options.workers, options.jobs) as places:
        campaign: Campaign[Runs] = Campaign(options.store, places)

        def ask(runs: Runs) -> None:
            for seed in _next_seeds(paper, runs, options):
                scenario = runs.scenario
                campaign.ask(runs, Run(scenario.to_json(), scenario.hash, seed, scenario.structure, scenario.origin))
                runs.asked = seed

        for runs in by_hash.values():
            ask(runs)
        for ended in campaign.ended():
            runs, record = ended.tag, ended.record
            if record.error is not None:
                raise RunError(f"{runs.scenario.origin}, seed {record.seed}: {record.error}")
            result = record.result(runs.scenario.to_json())
            runs.done[record.seed] = metrics.measured(paper, result) | _cell_rates(experiments, result)
            if record.seed == 1:
                runs.first = result
            progress.run_done(reused=ended.reused)
            if not runs.complete():
                continue
            ask(runs)
            if not runs.complete():
                continue
            progress.point_done()
            for experiment in [each for each in waiting if _is_done(points[each.id])]:
                waiting.remove(experiment)
                structures = [runs.scenario.structure for _, runs in points[experiment.id]]
                checks = campaign.checks.to_json(structures)
                yield replace(_outcome(paper, experiment, points[experiment.id], options), cross_checks=checks)


def _points(
    paper: Paper, experiment: Experiment, options: Options, by_hash: dict[str, Runs]
) -> list[tuple[Point, Runs]]:
    columns = _judged_columns(paper, experiment)
    points = []
    for point in paper.points(experiment, ("quick",) if options.quick else ()):
        scenario = Scenario(point.scenario, f"{paper.name}/{experiment.id}")
        runs = by_hash.setdefault(scenario.hash, Runs(scenario, columns))
        runs.columns = tuple(dict.fromkeys((*runs.columns, *columns)))
        runs.least = max(runs.least, paper.replications.least_of(point.overlays))
        points.append((point, runs))
    return points


def _judged_columns(paper: Paper, experiment: Experiment) -> tuple[str, ...]:
    return tuple(f"{direction}.{paper.replications.column}" for direction in experiment.directions)


def _own_values(
    paper: Paper, experiment: Experiment, point: Point, runs: Runs, options: Options
) -> list[dict[str, float]]:
    """Select the runs that the experiment itself asked for.

    Another experiment with the same scenario may have asked for more. They are left out, so that a table
    does not depend on what else is reproduced with it.
    """
    rule, values = paper.replications, runs.values
    if options.quick or options.replications is not None:
        return values
    columns = _judged_columns(paper, experiment)
    enough = (
        count
        for count in range(rule.least_of(point.overlays), len(values), rule.step)
        if _precise(values[:count], columns, rule.precision)
    )
    return values[: next(enough, len(values))]


def _is_done(points: Sequence[tuple[Point, Runs]]) -> bool:
    return all(runs.asked and runs.complete() and runs.first is not None for _, runs in points)


def _next_seeds(paper: Paper, runs: Runs, options: Options) -> range:
    """Seeds that a scenario still needs; none once its intervals are narrow enough."""
    rule = paper.replications
    if not runs.columns:
        return range(runs.asked + 1, 2)  # time series come from seed 1 alone
    if options.quick or options.replications is not None:
        total = 1 if options.quick else options.replications or 1
        return range(runs.asked + 1, total + 1)
    if runs.asked < runs.least:
        return range(1, runs.least + 1)
    if runs.asked >= max(rule.most, runs.least) or runs.precise(rule.precision):
        return range(0)
    return range(runs.asked + 1, min(runs.asked + rule.step, rule.most) + 1)


def _cell_rates(experiments: Sequence[Experiment], result: Result) -> dict[str, float]:
    """Cell rates for the experiments that have them, named ``cells.EXPERIMENT.KIND``."""
    values: dict[str, float] = {}
    for experiment in experiments:
        if experiment.cells is not None:
            rates = metrics.cell_rates(result.link_vcs, experiment.cells, result.measured_s)
            values |= {f"cells.{experiment.id}.{kind}": rate for kind, rate in rates.items()}
    return values


def _outcome(paper: Paper, experiment: Experiment, points: Sequence[tuple[Point, Runs]], options: Options) -> Outcome:
    rule = paper.replications
    judged = _judged_columns(paper, experiment)
    check = bool(judged) and not options.quick
    rows: list[Mapping[str, Any]] = []
    records = []
    for point, runs in points:
        values = _own_values(paper, experiment, point, runs, options)
        rows.extend(_rows(paper, experiment, point, runs, values))
        precise = not check or _precise(values, judged, rule.precision)
        records.append(PointRecord(dict(point.axes), runs.scenario.hash, len(values), precise))
    return Outcome(paper, experiment, _columns(paper, experiment), rows, records)


def _aal5(form: str, octets: int) -> tuple[int, int]:
    """Give octets of AAL5 payload, and cells, of an IP packet in an encapsulation."""
    return {name: (payload, cells) for name, *_, payload, cells in _native.overhead([octets])}[form]


#: What formulas of a table that is computed can call: the AAL5 payload and the cells of an IP packet.
FUNCTIONS = {
    "aal5_payload": lambda form, octets: _aal5(form, octets)[0],
    "aal5_cells": lambda form, octets: _aal5(form, octets)[1],
}


def computed(paper: Paper, experiment: Experiment) -> Outcome:
    """Compute the table of an experiment that is made of formulas."""
    rows: list[Mapping[str, Any]] = []
    records = []
    for values in itertools.product(*(axis.values for axis in experiment.axes)):
        row: dict[str, Any] = {}
        for axis, own in zip(experiment.axes, values, strict=True):
            row |= zip(axis.columns, own, strict=False)
        records.append(PointRecord(dict(row), "", 0, precise_enough=True))
        for column, formula in experiment.formulas.items():
            row[column] = Expression(formula, FUNCTIONS).evaluate(row)
        rows.append(row)
    return Outcome(paper, experiment, _columns(paper, experiment), rows, records)


def routed(paper: Paper, experiment: Experiment) -> Outcome:
    """Make the table of an experiment that looks at the ways of VCs through the network that is built."""
    rows: list[Mapping[str, Any]] = []
    records = []
    for point in paper.points(experiment):
        scenario = Scenario(point.scenario, f"{paper.name}/{experiment.id}")
        ways = {way.vc: way for way in scenario.routes()}
        records.append(PointRecord(dict(point.axes), scenario.hash, 0, precise_enough=True))
        for label, vc in experiment.routes.items():
            rows.append({**point.axes, "vc": label, **metrics.way(ways[vc])})
    return Outcome(paper, experiment, _columns(paper, experiment), rows, records)


def _columns(paper: Paper, experiment: Experiment) -> list[str]:
    if experiment.trace is not None and not experiment.checks:
        return experiment.trace.column_names()
    if experiment.columns:
        return list(experiment.columns)
    direction = ["direction"] if len(experiment.directions) > 1 else []
    extra = [name for column in experiment.extra for name in (column, f"{column}_ci95")]
    return [*experiment.axis_columns, *direction, *paper.point, *extra]


def _rows(
    paper: Paper, experiment: Experiment, point: Point, runs: Runs, values: Sequence[Mapping[str, float]]
) -> Iterator[Mapping[str, Any]]:
    if experiment.trace is not None:
        assert runs.first is not None, "time series come from the run with seed 1, which has finished"
        rows = experiment.trace.rows(runs.first.traces[PROBE], str(point.axes.get("series", "")))
        if experiment.checks:
            table = list(rows)
            checks = experiment.checks.items()
            rows = ({"criterion": name, "supported": int(is_shown(check, table))} for name, check in checks)
        yield from rows
        return
    if experiment.cells is not None:
        rates = metrics.means(values, f"cells.{experiment.id}.")
        data = {f"downstream_data_cell_rate_bps{end}": rates[f"data{end}"] for end in ("", "_ci95")}
        for kind in ("ack", "backward-rm", "forward-rm"):
            own = {f"cell_rate_bps{end}": rates[f"{kind}{end}"] for end in ("", "_ci95")}
            yield {**point.axes, "cell_type": kind, **own, **data, "n_runs": rates["n_runs"]}
        return
    extra = metrics.means([{name: run[name] for name in experiment.extra} for run in values])
    for direction in experiment.directions:
        row = {**point.axes, "direction": direction, **extra, **metrics.means(values, f"{direction}.")}
        aliases = [
            (f"{name}{end}", f"{value}{end}") for name, value in experiment.aliases.items() for end in ("", "_ci95")
        ]
        row |= {name: row[value] for name, value in aliases}
        yield metrics.with_formulas(row, paper.row_values)
