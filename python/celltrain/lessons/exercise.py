"""The exercise of a lesson, as its file describes it: runs of the lesson's network, and questions about them."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from celltrain import _native
from celltrain.data import Data, merged, nested
from celltrain.papers.reading import Mistake, StudyFile, as_table, read_by, renamed
from celltrain.quantity import with_unit
from celltrain.values import value_of

#: The run of the scenario as it stands.
BASE = "base"
#: What an answer may be off by because it was rounded, as a part of it.
ROUNDING = 0.02


@dataclass(frozen=True)
class Changes:
    """A run of the lesson's network: its values that differ from the file, by dotted key."""

    set: Mapping[str, str]

    def command(self, scenario: str) -> str:
        """Return the command that runs it."""
        words = [f"--set {shlex.quote(f'{key}={value}')}" for key, value in self.set.items()]
        return " ".join(["celltrain", "run", scenario, *words])


@dataclass(frozen=True)
class Misconception:
    """A wrong answer that a misunderstanding leads to.

    Attributes
    ----------
    value : str
        The expression of the answer.
    says : str
        What was misunderstood, without the right answer.
    """

    value: str
    says: str


@dataclass(frozen=True)
class Question:
    """A question: a number with a unit, or one of several choices.

    Attributes
    ----------
    id : str
        Its key among the answers.
    asks : str
        The question.
    hint : str
        What to look at when the answer is wrong, without the right answer.
    answer : str
        The expression of a closed form, or of the choice that is right; empty if only runs give the answer.
    measured : str
        The expression over the results of runs; empty if there are none to look at.
    unit : str
        The unit of the answer: empty for a plain number, ``%`` for a fraction.
    rounding : float
        What an answer may be off by because it was rounded, as a part of it.
    whole : bool
        Whether the answer is a whole number, which must be met exactly.
    choices : tuple of str
        The texts to choose from.
    mistakes : tuple of Misconception
        Wrong answers to expect.
    """

    id: str
    asks: str
    hint: str
    answer: str = ""
    measured: str = ""
    unit: str = ""
    whole: bool = False
    rounding: float = ROUNDING
    choices: tuple[str, ...] = ()
    mistakes: tuple[Misconception, ...] = ()

    def amount(self, text: str) -> float:
        """Read an answer: a plain number in the unit that is asked for, or a number with another unit of its kind.

        Returns
        -------
        float
            The amount in SI units.

        Raises
        ------
        ValueError
            It is not a number, or has a unit of another kind; the message says what was expected.
        """
        number = text.strip().removesuffix("%" if self.unit == "%" else "").strip()
        plain = _number(number)
        if plain is not None:
            return plain * self.factor
        found = with_unit(number.replace("octets", "bytes"))
        if found is None or found[1] != self._base[1]:
            raise ValueError(f"found {text.strip()!r}, expected {self._expected}")
        return found[0]

    @property
    def _expected(self) -> str:
        if self.unit == "%":
            return "a number in percent"
        if self.unit:
            return f'a number in {self.unit}, or a text such as "3 {self.unit}"'
        return "a plain number"

    @property
    def factor(self) -> float:
        """The amount in SI units of one of its unit."""
        return self._base[0]

    @property
    def _base(self) -> tuple[float, str]:
        if self.unit in ("", "%"):
            return (0.01 if self.unit else 1.0, "")
        found = with_unit(f"1 {self.unit.replace('octets', 'bytes')}")
        assert found is not None, "the unit was checked when the exercise was read"
        return found

    def shown(self, amount: float) -> str:
        """Write an amount in its unit, with four digits."""
        number = f"{amount / self.factor:.4g}"
        return number if self.unit == "" else f"{number} {self.unit}"


renamed(Question, mistakes="mistake")


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


@read_by(Question)
def _question(value: object) -> Question:
    question = as_table(value, Question)
    if not (question.answer or question.measured):
        raise Mistake('expected "answer" or "measured": what the right answer is')
    if question.unit not in ("", "%") and with_unit(f"1 {question.unit.replace('octets', 'bytes')}") is None:
        raise Mistake(f'expected a unit of the scenario language, "octets" or "%", found "{question.unit}"', "unit")
    if question.choices and not question.answer:
        raise Mistake('expected "answer": an expression for one of the choices')
    return question


@dataclass(frozen=True)
class Exercise:
    """The runs and the questions of a lesson.

    Attributes
    ----------
    questions : tuple of Question
        The questions, in order.
    runs : dict of str to Changes
        Runs other than that of the scenario as it stands, by name.
    """

    questions: tuple[Question, ...]
    runs: Mapping[str, Changes] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Exercise:
        """Read the exercise's file.

        Raises
        ------
        PaperError
            A key is unknown or missing, or has a wrong value; the message names file and line.
        """
        file = StudyFile.read(path)
        exercise = file.to(Exercise)
        names = [question.id for question in exercise.questions]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise file.error(f'there are two questions "{name}"', "question", index, "id")
        return exercise

    def question(self, name: str) -> Question:
        """Return the question with this name.

        Raises
        ------
        KeyError
            There is none; the message suggests the nearest name.
        """
        known = {question.id: question for question in self.questions}
        if name not in known:
            raise KeyError(f"there is no question {name!r}{_native.nearest(name, [*known])}")
        return known[name]

    def changes(self, run: str) -> Data:
        """Return the changed values of a run, as tables of a scenario.

        Raises
        ------
        KeyError
            There is no such run.
        """
        if run == BASE:
            return {}
        if run not in self.runs:
            raise KeyError(f"there is no run {run!r}{_native.nearest(run, [BASE, *self.runs])}")
        changes: Data = {}
        for key, value in self.runs[run].set.items():
            changes = merged(changes, nested(key, value_of(value)))
        return changes


renamed(Exercise, questions="question")
