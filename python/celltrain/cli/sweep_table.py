"""The tables of a sweep: means with intervals, and the comparison of two sweeps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from celltrain.cli.sheet import Column, Sheet
from celltrain.sweeps.headings import headings_of, short_keys

if TYPE_CHECKING:
    from celltrain.sweeps import Metric, SweepResults
    from celltrain.sweeps.summary import Comparison


def of_means(rows: Sequence[Mapping[str, Any]], results: SweepResults, metrics: Sequence[Metric]) -> Sheet:
    """Make a sheet with a row for each combination of keys."""
    keys = [key for key in results.keys if key in rows[0]]
    headings = short_keys(keys)
    columns = [Column(key, [row[key] for row in rows], headings[key]) for key in keys]
    counts = [name for name in ("points", "runs") if name == "runs" or any(row[name] != 1 for row in rows)]
    columns += [Column(name, [row[name] for row in rows]) for name in counts]
    failed = [row["failed"] for row in rows]
    columns.append(Column("failed", failed, kind="number" if any(failed) else "data"))
    words = headings_of(metrics)
    for metric in metrics:
        columns += with_intervals(metric.text, words[metric.text], results.unit(metric), rows)
    long = [f"{short} is {key}" for key, short in headings.items() if short != key]
    caption = "mean ± half-width of the 95 % interval" if any(row["runs"] > 1 for row in rows) else ""
    return Sheet("", columns, len(keys) or 1, "\n".join(filter(None, (caption, *long))))


def with_intervals(name: str, heading: str, unit: str, rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """Make the columns of means and half-widths; a display has both in one."""
    means, halves = ([row[each] for row in rows] for each in (name, f"{name}_ci95"))
    texts, shown = texts_of(means, halves, unit, name)
    return [
        Column(name, means, heading, shown, texts, kind="number"),
        Column(f"{name}_ci95", halves, kind="data"),
    ]


def texts_of(means: Sequence[float], halves: Sequence[float], unit: str, name: str) -> tuple[list[str], str]:
    """Write means with their intervals in one unit; return the texts and the unit."""
    import numpy as np

    from celltrain.figures import MISSING, figures, scale
    from celltrain.readable import with_interval

    factor, shown = scale(np.array(means, dtype=np.float64), unit, name)
    plain, _ = figures(means, unit, name)
    texts = [
        MISSING if math.isnan(mean) else alone if math.isnan(half) else with_interval(mean * factor, half * factor, "1")
        for mean, half, alone in zip(means, halves, plain, strict=True)
    ]
    return texts, shown


def of_comparison(metric: Metric, found: Sequence[Comparison], unit: str) -> Sheet:
    """Make a sheet with a row for each point that both sweeps have."""
    from celltrain.figures import figures

    keys = list(found[0].values) if found else []
    headings = short_keys(keys)
    columns = [Column(key, [each.values[key] for each in found], headings[key]) for key in keys]
    sides = [[getattr(each, name) for each in found] for name in ("first", "second", "difference", "difference_ci95")]
    # Both in the unit that suits the larger, in which they can be compared.
    together, shared = figures([*sides[0], *sides[1]], unit, metric.column)
    halves = together[: len(found)], together[len(found) :]
    columns += [
        Column(name, values, name, shared, texts, "number")
        for name, values, texts in zip(("first", "second"), sides, halves, strict=False)
    ]
    texts, shown = texts_of(sides[2], sides[3], unit, metric.column)
    p = [each.p_adjusted for each in found]
    columns += [
        Column("difference", sides[2], "second - first", shown, texts, "number"),
        Column("difference_ci95", sides[3], kind="data"),
        Column("test", [each.test for each in found]),
        Column("runs", [each.runs for each in found]),
        Column("p", [each.p for each in found], kind="data"),
        Column("p_adjusted", p, "p", texts=["-" if math.isnan(each) else f"{each:.2g}" for each in p], kind="number"),
        Column("significant", [each.significant() for each in found], "", texts=_verdicts(found)),
    ]
    return Sheet(metric.text, columns, len(keys) or 1, "difference ± half-width of its 95 % interval")


def _verdicts(found: Sequence[Comparison]) -> list[str]:
    return ["differs" if each.significant() else "" for each in found]
