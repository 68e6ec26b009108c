"""The guide's own study is short, and its table is right; `test_guide_pages.py` runs all that the guide has."""

from __future__ import annotations

import csv
import re
from pathlib import Path

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
