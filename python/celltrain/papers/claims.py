"""Claims of a paper, checked against our results by restricted evaluation.

A claim's ``check`` is an expression over the table of its experiment. It is text from a file, so it is
never passed to ``eval``: :mod:`celltrain.papers.expression` walks its syntax tree and can only call
the two functions below and a short list of Python's and numpy's.

``s(column, **filters)`` is the column as an array, over the rows that match the filters;
``v(column, **filters)`` is the value in the only matching row. ``exp="fig11"`` selects the table of
another experiment.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from celltrain import readable
from celltrain.papers.compared import comparisons, quantity
from celltrain.papers.expression import Expression, ExpressionError
from celltrain.papers.reading import StudyFile, renamed

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, and the expression that checks it."""

    id: str
    experiment: str
    source: str
    says: str
    check: str
    published: float | None = None
    open: bool = True

    @property
    def reads(self) -> set[str]:
        """The experiments whose tables the check reads: its own, and those named by ``exp``."""
        try:
            nodes = list(ast.walk(ast.parse(self.check.strip(), mode="eval")))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return {self.experiment}
        named = (node.value for node in nodes if isinstance(node, ast.keyword) and node.arg == "exp")
        return {self.experiment} | {str(value.value) for value in named if isinstance(value, ast.Constant)}


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim.

    Attributes
    ----------
    holds : bool or None
        None if it could not be checked; ``problem`` says why.
    measured : str
        The sides of the check's comparisons, with their values.
    value : float or None
        The number that belongs to the published one; None if there is none, or more than one.
    values : tuple of float
        All numbers that belong to it: those of each iteration, if the check compares in a loop.
    unit : str
        Their unit and that of the published number; ``1`` if they have none.
    origin : str
        Where they come from: ``simulated``, or ``live`` if kernels were measured.
    """

    id: str
    experiment: str
    says: str
    source: str
    check: str
    holds: bool | None
    measured: str
    published: float | None
    value: float | None = None
    values: tuple[float, ...] = ()
    unit: str = "1"
    problem: str = ""
    origin: str = "simulated"

    @property
    def compared(self) -> str:
        """The published number and ours; empty if the claim is not about one number.

        >>> words = {key: "" for key in ("id", "experiment", "says", "source", "check", "measured")}
        >>> Verdict(**words, holds=True, published=3.49e6, value=3.5e6, values=(3.5e6,), unit="bit/s").compared
        'published 3.49, simulated 3.5 Mbit/s, +0.3 %'
        >>> Verdict(**words, holds=True, published=0.1, values=(0.11, 0.12)).compared
        'published 0.1, simulated 0.11 to 0.12'
        >>> Verdict(**words, holds=True, published=1e5, value=99999.0, values=(99999.0,)).compared
        'published 1e+05, simulated 1e+05, +0.0 %'
        >>> Verdict(**words, holds=True, published=2.0, values=(3.0,), origin="live").compared
        'published 2, live 3'
        """
        if self.published is None or not self.values:
            return ""
        factor, name = readable.unit_for(np.array([self.published, *self.values]), self.unit)
        published, least, most = (f"{factor * x:.4g}" for x in (self.published, min(self.values), max(self.values)))
        ours = least if least == most else f"{least} to {most}"
        unit = "" if name in ("", "1") else f" {name}"
        is_one = self.value is not None and self.published != 0
        difference = f", {100 * (self.value / self.published - 1):+z.1f} %" if is_one and self.value is not None else ""
        return f"published {published}, {self.origin} {ours}{unit}{difference}"

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return asdict(self)


class MissingExperiment(ExpressionError):
    """A check needs the table of an experiment that was not run."""


@dataclass(frozen=True)
class _ClaimsFile:
    claims: tuple[Claim, ...]


renamed(_ClaimsFile, claims="claim")


def read_claims(folder: Path) -> tuple[Claim, ...]:
    """Read the claims in the folder of a study; none without the file.

    Raises
    ------
    PaperError
        The file has missing or unknown keys.
    """
    path = folder / "claims.toml"
    return StudyFile.read(path).to(_ClaimsFile).claims if path.is_file() else ()


def judge(claim: Claim, tables: Mapping[str, Rows], origin: str = "simulated") -> Verdict:
    """Check a claim against the tables of the experiments that were run, whose values are of this origin."""
    rest = {key: getattr(claim, key) for key in ("id", "experiment", "says", "source", "check", "published")}
    rest["origin"] = origin
    evaluator = _Evaluator(claim.experiment, tables)
    try:
        holds, shown = evaluator.holds(claim.check), evaluator.measured(claim.check)
        found = None if claim.published is None else quantity(claim.check, claim.published)
        values = () if found is None else evaluator.numbers(found.expression)
        return Verdict(
            holds=holds,
            measured=shown,
            value=values[0] if len(values) == 1 else None,
            values=values,
            unit="1" if found is None else found.unit,
            **rest,
        )
    except MissingExperiment as error:
        return Verdict(holds=None, measured="", problem=str(error), **rest)
    except ExpressionError as error:
        return Verdict(holds=None, measured="", problem=f"cannot be checked: {error}", **rest)


def is_shown(check: str, rows: Rows) -> bool:
    """Return whether an expression holds over one table; if it cannot be evaluated, it does not hold.

    >>> rows = [{"time_s": 1, "bps": 1.0}, {"time_s": 2, "bps": 2.0}]
    >>> is_shown('v("bps", time_s=1) > 0 and sum(s("bps")) == 3', rows)
    True
    >>> is_shown('v("bps", time_s=3) > 0', rows)
    False
    """
    try:
        return _Evaluator("", {"": rows}).holds(check)
    except ExpressionError:
        return False


class _Evaluator:
    def __init__(self, experiment: str, tables: Mapping[str, Rows]) -> None:
        self._experiment = experiment
        self._tables = tables
        self._functions = {"s": self._series, "v": self._value}

    def holds(self, check: str) -> bool:
        value = self.value(check)
        if not isinstance(value, bool | np.bool_):
            raise ExpressionError("the check is neither true nor false")
        return bool(value)

    def value(self, expression: str) -> Any:  # noqa: ANN401 - as the expression has it
        return Expression(expression, self._functions).evaluate()

    def measured(self, check: str) -> str:
        """Show the sides of the comparisons in the check."""
        shown: dict[str, str] = {}
        for comparison, loops in comparisons(ast.parse(check.strip(), mode="eval").body, []):
            for side in (comparison.left, *comparison.comparators):
                text = ast.unparse(side)
                if isinstance(side, ast.Constant) or text in shown:
                    continue
                # Inside a loop, a side is a list with one value per iteration.
                over = ast.unparse(ast.ListComp(side, loops)) if loops else text
                shown[text] = _readable(self.value(over))
        return "; ".join(f"{text} = {value}" for text, value in shown.items())

    def numbers(self, expression: str) -> tuple[float, ...]:
        """Return the number, or all numbers, that an expression stands for."""
        return tuple(float(number) for number in np.atleast_1d(np.array(self.value(expression), dtype=np.float64)))

    def _rows(self, filters: dict[str, Any]) -> Rows:
        experiment = filters.pop("exp", self._experiment)
        if experiment not in self._tables:
            raise MissingExperiment(f"needs {experiment}, which was not run")
        rows = self._tables[experiment]
        return [row for row in rows if all(_same(row[column], wanted) for column, wanted in filters.items())]

    def _series(self, column: str, **filters: Any) -> Any:  # noqa: ANN401 - numbers or names
        return np.array([row[column] for row in self._rows(filters)])

    def _value(self, column: str, **filters: Any) -> Any:  # noqa: ANN401 - a number or a name
        rows = self._rows(dict(filters))
        if len(rows) != 1:
            raise LookupError(f"{len(rows)} rows match {filters}, not one")
        return rows[0][column]


def _same(found: Any, wanted: Any) -> bool:  # noqa: ANN401 - numbers or names
    if isinstance(found, str) or isinstance(wanted, str):
        return bool(found == wanted)
    return math.isclose(found, wanted, rel_tol=1e-9)


def _readable(value: Any) -> str:  # noqa: ANN401 - as the expression has it
    if isinstance(value, np.ndarray | list):
        shown = ", ".join(_readable(item) for item in value[:6])
        return f"[{shown}{', ...' if len(value) > 6 else ''}]"
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    return f"{value:.4g}" if isinstance(value, float | int) else str(value)
