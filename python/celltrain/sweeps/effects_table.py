"""Effects as rows, for the terminal and for files, and the sign table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from celltrain.sweeps.confounding import Word
from celltrain.sweeps.effects import Effects, Estimate, Term, Variation
from celltrain.sweeps.responses import Numbers

Row = dict[str, Any]

#: Maximum number of aliases after the name of a term.
_SHOWN_ALIASES = 3

_NO_ESTIMATE = Estimate((), math.nan, math.nan)


def rows(effects: Effects) -> list[Row]:
    """Return the mean, each term, and the rest of the variation.

    Returns
    -------
    list of dict
        ``metric``; ``term``, ``aliases``, ``keys`` (of its factors); ``levels`` of an estimate, empty for two-level
        designs; ``effect`` and ``effect_ci95`` in the ``unit``; ``sum_of_squares``, ``dof``, ``variation`` (part of the
        total) and ``p`` of a term as a whole. The multiplicative model has ``factor`` besides: 10 to the effect.
    """
    found = [_row(effects, "mean", estimate=effects.mean)]
    for term in effects.terms:
        found += _of_term(effects, term)
    found += [_row(effects, name, variation=part) for name, part in effects.rest]
    return [*found, _row(effects, "total", variation=effects.total)]


def _of_term(effects: Effects, term: Term) -> Iterator[Row]:
    if effects.responses.two_level:
        yield _row(effects, term.name, term, term.estimates[0], term.variation)
        return
    yield _row(effects, term.name, term, variation=term.variation)
    for estimate in term.estimates:
        yield _row(effects, term.name, term, estimate)


def _row(
    effects: Effects,
    name: str,
    term: Term | None = None,
    estimate: Estimate = _NO_ESTIMATE,
    variation: Variation | None = None,
) -> Row:
    unit = effects.responses.unit
    row: Row = {
        "metric": effects.responses.metric,
        "term": name,
        "aliases": " ".join(term.aliases) if term else "",
        "keys": " ".join(factor.key for factor in term.factors) if term else "",
        "levels": ", ".join(estimate.levels),
        "unit": f"log10({unit})" if effects.multiplicative else unit,
        "effect": estimate.value,
        "effect_ci95": estimate.half_width,
    }
    if effects.multiplicative:
        row["factor"] = 10**estimate.value
    return row | {
        "sum_of_squares": variation.sum_of_squares if variation else math.nan,
        "dof": variation.dof if variation else None,
        "variation": variation.part if variation else math.nan,
        "p": variation.p if variation else math.nan,
    }


def with_aliases(name: str, aliases: Sequence[str]) -> str:
    """Write a term with the first of the effects that are confounded with it.

    >>> with_aliases("AB", ["CD"]), with_aliases("A", ["BD", "CE", "FG", "BCG"])
    ('AB = CD', 'A = BD = CE = FG = ...')
    """
    more = ["..."] if len(aliases) > _SHOWN_ALIASES else []
    return " = ".join([name, *aliases[:_SHOWN_ALIASES], *more])


def signs(effects: Effects) -> tuple[list[str], list[list[float]]]:
    """Return the sign table of a two-level design.

    Returns
    -------
    list of str
        The columns: ``point``, ``I``, each term, and ``mean``, the mean response of the point.
    list of list of float
        A row for each point. The sum of a column's signs times means, divided by the number of points, is its effect.
    """
    read = effects.responses
    columns = [_signs_of(effects, term).ravel() for term in effects.terms]
    means = read.values.mean(axis=-1).ravel()
    table = np.column_stack([read.points.ravel(), np.ones(read.points.size), *columns, means])
    return ["point", "I", *(term.name for term in effects.terms), "mean"], table.tolist()


def _signs_of(effects: Effects, term: Term) -> Numbers:
    """Return the product of the signs of a term's factors at each point."""
    read = effects.responses
    word = Word(frozenset(read.factors.index(factor) for factor in term.factors))
    crossed = list(range(len(read.factors)))
    if read.confounding:
        word, crossed = read.confounding.on_crossed(word), read.confounding.crossed
    # An axis of the points is a crossed factor, with the low level first.
    places = 2.0 * np.indices(read.points.shape) - 1.0
    product: Numbers = word.sign * np.prod([places[crossed.index(factor)] for factor in word.letters], axis=0)
    return product
