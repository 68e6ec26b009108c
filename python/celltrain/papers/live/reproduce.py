"""Running live experiments: first in the simulator, then, point by point, in real time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from celltrain.data import Data
from celltrain.live.hosts import Hosts
from celltrain.papers import reproduce
from celltrain.papers.extent import Extent
from celltrain.papers.kinds.points import Points
from celltrain.papers.live.outcome import LiveOutcome, LivePoint
from celltrain.papers.live.records import Records
from celltrain.papers.live.sources import COLUMN
from celltrain.papers.live.study import Study
from celltrain.papers.live.trial import Measured, Trial, measure
from celltrain.papers.reproduce import Options
from celltrain.progress import Progress
from celltrain.sweeps.store import Store

#: Approximate time for opening and closing a line and starting the daemons, in s.
_SECONDS_BESIDE = 3.0
_FOLDER = "live"


@dataclass(frozen=True)
class Planned:
    """The points of an experiment: values on the axes, and trials, which other experiments may share."""

    experiment: Points
    trials: Sequence[tuple[Data, Trial]]

    def are_in(self, measured: Mapping[str, Measured]) -> bool:
        """Whether all have been measured."""
        return all(trial.key in measured for _, trial in self.trials)


def require_hosts(study: Study) -> None:
    """Check that this machine can run the study, before any work is done.

    Raises
    ------
    celltrain.live.Refused
        It cannot; the message says what to change.
    """
    Hosts(study.kernels).close()


def seconds_needed(study: Study, experiments: Sequence[Points], options: Options) -> float:
    """Estimate the time for the points that have not been measured."""
    trials = _distinct([_points(study, experiment, options) for experiment in experiments])
    records = _records(options.store)
    left = [trial for trial in trials if records is None or records.find(trial) is None]
    return sum(trial.duration_s + _SECONDS_BESIDE for trial in left)


def run(study: Study, experiments: Sequence[Points], options: Options, progress: Progress) -> Iterator[LiveOutcome]:
    """Run live experiments; yield each as soon as its last point has been measured.

    Raises
    ------
    celltrain.live.Refused
        The system does not allow the hosts; the message says what to change.
    RunError
        A transfer or a simulation failed.
    """
    simulated = _simulated(study, experiments, options)
    records = _records(options.store)
    waiting = [_points(study, experiment, options) for experiment in experiments]
    trials = _distinct(waiting)
    progress.points(len(trials))
    measured: dict[str, Measured] = {}
    for trial in trials:
        found = records.find(trial) if records else None
        if found is None:
            found = measure(trial)
            if records:
                records.keep(trial, found)
            progress.run_done()
        else:
            progress.run_done(reused=True)
        measured[trial.key] = found
        progress.point_done()
        for points in [each for each in waiting if each.are_in(measured)]:
            waiting.remove(points)
            twin = simulated[points.experiment.id]
            yield _outcome(study, points, measured, twin, options.extent(study.paper))


def _records(store: Store | None) -> Records | None:
    return None if store is None else Records(store.folder / _FOLDER)


def _points(study: Study, experiment: Points, options: Options) -> Planned:
    return Planned(experiment, study.trials(experiment, quick=options.quick))


def _distinct(all_points: Sequence[Planned]) -> list[Trial]:
    return list({trial.key: trial for points in all_points for _, trial in points.trials}.values())


def _simulated(study: Study, experiments: Sequence[Points], options: Options) -> dict[str, list[Mapping[str, Any]]]:
    """Simulate the points of all experiments; return their rows in order."""
    twins = [study.simulated(experiment) for experiment in experiments]
    outcomes = reproduce.run(study.paper, twins, options, Progress())
    return {outcome.experiment.id: list(outcome.rows) for outcome in outcomes}


def _outcome(
    study: Study,
    points: Planned,
    measured: Mapping[str, Measured],
    simulated: Sequence[Mapping[str, Any]],
    extent: Extent,
) -> LiveOutcome:
    rows: list[Mapping[str, Any]] = []
    records = []
    for (axes, trial), twin in zip(points.trials, simulated, strict=True):
        found = measured[trial.key]
        row = {**axes, COLUMN: found.throughput_bps}
        published = None if study.paper.measured is None else study.paper.measured.of(row)
        row |= {
            "published_bps": float("nan") if published is None else published,
            "simulated_bps": twin[COLUMN],
            "simulated_bps_ci95": twin[f"{COLUMN}_ci95"],
            "live_bps": found.throughput_bps,
            "retransmits": found.retransmits,
            "packets_lost": found.packets_lost,
            "lateness_p95_s": found.lateness_p95_s,
            "degraded": int(found.degraded),
        }
        rows.append(row)
        records.append(
            LivePoint(
                axes=axes,
                scenario_hash=trial.scenario.hash,
                runs=1,
                precise_enough=True,
                plan_hash=trial.plan.hash,
                measured=found,
            )
        )
    columns = list(points.experiment.columns)
    return LiveOutcome(study.paper, points.experiment, columns, rows, list(records), extent=extent)
