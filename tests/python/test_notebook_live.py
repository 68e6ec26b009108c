"""The notebook that carries real packets runs from first to last cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from notebook_runs import executed, printed, shown


def test_the_notebook_that_emulates_and_measures(tmp_path: Path) -> None:
    outputs = executed("emulate-and-measure", tmp_path)
    scenario, measured = shown(outputs)
    assert "<svg" in scenario
    assert "<td>download</td>" in measured
    text = printed(outputs)
    if "no line in real time here" in text:
        pytest.skip(f"NO LIVE TESTS: {text}")
    assert text.count("95 % waited less than") == 2
