"""Thresholds on quantities, written like ``duration < 10 s``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from celltrain.papers.reading import Mistake
from celltrain.quantity import with_unit
from celltrain.values import value_of

_SIGNS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
_EQUALITIES = ("==", "!=")
_FORM = re.compile(r"(?P<what>\S.*?)\s*(?P<sign><=|>=|==|!=|<|>)\s*(?P<limit>\S.*)")
_EXPECTED = 'expected QUANTITY SIGN LIMIT such as "duration < 10 s"'

#: A value that can be compared: a number, a text, true or false.
Value = float | str | bool


@dataclass(frozen=True)
class Threshold:
    """A quantity, a comparison and a limit.

    Attributes
    ----------
    text : str
        As the user wrote it.
    what : str
        The quantity.
    sign : str
        One of ``<``, ``<=``, ``>``, ``>=``, ``==`` and ``!=``.
    limit : float, str or bool
        The limit, in SI units if it is a quantity.
    unit : str
        The unit of the limit; empty if it has none.
    """

    text: str
    what: str
    sign: str
    limit: Value
    unit: str = ""

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Read a threshold.

        >>> Threshold.parse("duration <= 500 ms").limit, Threshold.parse("up.loss_ratio < 2 %").limit
        (0.5, 0.02)

        Raises
        ------
        Mistake
            It is not of this form, or the limit cannot be compared.
        """
        form = _FORM.fullmatch(text.strip())
        if form is None:
            raise Mistake(f'{_EXPECTED}, found "{text}"')
        what, sign = form["what"], form["sign"]
        limit, unit = _limit(form["limit"])
        if isinstance(limit, str | bool) and sign not in _EQUALITIES:
            shown = str(limit).lower() if isinstance(limit, bool) else f'"{limit}"'
            raise Mistake(f'{sign} needs a number with or without a unit, found {shown} in "{text}"')
        return cls(text.strip(), what, sign, limit, unit)

    def in_unit(self, unit: str) -> Threshold:
        """Check that the limit can be compared with a quantity in a unit, and return the threshold.

        Raises
        ------
        Mistake
            The limit has another unit, or is no number.
        """
        if isinstance(self.limit, str | bool):
            raise Mistake(f'{self.what} is a number, found the limit {self.limit!r} in "{self.text}"')
        if self.unit and self.unit != unit:
            has = f"has the unit {unit}" if unit not in ("", "1") else "has no unit"
            raise Mistake(f'{self.what} {has}, found a limit in {self.unit} in "{self.text}"')
        return self

    def is_met(self, value: Value) -> bool:
        """Return whether a value satisfies it; a missing number (NaN) satisfies nothing.

        >>> Threshold.parse("x < 3").is_met(2.0), Threshold.parse("x != 3").is_met(float("nan"))
        (True, False)
        """
        if isinstance(value, float) and math.isnan(value):
            return False
        if isinstance(value, str) != isinstance(self.limit, str) or isinstance(value, bool) != isinstance(
            self.limit, bool
        ):
            return self.sign == "!="
        return _SIGNS[self.sign](value, self.limit)


@dataclass(frozen=True)
class Check:
    """The verdict on a threshold.

    Attributes
    ----------
    threshold : str
        As the user wrote it.
    is_met : bool
        Whether it holds.
    value : float, str, bool or None
        What was found, in ``unit``; None if there was nothing to compare.
    half_width : float
        Half-width of the 95 % confidence interval; NaN without one.
    why : str
        Why it is missed, beyond the value.
    """

    threshold: str
    is_met: bool
    value: Value | None
    unit: str = ""
    half_width: float = math.nan
    why: str = ""

    @property
    def found(self) -> str:
        """The value with unit and interval, in words."""
        if self.value is None:
            return "nothing"
        if isinstance(self.value, bool):
            return str(self.value).lower()
        if isinstance(self.value, str):
            return f'"{self.value}"'
        from celltrain.readable import with_interval

        if self.unit in ("", "1"):
            width = "" if math.isnan(self.half_width) else f" ± {self.half_width:.2g}"
            return f"{self.value:.6g}{width}"
        return with_interval(self.value, self.half_width, self.unit)

    @property
    def says(self) -> str:
        """The verdict in one line."""
        told = "met" if self.is_met else "missed"
        return f"{told}: {self.threshold}; found {self.found}" + (f" ({self.why})" if self.why else "")


def over_runs(threshold: Threshold, values: Sequence[float], unit: str) -> Check:
    """Judge independent runs: the whole 95 % confidence interval of their mean must satisfy the threshold.

    A single run has no interval; then its value is compared.
    """
    from celltrain.statistics import mean_and_half_width

    mean, half_width = mean_and_half_width(values)
    if math.isnan(mean):
        return Check(threshold.text, is_met=False, value=None, why="no run has a value")
    holds = threshold.is_met(mean)
    if math.isnan(half_width):
        return Check(threshold.text, holds, mean, unit)
    shown = holds and threshold.is_met(mean - half_width) and threshold.is_met(mean + half_width)
    why = "the mean meets it, but not its whole 95 % interval: more repeats may show it" if holds and not shown else ""
    return Check(threshold.text, shown, mean, unit, half_width, why)


def _limit(text: str) -> tuple[Value, str]:
    if text.endswith("%"):
        number = value_of(text[:-1].strip())
        if isinstance(number, int | float) and not isinstance(number, bool):
            return number / 100, "1"
    value = value_of(text)
    if isinstance(value, str):
        is_quoted = text[:1] in "\"'"
        quantity = None if is_quoted else with_unit(value)
        if quantity:
            return quantity
        if not is_quoted:
            raise Mistake(f'the limit "{text}" is no number, quantity such as 10 ms, true, false or quoted text')
        return value, ""
    if isinstance(value, bool):
        return value, ""
    if not isinstance(value, int | float) or math.isnan(value):
        raise Mistake(f'the limit "{text}" is no number, quantity such as 10 ms, true, false or quoted text')
    return float(value), ""
