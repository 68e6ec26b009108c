"""``celltrain ci``: tests over lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from click.exceptions import Exit
from rich.text import Text

from celltrain.cli import printing
from celltrain.cli.console import BadInput, err, folder_for_output, out, readable_errors
from celltrain.cli.printing import How
from celltrain.cli.sheet import Column, Sheet
from celltrain.extras import need
from celltrain.printable import escaped

if TYPE_CHECKING:
    from celltrain.ci.outcome import Outcome
    from celltrain.ci.suite import Case, Suite

_FILE = "celltrain-ci.toml"
_WORKFLOW = ".github/workflows/celltrain.yml"
_MISSED, _BROKEN = 1, 2
_STYLES = {"passed": "green", "failed": "red", "error": "bold red", "skipped": "yellow"}


class _WithDefault(click.RichGroup):
    """A group whose command may be left out: it is ``run`` then."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args.insert(0, "run")
        return super().parse_args(ctx, args)


@click.group("ci", cls=_WithDefault)
def command() -> None:
    """Test programs over lines, for CI: verdicts against thresholds, as JUnit XML and an HTML page.

    `celltrain ci FILE` is short for `celltrain ci run FILE`; `celltrain ci run --help` lists its options.
    """


@command.command("run")
@click.argument("file", default=_FILE, type=click.Path(path_type=Path))
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("results/ci"),
    show_default=True,
    help="Folder for junit.xml, report.html, results.json and the output of the commands.",
)
@click.option("--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write the JUnit XML to FILE, too.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Lines open at once (default: 1), and cores for simulated tests (default: all).",
)
@click.option("--only", metavar="PATTERN", multiple=True, help="Only cases that match, as TEST or TEST/LINE; * is any.")
@click.option("--list", "listed", is_flag=True, help="List the cases, and run nothing.")
@printing.options(columns=False)
def run(
    how: How,
    *,
    file: Path,
    folder: Path,
    junit: Path | None,
    jobs: int | None,
    only: tuple[str, ...],
    listed: bool,
) -> None:
    """Run the tests of FILE over its lines, and judge them by its thresholds.

    Exit code: 0 all passed, 1 a threshold missed or a command failed, 2 a mistake in FILE or a broken set-up,
    130 interrupted; the results are then of the cases that have run.
    """
    need("reports", by="celltrain ci")
    from celltrain.ci.suite import read
    from celltrain.holding import held

    with readable_errors():
        suite = read(file)
        cases = _chosen(suite.cases(), only)
        if listed:
            _list(how, cases)
            return
        if any(case.is_live for case in cases):
            need("emulation", by="a test in real time")
        with held(folder_for_output(folder)):
            outcomes = _outcomes(suite, cases, folder, junit, jobs)
    if how.as_json:
        click.echo(_as_json([outcome.to_json() for outcome in outcomes]), nl=False)
    else:
        how.show(_sheet(outcomes))
    _annotate(suite, outcomes)
    err().print(f"wrote {folder / 'report.html'} and {junit or folder / 'junit.xml'}", markup=False, style="dim")
    raise Exit(_code(outcomes))


@command.command("init")
@click.argument("folder", default=Path(), type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace files that exist.")
def init(folder: Path, replace: bool) -> None:  # noqa: FBT001
    """Write a commented suite and a workflow for GitHub Actions into FOLDER (default: here).

    Files that exist are kept.
    """
    from celltrain.cli.new_files import write_new
    from celltrain.starts import FOLDER

    texts = {_FILE: _template(FOLDER, "ci.toml"), _WORKFLOW: _template(FOLDER, "ci-workflow.yml")}
    with readable_errors():
        (folder / _WORKFLOW).parent.mkdir(parents=True, exist_ok=True)
    write_new(folder, texts, replace=replace, elsewhere="name another folder, as in celltrain ci init FOLDER")
    for name in texts:
        out().print(Text(f"wrote {folder / name}"), soft_wrap=True)
    out().print()
    for does, step in (("run", f"celltrain ci {folder / _FILE}"), ("list", f"celltrain ci {folder / _FILE} --list")):
        out().print(Text.assemble((f"{does:6}", "dim"), step), soft_wrap=True)


def _template(folder: Path, name: str) -> str:
    return (folder / name).read_text("utf-8")


def _chosen(cases: Sequence[Case], patterns: Sequence[str]) -> list[Case]:
    """Return the cases that match a pattern; all without patterns."""
    if not patterns:
        return list(cases)
    for pattern in patterns:
        if not any(_matches(case, pattern) for case in cases):
            from celltrain._native import nearest

            names = list(dict.fromkeys(name for case in cases for name in (case.test, f"{case.test}/{case.line}")))
            raise BadInput(f"--only: no case matches {pattern!r}{nearest(pattern, names)}")
    return [case for case in cases if any(_matches(case, pattern) for pattern in patterns)]


def _matches(case: Case, pattern: str) -> bool:
    return fnmatchcase(case.test, pattern) or fnmatchcase(f"{case.test}/{case.line}", pattern)


def _outcomes(suite: Suite, cases: Sequence[Case], folder: Path, junit: Path | None, jobs: int | None) -> list[Outcome]:
    from celltrain.ci.runner import Run

    if junit:
        folder_for_output(junit.parent)
    started = Run(suite, cases, folder, junit)
    total = len(cases)
    done = 0

    def progress(outcome: Outcome) -> None:
        nonlocal done
        done += 1
        line = Text.assemble(
            (f"{done:>{len(str(total))}}/{total} ", "dim"),
            (f"{outcome.state.value:7}", _STYLES[outcome.state.value]),
            f" {outcome.case.name}, {outcome.duration_s:.1f} s",
        )
        err().print(line, soft_wrap=True)
        if outcome.reason:
            err().print(Text(f"    {outcome.reason}"), soft_wrap=True)

    try:
        return started.run(jobs, progress)
    except KeyboardInterrupt:
        err().print(f"{done} of {total} cases have run; {folder} has their results", markup=False)
        raise


def _list(how: How, cases: Sequence[Case]) -> None:
    if how.as_json:
        click.echo(_as_json([vars(case) for case in cases]), nl=False)
        return
    clocks = ["real time" if case.is_live else "virtual time" for case in cases]
    columns = [Column(name, [getattr(case, name) for case in cases]) for name in ("test", "line", "repeat")]
    how.show(Sheet("", [*columns, Column("clock", clocks)], keys=2))


def _sheet(outcomes: Sequence[Outcome]) -> Sheet:
    """Make the table of verdicts: a row for each threshold, and one for a case without thresholds."""
    rows = [row for outcome in outcomes for row in _rows(outcome)]
    verdicts = [row["verdict"] for row in rows]
    styles = {"met": "green", "missed": "red", **_STYLES}

    def column(name: str, kind: str = "") -> Column:
        return Column(name, [row[name] for row in rows], kind=kind)

    return Sheet(
        "",
        [
            column("test"),
            column("line"),
            column("repeat", "data"),
            Column("verdict", verdicts, styles=[styles[verdict] for verdict in verdicts]),
            column("threshold", "sentence"),
            column("found", "name"),
        ],
        keys=2,
    )


def _rows(outcome: Outcome) -> list[dict[str, str]]:
    case = outcome.case
    own = {"test": case.test, "line": case.line, "repeat": str(case.repeat)}
    if not outcome.checks:
        return [own | {"verdict": outcome.state.value, "threshold": outcome.message, "found": ""}]
    return [
        own | {"verdict": "met" if check.is_met else "missed", "threshold": check.threshold, "found": check.found}
        for check in outcome.checks
    ]


def _annotate(suite: Suite, outcomes: Sequence[Outcome]) -> None:
    """Show what did not pass beside the suite's file, where GitHub Actions runs this."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    for outcome in outcomes:
        if outcome.state.value in ("failed", "error"):
            told = f"{outcome.case.name}: {outcome.reason}"
            for character, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
                told = told.replace(character, code)
            click.echo(escaped(f"::error file={suite.file.path}::{told}"), err=True)


def _code(outcomes: Sequence[Outcome]) -> int:
    states = {outcome.state.value for outcome in outcomes}
    return _BROKEN if states & {"error", "skipped"} else _MISSED if "failed" in states else 0


def _as_json(value: object) -> str:
    from celltrain.files import json_text

    return json_text(value)
