"""The right answers of an exercise: closed forms, and what runs of the lesson's network give."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from celltrain.framing import sizes
from celltrain.lessons.exercise import BASE, Exercise, Misconception, Question
from celltrain.papers.expression import Expression, ExpressionError
from celltrain.quantity import with_unit
from celltrain.results import Result
from celltrain.runner import Job, run_jobs
from celltrain.scenario import Scenario
from celltrain.table import Table

#: The seeds of the runs that an answer may be from; a student runs the first one unless told otherwise.
SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Key:
    """The right answer to a question.

    Attributes
    ----------
    question : Question
        The question.
    choice : str
        The right choice; empty if the answer is a number.
    formula : float or None
        The value of the closed form, in SI units.
    measured : tuple of float
        The value in the run with each seed.
    mistakes : tuple of (float, Misconception)
        Wrong answers to expect, each with its value.
    """

    question: Question
    choice: str
    formula: float | None
    measured: tuple[float, ...]
    mistakes: tuple[tuple[float, Misconception], ...]

    @property
    def value(self) -> float:
        """The answer to show: the closed form, or the run with the first seed."""
        return self.measured[0] if self.formula is None else self.formula

    @property
    def accepted(self) -> tuple[float, float]:
        """The smallest and the largest number that is accepted.

        It is the range of the closed form and of the runs with all seeds, wider by what rounding may change; a whole
        number is not rounded.
        """
        values = [*self.measured, *(() if self.formula is None else (self.formula,))]
        room = 0.0 if self.question.whole else self.question.rounding
        low, high = min(values), max(values)
        return low - room * abs(low), high + room * abs(high)

    def accepts(self, amount: float) -> bool:
        """Return whether a number, in SI units, is right."""
        low, high = self.accepted
        # A decimal fraction in a text is not exact in binary.
        slack = 1e-9 * max(abs(low), abs(high))
        return low - slack <= amount <= high + slack


class AnswerBook:
    """Computes the answers of an exercise; runs are made when an answer needs them, each once.

    Parameters
    ----------
    scenario
        The network of the lesson.
    exercise
        Its runs and questions.
    """

    def __init__(self, scenario: Scenario, exercise: Exercise) -> None:
        self._scenario = scenario
        self._exercise = exercise
        self._scenarios: dict[str, Scenario] = {}
        self._results: dict[tuple[str, int], Result] = {}
        self._keys: dict[str, Key] = {}

    def scenario(self, run: str = BASE) -> Scenario:
        """Return the scenario of a run.

        Raises
        ------
        KeyError
            There is no such run.
        """
        if run not in self._scenarios:
            self._scenarios[run] = self._scenario.with_changes(self._exercise.changes(run))
        return self._scenarios[run]

    def result(self, run: str = BASE, seed: int = SEEDS[0]) -> Result:
        """Return the result of a run."""
        if (run, seed) not in self._results:
            jobs = [Job(self.scenario(run), each) for each in SEEDS]
            self._results.update({(run, job.seed): result for job, result in run_jobs(jobs, 1)})
        return self._results[run, seed]

    def key(self, question: Question) -> Key:
        """Return the right answer to a question."""
        if question.id not in self._keys:
            self._keys[question.id] = self._answered(question)
        return self._keys[question.id]

    def value(self, expression: str, seed: int = SEEDS[0]) -> Any:  # noqa: ANN401 - a number or a text
        """Return the value of an expression, with the runs of one seed.

        Raises
        ------
        ExpressionError
            The expression cannot be evaluated.
        """
        return Expression(expression, self._functions(seed)).evaluate()

    def _answered(self, question: Question) -> Key:
        if question.choices:
            choice = self.value(question.answer)
            if choice not in question.choices:
                raise ExpressionError(f"{question.id}: {choice!r} is not among the choices")
            return Key(question, str(choice), None, (), ())
        return Key(
            question,
            "",
            float(self.value(question.answer)) if question.answer else None,
            tuple(float(self.value(question.measured, seed)) for seed in SEEDS) if question.measured else (),
            tuple((float(self.value(each.value)), each) for each in question.mistakes),
        )

    def _functions(self, seed: int) -> dict[str, Callable[..., Any]]:
        """Return what an expression can call; see the guide to lessons."""

        def column(name: str, run: str = BASE, **where: object) -> Any:  # noqa: ANN401 - numbers or names
            table, _, own = name.partition(".")
            return _column(_table(self.result(run, seed), table), own, where)

        def value(name: str, run: str = BASE, **where: object) -> Any:  # noqa: ANN401 - a number or a name
            found = column(name, run, **where)
            if len(found) != 1:
                raise ExpressionError(f"{len(found)} rows of {name} match {where}, not one")
            return found[0]

        def amount(key: str, run: str = BASE) -> float:
            return _amount(self.scenario(run).data, key)

        return {"column": column, "value": value, "amount": amount, "cells": _cells, "up": math.ceil, "ln": math.log}


def _table(result: Result, name: str) -> Table:
    if name not in result.tables:
        raise ExpressionError(f"the run has no table {name}")
    return result.tables[name]


def _column(table: Table, name: str, where: dict[str, object]) -> Any:  # noqa: ANN401 - numbers or names
    for wanted in (name, *where):
        if wanted not in table.columns:
            raise ExpressionError(f"there is no column {wanted}")
    rows = [row for row in table.rows() if all(row[key] == wanted for key, wanted in where.items())]
    return np.array([row[name] for row in rows])


def _amount(data: Any, key: str) -> float:  # noqa: ANN401 - a table of a scenario
    """Return the amount of a quantity that a scenario states."""
    for part in key.split("."):
        if not isinstance(data, dict) or part not in data:
            raise ExpressionError(f"the scenario does not state {key}")
        data = data[part]
    found = with_unit(data) if isinstance(data, str) else None
    if found is None and (not isinstance(data, int | float) or isinstance(data, bool)):
        raise ExpressionError(f"{key} is not a quantity")
    return float(data) if found is None else found[0]


def _cells(octets: int, encapsulation: str) -> int:
    """Return the cells of an IP packet."""
    (size,) = (size for size in sizes([octets]) if size.encapsulation == encapsulation)
    assert size.cells is not None
    return size.cells


def commands(exercise: Exercise, scenario: str) -> Sequence[str]:
    """Return the commands that make the runs of an exercise, the scenario as it stands first."""
    return [f"celltrain run {scenario}", *(run.command(scenario) for run in exercise.runs.values())]
