"""The commands in the guide to sweeps work as described."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from conftest import REPOSITORY

GUIDE = (REPOSITORY / "docs" / "how-to" / "sweep.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the code blocks of the guide in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def test_the_commands_and_the_code_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    monkeypatch.chdir(tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = "\n".join(["set -e", *blocks("sh")])
    done = subprocess.run(
        ["bash", "-c", script],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for query in blocks("sql"):
        rows = duckdb.execute(query).fetchall()
        assert {row[0] for row in rows} == {"10 ms", "1 s"}
    for code in blocks("python"):
        exec(compile(code, "sweep.md", "exec"), {})
    assert (tmp_path / "results" / "python" / "index.parquet").exists()
