"""``celltrain lesson``: list lessons, start one, check answers."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from click.exceptions import Exit
from rich.text import Text

from celltrain.cli import printing
from celltrain.cli.console import BadInput, out, readable_errors
from celltrain.cli.printing import How
from celltrain.cli.sheet import Column, Sheet

if TYPE_CHECKING:
    from celltrain.lessons.answers import Key
    from celltrain.lessons.definition import Lesson
    from celltrain.lessons.marking import Marked

#: How a verdict is shown.
_STYLES = {"right": "green", "not yet": "bold", "open": "dim"}


@click.group("lesson")
def command() -> None:
    """Learn with six lessons: a page, a network to run, and questions whose answers are checked."""


@command.command("list")
@printing.options(columns=False, sort=False)
def list_(how: How) -> None:
    """List the lessons."""
    from celltrain.lessons import lessons

    found = list(lessons().values())
    rows = [{"lesson": each.number, "about": each.title, "questions": len(each.exercise.questions)} for each in found]
    if how.as_json:
        _json(rows)
        return
    how.show(Sheet.of_rows("", rows))
    if how == How():
        out().print()
        out().print("celltrain lesson start N writes one", soft_wrap=True, markup=False)


@command.command("start")
@click.argument("number", metavar="N", type=int)
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace files that exist.")
def start(number: int, folder: Path | None, replace: bool) -> None:  # noqa: FBT001
    """Write lesson N into a folder: its page, its scenario, and a sheet for your answers.

    DIR: the folder; default: lesson-N. Files that exist are kept.
    """
    from celltrain.cli.new_files import write_new
    from celltrain.lessons.definition import NETWORK, PAGE, SHEET

    lesson = _lesson(number)
    target = folder or Path(f"lesson-{number}")
    texts = lesson.files()
    write_new(
        target, texts, replace=replace, elsewhere=f"name another folder, as in celltrain lesson start {number} DIR"
    )
    out().print(Text(f"wrote {target}: {', '.join(texts)}"), soft_wrap=True)
    out().print()
    steps = {
        "read": str(target / PAGE),
        "run": f"celltrain run {shlex.quote(str(target / NETWORK))}",
        "answer": f"the questions in {target / SHEET}",
        "check": f"celltrain lesson check {number} {shlex.quote(str(target / SHEET))}",
    }
    for does, what in steps.items():
        out().print(Text.assemble((f"{does:6}  ", "dim"), what), soft_wrap=True)


@command.command("check")
@click.argument("number", metavar="N", type=int)
@click.argument("answers", type=click.Path(path_type=Path))
@printing.options(columns=False, sort=False)
def check(how: How, *, number: int, answers: Path) -> None:
    """Check the answers to lesson N in the file ANSWERS, or in the folder that `start` wrote.

    The right answers are computed: closed forms, and runs with three seeds. For a wrong one it says what to look at.
    The exit code is 1 until all are right.
    """
    marked = _marked(_lesson(number), answers)
    if how.as_json:
        _json(marked.to_json())
    elif how == How():
        _tell(marked)
    else:
        columns = [
            Column("question", [mark.question for mark in marked.marks]),
            Column("verdict", [mark.word for mark in marked.marks]),
            Column("look_at", [mark.says for mark in marked.marks], heading="look at", kind="sentence"),
        ]
        how.show(Sheet("", columns))
    if not marked.is_complete:
        raise Exit(1)


@command.command("key")
@click.argument("number", metavar="N", type=int)
@printing.options(columns=False, sort=False)
def key(how: How, *, number: int) -> None:
    """For teachers: print the right answers to lesson N, what is accepted, and which mistakes are recognised."""
    lesson = _lesson(number)
    keys = lesson.key()
    if how.as_json:
        _json([_row(each) for each in keys])
    elif how == How():
        for each in keys:
            _tell_key(each)
    else:
        rows = [{name: value for name, value in _row(each).items() if name != "mistakes"} for each in keys]
        how.show(Sheet.of_rows("", rows))


def _lesson(number: int) -> Lesson:
    from celltrain.lessons import lesson

    try:
        return lesson(number)
    except KeyError as error:
        raise BadInput(str(error.args[0])) from error


def _marked(lesson: Lesson, answers: Path) -> Marked:
    from celltrain.files import read_text
    from celltrain.lessons.definition import SHEET

    file = answers / SHEET if answers.is_dir() else answers
    with readable_errors():
        try:
            return lesson.check_sheet(read_text(file))
        except ValueError as error:
            raise BadInput(f"{file}: {error}") from error
        except KeyError as error:
            raise BadInput(f"{file}: {error.args[0]}") from error


def _tell(marked: Marked) -> None:
    width = max(len(mark.question) for mark in marked.marks)
    for mark in marked.marks:
        words: list[str | tuple[str, str]] = [f"{mark.question:{width}}  ", (mark.word, _STYLES[mark.word])]
        if mark.says:
            words.append(f"{'':{9 - len(mark.word)}}{mark.says}")
        out().print(Text.assemble(*words), soft_wrap=True)
    out().print(marked.says)


def _tell_key(key: Key) -> None:
    question = key.question
    lines = [question.asks, f"  {_answer(key)}"]
    if not question.choices:
        low, high = (question.shown(value) for value in key.accepted)
        lines.append(f"  accepted: {low}" + ("" if low == high else f" to {high}"))
    lines += [f"  {name}: {text}" for name, text in _computed(key) if text]
    lines += [f"  mistake {question.shown(value)}: {each.says}" for value, each in key.mistakes]
    out().print(Text(question.id, "bold"))
    out().print(Text("\n".join(lines)), soft_wrap=True)


def _answer(key: Key) -> str:
    return key.choice or key.question.shown(key.value)


def _computed(key: Key) -> list[tuple[str, str]]:
    return [("closed form" if not key.question.choices else "by", key.question.answer), ("runs", key.question.measured)]


def _row(key: Key) -> dict[str, object]:
    low, high = (None, None) if key.choice else key.accepted
    return {
        "question": key.question.id,
        "answer": _answer(key),
        "accepted_from": low,
        "accepted_to": high,
        "closed_form": key.question.answer,
        "runs": key.question.measured,
        "mistakes": {each.says: value for value, each in key.mistakes},
    }


def _json(rows: object) -> None:
    from celltrain.files import json_text

    click.echo(json_text(rows), nl=False)
