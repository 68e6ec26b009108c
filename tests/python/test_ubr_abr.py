"""The study of UBR and ABR: its tables have the specified columns, and its points are correct."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from celltrain.papers import catalog
from celltrain.papers.claims import judge, read_claims
from celltrain.papers.outcome import Outcome
from celltrain.papers.paper import Paper
from study_tables import outcomes_of


@pytest.fixture(scope="module")
def paper() -> Paper:
    return catalog.paper("ubr-abr")


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, Outcome]:
    return outcomes_of("ubr-abr")


def points(paper: Paper, experiment: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(dict(point.axes), point.scenario) for point in paper.points(paper.experiments[experiment])]


def test_the_buffer_of_the_study_has_one_cell_more_here(paper: Paper, outcomes: Mapping[str, Outcome]) -> None:
    for axes, scenario in points(paper, "fig05"):
        assert scenario["links"]["trunk"]["buffer"] == f"{axes['buffer_cells'] + 1} cells"
    assert all(row["max_queue_cells"] <= row["buffer_cells"] for row in outcomes["fig15"].rows)


def test_parameters_of_abr_follow_distance_and_service(paper: Paper) -> None:
    wanted = {
        ("lan", "abr-efci"): ("10 km", "binary", "1/64", "1/16"),
        ("wan", "abr-efci"): ("1000 km", "binary", "1/512", "1/128"),
    }
    for axes, scenario in points(paper, "fig12"):
        if axes["service"] == "ubr":
            assert "control" not in scenario["links"]["trunk"]
            continue
        trunk, forward = scenario["links"]["trunk"], scenario["vcs"]["vc"]["forward"]
        found = (trunk["distance"], trunk["control"]["algorithm"], forward["rif"], forward["rdf"])
        assert found == wanted[axes["scenario"], axes["service"]]


def test_a_low_pcr_takes_icr_with_it(paper: Paper) -> None:
    for axes, scenario in points(paper, "tab02"):
        forward = scenario["vcs"]["vc"]["forward"]
        assert forward["pcr"] == f"{axes['pcr_bps'] / 1e6:g} Mbit/s"
        if axes["service"] == "abr-efci":
            assert forward["icr"] == f"{axes['pcr_bps'] / 20e6:g} Mbit/s"
        assert scenario["hosts"]["S"]["count"] == axes["n_vcs"]


def test_the_conditions_are_computed_as_the_study_prints_them(paper: Paper, outcomes: Mapping[str, Outcome]) -> None:
    row = outcomes["txt03"].rows[0]
    assert row["frtt_s"] == pytest.approx(0.32e-3)
    assert row["window_sum_bits"] == pytest.approx(5 * 65_536 * 8 * 9188 / 9140)
    tables = {"txt03": outcomes["txt03"].rows}
    verdicts = [judge(claim, tables) for claim in read_claims(paper.folder)]
    assert all(verdict.holds for verdict in verdicts if verdict.experiment == "txt03")


def test_sequence_numbers_count_from_the_first_sample_in_whole_segments(outcomes: Mapping[str, Outcome]) -> None:
    rows = outcomes["fig06"].rows
    assert [row["series"] for row in rows[::41]] == ["vc-1", "vc-2", "vc-3", "vc-4", "vc-5"]
    assert all(row["seq_segments"] == 0 for row in rows[::41])
    assert all(float(row["seq_segments"]).is_integer() for row in rows)
    assert max(row["seq_segments"] for row in rows) > 10


def test_events_are_round_trips_and_time_outs(outcomes: Mapping[str, Outcome]) -> None:
    rows = outcomes["fig09"].rows
    assert {row["event"] for row in rows} <= {"sample", "timeout"}
    assert all(row["rtt_s"] > 0 for row in rows if row["event"] == "sample")
