"""Shared parts of the tests of notebooks: run one, and look at what it shows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY


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
