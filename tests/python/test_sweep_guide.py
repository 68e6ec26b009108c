"""The commands in the guides to sweeps work as described."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from conftest import REPOSITORY

HOW_TO = REPOSITORY / "docs" / "how-to"


def blocks(page: str, language: str) -> list[str]:
    """Return the code blocks of a guide in a language."""
    text = (HOW_TO / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Return a shell in a folder with the examples, which gives the output of commands that must not fail."""
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    monkeypatch.chdir(tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run(script: str) -> str:
        done = subprocess.run(
            ["bash", "-e", "-c", script],
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_commands_and_the_code_of_the_guide_run(shell: Callable[[str], str], tmp_path: Path) -> None:
    shell("\n".join(blocks("sweep.md", "sh")))
    for query in blocks("sweep.md", "sql"):
        rows = duckdb.execute(query).fetchall()
        assert {row[0] for row in rows} == {"10 ms", "1 s"}
    for code in blocks("sweep.md", "python"):
        exec(compile(code, "sweep.md", "exec"), {})
    assert (tmp_path / "results" / "python" / "index.parquet").exists()


def test_the_guide_to_factorial_designs_shows_what_its_commands_print(
    shell: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep, effects, *others = blocks("factorial-design.md", "sh")
    (shown,) = blocks("factorial-design.md", "text")
    shell(sweep)
    printed = "\n".join(line.rstrip() for line in shell(effects).splitlines())
    assert printed.strip("\n") == shown.strip("\n"), "copy what is printed to the guide, and read its conclusions again"
    shell("\n".join(others))
    assert {path.name for path in tmp_path.glob("*.*g")} == {
        "effects.svg", "residuals.svg", "residuals.png", "levels.png",
    }  # fmt: skip
    (code,) = blocks("factorial-design.md", "python")
    exec(compile(code, "factorial-design.md", "exec"), {})
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["A", "B", "AB"]
