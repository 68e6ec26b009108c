"""Display of results in a notebook."""

from __future__ import annotations

from pathlib import Path

import celltrain
import numpy as np
import pytest
from celltrain import Table
from celltrain.drawing import Shown
from celltrain.notebook import table_html
from celltrain.papers import catalog
from celltrain.papers.reproduce import Options, run
from celltrain.progress import Progress
from celltrain.sweeps import SweepResults
from conftest import LINE
from report_folders import a_sweep

PNG = b"\x89PNG"


def test_a_result_shows_its_flows_and_links(line: celltrain.Scenario) -> None:
    shown = line.run(seed=1)._repr_html_()
    assert "&lt;Result seed=1" in shown
    assert "<td>upload1</td>" in shown
    assert "<th>throughput<br><small>" in shown
    # Only the telling columns, and only links with a line; then the traces.
    assert "delivered" not in shown
    assert "<td>in1</td>" not in shown
    assert '<img alt="traces of the probes"' in shown


def test_a_scenario_shows_its_network(line: celltrain.Scenario) -> None:
    shown = line._repr_html_()
    assert "<svg" in shown
    assert "&lt;Scenario line.toml" in shown


def test_a_long_table_shows_its_first_rows_and_counts_the_others() -> None:
    table = Table({"flow": [f"<f{index}>" for index in range(1000)]}, {"flow": ""})
    shown = table._repr_html_()
    assert "<td>&lt;f0&gt;</td>" in shown
    assert shown.count("<tr>") == 21
    assert "980 more rows" in shown
    assert len(shown) < 2000


def test_a_mean_stands_with_its_interval() -> None:
    columns = {"x_s": np.array([0.5, np.nan]), "x_s_ci95": np.array([0.01, np.nan])}
    shown = table_html(columns, {"x_s": "s", "x_s_ci95": "s"})
    assert "500 ± 10" in shown
    assert "ci95" not in shown


def test_a_result_draws_what_was_recorded(line: celltrain.Scenario) -> None:
    figure = line.run(seed=1).plot()
    assert [axes.get_ylabel() for axes in figure.axes] == ["queue [cells]", "cwnd [bytes]"]
    assert isinstance(figure, Shown)
    assert figure._repr_png_().startswith(PNG)


def test_a_result_without_probes_says_how_to_record() -> None:
    result = celltrain.Scenario.from_toml(LINE.partition("[probes")[0]).run(seed=1)
    with pytest.raises(ValueError, match="give the scenario a probe"):
        result.plot()


def test_a_probe_that_is_not_there_is_said(line: celltrain.Scenario) -> None:
    with pytest.raises(KeyError, match="no probe 'cue'; there are queue"):
        line.run(seed=1).plot("cue")


def test_a_table_draws_columns_over_names_and_over_numbers(line: celltrain.Scenario) -> None:
    result = line.run(seed=1)
    assert len(result.flows.plot("flow", "throughput_bps", "rtt_mean_s").axes) == 2
    assert result.traces["queue"].plot("time_s", "links.line1.queue_cells").axes[0].get_xlabel() == "time [s]"
    with pytest.raises(ValueError, match="holds names"):
        result.flows.plot("throughput_bps", "flow")
    with pytest.raises(KeyError, match="no column 'absent'"):
        result.flows.plot("flow", "absent")


def test_a_sweep_shows_its_points_and_what_became_of_its_runs(tmp_path: Path) -> None:
    shown = SweepResults(a_sweep(tmp_path))._repr_html_()
    assert "8 done, 4 failed" in shown
    assert "<td>500 cells</td>" in shown


def test_an_outcome_shows_its_table_and_its_figure() -> None:
    study = catalog.paper("adsl-abr")
    (outcome,) = run(study, [study.experiments["tab01"]], Options(quick=True), Progress())
    assert "<td>e2e-abr-er</td>" in outcome._repr_html_()
    assert "adsl-abr tab01: Utilisation of the downstream line" in outcome._repr_html_()
    figure = outcome.plot()
    assert isinstance(figure, Shown)
    assert figure._repr_png_().startswith(PNG)
