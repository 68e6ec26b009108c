"""Means over replications with their intervals, and comparison of sweeps."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from celltrain.statistics import LEVEL, mean_and_half_width
from celltrain.sweeps.alignment import Label, aligned
from celltrain.sweeps.contents import SweepFolder
from celltrain.sweeps.errors import MismatchError
from celltrain.sweeps.metric import Metric

Row = dict[str, Any]


def summary(results: SweepFolder, metrics: Sequence[Metric], by: Sequence[str] | None = None) -> list[Row]:
    """Return means of metrics, and half-widths of their 95 % intervals, for each combination of some keys.

    If a row combines several points, only the seeds are independent, as all points share them: the points are
    averaged for each seed that all of them have finished, and the interval is that of these averages.

    Parameters
    ----------
    results
        The sweep.
    metrics
        The metrics to summarise.
    by
        Keys to distinguish; default: all, so that each point has a row.

    Returns
    -------
    list of dict
        The keys, ``points`` (points in the row), ``runs`` (finished runs that count), ``failed`` (runs without a
        result, such as those stopped at a limit; no mean has them), and for each metric its mean and, with ``_ci95``
        appended, the half-width, in the order of the design.

    Raises
    ------
    MetricError
        The tables lack a metric.
    MismatchError
        ``by`` names a key that does not vary.
    """
    groups = _groups(results, by)
    columns = [(metric.text, results.values(metric)) for metric in metrics]
    runs = results.index.select(["point", "status"]).to_pylist()
    failed = Counter(run["point"] for run in runs if run["status"] == "failed")
    rows = []
    for label, points in groups:
        row: Row = dict(label)
        row["points"] = len(points)
        row["runs"], row["failed"] = 0, sum(failed[point] for point in points)
        for name, values in columns:
            row["runs"], averages = _by_seed(values, points)
            row[name], row[f"{name}_ci95"] = mean_and_half_width(averages)
        rows.append(row)
    return rows


def _groups(results: SweepFolder, by: Sequence[str] | None) -> list[tuple[Row, list[int]]]:
    keys = results.keys if by is None else list(by)
    for key in keys:
        if key not in results.keys:
            known = ", ".join(results.keys) or "nothing"
            raise MismatchError(f"{key!r} does not vary in {results.folder}; what varies is {known}")
    groups: dict[tuple[Any, ...], list[int]] = {}
    for row in results.points.select(["point", *keys]).to_pylist():
        # Without a choice of keys, equal points are separate points.
        label = (*(row[key] for key in keys), *([row["point"]] if by is None else []))
        groups.setdefault(label, []).append(row["point"])
    return [(dict(zip(keys, label, strict=False)), points) for label, points in groups.items()]


def _by_seed(values: Mapping[tuple[int, int], float], points: Sequence[int]) -> tuple[int, list[float]]:
    """Average points for each seed that all of them have; return the number of runs that count, and the averages.

    A point without a finished run, such as one that cannot be run, does not count.
    """
    wanted = set(points) & {point for point, _ in values}
    by_seed: dict[int, list[float]] = {}
    for (point, seed), value in values.items():
        if point in wanted:
            by_seed.setdefault(seed, []).append(value)
    whole = [by_seed[seed] for seed in sorted(by_seed) if len(by_seed[seed]) == len(wanted)]
    return sum(map(len, whole)), [float(np.mean(each)) for each in whole]


@dataclass(frozen=True)
class Comparison:
    """A metric at one point of two sweeps.

    Attributes
    ----------
    values : dict
        The point: value by swept key.
    first, second : float
        Means of the two sweeps.
    difference, difference_ci95 : float
        ``second`` minus ``first``, and the half-width of its 95 % interval.
    test : {"paired", "welch", "none"}
        A paired t-test of common seeds, if there are at least two; otherwise Welch's t-test.
    runs : int
        Number of pairs, or of runs of both sweeps.
    p : float
        Probability of at least such a difference by chance; NaN if there are too few runs.
    p_adjusted : float
        ``p`` adjusted for the number of points (Benjamini and Hochberg's false discovery rate).
    """

    values: Row
    first: float
    second: float
    difference: float
    difference_ci95: float
    test: str
    runs: int
    p: float
    p_adjusted: float = math.nan

    def significant(self, level: float = 0.05) -> bool:
        """Return whether the difference is significant, given the number of points."""
        return self.p_adjusted <= level

    def to_json(self) -> Row:
        """Return it as plain data."""
        own = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "values"}
        return {**self.values, **own, "significant": self.significant()}


def compare(first: SweepFolder, second: SweepFolder, metric: Metric) -> tuple[list[Comparison], list[Row]]:
    """Compare two sweeps point by point.

    Points belong together if all keys that vary in one of the sweeps are equal. Keys that are constant in each may
    differ: :func:`celltrain.sweeps.alignment.aligned` lists them.

    Returns
    -------
    list of Comparison
        Comparisons of the points that both have, in the order of the first sweep.
    list of dict
        Points that only one has.

    Raises
    ------
    MismatchError
        The two sweeps have no point in common.
    MetricError
        One of them lacks the metric.
    """
    from scipy import stats  # takes a second to import

    labels = aligned(first, second).labels
    ours, theirs = _by_point(first, metric, labels[0]), _by_point(second, metric, labels[1])
    both = [label for label in ours if label in theirs]
    found = [_compared(dict(label), ours[label], theirs[label]) for label in both]
    alone = [dict(label) for label in (*ours, *theirs) if (label in ours) != (label in theirs)]
    known = [each.p for each in found if not math.isnan(each.p)]
    adjusted = iter(stats.false_discovery_control(known).tolist() if known else ())
    found = [each if math.isnan(each.p) else replace(each, p_adjusted=next(adjusted)) for each in found]
    return found, alone


def _by_point(results: SweepFolder, metric: Metric, labels: Mapping[int, Label]) -> dict[Label, dict[int, float]]:
    """Return the value of each seed, without missing ones, by the values of the keys."""
    by_point: dict[Label, dict[int, float]] = {label: {} for label in labels.values()}
    for (point, seed), value in results.values(metric).items():
        if not math.isnan(value):
            by_point[labels[point]][seed] = value
    return by_point


def _compared(values: Row, ours: Mapping[int, float], theirs: Mapping[int, float]) -> Comparison:
    from scipy import stats

    seeds = sorted(set(ours) & set(theirs))
    if len(seeds) >= 2:
        one, other = [ours[seed] for seed in seeds], [theirs[seed] for seed in seeds]
        return _tested(values, "paired", stats.ttest_rel, one, other, len(seeds))
    one, other = list(ours.values()), list(theirs.values())
    if min(len(one), len(other)) >= 2:
        welch = partial(stats.ttest_ind, equal_var=False)
        return _tested(values, "welch", welch, one, other, len(one) + len(other))
    means = [float(np.mean(each)) if each else math.nan for each in (one, other)]
    runs = len(one) + len(other)
    return Comparison(values, means[0], means[1], means[1] - means[0], math.nan, "none", runs, math.nan)


def _tested(
    values: Row, name: str, test: Callable[..., Any], one: Sequence[float], other: Sequence[float], runs: int
) -> Comparison:
    means = float(np.mean(one)), float(np.mean(other))
    if len(set(one)) == len(set(other)) == 1 or (name == "paired" and len(set(np.subtract(other, one))) == 1):
        # Without variation the difference is exact, and a t-test would divide by zero.
        difference, half_width = means[1] - means[0], 0.0
        p = 1.0 if difference == 0 else 0.0
    else:
        outcome = test(other, one)
        interval = outcome.confidence_interval(LEVEL)
        difference, half_width = means[1] - means[0], float(interval.high - interval.low) / 2
        p = float(outcome.pvalue)
    return Comparison(values, means[0], means[1], difference, half_width, name, runs, p)
