"""The study of TCP over ABR and VBR: columns as specified, and a network that matches them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from celltrain.papers import catalog
from celltrain.papers.outcome import Outcome
from celltrain.papers.paper import Paper
from study_tables import outcomes_of


@pytest.fixture(scope="module")
def paper() -> Paper:
    return catalog.paper("abr-vbr")


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, Outcome]:
    return outcomes_of("abr-vbr")


def test_delays_in_the_table_are_those_of_the_links(paper: Paper) -> None:
    for point in paper.points(paper.experiments["tab03"]):
        links = point.scenario["links"]
        lengths = {links[name]["distance"] for name in ("access", "trunk", "trunk_back", "exit")}
        assert lengths == {f"{point.axes['link_km']} km"}
        assert point.axes["feedback_delay_s"] == pytest.approx(2 * 5e-6 * point.axes["link_km"])
        assert point.axes["rtt_s"] == pytest.approx(6 * 5e-6 * point.axes["link_km"])


def test_averages_in_the_table_are_those_of_the_switch(paper: Paper) -> None:
    schemes = {
        "none": ("restarting-factor", 1),
        "ratio": ("ratio-of-rates", 0.2),
        "exponential": ("restarting-factor", 0.2),
    }
    for point in paper.points(paper.experiments["tab04"]):
        control = point.scenario["links"]["trunk"]["control"]
        assert (control["load_averaging"], control["load_weight"]) == schemes[point.axes["z_averaging"]]
        assert control["activity_decay"] == (0.9 if point.axes["n_averaging"] == "on" else 0)
        assert control["interval"] == f"{point.axes['averaging_interval_s'] * 1000:g} ms"
        assert control["interval_cells"] == f"{point.axes['averaging_cells']} cells"


def test_vbr_is_on_for_its_part_of_the_time_and_abr_gets_the_rest(outcomes: Mapping[str, Outcome]) -> None:
    rows = [row for row in outcomes["txt03"].rows if row["series"] == "p10" and 0.002 <= row["time_s"] < 0.192]
    assert sum(row["vbr_on"] for row in rows) / len(rows) == pytest.approx(0.8)
    # No ABR cell has arrived yet: ERICA+ grants 1.05 of the rate that VBR leaves.
    assert rows[2]["time_s"] == 0.004
    assert rows[2]["target_rate_bps"] == pytest.approx(1.05 * 0.2 * 155.52e6, rel=0.02)


def test_only_a_full_source_overflows(outcomes: Mapping[str, Outcome]) -> None:
    for row in outcomes["tab01"].rows:
        assert row["max_source_queue_cells"] <= row["source_buffer_cells"]
        assert row["source_overflow"] == (row["source_cell_loss_ratio"] > 0)
        if row["source_overflow"]:
            assert row["max_source_queue_cells"] == row["source_buffer_cells"]
