"""Means over independent replications and their 95 % confidence intervals, and fairness."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

#: Confidence level of every interval.
LEVEL = 0.95


def mean_and_half_width(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of independent values and the half-width of its 95 % confidence interval (Student's t).

    Missing values (NaN) are left out; the half-width of fewer than two values is NaN.

    >>> mean, half_width = mean_and_half_width([1.0, 2.0, 3.0])
    >>> mean, round(half_width, 4)
    (2.0, 2.4841)
    """
    known = np.array([value for value in values if not math.isnan(value)])
    if known.size == 0:
        return math.nan, math.nan
    mean = float(known.mean())
    if known.size == 1:
        return mean, math.nan
    from scipy import special  # Some means are of one run, and need neither interval nor scipy.

    quantile = float(special.stdtrit(known.size - 1, 0.5 + LEVEL / 2))
    return mean, quantile * float(known.std(ddof=1)) / math.sqrt(known.size)


def jain_index(values: npt.NDArray[np.float64]) -> float:
    """Return the fairness index of Jain, Chiu and Hawe (1984), ``sum(x)**2 / (n * sum(x**2))``; NaN if all are zero.

    >>> jain_index(np.array([8.0, 0.0]))
    0.5
    """
    squares = len(values) * float((values**2).sum())
    return float(values.sum()) ** 2 / squares if squares else math.nan


def is_precise(values: Sequence[float], precision: float) -> bool:
    """Return whether the half-width of the interval is at most ``precision`` times the mean.

    >>> is_precise([1.0, 1.0, 1.0], 0.03), is_precise([1.0, 2.0, 3.0], 0.03)
    (True, False)

    An infinite ``precision`` requires nothing, not even an interval.

    >>> is_precise([1.0], 0.03), is_precise([1.0], float("inf"))
    (False, True)
    """
    if precision == math.inf:
        return True
    mean, half_width = mean_and_half_width(values)
    return half_width <= precision * abs(mean)
