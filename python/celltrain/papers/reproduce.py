"""Running experiments: every point of every experiment in one pool, with replications until precise enough."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from celltrain._native import RunError
from celltrain.papers import metrics
from celltrain.papers.blame import blaming
from celltrain.papers.extent import Extent
from celltrain.papers.kinds import Experiment
from celltrain.papers.kinds.experiment import Computed, Point, Simulated
from celltrain.papers.outcome import Outcome, PointRecord
from celltrain.papers.paper import Paper
from celltrain.papers.reading import Mistake
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
        A fixed number of runs of each point, instead of as many as precision requires.
    quick : bool
        One short run of each point.
    jobs : int or None
        Cores to use; all without it.
    workers : Workers or None
        Workers to use instead of this process.
    store : Store or None
        Store for finished runs, which is searched first.
    """

    replications: int | None = None
    quick: bool = False
    jobs: int | None = None
    workers: Workers | None = None
    store: Store | None = None

    def extent(self, paper: Paper) -> Extent:
        """Return how much of a study this covers."""
        return Extent(self.quick, self.replications, paper.changes)


class RunsFailed(RunError):
    """Runs of a study that failed; the experiments without them have been made.

    Attributes
    ----------
    experiments : tuple of str
        The experiments that lack results.
    """

    #: Maximum number of errors in the message.
    SHOWN = 5

    def __init__(self, paper: str, experiments: Sequence[str], errors: Sequence[str]) -> None:
        self.experiments = tuple(experiments)
        more = [f"... and {len(errors) - self.SHOWN} more"] if len(errors) > self.SHOWN else []
        lines = [f"{len(errors)} runs failed; {paper} has no results of {', '.join(experiments)}:"]
        super().__init__("\n  ".join([*lines, *errors[: self.SHOWN], *more]))


@dataclass
class Runs:
    """One scenario and its runs so far; run ``k`` has seed ``k``. Points with equal scenarios share them."""

    scenario: Scenario
    columns: tuple[str, ...]
    directions: set[str] = field(default_factory=set)
    least: int = 0
    asked: int = 0
    done: dict[int, dict[str, float]] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    first: Result | None = None

    @property
    def values(self) -> list[dict[str, float]]:
        """The values of the finished runs, in the order of their seeds."""
        return [self.done[seed] for seed in sorted(self.done)]

    def precise(self, precision: float) -> bool:
        """Whether every interval that must be precise is narrow enough."""
        return _precise(self.values, self.columns, precision)

    def complete(self) -> bool:
        """Whether all requested runs have finished."""
        return len(self.done) + len(self.failed) == self.asked

    @property
    def errors(self) -> list[str]:
        """Why runs failed, in the order of their seeds."""
        return [f"{self.scenario.origin}, seed {seed}: {self.failed[seed]}" for seed in sorted(self.failed)]


def _precise(values: Sequence[Mapping[str, float]], columns: Sequence[str], precision: float) -> bool:
    return all(is_precise([run[column] for run in values], precision) for column in columns)


def run(paper: Paper, experiments: Sequence[Experiment], options: Options, progress: Progress) -> Iterator[Outcome]:
    """Run experiments of one paper; yield each as soon as its last run has finished.

    Every control of a comparison sees the same line: run ``k`` of every point has seed ``k``. Whether a
    point needs more runs is decided after whole steps, independent of the number of cores.

    Raises
    ------
    PaperError
        The study needs something that its runs do not provide; the message names the place in its file.
    RunsFailed
        Runs failed, such as those that passed a limit; all experiments without them have been yielded.
    """
    try:
        yield from _run(paper, experiments, options, progress)
    except Mistake as mistake:
        raise paper.file.error(str(mistake), *mistake.path) from mistake


def _run(paper: Paper, experiments: Sequence[Experiment], options: Options, progress: Progress) -> Iterator[Outcome]:
    for experiment in experiments:
        if isinstance(experiment, Computed):
            yield computed(paper, experiment)
    simulated = [experiment for experiment in experiments if isinstance(experiment, Simulated)]
    by_hash: dict[str, Runs] = {}
    points = {experiment.id: _points(paper, experiment, options, by_hash) for experiment in simulated}
    progress.points(len(by_hash))
    waiting = list(simulated)
    with workers(options.workers, options.jobs) as places:
        # What failed may have lacked memory, or a worker that was killed: it is tried again.
        campaign: Campaign[Runs] = Campaign(options.store, places, retry_failed=True)

        def ask(runs: Runs) -> None:
            seeds = _next_seeds(paper, runs, options)
            progress.asked(len(seeds))
            for seed in seeds:
                scenario = runs.scenario
                campaign.ask(runs, Run(scenario.to_json(), scenario.hash, seed, scenario.structure, scenario.origin))
                runs.asked = seed

        for runs in by_hash.values():
            ask(runs)
        for ended in campaign.ended():
            runs, record = ended.tag, ended.record
            if record.error is not None:
                runs.failed[record.seed] = record.error
                progress.run_done(failed=True)
                if runs.complete():
                    progress.point_done()
                continue
            result = record.result(runs.scenario.to_json())
            runs.done[record.seed] = metrics.measured(paper.head, result)
            for direction in runs.directions:
                metrics.require(result, paper.head, direction)
            for experiment in simulated:
                runs.done[record.seed] |= experiment.read_off(result)
            if record.seed == 1:
                runs.first = result
            progress.run_done(reused=ended.reused)
            if not runs.complete():
                continue
            # A point without one of its runs has no result, whatever the others say.
            if not runs.failed:
                ask(runs)
            if not runs.complete():
                continue
            progress.point_done()
            for experiment in [each for each in waiting if _is_done(points[each.id])]:
                waiting.remove(experiment)
                structures = [runs.scenario.structure for _, runs in points[experiment.id]]
                checks = campaign.checks.to_json(structures)
                yield replace(_outcome(paper, experiment, points[experiment.id], options), cross_checks=checks)
    errors = [error for runs in by_hash.values() for error in runs.errors]
    if errors:
        raise RunsFailed(paper.name, [experiment.id for experiment in waiting], errors)


def _points(
    paper: Paper, experiment: Simulated, options: Options, by_hash: dict[str, Runs]
) -> list[tuple[Point, Runs]]:
    columns = _judged_columns(paper, experiment)
    points = []
    for point in paper.points(experiment, ("quick",) if options.quick else ()):
        with blaming(paper, experiment, point):
            scenario = Scenario(point.scenario, f"{paper.name}/{experiment.id}")
        runs = by_hash.setdefault(scenario.hash, Runs(scenario, columns))
        runs.directions |= {*experiment.measured_directions}
        runs.columns = tuple(dict.fromkeys((*runs.columns, *columns)))
        runs.least = max(runs.least, paper.head.replications.least_of(point.overlays))
        points.append((point, runs))
    return points


def _judged_columns(paper: Paper, experiment: Simulated) -> tuple[str, ...]:
    return tuple(f"{direction}.{paper.head.replications.column}" for direction in experiment.measured_directions)


def _own_values(
    paper: Paper, experiment: Simulated, point: Point, runs: Runs, options: Options
) -> list[dict[str, float]]:
    """Select the runs that the experiment itself requested.

    Another experiment with the same scenario may have requested more. They are left out, so that a table
    does not depend on other experiments reproduced with it.
    """
    rule, values = paper.head.replications, runs.values
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
    return all(runs.asked and runs.complete() and runs.first is not None and not runs.failed for _, runs in points)


def _next_seeds(paper: Paper, runs: Runs, options: Options) -> range:
    """Return the seeds that a scenario still needs; none once its intervals are narrow enough."""
    rule = paper.head.replications
    if not runs.columns:
        return range(runs.asked + 1, 2)  # time series use only seed 1
    if options.quick or options.replications is not None:
        total = 1 if options.quick else options.replications or 1
        return range(runs.asked + 1, total + 1)
    if runs.asked < runs.least:
        return range(1, runs.least + 1)
    if runs.asked >= max(rule.most, runs.least) or runs.precise(rule.precision):
        return range(0)
    return range(runs.asked + 1, min(runs.asked + rule.step, rule.most) + 1)


def _outcome(paper: Paper, experiment: Simulated, points: Sequence[tuple[Point, Runs]], options: Options) -> Outcome:
    rule = paper.head.replications
    judged = _judged_columns(paper, experiment)
    check = bool(judged) and not options.quick
    rows: list[Mapping[str, Any]] = []
    records = []
    for point, runs in points:
        values = _own_values(paper, experiment, point, runs, options)
        assert runs.first is not None, "rows are made when all runs, including seed 1, have finished"
        rows.extend(experiment.rows(paper.head, point, values, runs.first))
        precise = not check or _precise(values, judged, rule.precision)
        measure = point.scenario.get("measure", {})
        records.append(PointRecord(dict(point.axes), runs.scenario.hash, len(values), precise, measure))
    return Outcome(
        paper,
        experiment,
        experiment.column_names(paper.head),
        rows,
        records,
        extent=options.extent(paper),
        first_scenario=json.loads(points[0][1].scenario.to_json()),
    )


def computed(paper: Paper, experiment: Computed) -> Outcome:
    """Make the table of an experiment without runs."""
    rows: list[Mapping[str, Any]] = []
    records = []
    for point in paper.points(experiment):
        with paper.at(experiment), blaming(paper, experiment, point):
            scenario_hash, own = experiment.rows_of(f"{paper.name}/{experiment.id}", point)
        records.append(PointRecord(dict(point.axes), scenario_hash, 0, precise_enough=True))
        rows.extend(own)
    columns = experiment.column_names(paper.head)
    return Outcome(paper, experiment, columns, rows, records, extent=Extent(changes=paper.changes))
