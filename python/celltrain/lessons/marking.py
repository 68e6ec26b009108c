"""Checking a student's answers: right, or what to look at, without the answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from celltrain.lessons.answers import AnswerBook, Key
from celltrain.lessons.exercise import ROUNDING, Exercise

#: Factors between an answer and one in the wrong unit: bits and octets, prefixes of rates and of times, per cent.
_UNITS = (8.0, 1000.0, 1e6, 8000.0, 125.0, 100.0, 1024.0)


@dataclass(frozen=True)
class Mark:
    """What is said about one answer.

    Attributes
    ----------
    question : str
        The key of the question.
    is_right : bool or None
        None if it was not answered.
    says : str
        What to look at, if it is wrong.
    """

    question: str
    is_right: bool | None
    says: str = ""

    @property
    def word(self) -> str:
        """The verdict in a word or two."""
        return "open" if self.is_right is None else "right" if self.is_right else "not yet"


@dataclass(frozen=True, repr=False)
class Marked:
    """The marks of all questions of a lesson, in their order."""

    marks: tuple[Mark, ...]

    @property
    def right(self) -> int:
        """How many answers are right."""
        return sum(mark.is_right is True for mark in self.marks)

    @property
    def is_complete(self) -> bool:
        """Whether all answers are right."""
        return self.right == len(self.marks)

    @property
    def says(self) -> str:
        """The score, in words."""
        return f"{self.right} of {len(self.marks)} right"

    def to_json(self) -> list[dict[str, Any]]:
        """Return the marks as plain data."""
        return [asdict(mark) for mark in self.marks]

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{escape(mark.question)}</code></td><td>{escape(mark.word)}</td>"
            f'<td style="text-align: left">{escape(mark.says)}</td></tr>'
            for mark in self.marks
        )
        return f"<table><caption>{escape(self.says)}</caption><tbody>{rows}</tbody></table>"

    def __repr__(self) -> str:
        """Return the marks as text, a line for each question, and the score."""
        width = max(len(mark.question) for mark in self.marks)
        lines = [f"{mark.question:{width}}  {mark.word:7}  {mark.says}".rstrip() for mark in self.marks]
        return "\n".join([*lines, self.says])


def mark(answers: Mapping[str, object], exercise: Exercise, book: AnswerBook) -> Marked:
    """Check answers by the key of their question; those that are missing or empty texts are open.

    Raises
    ------
    KeyError
        There is no such question; the message suggests the nearest.
    ValueError
        An answer is not a number where one is asked for, has a wrong unit, or is none of the choices.
    """
    for name in answers:
        exercise.question(name)
    texts = {question.id: _text(answers.get(question.id, "")) for question in exercise.questions}
    # All are read before anything is run: a slip of the pen shows at once.
    for question in exercise.questions:
        if texts[question.id] and not question.choices:
            try:
                question.amount(texts[question.id])
            except ValueError as error:
                raise ValueError(f"{question.id}: {error}") from error
        elif texts[question.id] and texts[question.id] not in question.choices:
            expected = ", ".join(f'"{choice}"' for choice in question.choices)
            raise ValueError(f"{question.id}: found {texts[question.id]!r}, expected one of {expected}")
    return Marked(
        tuple(
            _mark(texts[question.id], book.key(question)) if texts[question.id] else Mark(question.id, None)
            for question in exercise.questions
        )
    )


def _text(answer: object) -> str:
    return str(answer).strip()


def _mark(text: str, key: Key) -> Mark:
    question = key.question
    if question.choices:
        is_right = text == key.choice
        return Mark(question.id, is_right, "" if is_right else question.hint)
    amount = question.amount(text)
    if key.accepts(amount):
        return Mark(question.id, True)
    for value, misconception in key.mistakes:
        if _is_about(amount, value):
            return Mark(question.id, False, misconception.says)
    if any(key.accepts(amount * factor) or key.accepts(amount / factor) for factor in _UNITS):
        return Mark(question.id, False, "Look at the units: bits or octets, and the prefix.")
    return Mark(question.id, False, question.hint)


def _is_about(amount: float, value: float) -> bool:
    return math.isclose(amount, value, rel_tol=ROUNDING / 2, abs_tol=1e-12)
