"""A metric at the points of a factorial design: its factors, and the runs that all points have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from celltrain.refused import Refused
from celltrain.sweeps.confounding import LETTERS, Confounding
from celltrain.sweeps.metric import Metric
from celltrain.sweeps.points import as_text
from celltrain.sweeps.results import SweepResults

Numbers = npt.NDArray[np.float64]

#: Maximum number of reasons in a message.
_SHOWN = 3


class EffectsError(Refused):
    """Results from which effects cannot be computed; the message says why, and what to do."""


@dataclass(frozen=True)
class Factor:
    """A key that varies.

    Attributes
    ----------
    letter, key : str
        Its name in effects such as AB, and the key.
    levels : tuple of str
        Its values; of two, the first is low (-1) and the second high (+1).
    """

    letter: str
    key: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Responses:
    """A metric for each point and seed of a factorial design.

    Attributes
    ----------
    metric, unit : str
        The metric, and its unit.
    factors : tuple of Factor
        The keys with more than one value.
    confounding : Confounding or None
        What a fractional design confounds.
    points : array of int
        Numbers of the points: an axis for each factor, or for each crossed factor of a fractional design.
    seeds : tuple of int
        The seeds that all points have.
    values : array of float
        The metric: the axes of ``points``, then one for the seeds.
    left_out : tuple of str
        Runs that do not count, with the reason.
    """

    metric: str
    unit: str
    factors: tuple[Factor, ...]
    confounding: Confounding | None
    points: npt.NDArray[np.int64]
    seeds: tuple[int, ...]
    values: Numbers
    left_out: tuple[str, ...] = ()

    @property
    def two_level(self) -> bool:
        """Whether all factors have two levels, so that each effect is one number."""
        return all(len(factor.levels) == 2 for factor in self.factors)


def responses(results: SweepResults, metric: Metric) -> Responses:
    """Read a metric of a sweep over a full or fractional factorial design.

    Runs count for the seeds that all points have finished; other runs are named in ``left_out``.

    Raises
    ------
    EffectsError
        The points are not such a design, or one of them has no run with a value.
    MetricError
        The tables lack the metric.
    """
    factors, confounding, points = _design(results)
    values = {run: value for run, value in results.values(metric).items() if math.isfinite(value)}
    seeds_of: dict[int, set[int]] = {int(point): set() for point in points.flat}
    for at, finished in values:
        seeds_of[at].add(finished)
    why = _Reasons(results)
    for point, found in seeds_of.items():
        if not found:
            raise EffectsError(
                f"{metric.text} of point {point} ({why.setting(point)}): {why.none(point)}; effects need all "
                "points: correct the cause and sweep again with --retry-failed, or sweep without that value"
            )
    common = set.intersection(*seeds_of.values())
    if not common:
        raise EffectsError(f"{metric.text}: no seed has a value at all points; sweep again with --retry-failed")
    seeds = tuple(sorted(common))
    array = np.array([[values[int(point), seed] for seed in seeds] for point in points.flat])
    shaped = array.reshape((*points.shape, len(seeds)))
    left_out = why.left_out(seeds_of, common)
    return Responses(metric.text, results.unit(metric), factors, confounding, points, seeds, shaped, left_out)


def _design(results: SweepResults) -> tuple[tuple[Factor, ...], Confounding | None, npt.NDArray[np.int64]]:
    plan = results.plan["design"]
    rows = results.points.select(results.keys).to_pylist() if results.keys else []
    if plan.get("kind") == "fractional":
        confounding = Confounding.parse(list(plan["grid"]), plan["generators"])
        return _fraction(list(plan["grid"]), confounding, rows)
    columns = {key: list(dict.fromkeys(_text(row[key]) for row in rows)) for key in results.keys}
    varying = {key: levels for key, levels in columns.items() if len(levels) > 1}
    if not varying:
        raise EffectsError(f"{results.folder}: nothing varies; effects need a sweep with --set KEY=V1,V2")
    if len(varying) > len(LETTERS):
        raise EffectsError(f"{results.folder}: {len(varying)} keys vary; expected at most {len(LETTERS)}")
    factors = tuple(
        Factor(letter, key, tuple(levels)) for letter, (key, levels) in zip(LETTERS, varying.items(), strict=False)
    )
    shape = tuple(len(factor.levels) for factor in factors)
    if len(rows) != math.prod(shape):
        raise _not_factorial(results, factors, len(rows))
    points = np.full(shape, -1, dtype=np.int64)
    for number, row in enumerate(rows):
        points[tuple(factor.levels.index(_text(row[factor.key])) for factor in factors)] = number
    if (points < 0).any():
        raise _not_factorial(results, factors, len(rows))
    return factors, None, points


def _fraction(
    keys: Sequence[str], confounding: Confounding, rows: Sequence[Mapping[str, Any]]
) -> tuple[tuple[Factor, ...], Confounding, npt.NDArray[np.int64]]:
    """Find which value of each key is low: the points are in the order of the signs of the crossed factors."""
    points = np.arange(len(rows), dtype=np.int64).reshape((2,) * len(confounding.crossed))
    levels: list[dict[int, str]] = [{} for _ in keys]
    for place, point in np.ndenumerate(points):
        for own, key, sign in zip(levels, keys, confounding.signs([2 * each - 1 for each in place]), strict=True):
            own[sign] = _text(rows[int(point)][key])
    factors = tuple(
        Factor(letter, key, (own[-1], own[1])) for letter, key, own in zip(LETTERS, keys, levels, strict=False)
    )
    return factors, confounding, points


def _not_factorial(results: SweepResults, factors: Sequence[Factor], found: int) -> EffectsError:
    sizes = " x ".join(str(len(factor.levels)) for factor in factors)
    return EffectsError(
        f"{results.folder}: the {found} points are not a full factorial design: expected each combination of the "
        f"{sizes} values of {', '.join(factor.key for factor in factors)} once; sweep with --set KEY=V1,V2 for each key"
    )


def _text(value: object) -> str:
    # Fifteen digits distinguish all numbers that users write, and 2.0 is written as 2.
    return "-" if value is None else f"{value:.15g}" if isinstance(value, float) else as_text(value)


class _Reasons:
    """Why runs have no value, in words."""

    def __init__(self, results: SweepResults) -> None:
        self._results = results
        index = results.index.select(["point", "seed", "status", "error"]).to_pylist()
        self._status = {(row["point"], row["seed"]): (row["status"], row["error"]) for row in index}

    def setting(self, point: int) -> str:
        """Return the values of a point."""
        return ", ".join(f"{key} = {_text(self._results.points[key][point].as_py())}" for key in self._results.keys)

    def of(self, point: int, seed: int) -> str:
        """Return why a run has no value."""
        status, error = self._status.get((point, seed), ("not run", None))
        return f"failed: {error}" if status == "failed" else "no value" if status == "done" else status

    def none(self, point: int) -> str:
        """Return why a point has no value at all."""
        reasons = dict.fromkeys(self.of(*run) for run in self._status if run[0] == point)
        return "; ".join(list(reasons)[:_SHOWN]) or "not run"

    def left_out(self, seeds_of: Mapping[int, set[int]], common: set[int]) -> tuple[str, ...]:
        """Name each seed that only some of the points have, and a point that lacks it."""
        notes = []
        for seed in sorted(set.union(*seeds_of.values()) - common):
            lacking = [point for point, seeds in seeds_of.items() if seed not in seeds]
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            notes.append(f"seed {seed}: point {lacking[0]}{more}: {self.of(lacking[0], seed)}")
        return tuple(notes)
