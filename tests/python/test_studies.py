"""Properties of every study: tables as specified, readable files, a scenario for each point."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from celltrain.papers import catalog
from celltrain.papers.claims import read_claims
from celltrain.papers.kinds import KINDS
from celltrain.papers.kinds.points import VALUES
from celltrain.papers.live.study import has_study, read_study
from celltrain.papers.metrics import point
from celltrain.scenario import Scenario
from study_tables import TABLES, outcomes_of

STUDIES = catalog.names()
ENDS = ["csv", "svg", "png", "provenance.json"]


def test_every_study_has_its_specification_here() -> None:
    assert sorted(TABLES) == STUDIES


@pytest.mark.parametrize("name", STUDIES)
def test_every_table_has_the_columns_and_rows_of_the_specification(name: str) -> None:
    outcomes = outcomes_of(name)
    wanted = TABLES[name]
    found = {
        each: (",".join(outcome.columns), None if wanted.get(each, ("", 0))[1] is None else len(outcome.rows))
        for each, outcome in outcomes.items()
    }
    assert found == wanted


@pytest.mark.parametrize("name", STUDIES)
def test_every_row_has_every_column_and_only_names_have_no_unit(name: str) -> None:
    for outcome in outcomes_of(name).values():
        for row in outcome.rows:
            assert set(outcome.columns) <= set(row)
            texts = {column for column in outcome.columns if isinstance(row[column], str)}
            nameless = {column for column in outcome.columns if not outcome.units[column]}
            # The VCs of a time series are numbered.
            assert texts <= nameless <= texts | {"vc"}


@pytest.mark.parametrize("name", STUDIES)
def test_an_experiment_of_each_kind_can_be_written_and_read(name: str, tmp_path: Path) -> None:
    outcomes = outcomes_of(name).values()
    for outcome in {(type(each.experiment), each.experiment.plot.kind): each for each in outcomes}.values():
        files = outcome.write(tmp_path)
        ends = ENDS if outcome.agreement is None else [ENDS[0], "measured.csv", *ENDS[1:]]
        assert [file.name for file in files] == [f"{outcome.experiment.id}.{end}" for end in ends]
        with files[0].open(newline="") as file:
            assert len(list(csv.DictReader(file))) == len(outcome.rows)


@pytest.mark.parametrize("name", STUDIES)
def test_every_claim_is_about_an_experiment_that_there_is(name: str) -> None:
    paper = catalog.paper(name)
    live = read_study(paper).experiments if has_study(paper) else {}
    for claim in read_claims(paper.folder):
        assert claim.experiment in {*paper.experiments, *live}, claim.id


def test_every_kind_of_experiment_is_in_some_study() -> None:
    used = {type(each) for name in STUDIES for each in catalog.paper(name).experiments.values()}
    assert used == set(KINDS.values())


def test_the_values_that_columns_can_name_are_those_that_are_read_off_a_run() -> None:
    paper = catalog.paper("adsl-abr")
    scenario = paper.points(paper.experiments["fig04"])[0].scenario
    result = Scenario(scenario).with_changes({"measure": {"warm_up": "1 s", "duration": "2 s"}}).run(1)
    found = point(result, paper.head.directions["up"], paper.head.ideal.part)
    assert {*found, "measured_s"} == set(VALUES)
