"""Experiments as data, statistics and metrics."""

from __future__ import annotations

import math

import celltrain
import pytest
from celltrain.papers import catalog, metrics
from celltrain.papers.figure import draw
from celltrain.papers.head import Direction
from celltrain.papers.plot import Plot
from celltrain.papers.reproduce import Options, run
from celltrain.progress import Progress
from celltrain.statistics import is_precise, mean_and_half_width


def test_the_half_width_is_student_s() -> None:
    # Four values of standard deviation 2: the quantile of 3 degrees of freedom is 3.18245.
    mean, half_width = mean_and_half_width([8.0, 9.0, 11.0, 12.0])
    deviation = math.sqrt(10 / 3)
    assert mean == 10.0
    assert half_width == pytest.approx(3.182446 * deviation / 2, rel=1e-6)


def test_missing_values_do_not_count() -> None:
    assert mean_and_half_width([1.0, math.nan, 3.0])[0] == 2.0
    assert all(map(math.isnan, mean_and_half_width([math.nan])))
    assert math.isnan(mean_and_half_width([1.0])[1])
    assert not is_precise([1.0], 0.03)


def test_the_values_of_a_point_follow_their_definitions(line: celltrain.Scenario) -> None:
    scenario = line.with_changes({"measure": {"warm_up": "0 s"}, "links": {"line": {"buffer": "150 cells"}}})
    result = scenario.run(3)
    values = metrics.point(result, Direction("line1", ("upload",)), 0.9)
    link = result.links["link"].index("line1")
    assert values["throughput_bps"] == result.flows["delivered_bytes"].sum() * 8 / 3
    assert values["ideal_throughput_bps"] == 0.9 * result.links["mean_rate_bps"][link]
    assert values["normalized_throughput"] == values["throughput_bps"] / values["ideal_throughput_bps"]
    assert values["cell_loss_ratio"] == result.links["cells_lost"][link] / result.links["cells_offered"][link] > 0
    assert values["timeouts"] == result.flows["timeouts"].sum()


def test_a_point_is_every_combination_of_the_axes_with_its_changes() -> None:
    paper = catalog.paper("adsl-abr")
    points = paper.points(paper.experiments["fig04"])
    assert len(points) == 36
    first, last = points[0], points[-1]
    assert first.axes == {"t_up_s": 0.01, "control": "no-control"}
    assert first.scenario["links"]["up"]["rate"]["every"] == "0.01 s"
    assert "control" not in first.scenario["links"]["up"]
    assert last.axes == {"t_up_s": 10, "control": "local-abr-binary"}
    assert last.scenario["vcs"]["upload"]["forward"]["turn_around_at"] == "atu_r"
    assert last.scenario["vcs"]["upload"]["backward"] == {"service": "ubr", "pcr": "8 Mbit/s"}


def test_every_control_sees_the_same_line() -> None:
    paper = catalog.paper("adsl-abr")
    outcome = next(run(paper, [paper.experiments["fig04"]], Options(quick=True), Progress()))
    rates = {(row["t_up_s"], row["mean_line_rate_bps"]) for row in outcome.rows}
    assert len(rates) == 6


def test_the_number_of_cores_changes_no_digit() -> None:
    paper = catalog.paper("adsl-abr")
    experiment = paper.experiments["fig04"]
    one, two = (next(run(paper, [experiment], Options(replications=2, jobs=jobs), Progress())) for jobs in (1, 2))
    assert repr(one.rows) == repr(two.rows)


def test_a_figure_is_drawn_alike_each_time() -> None:
    paper = catalog.paper("adsl-abr")
    experiment = paper.experiments["fig04"]
    outcome = next(run(paper, [experiment], Options(quick=True), Progress()))
    one, two = (draw(experiment.plot, "title", outcome.rows, outcome.units) for _ in range(2))
    assert one == two
    assert one["png"].startswith(b"\x89PNG")
    assert b"local-abr-binary" in one["svg"]


def test_what_panels_say_tells_no_series_apart() -> None:
    panel = {"y": "goodput_bps", "label": "goodput"}
    panels = [{**panel, "where": {"flow": flow}} for flow in ("one", "other")]
    plot = Plot.read({"x": "load", "x_label": "load", "by": ["flow", "service"], "panel": panels})
    row = {"flow": "one", "service": "ubr"}
    units = {"flow": "", "service": ""}
    assert (plot.series(row, units), plot.within_panels().series(row, units)) == ("one, ubr", "ubr")
