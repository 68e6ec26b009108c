"""Pages and man pages of commands are those of the command line, and `man` reads them without a warning."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from celltrain.cli import COMMANDS
from commands.__main__ import MANUALS, PAGES, files, stale, write
from commands.described import Option, described
from commands.manual import item
from commands.pages import GUIDES, paragraph
from conftest import REPOSITORY

MAN = shutil.which("man")
needs_man = pytest.mark.skipif(
    MAN is None, reason="NOT TESTED: no man here; `apt-get install man-db` lets its test run"
)


def test_all_pages_are_what_the_command_line_says() -> None:
    assert stale(REPOSITORY, files(described())) == [], "write them with `make commands`"


def test_every_command_has_a_page_and_a_man_page() -> None:
    assert {path.stem for path in (REPOSITORY / PAGES).glob("*.md")} == {"index", *COMMANDS}
    manuals = {path.name for path in (REPOSITORY / MANUALS).iterdir()}
    assert {"celltrain.1", "celltrain-dbs-run.1", *(f"celltrain-{name}.1" for name in COMMANDS)} <= manuals
    assert set(GUIDES) <= set(COMMANDS)


def test_a_changed_help_makes_pages_stale_and_they_are_written_again(tmp_path: Path) -> None:
    expected = files(described())
    write(tmp_path, expected)
    assert stale(tmp_path, expected) == []
    (tmp_path / MANUALS / "celltrain-run.1").write_text("old", encoding="utf-8")
    (tmp_path / PAGES / "gone.md").write_text("of a command that is no more", encoding="utf-8")
    assert stale(tmp_path, expected) == [PAGES / "gone.md", MANUALS / "celltrain-run.1"]
    write(tmp_path, expected)
    assert stale(tmp_path, expected) == []


def test_a_page_says_what_the_option_says() -> None:
    run = next(each for each in described().commands if each.name == "run")
    assert Option("--set KEY=VALUE", "Change a value, as in --set links.up.rate.every='10 ms'.") in run.options
    assert "`--seed INTEGER RANGE`\n: Seed of all random numbers." in (REPOSITORY / PAGES / "run.md").read_text()


def test_markup_in_a_help_is_shown_as_it_is() -> None:
    assert paragraph("a <b> of *c*") == "a \\<b\\> of \\*c\\*\n"
    assert item("--x", ".TH `y`") == ".TP\n\\fB\\-\\-x\\fR\n\\&.TH \\fBy\\fR\n"


@needs_man
def test_man_reads_every_page_without_a_warning() -> None:
    assert MAN is not None
    pages = sorted((REPOSITORY / MANUALS).iterdir())
    done = subprocess.run(
        [MAN, "--warnings", "--local-file", *map(str, pages)],
        env=os.environ | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout.count("EXIT STATUS") == len(pages)
    assert "celltrain run [OPTIONS] SCENARIO" in done.stdout


@needs_man
def test_man_finds_the_page_beside_an_installed_command(tmp_path: Path) -> None:
    assert MAN is not None
    data = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["maturin"]["data"]
    shutil.copytree(REPOSITORY / data / "data", tmp_path, dirs_exist_ok=True)
    (tmp_path / "bin").mkdir()
    path = os.pathsep.join([str(tmp_path / "bin"), str(Path(MAN).parent)])
    environment = {name: value for name, value in os.environ.items() if name != "MANPATH"} | {"PATH": path}
    done = subprocess.run([MAN, "-w", "celltrain-run"], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(tmp_path / "share/man/man1/celltrain-run.1"), done.stderr


def test_the_tool_fails_where_a_file_is_out_of_date() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(REPOSITORY / "tools"), *sys.path])}
    check = [sys.executable, "-m", "commands", "--check"]
    assert subprocess.run(check, env=environment, cwd=REPOSITORY, check=False).returncode == 0
