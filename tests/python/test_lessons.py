"""Lessons: their answers are computed and agree, their pages say what is true, and no mistake passes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import celltrain
import pytest
from celltrain.lessons import lessons
from celltrain.lessons.answers import AnswerBook, Key, commands
from celltrain.lessons.definition import NETWORK, Lesson
from celltrain.lessons.exercise import Exercise
from celltrain.papers.expression import ExpressionError
from celltrain.papers.reading import PaperError
from celltrain.scenario import Scenario
from conftest import REPOSITORY, tool
from lesson_pictures import FOLDER, pictures

LESSONS = lessons()
#: The longest that the answers of a lesson may take, and the widest range of numbers that are right.
LONGEST_S, WIDEST = 10, 0.45
FACTS = tomllib.loads((Path(__file__).parent / "lesson_facts.toml").read_text("utf-8"))["fact"]
every_lesson = pytest.mark.parametrize("lesson", LESSONS.values(), ids=lambda lesson: lesson.folder.name)


def right(key: Key) -> str:
    """Return the right answer as a student would write it, with eight digits."""
    return key.choice or f"{key.value / key.question.factor:.8g}"


def numbers(lesson: Lesson) -> list[Key]:
    return [key for key in lesson.key() if not key.question.choices]


def test_there_are_six_numbered_from_one() -> None:
    assert [*LESSONS] == [1, 2, 3, 4, 5, 6]


def test_opening_celltrain_does_not_load_what_computes_answers() -> None:
    # Programs at the ends of a live line must have one thread when they enter their namespace.
    code = "import celltrain, sys; print([m for m in sys.modules if m.startswith('celltrain.lessons.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@every_lesson
def test_the_answers_of_a_lesson_take_less_than_ten_seconds(lesson: Lesson) -> None:
    start = time.process_time()
    fresh = AnswerBook(lesson.scenario, lesson.exercise)
    for question in lesson.exercise.questions:
        fresh.key(question)
    assert time.process_time() - start < LONGEST_S


@every_lesson
def test_the_network_and_all_its_runs_are_without_warnings(lesson: Lesson) -> None:
    for run in ("base", *lesson.exercise.runs):
        assert [warning.code for warning in lesson.book.scenario(run).warnings] == []


@every_lesson
def test_closed_forms_agree_with_runs_and_accept_little_else(lesson: Lesson) -> None:
    for key in numbers(lesson):
        low, high = key.accepted
        assert high - low <= WIDEST * abs(key.value), key.question.id
        if key.question.whole:
            assert low == high == int(low), key.question.id
        for measured in key.measured:
            if key.formula is not None:
                assert measured == pytest.approx(key.formula, rel=0.05), key.question.id


@every_lesson
def test_right_answers_are_right_and_expected_mistakes_are_told_apart(lesson: Lesson) -> None:
    marked = lesson.check({key.question.id: right(key) for key in lesson.key()})
    assert marked.is_complete, marked
    for key in numbers(lesson):
        for value, misconception in key.mistakes:
            text = f"{value / key.question.factor:.8g}"
            (mark,) = (mark for mark in lesson.check({key.question.id: text}).marks if mark.question == key.question.id)
            assert (mark.is_right, mark.says) == (False, misconception.says)


@every_lesson
def test_wrong_choices_are_wrong(lesson: Lesson) -> None:
    for key in lesson.key():
        for choice in key.question.choices:
            marks = {mark.question: mark for mark in lesson.check({key.question.id: choice}).marks}
            assert marks[key.question.id].is_right == (choice == key.choice)


@every_lesson
def test_what_a_student_is_told_does_not_contain_the_answer(lesson: Lesson) -> None:
    for key in numbers(lesson):
        told = [key.question.hint, *(each.says for _, each in key.mistakes)]
        for text in told:
            found = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]
            shown = key.value / key.question.factor
            assert not any(number == pytest.approx(shown, rel=0.01) for number in found), (key.question.id, text)


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact['lesson']}-{fact['shows']}")
def test_a_number_on_a_page_is_what_computes_it(fact: dict[str, str | int]) -> None:
    lesson = LESSONS[int(fact["lesson"])]
    shows = str(fact["shows"])
    assert str(fact["text"]) in " ".join(lesson.text.split())
    assert shows in str(fact["text"])
    digits = -int(Decimal(shows).as_tuple().exponent)
    assert round(float(lesson.book.value(str(fact["is"]))), digits) == float(shows)


def test_packets_of_many_cells_are_damaged_as_the_closed_form_says() -> None:
    lesson = LESSONS[4]
    # Packets of 192 cells at a rate that the line can carry, so that only the line's losses damage them.
    data = lesson.scenario.data
    data["links"]["line"] |= {"loss": {"process": "bernoulli", "probability": 0.01}}
    traffic = {"process": "cbr", "rate": "1 Mbit/s"}
    data["flows"] = {"upload": {"vc": "data", "udp": {"packet": "9180 bytes", "traffic": traffic}}}
    data["measure"]["duration"] = "105 s"
    del data["probes"]
    vcs = Scenario(data).run(seed=1).vcs
    forward = [direction == "forward" for direction in vcs["direction"]]
    sent, delivered = (vcs[column][forward].sum() for column in ("pdus_sent", "pdus_delivered"))
    (key,) = (key for key in lesson.key() if key.question.id == "damaged")
    assert 1 - delivered / sent == pytest.approx(key.value, rel=0.02)


@every_lesson
def test_the_commands_of_a_page_and_of_its_sheet_run(
    lesson: Lesson, shell: Callable[[str], str], tmp_path: Path
) -> None:
    shell(f"celltrain lesson start {lesson.number} .")
    scripts = re.findall(r"^```sh\n(.*?)^```", lesson.text, re.MULTILINE | re.DOTALL)
    assert scripts
    for script in scripts:
        shell(script)
    sheet = (tmp_path / "answers.toml").read_text("utf-8")
    for command in commands(lesson.exercise, NETWORK):
        assert f"#   {command}" in sheet
    # A run with changed values is one of the page's, or one that the sheet has beside it.
    assert [question.id for question in lesson.exercise.questions] == [*tomllib.loads(sheet)]


def test_the_sheet_s_commands_make_the_runs_that_answers_are_from(shell: Callable[[str], str]) -> None:
    lesson = LESSONS[4]
    shell("celltrain lesson start 4 .")
    _, command = commands(lesson.exercise, NETWORK)
    flows = json.loads(shell(f"{command} --seed 2 --json"))["tables"]["flows"]
    measured = lesson.book.value('column("flows.throughput_bps", run="abr")', seed=2)
    assert [row["throughput_bps"] for row in flows] == list(measured)


def test_the_pages_of_the_documentation_are_those_of_the_lessons() -> None:
    assert tool("lessons").main(["--check"]) == 0, "renew them with `make reference`"
    index = (REPOSITORY / "docs" / "lessons" / "index.md").read_text("utf-8")
    for lesson in LESSONS.values():
        assert f"\n{lesson.folder.name}\n" in index


@every_lesson
def test_the_pictures_of_a_page_are_what_its_network_shows(lesson: Lesson) -> None:
    """Versions of matplotlib differ in paths, not in labels and ticks."""
    page = (REPOSITORY / "docs" / "lessons" / f"{lesson.folder.name}.md").read_text("utf-8")
    shown = re.findall(r"!\[.*?\]\(\.\./images/([\w.-]+)\)", page)
    assert shown == [name for name, _ in pictures(lesson)]
    for name, picture in pictures(lesson):
        kept = (FOLDER / name).read_text("utf-8")
        assert words(kept) == words(picture.svg(lesson).decode()), f"{name}: python tools/lessons.py --pictures"


def words(svg: str) -> list[str]:
    found = [
        "".join(element.itertext()).strip() for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert len(found) > 5
    return found


def test_a_lesson_in_a_notebook_is_a_page_with_questions_and_marks() -> None:
    lesson = celltrain.lesson(1)
    shown = lesson._repr_markdown_()
    assert shown.startswith("# Cells and padding")
    assert "- **padding**: How many octets" in shown
    marked = lesson.check({"cells": 32, "padding": "19 octets"})
    html = marked._repr_html_()
    assert "1 of 5 right" in html
    assert "<td>not yet</td>" in html
    assert repr(marked).splitlines()[0] == "cells         right"


def test_answers_may_have_another_unit_and_slips_of_units_are_told() -> None:
    lesson = celltrain.lesson(1)

    def says(answer: object) -> tuple[bool | None, str]:
        mark = lesson.check({"throughput": answer}).marks[2]
        return mark.is_right, mark.says

    assert says("1722 kbit/s") == says(1.722) == says("1.72") == (True, "")
    assert says("215.2 kbit/s") == (False, "Look at the units: bits or octets, and the prefix.")
    assert says("") == says("  ") == (None, "")
    assert says(1.2)[1].startswith("Of the octets on the line")


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"throughput": "fast"}, "throughput: found 'fast', expected a number in Mbit/s"),
        ({"throughput": "3 ms"}, "throughput: found '3 ms', expected a number in Mbit/s"),
        ({"cells": "32 cells"}, "cells: found '32 cells', expected a plain number"),
        ({"cells": True}, "cells: found 'True', expected a plain number"),
        ({"cells": "nan"}, "cells: found 'nan', expected a plain number"),
    ],
)
def test_what_is_no_answer_is_said(answers: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        celltrain.lesson(1).check(answers)


def test_unknown_questions_choices_and_lessons_are_met_with_what_there_is() -> None:
    with pytest.raises(KeyError, match='did you mean "cells"'):
        celltrain.lesson(1).check({"cels": 3})
    with pytest.raises(ValueError, match='expected one of "ubr", "abr"'):
        celltrain.lesson(4).check({"more": "UBR+"})
    with pytest.raises(KeyError, match="there are 1 to 6"):
        celltrain.lesson(7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[question]]\nid = "a"\nasks = ""\nhint = ""\n', 'expected "answer" or "measured"'),
        ('[[question]]\nid = "a"\nasks = ""\nhint = ""\nanswr = "1"\n', 'did you mean "answer"'),
        ('[[question]]\nid = "a"\nasks = ""\nhint = ""\nanswer = "1"\nunit = "stone"\n', "expected a unit"),
        (2 * '[[question]]\nid = "a"\nasks = ""\nhint = ""\nanswer = "1"\n', 'two questions "a"'),
        ('[[question]]\nid = "a"\nasks = ""\nhint = ""\nmeasured = "1"\nchoices = ["x"]\n', "one of the choices"),
    ],
)
def test_mistakes_in_an_exercise_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "exercise.toml"
    path.write_text(text)
    with pytest.raises(PaperError, match=message) as caught:
        Exercise.read(path)
    assert str(caught.value).startswith(f"{path}:")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ('value("flows.throughput")', "no column throughput"),
        ('value("flow.throughput_bps")', "no table flow"),
        ('value("links.link")', "rows of links.link match"),
        ('amount("links.down.speed")', "does not state links.down.speed"),
        ('amount("vcs.data.encapsulation")', "is not a quantity"),
    ],
)
def test_an_expression_that_cannot_be_evaluated_says_why(expression: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        LESSONS[1].book.value(expression)
