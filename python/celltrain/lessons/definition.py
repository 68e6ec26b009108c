"""Lessons by number: page, network, exercise, and a sheet for answers."""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from celltrain.lessons.answers import AnswerBook, Key, commands
from celltrain.lessons.exercise import Exercise, Question
from celltrain.lessons.marking import Marked, mark
from celltrain.scenario import Scenario, load

#: The folder of the lessons.
FOLDER = Path(__file__).parent
#: The files of a lesson that students get, besides the sheet for their answers.
PAGE, NETWORK, SHEET = "lesson.md", "scenario.toml", "answers.toml"


@dataclass(frozen=True, eq=False)
class Lesson:
    """A lesson.

    In a notebook it is displayed as its page; ``scenario`` is its network, and ``check`` checks answers.

    Attributes
    ----------
    number : int
        Its number, from 1.
    folder : Path
        The folder of its files.
    """

    number: int
    folder: Path

    @cached_property
    def text(self) -> str:
        """Its page, in Markdown."""
        return (self.folder / PAGE).read_text("utf-8")

    @property
    def title(self) -> str:
        """What it is about."""
        return self.text.partition("\n")[0].removeprefix("# ")

    @cached_property
    def scenario(self) -> Scenario:
        """Its network, which runs as it stands."""
        return load(self.folder / NETWORK)

    @cached_property
    def exercise(self) -> Exercise:
        """Its runs and questions."""
        return Exercise.read(self.folder / "exercise.toml")

    @cached_property
    def book(self) -> AnswerBook:
        """What computes its answers."""
        return AnswerBook(self.scenario, self.exercise)

    def files(self) -> dict[str, str]:
        """Return the text of each file for a student, by its name: page, network, sheet for answers."""
        texts = {name: (self.folder / name).read_text("utf-8") for name in (NETWORK, PAGE)}
        return {**texts, SHEET: self.sheet()}

    def sheet(self) -> str:
        """Return the questions, as a TOML file for the answers."""
        head = [
            f"# Lesson {self.number}: {self.title}.",
            "#",
            "# Write your answers between the quotation marks: a number in the unit that is asked for, a number with",
            '# another unit, as in "1.7 Mbit/s", or one of the choices. Then:',
            f"#   celltrain lesson check {self.number} {SHEET}",
            "#",
            "# The questions are about these runs:",
            *(f"#   {command}" for command in commands(self.exercise, NETWORK)),
        ]
        return "\n".join([*head, *(line for question in self.exercise.questions for line in _lines(question))]) + "\n"

    def questions(self) -> str:
        """Return the questions in Markdown, for a page."""
        return "".join(f"- **{each.id}**: {_asked(each)}\n" for each in self.exercise.questions)

    def check(self, answers: Mapping[str, object]) -> Marked:
        """Check answers by the key of their question.

        >>> from celltrain.lessons import lesson
        >>> print(lesson(1).check({"cells": 31, "padding": "20 octets"}).marks[0].says)
        AAL5 adds eight octets to the packet and its encapsulation, and what they do not fill is padded.

        Parameters
        ----------
        answers
            Numbers in the unit that is asked for, texts with a unit, or choices; those left out are open.

        Raises
        ------
        KeyError
            There is no such question; the message suggests the nearest.
        ValueError
            An answer is not a number where one is asked for, has a wrong unit, or is none of the choices.
        """
        return mark(answers, self.exercise, self.book)

    def check_sheet(self, text: str) -> Marked:
        """Check a filled-in sheet.

        Raises
        ------
        KeyError, ValueError
            As :meth:`check`, or the sheet is not TOML; the message names the line.
        """
        try:
            answers = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"not valid TOML: {error}") from error
        return self.check(answers)

    def key(self) -> list[Key]:
        """Return the right answers, for teachers."""
        return [self.book.key(question) for question in self.exercise.questions]

    def _repr_markdown_(self) -> str:
        return f"{self.text}\n## Questions\n\n{self.questions()}"

    def __repr__(self) -> str:
        """Return its number and title."""
        return f"<Lesson {self.number}: {self.title}>"


def _lines(question: Question) -> list[str]:
    return ["", *(f"# {line}" for line in textwrap.wrap(_asked(question), 110)), f'{question.id} = ""']


def _asked(question: Question) -> str:
    choices = " or ".join(f'"{choice}"' for choice in question.choices)
    form = choices or ("in " + question.unit.replace("%", "percent") if question.unit else "a plain number")
    return f"{question.asks} ({form})"
