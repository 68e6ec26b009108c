"""The notebooks of the documentation run from first to last cell, and show what they say."""

from __future__ import annotations

from pathlib import Path

import celltrain
import pytest
from conftest import REPOSITORY, tool
from notebook_runs import executed, printed, shown

NOTEBOOKS = REPOSITORY / "docs" / "notebooks"


def test_the_notebooks_are_made_from_their_sources() -> None:
    pytest.importorskip("nbformat")
    assert tool("notebooks").main(["--check"]) == 0, "renew them with `make reference`"
    index = (NOTEBOOKS / "index.md").read_text("utf-8")
    for source in NOTEBOOKS.glob("*.py"):
        assert f"{{download}}`{source.stem}.ipynb`" in index


def test_the_notebook_that_simulates(tmp_path: Path) -> None:
    outputs = executed("simulate", tmp_path)
    scenario, result, sweep, marks = shown(outputs)
    assert "<svg" in scenario
    assert '<img alt="traces of the probes"' in result
    assert "<td>1024 cells</td>" in sweep
    assert " ± " in sweep
    assert "1 of 5 right" in marks
    assert shown(outputs, "image/png")
    assert printed(outputs).count("Mbit/s") == 3


def test_the_notebook_that_reproduces(tmp_path: Path) -> None:
    outputs = executed("reproduce", tmp_path)
    study, figure, outcome, point = shown(outputs)
    assert "<td>fig04</td>" in study
    assert "36 points" in figure
    assert "quick run" in outcome
    assert "<svg" in point
    assert len(shown(outputs, "image/png")) == 2
    assert "changed: links.up.buffer = 512 cells" in printed(outputs)


def test_a_study_and_its_experiments_are_shown_as_tables() -> None:
    study = celltrain.study("adsl-abr")
    page = study._repr_html_()
    for name in study.experiments:
        assert f"<td>{name}</td>" in page
    assert "more rows" not in page
    points = study.experiment("fig16").with_value("links.up.buffer", "<1 cells>")._repr_html_()
    assert "links.up.buffer = &lt;1 cells&gt;" in points
    assert "<td>no-control</td>" in points
    assert "<th>t up<br><small>s</small>" in study.experiment("fig04")._repr_html_()
