"""The notebooks of the documentation run from first to last cell, and show what they say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import celltrain
import pytest
from conftest import REPOSITORY, tool

NOTEBOOKS = REPOSITORY / "docs" / "notebooks"


def executed(name: str, folder: Path) -> list[dict[str, Any]]:
    """Run a notebook in a process of its own; return its outputs."""
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "tools" / "notebooks.py"), "--execute", str(folder), name],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads((folder / f"{name}.ipynb").read_text("utf-8"))["cells"]
    assert not [cell for cell in cells if cell["cell_type"] == "code" and cell["execution_count"] is None]
    return [output for cell in cells for output in cell.get("outputs", ())]


def shown(outputs: list[dict[str, Any]], kind: str = "text/html") -> list[str]:
    return ["".join(output["data"][kind]) for output in outputs if kind in output.get("data", {})]


def printed(outputs: list[dict[str, Any]]) -> str:
    return "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")


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


def test_the_notebook_that_emulates_and_measures(tmp_path: Path) -> None:
    outputs = executed("emulate-and-measure", tmp_path)
    scenario, measured = shown(outputs)
    assert "<svg" in scenario
    assert "<td>download</td>" in measured
    text = printed(outputs)
    if "no line in real time here" in text:
        pytest.skip(f"NO LIVE TESTS: {text}")
    assert text.count("95 % waited less than") == 2


def test_a_study_and_its_experiments_are_shown_as_tables() -> None:
    study = celltrain.study("adsl-abr")
    page = study._repr_html_()
    for name in study.experiments:
        assert f"<td>{name}</td>" in page
    assert "more rows" not in page
    points = study.experiment("fig16").with_value("links.up.buffer", "<1 cells>")._repr_html_()
    assert "links.up.buffer = &lt;1 cells&gt;" in points
    assert "<td>no-control</td>" in points
