"""`--json` of every command that prints a result: stdout is one JSON value, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from commands.described import described
from conftest import LINE, Command
from live_lines import LINE as REAL_LINE
from live_lines import need_hosts

PLAN = """
[hosts]
a = {}
b = {}
[flows.download]
from = "a"
to = "b"
duration = "300 ms"
"""
SUITE = """
[lines.slow]
preset = "two-hosts"
set = { "measure.duration" = "2 s" }
[tests.model]
simulate = true
expect = ["mean(flows.throughput_bps) > 1 kbit/s"]
"""
FILES = {
    "line.toml": LINE,
    "real.toml": REAL_LINE,
    "plan.toml": PLAN,
    "celltrain-ci.toml": SUITE,
    "answers.toml": "cells = 32\n",
    "line.trace": "1\n2\n",
    "opens.pkt": "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n",
}
SHORT = ("--set", "measure.warm_up=0.3 s", "--set", "measure.duration=1 s")
#: A factorial sweep of two factors.
SWEEP = (
    "sweep",
    "line.toml",
    *SHORT,
    "--set",
    "links.line.delay=1 ms,9 ms",
    "--set",
    "links.line.buffer=99 cells,900 cells",
    "--out",
    "out",
)


@dataclass(frozen=True)
class Case:
    """A command, what must have been run before it, and its exit code."""

    words: tuple[str, ...]
    before: tuple[str, ...] = ()
    exits: int = 0
    #: Skips the test on a machine where the command cannot run.
    needs: Callable[[], None] = field(default=lambda: None)


CASES = {
    "examples": Case(("examples",)),
    "lesson list": Case(("lesson", "list")),
    "lesson key": Case(("lesson", "key", "1")),
    "lesson check": Case(("lesson", "check", "1", "answers.toml"), exits=1),  # the other answers are open
    "run": Case(("run", "line.toml", *SHORT)),
    "sweep": Case(SWEEP),
    "results": Case(("results", "out"), before=SWEEP),
    "effects": Case(("effects", "out"), before=SWEEP),
    "reproduce": Case(("reproduce", "adsl-abr/tab01", "--quick")),
    "report": Case(("report", "out"), before=("run", "line.toml", *SHORT, "--out", "out")),
    "ci run": Case(("ci", "run")),
    "parity": Case(("parity", "real.toml", *SHORT, "--repeat", "1"), needs=need_hosts),
    "trust": Case(("trust", "--quick", "--row", "formulas")),
    "packetdrill": Case(("packetdrill", "opens.pkt")),
    "trace": Case(("trace", "line.toml", "line1", "--duration", "1 s")),
    "convert": Case(("convert", "line.trace", "--out", "line.csv")),
    "dbs run": Case(("dbs", "run", "plan.toml")),
    "dbs view": Case(("dbs", "view", "out"), before=("dbs", "run", "plan.toml", "--out", "out")),
    "validate": Case(("validate", "line.toml")),
    "show": Case(("show", "line.toml")),
    "overhead": Case(("overhead", "1500")),
    "columns": Case(("columns",)),
    "doctor": Case(("doctor",)),
}
#: Commands without a result of their own, and what they print or do instead.
OTHERS = {
    "init": "writes files",
    "lines show": "prints a scenario",
    "lines plot": "draws a picture",
    "lesson start": "writes files",
    "ci init": "writes files",
    "dbs import": "writes a plan",
    "dbs key": "writes a key",
    "dbs daemon": "serves a controller",
    "shell": "prints what its command prints",
    "schema": "prints JSON anyway",
    "dbs schema": "prints JSON anyway",
    "completion": "prints a script",
}


def test_every_command_that_prints_a_result_can_print_it_as_json() -> None:
    leaves = [command for command in described().all() if not command.commands]
    has_json = {
        command.path.removeprefix("celltrain "): any("--json" in option.names for option in command.options)
        for command in leaves
    }
    assert has_json == dict.fromkeys(CASES, True) | dict.fromkeys(OTHERS, False)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_with_json_stdout_is_one_json_value(case: Case, cli: Command, tmp_path: Path) -> None:
    case.needs()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    if case.before:
        before = cli(*case.before)
        assert before.returncode == 0, before.stderr
    done = cli(*case.words, "--json")
    assert done.returncode == case.exits, done.stderr
    # No word that is not JSON, such as NaN, which `json` would accept.
    told = json.loads(done.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert told


@pytest.mark.parametrize("words", [("schema",), ("dbs", "schema")])
def test_a_schema_is_json_without_being_asked(words: tuple[str, ...], cli: Command) -> None:
    assert json.loads(cli(*words).stdout)["$schema"].startswith("https://json-schema.org/")
