"""The output of ``--explain-plan``."""

from __future__ import annotations

import json
from pathlib import Path

import celltrain
from conftest import Command

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_plan_says_what_is_evaluated_cell_by_cell_and_why(cli: Command) -> None:
    done = cli("run", "--explain-plan", "--json", EXAMPLES / "gfc.toml")
    assert done.returncode == 0, done.stderr
    stages = {stage["name"]: stage for stage in json.loads(done.stdout)}
    assert stages["links.up"] == {
        "name": "links.up",
        "last": None,
        "mode": "cell by cell",
        "why": "commands of generic flow control follow from its queue",
    }
    assert stages["links.down"]["mode"] == "in trains"
    assert stages["links.drop1"]["last"] == "links.drop2"


def test_a_plan_is_printed_and_nothing_runs(cli: Command) -> None:
    done = cli("run", "--explain-plan", EXAMPLES / "gfc.toml")
    assert "generic flow control halts it" in done.stdout
    assert "throughput" not in done.stdout


def test_a_scenario_tells_its_plan() -> None:
    plan = celltrain.load(EXAMPLES / "policing.toml").plan()
    policed = {stage.names: stage.why for stage in plan if stage.mode == "cell by cell"}
    assert policed == dict.fromkeys(("vcs.honest", "vcs.greedy"), "a policer looks at each cell")
