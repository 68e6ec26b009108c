"""Reproducing one experiment and many: the tables of claims, and the number of runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from celltrain.papers import catalog
from celltrain.papers.claims import Claim
from celltrain.papers.kinds import Points
from celltrain.papers.reproduce import Options, Runs, _own_values
from celltrain.scenario import Scenario
from conftest import Command

PAPER = catalog.paper("adsl-abr")


def test_a_claim_names_the_experiments_that_it_reads() -> None:
    claim = Claim("p.fig04.c", "fig04", "", "", 'v("x", exp="fig11") > s("y", exp="fig09")[0]')
    assert claim.reads == {"fig04", "fig11", "fig09"}


def test_the_tables_that_claims_read_are_found() -> None:
    def needed(name: str) -> list[str]:
        return [each.id for each in catalog.read_by_claims(PAPER, [PAPER.experiments[name]])]

    assert needed("fig04") == []
    assert needed("tab01") == ["fig11"]


def test_a_claim_that_reads_another_table_is_judged(cli: Command, tmp_path: Path) -> None:
    done = cli("reproduce", "adsl-abr/tab01", "--replications", "1", "--json", "--out", "out")
    assert done.returncode == 0
    (report,) = json.loads(done.stdout)
    assert all(claim["holds"] is not None for claim in report["claims"])
    folder = tmp_path / "out" / "adsl-abr"
    assert {path.name.partition(".")[0] for path in folder.iterdir()} == {"tab01"}


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ([1.0] * 8, 8),
        # Eight equal runs are precise: another experiment requested the later ones.
        ([1.0] * 8 + [5.0] * 8, 8),
        ([0.5, 1.5] * 8, 16),
        # The mean of 12 is within 3 %, that of 8 is not.
        ([0.96, 1.04] * 10, 12),
    ],
)
def test_a_table_does_not_depend_on_what_else_is_reproduced(values: list[float], count: int) -> None:
    experiment = PAPER.experiments["tab01"]
    assert isinstance(experiment, Points)
    column = f"{experiment.directions[0]}.throughput_bps"
    point = PAPER.points(PAPER.experiments["fig04"])[0]
    scenario = Scenario(point.scenario)
    runs = Runs(scenario, (column,), asked=len(values))
    runs.done = {seed: {column: value} for seed, value in enumerate(values, 1)}
    assert len(_own_values(PAPER, experiment, point, runs, Options())) == count
    assert len(_own_values(PAPER, experiment, point, runs, Options(replications=20))) == len(values)
