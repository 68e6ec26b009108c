"""Admission, shapers and virtual paths through the command line and the Python API."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import celltrain
from conftest import Command

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_run_says_which_vcs_it_refused_and_why(cli: Command) -> None:
    done = cli("run", EXAMPLES / "admission.toml", "--set", "measure.duration=1.1 s", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["tables"]["admission"]
    assert Counter(row["reason"] for row in rows) == {"admitted": 20, "bandwidth": 20}
    assert {row["refused_by"] for row in rows} == {"", "line"}
    assert rows[0]["needed_bps"] is None
    assert rows[-1]["needed_bps"] > rows[-1]["left_bps"]


def test_a_refused_vc_is_an_error_by_default(cli: Command) -> None:
    done = cli("run", EXAMPLES / "admission.toml", "--set", "admission.on_refusal=error")
    assert done.returncode == 2
    assert "the VC" in done.stderr
    assert "not admitted" in done.stderr


def test_shapers_of_vcs_and_of_paths_have_rows() -> None:
    path = celltrain.load(EXAMPLES / "virtual-path.toml").with_value("measure.duration", "1.2 s")
    table = path.run(1).shapers
    assert table is not None
    assert [list(table[name]) for name in ("connection", "kind", "at")] == [["leased"], ["vp"], ["edge"]]
    shaping = celltrain.load(EXAMPLES / "shaping.toml").with_value("measure.duration", "1.2 s")
    table = shaping.run(1).shapers
    assert table is not None
    assert [list(table[name]) for name in ("connection", "kind", "at")] == [["video"], ["vc"], ["border"]]
