"""The verdicts of a comparison: means over repeats with their intervals, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from celltrain.live.parity.targets import FEWEST_RUNS, Target
from celltrain.statistics import mean_and_half_width


class Verdict(Enum):
    """The result shown by the runs.

    Both sides agree if the 95 % interval of the difference lies within the target, and differ if it lies outside.
    Otherwise, and with too few valid runs, nothing is shown.
    """

    DIFFERS = "differs"
    NOT_SHOWN = "not shown"
    AGREES = "agrees"
    NO_TARGET = "no target"


@dataclass(frozen=True)
class Pair:
    """A quantity of one run on both sides, and whether the run counts."""

    simulated: float
    kernel: float
    is_valid: bool = True


@dataclass(frozen=True)
class Row:
    """A quantity over all repeats.

    Parameters
    ----------
    vc, subject, quantity, unit
        What is compared: ``subject`` is a flow, or the probe of a queue.
    simulated, simulated_ci95, kernel, kernel_ci95
        Means over the valid runs and the half-widths of their 95 % intervals; NaN where there is none.
    difference, difference_ci95
        Mean and half-width of the difference of the simulated value, run by run, as a share of the kernel's mean.
    target
        The allowed difference, or None.
    verdict
        The resulting verdict.
    valid, runs
        Number of valid runs, and of all runs.
    """

    vc: str
    subject: str
    quantity: str
    unit: str
    simulated: float
    simulated_ci95: float
    kernel: float
    kernel_ci95: float
    difference: float
    difference_ci95: float
    target: Target | None
    verdict: Verdict
    valid: int
    runs: int

    @property
    def excess(self) -> float:
        """The difference in units of what the target allows; NaN without a target."""
        return math.nan if self.target is None else self.target.excess(1 + self.difference)


def judge(
    name: tuple[str, str, str, str], pairs: Sequence[Pair], target: Target | None, *, resolution: float = 0.0
) -> Row:
    """Compare a quantity over repeats.

    Parameters
    ----------
    name
        VC, subject, quantity and unit.
    pairs
        One for each repeat; both sides of a repeat have the same seed.
    target
        How far the simulated value may be from the kernel's.
    resolution
        A difference of the means below this, in the unit of the quantity, is below what the two sides can resolve.
    """
    valid = [pair for pair in pairs if pair.is_valid]
    simulated, simulated_ci95 = mean_and_half_width([pair.simulated for pair in valid])
    kernel, kernel_ci95 = mean_and_half_width([pair.kernel for pair in valid])
    apart, apart_ci95 = mean_and_half_width([pair.simulated - pair.kernel for pair in valid])
    known = sum(not math.isnan(pair.simulated - pair.kernel) for pair in valid)
    verdict = Verdict.NO_TARGET
    if target is not None:
        verdict = _verdict(kernel, apart, apart_ci95, target, resolution, known)
    return Row(
        *name,
        simulated,
        simulated_ci95,
        kernel,
        kernel_ci95,
        _share(apart, kernel),
        _share(apart_ci95, abs(kernel)),
        target,
        verdict,
        known,
        len(pairs),
    )


def _share(part: float, whole: float) -> float:
    """Divide; zero divided by zero is zero."""
    if whole != 0:
        return part / whole
    return part if part == 0 or math.isnan(part) else math.copysign(math.inf, part)


def _verdict(kernel: float, apart: float, half_width: float, target: Target, resolution: float, known: int) -> Verdict:
    if known < FEWEST_RUNS or math.isnan(half_width):
        return Verdict.NOT_SHOWN
    # In the unit of the quantity, so that a kernel's mean of zero needs no special case.
    least = min((target.least - 1) * kernel, -resolution)
    most = max((target.most - 1) * kernel, resolution)
    if least <= apart - half_width and apart + half_width <= most:
        return Verdict.AGREES
    if apart - half_width > most or apart + half_width < least:
        return Verdict.DIFFERS
    return Verdict.NOT_SHOWN


def worst_first(rows: Iterable[Row]) -> list[Row]:
    """Sort by the difference in units of the target; rows without target or value come last."""

    def key(row: Row) -> tuple[bool, float]:
        return math.isnan(row.excess), -row.excess if not math.isnan(row.excess) else 0.0

    return sorted(rows, key=key)
