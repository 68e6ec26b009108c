"""Effects, interactions and allocation of variation of factorial designs (Jain 1991, chapters 17 to 23).

The mean of a cell (a point) is the sum of the grand mean, an effect of the level of each factor, and interactions, each
of which sums to zero over the levels of each of its factors. For two levels this is the sign table: the effect of the
high level is q_A, that of the low level -q_A.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from celltrain.sweeps.confounding import letters_of
from celltrain.sweeps.estimation import Component, Pooled, component, exact, half_widths, p_value, smallest_of
from celltrain.sweeps.metric import Metric
from celltrain.sweeps.responses import EffectsError, Factor, Numbers, Responses, responses
from celltrain.sweeps.results import SweepResults


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
        Probability of at least this sum by chance (F-test); NaN without an error estimate.
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
    multiplicative, independent : bool
        Whether the model is multiplicative, and whether all runs count as independent.
    mean : Estimate
        The grand mean.
    terms : list of Term
        Main effects, then interactions, up to the chosen order.
    higher : Variation
        Interactions of higher order together; no degree of freedom if there are none.
    seeds, error : Variation
        Differences between seeds that are alike at all points, and all others between runs of a point. The error
        includes both if runs are independent. No degree of freedom with one replication.
    total : Variation
        The whole variation (SST).
    residuals : array of float
        Response minus prediction; the axes of ``responses.values``.
    """

    responses: Responses
    multiplicative: bool
    independent: bool
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
    independent: bool = False,
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
    independent
        Whether all runs count as independent (2^k r) although the points share their seeds. Otherwise intervals come
        from the effects of each seed.

    Raises
    ------
    EffectsError
        The points are not such a design, one of them has no run with a value, or a logarithm does not exist.
    MetricError
        The tables lack the metric.
    """
    read = responses(results, metric if isinstance(metric, Metric) else Metric.parse(metric))
    return analyse(read, order, multiplicative=multiplicative, independent=independent)


def analyse(read: Responses, order: int = 2, *, multiplicative: bool = False, independent: bool = False) -> Effects:
    """Compute the effects from responses; the parameters are those of :func:`effects`."""
    if order < 1:
        raise EffectsError(f"interactions up to order {order}: expected 1 (main effects) or more")
    if multiplicative:
        read = _logarithm(read)
    values = read.values
    mean, smallest = component(values, ()), smallest_of(values)
    cells = exact(values - values.mean(axis=-1, keepdims=True), smallest)
    between = exact(values.mean(axis=-1) - values.mean(), smallest)
    total = float((cells**2).sum()) + len(read.seeds) * float((between**2).sum())
    pooled = Pooled(float((cells**2).sum()), read.points.size * (len(read.seeds) - 1)) if independent else None
    residuals = cells if independent else exact(cells - mean.errors, smallest)
    terms, rest = [], values - mean.by_seed
    for named in _named(read, order):
        own = component(values, named.axes)
        terms.append(_term(read, named, own, total, pooled))
        rest = rest - own.by_seed
    rest_dof = read.points.size - 1 - sum(term.variation.dof for term in terms)
    error_dof = (read.points.size - (0 if independent else 1)) * (len(read.seeds) - 1)
    return Effects(
        read,
        multiplicative,
        independent,
        Estimate((), float(mean.values.item()), float(half_widths(mean, pooled).item())),
        terms,
        _tested(Component(rest, rest_dof, 1, smallest), total, pooled),
        _part(0.0, 0, total) if independent else _part(mean.error_sum, mean.error_dof, total),
        _part(float((residuals**2).sum()), error_dof, total),
        _part(total, values.size - 1, total),
        residuals,
    )


def _part(sum_of_squares: float, dof: int, total: float) -> Variation:
    return Variation(sum_of_squares, dof, sum_of_squares / total if total else math.nan)


def _tested(own: Component, total: float, pooled: Pooled | None) -> Variation:
    return replace(_part(own.sum_of_squares, own.dof, total), p=p_value(own, pooled))


def _logarithm(read: Responses) -> Responses:
    if not (read.values > 0).all():
        *cell, seed = np.argwhere(read.values <= 0)[0].tolist()
        raise EffectsError(
            f"{read.metric} is {read.values[(*cell, seed)]:g} at point {read.points[tuple(cell)]} with seed "
            f"{read.seeds[seed]}: a multiplicative model needs values above 0; use the additive one"
        )
    return replace(read, values=np.log10(read.values))


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


def _term(read: Responses, named: _Named, own: Component, total: float, pooled: Pooled | None) -> Term:
    factors = tuple(read.factors[number] for number in named.factors)
    halves = half_widths(own, pooled)
    if read.two_level:
        estimates = [Estimate((), named.sign * float(own.values.flat[-1]), float(halves.flat[-1]))]
    else:
        levels = product(*(factor.levels for factor in factors))
        each = zip(levels, own.values.flat, halves.flat, strict=True)
        estimates = [Estimate(at, float(value), float(half)) for at, value, half in each]
    return Term(letters_of(named.factors), named.aliases, factors, tuple(estimates), _tested(own, total, pooled))
