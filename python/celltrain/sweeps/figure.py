"""The figure of a sweep: means of metrics with their intervals against a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from celltrain import drawing, readable
from celltrain._native import nearest
from celltrain.refused import Refused
from celltrain.sweeps.contents import SweepFolder
from celltrain.sweeps.headings import headings_of, short_keys
from celltrain.sweeps.metric import Metric
from celltrain.sweeps.parameters import Parameter, parameter
from celltrain.sweeps.summary import summary

Row = Mapping[str, Any]

#: The metric drawn by default.
METRIC = "flows.throughput_bps"
#: Heights of a panel, and of what is around the panels, in inches.
_PANEL, _AROUND = 2.6, 0.9
#: Most values of the x axis that have a tick of their own; most names, and the letters of names that fit side by side.
_TICKS, _NAMES, _LETTERS = 8, 30, 60


class PlotError(Refused):
    """A figure of a sweep that cannot be drawn; the message says why."""


def figure(
    results: SweepFolder, x: str | None = None, y: Sequence[str] = (), by: Sequence[str] | None = None
) -> Figure:
    """Draw metrics against a swept key: a panel for each metric, a line for each combination of other keys.

    Parameters
    ----------
    results
        The sweep.
    x
        The key on the x axis; default: the first whose values are numbers, or the first.
    y
        The metrics; default: the throughput of flows.
    by
        The keys that distinguish lines; default: all others. Points that differ only in further keys are averaged.

    Raises
    ------
    PlotError
        Nothing varies, or a key does not.
    MetricError
        The tables lack a metric.
    """
    across = _x_of(results, x)
    series = _series_of(results, across, by)
    metrics = [Metric.parse(text) for text in y or (METRIC,)]
    rows = summary(results, metrics, [across, *series])
    names = _names(rows, series)
    order = list(dict.fromkeys(names))
    title = short_keys(results.keys)[across]
    place = parameter(title, [row[across] for row in rows])
    drawn, all_axes = drawing.empty(len(metrics), _AROUND + _PANEL * len(metrics), order if series else [])
    words = headings_of(metrics)
    for axes, metric in zip(all_axes, metrics, strict=True):
        _draw(axes, rows, place, names, order, (metric.text, words[metric.text], results.unit(metric)))
    all_axes[-1].set_xlabel(place.label)
    if series:
        drawing.common_legend(drawn, all_axes, order)
    return drawn


def _x_of(results: SweepFolder, x: str | None) -> str:
    if not results.keys:
        raise PlotError(f"{results.folder}: nothing varies, so that there is nothing to draw against; sweep with --set")
    if x is None:
        by_numbers = [key for key in results.keys if not isinstance(parameter(key, _values(results, key)).values, list)]
        return (by_numbers or results.keys)[0]
    return _known(results, x, "x")


def _series_of(results: SweepFolder, x: str, by: Sequence[str] | None) -> list[str]:
    if by is None:
        return [key for key in results.keys if key != x]
    return [_known(results, key, "by") for key in by if key != x]


def _known(results: SweepFolder, key: str, role: str) -> str:
    """Find a key by its name, or by its end if no other key ends so."""
    found = [each for each in results.keys if each == key or each.endswith(f".{key}")]
    if len(found) == 1 or key in found:
        return key if key in found else found[0]
    raise PlotError(f"{role}={key}: {results.folder} does not vary it{nearest(key, results.keys)}")


def _values(results: SweepFolder, key: str) -> list[Any]:
    values: list[Any] = results.points[key].to_pylist()
    return values


def _names(rows: Sequence[Row], keys: Sequence[str]) -> list[str]:
    """Name the line of each row: values with the last part of their key, unless they are names."""
    names = []
    for row in rows:
        parts = []
        for key in keys:
            value = row[key]
            is_number = not isinstance(parameter(key, [value]).values, list)
            shown = (
                readable.plain(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
            )
            parts.append(f"{key.rpartition('.')[2]} {shown}" if is_number or isinstance(value, bool) else shown)
        names.append(", ".join(parts))
    return names


def _draw(
    axes: Axes,
    rows: Sequence[Row],
    place: Parameter,
    names: Sequence[str],
    order: Sequence[str],
    metric: tuple[str, str, str],
) -> None:
    text, words, unit = metric
    means = np.array([row[text] for row in rows], dtype=np.float64)
    halves = np.array([row[f"{text}_ci95"] for row in rows], dtype=np.float64)
    factor, shown = readable.unit_for(means, unit)
    # Names on the x axis have places in their order.
    ticks = list(dict.fromkeys(place.values)) if isinstance(place.values, list) else []
    where = np.array([ticks.index(each) for each in place.values]) if ticks else np.asarray(place.values)
    for index, name in enumerate(order):
        own = np.array([number for number, each in enumerate(names) if each == name])
        own = own[np.argsort(where[own], kind="stable")]
        style = drawing.line(drawing.FIRST_BRIGHT + index)
        if ticks:
            style = style | {"linestyle": ""}
        # Lines side by side where x has names, so that their intervals stay apart.
        side = 0.12 * (index - (len(order) - 1) / 2) if ticks else 0.0
        spread = np.where(halves[own] > 0, halves[own], np.nan) * factor
        marks: dict[str, Any] = {"marker": drawing.marker(index), "markersize": 4, "capsize": 2.5}
        axes.errorbar(where[own] + side, means[own] * factor, spread, label=name, **marks, **style)
    drawing.dress(axes, readable.label(words, shown))
    if ticks:
        _name(axes, ticks)
    elif place.scale == "log":
        values = np.unique(where)
        drawing.log_x(axes, values[:: max(1, -(-len(values) // _TICKS))].tolist())


def _name(axes: Axes, names: Sequence[str]) -> None:
    """Write names below the x axis, on a slope if they are long, and only some of hundreds."""
    step = -(-len(names) // _NAMES)
    shown = names[::step]
    slope: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(0, len(names), step), shown, **(slope if sum(map(len, shown)) > _LETTERS else {}))
