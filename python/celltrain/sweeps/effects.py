"""Effects, interactions and allocation of variation of factorial designs (Jain 1991, chapters 17 to 23).

The mean of a cell (a point) is the sum of the grand mean, an effect of the level of each factor, and interactions, each
of which sums to zero over the levels of each of its factors. For two levels this is the sign table: the effect of the
high level is q_A, that of the low level -q_A.

All points of a sweep have the same seeds. Runs with one seed at different points are therefore not independent, and
each seed is a block: an additive term of its own, which is not part of the error. Without blocks this is Jain's 2^k r
design.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
from scipy import special

from celltrain.statistics import LEVEL, mean_and_half_width
from celltrain.sweeps.confounding import letters_of
from celltrain.sweeps.metric import Metric
from celltrain.sweeps.responses import EffectsError, Factor, Numbers, Responses, responses
from celltrain.sweeps.results import SweepResults

#: Deviations below this part of the largest response come from rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Estimate:
    """An effect at some levels, and the half-width of its 95 % confidence interval; NaN without an interval."""

    levels: tuple[str, ...]
    value: float
    half_width: float


@dataclass(frozen=True)
class Variation:
    """A part of the variation, the sum of squared deviations from the grand mean.

    Attributes
    ----------
    sum_of_squares, dof
        The sum, and its degrees of freedom.
    part : float
        Its part of the whole; NaN if all responses are equal.
    p : float
        Probability of at least this sum by chance (F-test against the error); NaN without an error estimate.
    """

    sum_of_squares: float
    dof: int
    part: float
    p: float = math.nan


@dataclass(frozen=True)
class Term:
    """A main effect or an interaction.

    Attributes
    ----------
    name : str
        Its letters.
    aliases : tuple of str
        The effects that a fractional design confounds with it.
    factors : tuple of Factor
        Its factors.
    estimates : tuple of Estimate
        If all factors of the design have two levels, q, the effect of the high levels. Otherwise one for each
        combination of its levels.
    variation : Variation
        Its part of the variation.
    """

    name: str
    aliases: tuple[str, ...]
    factors: tuple[Factor, ...]
    estimates: tuple[Estimate, ...]
    variation: Variation


@dataclass(frozen=True)
class Effects:
    """The effects of the factors of a sweep on a metric.

    Attributes
    ----------
    responses : Responses
        The design and the runs that count. In the multiplicative model, values are the logarithms (base 10).
    multiplicative, blocks : bool
        Whether the model is multiplicative, and whether seeds are blocks.
    mean : Estimate
        The grand mean.
    terms : list of Term
        Main effects, then interactions, up to the chosen order.
    higher : Variation
        Interactions of higher order together; no degree of freedom if there are none.
    seeds, error : Variation
        Blocks, and what neither effects nor blocks explain; no degree of freedom with one replication.
    total : Variation
        The whole variation (SST).
    residuals : array of float
        Response minus prediction; the axes of ``responses.values``.
    """

    responses: Responses
    multiplicative: bool
    blocks: bool
    mean: Estimate
    terms: list[Term]
    higher: Variation
    seeds: Variation
    error: Variation
    total: Variation
    residuals: Numbers

    @property
    def replications(self) -> int:
        """Number of runs of each point that count."""
        return len(self.responses.seeds)

    @property
    def predicted(self) -> Numbers:
        """The prediction for each run."""
        return self.responses.values - self.residuals

    @property
    def rest(self) -> list[tuple[str, Variation]]:
        """The parts of the variation besides the terms, by name, if they exist; with the terms they are the total."""
        found = (("higher interactions", self.higher), ("seeds", self.seeds), ("error", self.error))
        return [(name, part) for name, part in found if part.dof]


def effects(
    results: SweepResults,
    metric: str | Metric,
    order: int = 2,
    *,
    multiplicative: bool = False,
    blocks: bool = True,
) -> Effects:
    """Compute effects, interactions and allocation of variation of a sweep over a full or fractional factorial design.

    Parameters
    ----------
    results
        The sweep.
    metric
        The response; see *Metrics of a run* in the reference.
    order
        Maximum number of factors of an interaction; those of higher order are taken together.
    multiplicative
        Whether effects multiply: the model is additive in the logarithm (base 10) of the metric.
    blocks
        Whether each seed, which all points share, is a block. Otherwise all runs count as independent (2^k r).

    Raises
    ------
    EffectsError
        The points are not such a design, one of them has no run with a value, or a logarithm does not exist.
    MetricError
        The tables lack the metric.
    """
    read = responses(results, metric if isinstance(metric, Metric) else Metric.parse(metric))
    return analyse(read, order, multiplicative=multiplicative, blocks=blocks)


def analyse(read: Responses, order: int = 2, *, multiplicative: bool = False, blocks: bool = True) -> Effects:
    """Compute the effects from responses; the parameters are those of :func:`effects`."""
    if order < 1:
        raise EffectsError(f"interactions up to order {order}: expected 1 (main effects) or more")
    if multiplicative:
        read = _logarithm(read)
    sums = _Sums.of(read.values, blocks=blocks)
    terms, rest = [], sums.cells - sums.cells.mean()
    for named in _named(read, order):
        deviations = _deviations(sums.cells, named.axes)
        terms.append(_term(read, sums, named, _exact(deviations, sums.smallest)))
        rest = rest - deviations
    higher = sums.replications * float((_exact(rest, sums.smallest) ** 2).sum())
    return Effects(
        read,
        multiplicative,
        blocks,
        Estimate((), float(sums.cells.mean()), sums.mean_half_width),
        terms,
        sums.tested(higher, sums.cells.size - 1 - sum(term.variation.dof for term in terms)),
        sums.part(sums.seeds, sums.seeds_dof),
        sums.part(sums.error, sums.error_dof),
        sums.part(sums.between + sums.seeds + sums.error, read.values.size - 1),
        sums.residuals,
    )


def _logarithm(read: Responses) -> Responses:
    if not (read.values > 0).all():
        *cell, seed = np.argwhere(read.values <= 0)[0].tolist()
        raise EffectsError(
            f"{read.metric} is {read.values[(*cell, seed)]:g} at point {read.points[tuple(cell)]} with seed "
            f"{read.seeds[seed]}: a multiplicative model needs values above 0; use the additive one"
        )
    return replace(read, values=np.log10(read.values))


@dataclass(frozen=True)
class _Sums:
    """Means of the cells, and sums of squares of the parts that terms do not explain."""

    cells: Numbers
    replications: int
    between: float
    seeds: float
    seeds_dof: int
    error: float
    error_dof: int
    residuals: Numbers
    mean_half_width: float
    smallest: float

    @classmethod
    def of(cls, values: Numbers, *, blocks: bool) -> _Sums:
        smallest = _ROUNDING * float(np.abs(values).max())
        cells, replications = values.mean(axis=-1), values.shape[-1]
        of_seed = values.reshape(-1, replications).mean(axis=0)
        shifts = _exact(of_seed - of_seed.mean(), smallest) if blocks else np.zeros(replications)
        residuals = _exact(values - cells[..., np.newaxis] - shifts, smallest)
        dof = (cells.size - 1 if blocks else cells.size) * (replications - 1)
        error = float((residuals**2).sum())
        if blocks:
            _, mean_half_width = mean_and_half_width(of_seed.tolist())
        else:
            mean_half_width = _half_width(error, dof, 1 / values.size)
        return cls(
            cells,
            replications,
            replications * float((_exact(cells - cells.mean(), smallest) ** 2).sum()),
            cells.size * float((shifts**2).sum()),
            replications - 1 if blocks else 0,
            error,
            dof,
            residuals,
            mean_half_width,
            smallest,
        )

    def part(self, sum_of_squares: float, dof: int) -> Variation:
        total = self.between + self.seeds + self.error
        return Variation(sum_of_squares, dof, sum_of_squares / total if total else math.nan)

    def tested(self, sum_of_squares: float, dof: int) -> Variation:
        """Return a part with its F-test."""
        plain = self.part(sum_of_squares, dof)
        if not dof or not self.error_dof:
            return plain
        if self.error == 0:
            # Without errors every difference is exact.
            p = 0.0 if sum_of_squares else 1.0
        else:
            ratio = sum_of_squares / dof / (self.error / self.error_dof)
            p = float(special.fdtrc(dof, self.error_dof, ratio))
        return Variation(sum_of_squares, dof, plain.part, p)

    def half_width(self, dof: int) -> float:
        """Return that of each estimate of a term: its variance is dof / (number of runs) times that of the errors."""
        return _half_width(self.error, self.error_dof, dof / (self.cells.size * self.replications))


def _half_width(error: float, dof: int, weight: float) -> float:
    if not dof:
        return math.nan
    return float(special.stdtrit(dof, 0.5 + LEVEL / 2)) * math.sqrt(error / dof * weight)


def _exact(deviations: Numbers, smallest: float) -> Numbers:
    """Set deviations that come from rounding to zero."""
    return np.where(np.abs(deviations) > smallest, deviations, 0.0)


@dataclass(frozen=True)
class _Named:
    """A term: its axes among the cells, its factors, the sign of its effect, its aliases."""

    axes: tuple[int, ...]
    factors: tuple[int, ...]
    sign: int = 1
    aliases: tuple[str, ...] = ()


def _named(read: Responses, order: int) -> Iterator[_Named]:
    """Yield each term up to an order.

    A fractional design is a full one in its crossed factors. What it finds for their interaction ABC = s D is s times
    the effect of D.
    """
    confounding = read.confounding
    if confounding is None:
        for size in range(1, min(order, len(read.factors)) + 1):
            yield from (_Named(axes, axes) for axes in combinations(range(len(read.factors)), size))
        return
    axis_of = {factor: axis for axis, factor in enumerate(confounding.crossed)}
    for first, *others in confounding.classes(order):
        found = confounding.on_crossed(first)
        axes = tuple(sorted(axis_of[factor] for factor in found.letters))
        yield _Named(axes, tuple(sorted(first.letters)), found.sign, tuple(map(str, others)))


def _term(read: Responses, sums: _Sums, named: _Named, deviations: Numbers) -> Term:
    factors = tuple(read.factors[number] for number in named.factors)
    dof = math.prod(sums.cells.shape[axis] - 1 for axis in named.axes)
    repeated = sums.replications * sums.cells.size // deviations.size
    half = sums.half_width(dof)
    if read.two_level:
        estimates = [Estimate((), named.sign * float(deviations.flat[-1]), half)]
    else:
        levels = product(*(factor.levels for factor in factors))
        estimates = [Estimate(each, float(value), half) for each, value in zip(levels, deviations.flat, strict=True)]
    variation = sums.tested(repeated * float((deviations**2).sum()), dof)
    return Term(letters_of(named.factors), named.aliases, factors, tuple(estimates), variation)


def _deviations(cells: Numbers, axes: Sequence[int]) -> Numbers:
    """Return the effect of some factors at each combination of their levels; other axes have length 1."""
    others = tuple(axis for axis in range(cells.ndim) if axis not in axes)
    found: npt.NDArray[np.float64] = cells.mean(axis=others, keepdims=True)
    for axis in axes:
        found = found - found.mean(axis=axis, keepdims=True)
    return found
