"""One quantity and its reference: the value, the target, and whether it is met."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum


class Verdict(StrEnum):
    """The result of a comparison."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Case:
    """A quantity of one line or connection.

    Attributes
    ----------
    name : str
        What was run, such as ``newreno, 2 BDP, delayed ACKs``.
    quantity : str
        What is compared, such as ``goodput``.
    unit : str
        The unit of ``value`` and ``reference``: SI, or ``1`` for counts and ratios.
    value, reference : float or None
        Our value and its reference; NaN for a side without a value (for example, no packet was dropped).
    difference : float or None
        As the target measures it: relative, a difference, or None if the target is a bound.
    target : str
        The target, in words.
    miss : float
        Distance from the ideal divided by the distance that the target allows: up to 1 it is met. Infinite if only one
        side has a value; NaN if the case was not run.
    binds : bool
        Whether the row's verdict depends on it; other cases are only shown.
    note : str
        The cause of a difference, if known, or other information about the case.
    """

    name: str
    quantity: str
    unit: str
    value: float | None
    reference: float | None
    difference: float | None
    target: str
    miss: float
    binds: bool = True
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """Whether the target is met; a case without a miss was not run."""
        if math.isnan(self.miss):
            return Verdict.NOT_RUN
        return Verdict.AGREES if self.miss <= 1 else Verdict.DIFFERS

    def shown_only(self, why: str) -> Case:
        """Return the same case without influence on the verdict of its row."""
        return replace(self, binds=False, note=f"{self.note}; {why}" if self.note else why)


def relative(
    name: str, quantity: str, unit: str, value: float, reference: float, allowed: float, *, note: str = ""
) -> Case:
    """Compare with a reference: the relative difference is at most ``allowed``.

    >>> case = relative("a line", "goodput", "bit/s", 99.0, 100.0, 0.02)
    >>> round(case.difference, 3), round(case.miss, 3), str(case.verdict)
    (-0.01, 0.5, 'agrees')
    """
    difference = value / reference - 1 if reference else math.nan if value else 0.0
    target = f"within {100 * allowed:g} %"
    return Case(name, quantity, unit, value, reference, difference, target, _miss(difference, allowed), note=note)


def factor(
    name: str, quantity: str, unit: str, value: float, reference: float, allowed: float, *, note: str = ""
) -> Case:
    """Compare with a reference: the larger of both is at most ``allowed`` times the smaller.

    >>> factor("a line", "retransmissions", "1", 10.0, 20.0, 1.5).verdict
    <Verdict.DIFFERS: 'differs'>
    """
    difference = value / reference - 1 if reference else math.nan if value else 0.0
    distance = (
        abs(math.log(value / reference)) if value > 0 and reference > 0 else math.nan if value != reference else 0
    )
    miss = _miss(distance, math.log(allowed))
    return Case(name, quantity, unit, value, reference, difference, f"within a factor of {allowed:g}", miss, note=note)


def absolute(
    name: str, quantity: str, unit: str, value: float, reference: float, allowed: float, *, note: str = ""
) -> Case:
    """Compare with a reference: the difference is at most ``allowed``, in the unit of both.

    If neither side has a value (NaN), they agree.

    >>> absolute("a line", "time-outs", "1", 3, 1, 1).verdict
    <Verdict.DIFFERS: 'differs'>
    """
    if math.isnan(value) and math.isnan(reference):
        value_, reference_, difference = value, reference, 0.0
    else:
        value_, reference_, difference = value, reference, value - reference
    target = f"within {allowed:g}" + ("" if unit == "1" else f" {unit}")
    return Case(name, quantity, unit, value_, reference_, difference, target, _miss(difference, allowed), note=note)


def at_least(name: str, quantity: str, unit: str, value: float, bound: float, ideal: float, *, note: str = "") -> Case:
    """Compare with a lower bound; ``ideal`` is the best possible value.

    >>> round(at_least("a line", "utilisation", "1", 0.95, 0.9, 1.0).miss, 3)
    0.5
    """
    miss = max(0.0, ideal - value) / (ideal - bound)
    return Case(name, quantity, unit, value, bound, None, f"at least {bound:g}", miss, note=note)


def none_of(name: str, quantity: str, value: int, *, note: str = "") -> Case:
    """Compare a count with zero.

    >>> none_of("a line", "time-outs", 2).verdict
    <Verdict.DIFFERS: 'differs'>
    """
    # A count of one must already miss, so its miss is above one.
    return Case(name, quantity, "1", value, 0, None, "none", 1.0 + value if value else 0.0, note=note)


def not_run(name: str, quantity: str, why: str) -> Case:
    """Report that a part of a row was not run; it does not affect the verdict.

    >>> not_run("scripts of others", "scripts passed", "give --scripts DIR").verdict
    <Verdict.NOT_RUN: 'not run'>
    """
    return Case(name, quantity, "1", None, None, None, "", math.nan, binds=False, note=why)


def _miss(difference: float, allowed: float) -> float:
    return math.inf if math.isnan(difference) else abs(difference) / allowed
