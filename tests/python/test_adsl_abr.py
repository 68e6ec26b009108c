"""The ADSL study: its tables have the specified columns, and its conditions are correct."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from celltrain.papers import catalog
from celltrain.papers.outcome import Outcome
from celltrain.papers.paper import Paper
from study_tables import outcomes_of


@pytest.fixture(scope="module")
def paper() -> Paper:
    return catalog.paper("adsl-abr")


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, Outcome]:
    return outcomes_of("adsl-abr")


def test_conditions_differ_in_which_line_varies(outcomes: Mapping[str, Outcome]) -> None:
    up, down = outcomes["fig04"].rows, outcomes["fig09"].rows
    assert all(128e3 < row["mean_line_rate_bps"] < 1.024e6 for row in up)
    assert all(1.5e6 < row["mean_line_rate_bps"] < 8e6 for row in down)
    assert {row["mean_line_rate_bps"] for row in outcomes["figA7"].rows} == {4.75e6}


def test_without_background_the_backbone_changes_nothing(outcomes: Mapping[str, Outcome]) -> None:
    free = {row["control"]: row for row in outcomes["tab02"].rows if row["backbone_congestion"] == 0}
    alone = {row["control"]: row for row in outcomes["fig04"].rows if row["t_up_s"] == 1}
    for control, row in free.items():
        assert row["throughput_bps"] == alone[control]["throughput_bps"]


def test_end_to_end_controls_reach_the_backbone_and_its_connections(paper: Paper) -> None:
    points = paper.points(paper.experiments["tab02"])
    congested = {point.axes["control"]: point.scenario for point in points if point.axes["backbone_congestion"]}
    for control, scenario in congested.items():
        is_abr = control.startswith("e2e")
        assert ("control" in scenario["links"]["backbone"]) == is_abr
        assert (scenario["vcs"]["background"]["forward"]["service"] == "abr") == is_abr
        assert "control" not in scenario["links"]["backbone_return"]


def test_equal_points_of_two_experiments_share_their_runs(outcomes: Mapping[str, Outcome]) -> None:
    figure = [row["utilization"] for row in outcomes["figA1"].rows]
    assert [row["utilization"] for row in outcomes["tabA1"].rows] == figure


def test_local_controls_send_no_backward_rm_cell_over_the_line(outcomes: Mapping[str, Outcome]) -> None:
    rates = {(row["control"], row["cell_type"]): row["cell_rate_bps"] for row in outcomes["tab04"].rows}
    assert rates["local-abr-erica-plus-smoothed", "backward-rm"] == 0
    assert rates["e2e-abr-erica-plus-smoothed", "backward-rm"] > 1e4


def test_active_vcs_are_counted_only_where_an_explicit_rate_needs_them(outcomes: Mapping[str, Outcome]) -> None:
    for row in outcomes["fig11"].rows:
        assert math.isnan(row["active_vcs_mean"]) == (not row["control"].endswith("-er"))
