"""The guide to changed studies and those of one's own works as described."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import celltrain
import pytest
from conftest import REPOSITORY, Command

GUIDE = (REPOSITORY / "docs" / "how-to" / "own-study.md").read_text(encoding="utf-8")
#: The lines of a study, without those that are empty.
MOST_LINES = 25


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def test_the_guide_s_own_study_is_short_and_runs(cli: Command, tmp_path: Path) -> None:
    network, experiments = blocks("toml")
    assert len([line for line in (network + experiments).splitlines() if line]) <= MOST_LINES
    (tmp_path / "my-study").mkdir()
    (tmp_path / "my-study" / "scenario.toml").write_text(network)
    (tmp_path / "my-study" / "experiments.toml").write_text(experiments)
    for command in blocks("sh")[2].splitlines():
        done = cli(*command.split()[1:])
        assert done.returncode == 0, done.stderr
    with (tmp_path / "results" / "my-study" / "buffer.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["buffer_cells"] for row in rows] == ["30", "100", "300", "1000"]
    assert float(rows[-1]["throughput_bps"]) > float(rows[0]["throughput_bps"])
    assert (tmp_path / "results" / "report.html").exists()


def test_the_guide_s_commands_run(cli: Command, tmp_path: Path) -> None:
    change, point = blocks("sh")[:2]
    done = cli(*shlex.split(change)[1:])
    assert done.returncode == 0, done.stderr
    assert "NOT THE STUDY  changed: links.up.buffer = 512 cells; 2 runs of each point" in done.stdout
    first, second = point.splitlines()
    done = cli(*first.split(" > ")[0].split()[1:])
    (tmp_path / "gfc.toml").write_text(done.stdout)
    assert cli(*second.split()[1:]).returncode == 0


def test_the_guide_s_python_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(blocks("python")[0], names)
    assert isinstance(names["celltrain"], type(celltrain))
