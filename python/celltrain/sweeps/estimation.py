"""Estimates of the effects of a factorial design, and their errors.

The same seeds are used at all points, so that runs with one seed are not independent. The seed is therefore one more
factor, with random levels: a component (the mean, an effect, an interaction) is computed for each seed, and its errors
are the deviations of these values, as in the paired t-test. This assumes nothing about the correlation of points.

If all runs are independent (Jain's 2^k r design), the errors of all components have one variance, and are pooled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from celltrain.statistics import LEVEL

Numbers = npt.NDArray[np.float64]

#: Deviations below this part of the largest response come from rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Component:
    """The mean, a term, or several terms together.

    Attributes
    ----------
    by_seed : array of float
        The value at each combination of levels, for each seed (the last axis).
    dof : int
        Degrees of freedom.
    cells : int
        Number of points that have each of the values.
    smallest : float
        Smaller deviations come from rounding.
    """

    by_seed: Numbers
    dof: int
    cells: int
    smallest: float

    @cached_property
    def values(self) -> Numbers:
        """The estimates: means over the seeds."""
        return exact(self.by_seed.mean(axis=-1), self.smallest)

    @cached_property
    def errors(self) -> Numbers:
        """The deviations of each seed from the estimates."""
        return exact(self.by_seed - self.by_seed.mean(axis=-1, keepdims=True), self.smallest)

    @property
    def replications(self) -> int:
        """Number of seeds."""
        return int(self.by_seed.shape[-1])

    @property
    def sum_of_squares(self) -> float:
        """The sum of the squared estimates over all runs."""
        return self.cells * self.replications * float((self.values**2).sum())

    @property
    def error_sum(self) -> float:
        """The sum of the squared errors over all runs."""
        return self.cells * float((self.errors**2).sum())

    @property
    def error_dof(self) -> int:
        """The degrees of freedom of the errors."""
        return self.dof * (self.replications - 1)


def component(values: Numbers, axes: Sequence[int]) -> Component:
    """Compute the component of some factors: means over the other factors, with sum zero over the levels of each.

    Parameters
    ----------
    values
        Responses: an axis for each factor, and one for the seeds.
    axes
        The axes of the factors; without any, the component is the mean.
    """
    others = tuple(axis for axis in range(values.ndim - 1) if axis not in axes)
    found: Numbers = values.mean(axis=others, keepdims=True)
    for axis in axes:
        found = found - found.mean(axis=axis, keepdims=True)
    dof = math.prod(values.shape[axis] - 1 for axis in axes)
    return Component(found, dof, math.prod(values.shape[axis] for axis in others), smallest_of(values))


@dataclass(frozen=True)
class Pooled:
    """Errors of independent runs, alike for all components: their sum of squares, and degrees of freedom."""

    error_sum: float
    error_dof: int


def half_widths(own: Component, pooled: Pooled | None) -> Numbers:
    """Return the half-widths of the 95 % confidence intervals of the estimates; NaN with one replication."""
    runs = own.cells * own.values.size * own.replications
    found = np.full_like(own.values, math.nan)
    if own.replications == 1:
        return found
    if pooled:
        # The variance of an estimate is dof / runs times that of a run; for two levels 1 / (2^k r).
        dof = pooled.error_dof
        found[...] = pooled.error_sum / dof * own.dof / runs
    else:
        dof = own.replications - 1
        found[...] = (own.errors**2).mean(axis=-1) / dof
    found = np.sqrt(found) * float(special.stdtrit(dof, 0.5 + LEVEL / 2))
    return found


def p_value(own: Component, pooled: Pooled | None) -> float:
    """Return the probability of at least this sum of squares without an effect (F-test); NaN with one replication."""
    errors: Component | Pooled = pooled or own
    if own.replications == 1 or not own.dof:
        return math.nan
    if errors.error_sum == 0:
        # Without errors every difference is exact.
        return 0.0 if own.sum_of_squares else 1.0
    ratio = (own.sum_of_squares / own.dof) / (errors.error_sum / errors.error_dof)
    return float(special.fdtrc(own.dof, errors.error_dof, ratio))


def smallest_of(values: Numbers) -> float:
    """Return the size below which deviations of these responses come from rounding."""
    return _ROUNDING * float(np.abs(values).max())


def exact(deviations: Numbers, smallest: float) -> Numbers:
    """Set deviations that come from rounding to zero."""
    return np.where(np.abs(deviations) > smallest, deviations, 0.0)
