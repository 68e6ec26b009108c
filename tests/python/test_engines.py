"""Both engines give the same results: the points of all studies, run for a short time cell by cell and in trains."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import celltrain
import pytest
from celltrain.papers.catalog import names, paper
from celltrain.papers.kinds.experiment import Point
from conftest import Command

#: Whether to run all points, not just one of each experiment; ``make test-all`` sets it.
EVERY_POINT = "CELLTRAIN_EVERY_POINT" in os.environ


def shortened(point: Point) -> celltrain.Scenario:
    """Return the scenario of a point with a warm-up of half a second, measured for one second."""
    scenario = celltrain.Scenario(point.scenario)
    return scenario.with_value("measure.warm_up", "500 ms").with_value("measure.duration", "1500 ms")


def points(name: str) -> Iterator[tuple[str, list[Point]]]:
    """Yield the simulated experiments of a study, and their points."""
    study = paper(name)
    for identifier, experiment in study.experiments.items():
        found = list(study.points(experiment))
        if found:
            yield identifier, found


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", names())
def test_studies_have_the_same_results_in_both_engines(name: str) -> None:
    for identifier, found in points(name):
        chosen = found if EVERY_POINT else [found[-1]]
        for point in chosen:
            scenario = shortened(point)
            trains, cells = scenario.run(3), scenario.run(3, cell_by_cell=True)
            assert trains.digest == cells.digest, f"{name}/{identifier}: {point.axes}"


#: A thousand lines beside each other: there is enough to do for several threads.
LINES = Path(__file__).parents[2] / "benches" / "workloads" / "lines.toml"


def test_any_number_of_threads_has_the_same_result(cli: Command) -> None:
    scenario = celltrain.load(LINES).with_value("measure.duration", "300 ms")
    digests = {scenario.run(threads=threads, cross_check=False).digest for threads in (1, 2, 5)}
    assert digests == {scenario.run(cross_check=False).digest}

    arguments = ("run", str(LINES), "--set", "measure.duration=300 ms", "--no-cross-check", "--json")
    printed = [json.loads(cli(*arguments, "--threads", number).stdout) for number in ("1", "3")]
    assert printed[0] == printed[1]


def test_no_thread_is_refused(cli: Command) -> None:
    assert "--threads" in cli("run", str(LINES), "--threads", "0").stderr
