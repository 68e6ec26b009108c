"""``celltrain init``: what it writes works at once, and nothing that exists is lost."""

from __future__ import annotations

import shlex
from pathlib import Path

import celltrain
import pytest
from celltrain import dbs
from celltrain.starts import STARTS
from conftest import Command

#: Lines of a file that one reads at once.
MOST_LINES = 45


def commands(printed: str) -> list[list[str]]:
    """Return the arguments of the commands that `init` prints."""
    lines = [line.partition("celltrain ")[2] for line in printed.splitlines() if "  celltrain " in line]
    # No browser is opened in tests.
    return [[word for word in shlex.split(line) if word != "--open"] for line in lines]


@pytest.mark.alone
@pytest.mark.parametrize("kind", STARTS)
def test_what_is_written_and_the_commands_printed_work(cli: Command, tmp_path: Path, kind: str) -> None:
    done = cli("init", kind)
    assert done.returncode == 0, done.stderr
    start = STARTS[kind]
    written = tmp_path / start.default
    files = sorted(written.iterdir()) if start.is_folder else [written]
    assert len(files) == len(start.names)
    assert [file.name for file in files if len(file.read_text().splitlines()) > MOST_LINES] == []
    assert max(map(len, done.stdout.splitlines())) <= 80
    steps = commands(done.stdout)
    assert len(steps) == len(start.steps)
    for step in steps:
        ran = cli(*step)
        assert ran.returncode == 0, (step, ran.stderr)


@pytest.mark.parametrize("kind", ["two-hosts", "adsl", "cellular"])
def test_a_scenario_is_valid_without_warnings(cli: Command, tmp_path: Path, kind: str) -> None:
    cli("init", kind, "mine.toml")
    done = cli("validate", "mine.toml")
    assert (done.returncode, done.stdout.partition(";")[0], done.stderr) == (0, "mine.toml: valid", "")


@pytest.mark.parametrize(("kind", "client"), [("two-hosts", "client"), ("cellular", "phone")])
def test_the_shell_opens_where_its_name_says(cli: Command, tmp_path: Path, kind: str, client: str) -> None:
    cli("init", kind, "mine.toml")
    vc = celltrain.load(tmp_path / "mine.toml").data["vcs"]["data"]
    assert (vc["route"][0], vc["route"][-1]) == (client, "server")


def test_the_plan_is_accepted_by_dbs(cli: Command, tmp_path: Path) -> None:
    cli("init", "dbs", "mine.toml")
    assert sorted(dbs.load(tmp_path / "mine.toml").data["flows"]) == ["call", "download"]


def test_the_claim_of_the_study_is_checked(cli: Command) -> None:
    cli("init", "study")
    assert "1 of 1 claims hold" in cli("reproduce", "./my-study").stdout


@pytest.mark.parametrize(("kind", "path"), [("adsl", "adsl.toml"), ("study", "my-study/claims.toml")])
def test_what_exists_is_kept_unless_replaced(cli: Command, tmp_path: Path, kind: str, path: str) -> None:
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    done = cli("init", kind)
    assert done.returncode == 2
    assert f"{path} exists: name another" in done.stderr
    assert "--replace" in done.stderr
    assert [each.read_text() for each in tmp_path.rglob("*.toml")] == ["mine"]
    other = file.with_name(".adsl.toml")
    other.write_text("mine, too")
    assert cli("init", kind, "--replace").returncode == 0
    assert file.read_text().startswith("# ")
    assert other.read_text() == "mine, too"


def test_a_path_is_a_file_or_a_folder_for_it(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    assert "wrote there/adsl.toml" in cli("init", "adsl", "there").stdout
    assert "wrote new/line.toml" in cli("init", "adsl", "new/line.toml").stdout
    done = cli("init", "study", "a study")
    assert "celltrain reproduce './a study' --quick" in done.stdout
    refused = cli("init", "study", "new/line.toml")
    assert refused.returncode == 2
    assert "new/line.toml" in refused.stderr


def test_without_a_kind_all_are_listed_and_a_wrong_one_is_met_with_the_nearest(cli: Command) -> None:
    done = cli("init")
    assert done.returncode == 0
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
    for kind, start in STARTS.items():
        assert f"{kind} " in done.stdout
        assert start.says in done.stdout
        assert kind in cli("init", "--help").stdout
    wrong = cli("init", "celular")
    assert wrong.returncode == 2
    assert 'did you mean "cellular"?' in wrong.stderr
