"""The examples that ship with the package: listed, printed, written, and each runs where it was written."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import celltrain
import pytest
from celltrain import dbs
from celltrain.shipped import FOLDER, examples
from conftest import REPOSITORY, Command

SCENARIOS = [example.name for example in examples().values() if example.is_scenario]
SUITES = [example.name for example in examples().values() if example.is_suite]
PLANS = [example.name for example in examples().values() if example.is_plan]


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_runs_in_seconds_where_it_was_written(cli: Command, name: str) -> None:
    for command in (("examples", name, "--out", "new/my.toml"), ("validate", "new/my.toml"), ("run", "new/my.toml")):
        done = cli(*command)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_accepted_where_it_was_written(cli: Command, tmp_path: Path, name: str) -> None:
    assert cli("examples", name, "--out", "my.toml").returncode == 0
    assert dbs.load(tmp_path / "my.toml").data["flows"]


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_is_valid_where_it_was_written(cli: Command, tmp_path: Path, name: str) -> None:
    assert cli("examples", name, "--out", "my.toml").returncode == 0
    assert len(list(tmp_path.glob("*.py"))) > 0
    assert cli("ci", "my.toml", "--list").returncode == 0


def test_the_examples_of_a_checkout_are_those_of_the_package() -> None:
    assert (REPOSITORY / "examples").resolve() == FOLDER.resolve()
    assert {"adsl", "dbs/loopback", "recorded/cubic-bbr"} <= examples().keys()


def test_each_is_listed_in_one_line_of_80_columns(cli: Command) -> None:
    lines = cli("examples").stdout.splitlines()[2:]
    assert [line.split()[0] for line in lines] == list(examples())
    assert max(map(len, lines)) <= 80
    for example, line in zip(examples().values(), lines, strict=True):
        assert line.endswith(example.says)
        assert example.says.endswith(".")


def test_the_list_is_csv_json_or_markdown(cli: Command) -> None:
    rows = json.loads(cli("examples", "--json").stdout)
    assert rows == list(csv.DictReader(io.StringIO(cli("examples", "--format", "csv").stdout)))
    assert {row["name"] for row in rows if row["kind"] == "plan"} == set(PLANS)
    assert {row["name"] for row in rows if row["kind"] == "suite"} == set(SUITES)
    assert cli("examples", "--format", "md").stdout.startswith("| name | shows |\n")


def test_a_name_prints_the_file_and_says_what_it_needs(cli: Command) -> None:
    done = cli("examples", "adsl")
    assert (done.stdout, done.stderr) == ((FOLDER / "adsl.toml").read_text(), "")
    done = cli("examples", "recorded/cubic-bbr")
    assert done.stdout == (FOLDER / "recorded" / "cubic-bbr.toml").read_text()
    assert "it needs line.trace" in done.stderr


def test_a_written_example_brings_its_files_along_and_replaces_none(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "line.trace").write_text("1\n")
    refused = cli("examples", "recorded/cubic-bbr", "--out", ".")
    assert refused.returncode == 2
    assert "line.trace exists: give another folder" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["line.trace"]
    assert cli("examples", "recorded/cubic-bbr", "--out", ".", "--replace").returncode == 0
    for name in ("cubic-bbr.toml", "line.trace"):
        assert (tmp_path / name).read_text() == (FOLDER / "recorded" / name).read_text()


def test_mistakes_are_met_with_what_to_do(cli: Command) -> None:
    for words, message in [
        (("examples", "asdl"), 'did you mean "adsl"?'),
        (("examples", "--out", "x"), "give its NAME"),
        (("examples", "adsl", "--json"), "leave out NAME"),
        (("run", "examples/adsl.toml"), "celltrain examples adsl --out examples/adsl.toml writes it"),
    ]:
        done = cli(*words)
        assert done.returncode == 2
        assert message in done.stderr
    assert "writes it" not in cli("run", "examples/none.toml").stderr


def test_python_opens_a_scenario_by_name() -> None:
    assert celltrain.example("adsl").hash == celltrain.load(FOLDER / "adsl.toml").hash
    with pytest.raises(KeyError, match="did you mean"):
        celltrain.example("asdl")
    with pytest.raises(KeyError, match=r"is a plan: celltrain\.dbs\.load"):
        celltrain.example("dbs/loopback")
    with pytest.raises(KeyError, match="is a suite: celltrain ci "):
        celltrain.example("ci/transfer")
