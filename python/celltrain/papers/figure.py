"""Figures: the plot of an experiment, as SVG and PNG."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from celltrain import drawing, readable
from celltrain.papers.plot import Panel, Plot

Rows = Sequence[Mapping[str, Any]]
Numbers = npt.NDArray[np.float64]

#: Without these settings, two files of the same figure would differ.
_SETTINGS: Any = {"svg.hashsalt": "celltrain", "svg.fonttype": "none", "font.size": 9.5, "hatch.linewidth": 0.6}
#: The legend of the large open marks.
_PUBLISHED = "large: published"
#: Height of a panel that shows one of many traces, in inches.
_SMALL = 1.5
#: Characters of the title per inch of the figure's width.
_TITLE = 13


@dataclass(frozen=True)
class _Axis:
    """A column on an axis: its numbers times ``factor`` have the unit of the label."""

    column: str
    factor: float
    label: str

    @classmethod
    def of(
        cls,
        column: str,
        label: str,
        rows: Rows,
        units: Mapping[str, str],
        bounds: Sequence[float] | None,
        *others: str,
    ) -> _Axis:
        """Choose the unit by the range of the axis, or by all rows, so that panels of one column have one unit."""
        values = bounds or [row[name] for row in rows for name in (column, *others)]
        factor, label, _ = readable.scaled(label, np.array(values, dtype=np.float64), units[column])
        return cls(column, factor, label)

    def numbers(self, rows: Rows, column: str | None = None) -> Numbers:
        """Return the numbers of its column, or of another in the same unit."""
        return np.array([row[column or self.column] for row in rows], dtype=np.float64) * self.factor

    def half_widths(self, rows: Rows) -> Numbers:
        """Return the half-widths of the intervals; NaN, which is not drawn, if there is none."""
        halves = np.array([float(row.get(f"{self.column}_ci95", math.nan)) for row in rows])
        return np.where(halves > 0, halves, math.nan) * self.factor


@dataclass(frozen=True)
class _Series:
    """The rows of one series in a panel."""

    name: str
    index: int
    rows: Rows


@dataclass(frozen=True)
class _Drawn:
    """The content of a figure."""

    plot: Plot
    rows: Rows
    units: Mapping[str, str]
    published: Rows

    @cached_property
    def names(self) -> list[str]:
        """The names of all series."""
        return list(self.plot.places(self.rows, self.units, {}))

    @cached_property
    def x(self) -> _Axis:
        """The column on the x axis, if it holds numbers."""
        return _Axis.of(self.plot.x, self.plot.x_label, self.rows, self.units, self.plot.x_range)

    def y(self, panel: Panel) -> _Axis:
        """Return the column on the y axis of a panel, which reference data behind it share."""
        behind = [panel.beside] if panel.beside else []
        return _Axis.of(panel.y, panel.label, self.rows, self.units, panel.range, *behind)

    def words(self, column: str) -> str:
        """Format the name of a column for display."""
        return readable.quantity(column, self.units[column])

    def series(self, panel: Panel) -> list[_Series]:
        """Return the series of a panel; a single unnamed one gets the name of its column."""
        return self._series(self.rows, panel.where, self.words(panel.y))

    def measured(self, panel: Panel) -> list[_Series]:
        """Return the measurements of a panel's column."""
        return self._series([row for row in self.published if panel.y in row], panel.where, "")

    def _series(self, rows: Rows, where: Mapping[str, Any], alone: str) -> list[_Series]:
        places = self.plot.places(rows, self.units, where)
        return [
            _Series(name or alone, number, [rows[place] for place in places[name]])
            for name, number in zip(self.names, self.plot.numbers_of(self.names), strict=True)
            if name in places
        ]

    @property
    def legend(self) -> list[str]:
        """The names in the legend."""
        behind = [self.words(panel.beside) for panel in self.plot.panels if panel.beside]
        measured = [_PUBLISHED] if self.published else []
        return [*self.names, *behind, *measured] if len(self.names) > 1 or behind else []


def draw(
    plot: Plot, title: str, rows: Rows, units: Mapping[str, str], published: Rows = (), mark: str = ""
) -> dict[str, bytes]:
    """Draw a figure of the rows of an experiment, and of those that the study measured; see :func:`make`.

    Returns
    -------
    dict of str to bytes
        The content of the file for each suffix: ``svg`` and ``png``.
    """
    with matplotlib.rc_context(_SETTINGS):
        figure = make(plot, title, rows, units, published, mark)
        return {
            "svg": _file(figure, "svg", metadata={"Date": None}),
            "png": _file(figure, "png", dpi=150, metadata={"Software": None}),
        }


def make(plot: Plot, title: str, rows: Rows, units: Mapping[str, str], published: Rows = (), mark: str = "") -> Figure:
    """Make the figure of the rows of an experiment, and of those that the study measured.

    Parameters
    ----------
    plot, title
        The description of the figure, and its title.
    rows, published
        The rows of the experiment, and those that the study measured.
    units
        The unit of each column, shown with a prefix on axes and in names of series.
    mark
        A word across the figure, for results that are not the study's.
    """
    plot = plot.in_small_panels(rows, units)
    drawn = _Drawn(plot.within_panels(), rows, units, published)
    height = 4.6 if len(plot.panels) == 1 else 1.2 + sum(_SMALL if panel.title else 2.4 for panel in plot.panels)
    with matplotlib.rc_context(_SETTINGS):
        notes = [panel.line_label for panel in plot.panels]
        figure, all_axes = drawing.empty(len(plot.panels), height, notes, drawn.legend)
        for axes, panel in zip(all_axes, plot.panels, strict=True):
            _draw_panel(axes, drawn, panel)
        _dress_x(all_axes[-1], drawn)
        wrapped = "\n".join(textwrap.wrap(title, int(_TITLE * figure.get_figwidth())))
        figure.suptitle(wrapped, fontsize=9.5, x=0.01, ha="left")
        if mark:
            style: Any = {"rotation": 25, "ha": "center", "va": "center", "color": "#b00020", "alpha": 0.18}
            figure.text(0.45, 0.5, mark.upper(), fontsize=54, **style)
        if len(drawn.names) > 1:
            drawing.common_legend(figure, all_axes, drawn.legend)
        return figure


def _draw_panel(axes: Axes, drawn: _Drawn, panel: Panel) -> None:
    y, series = drawn.y(panel), drawn.series(panel)
    if panel.beside is not None:
        steps: Any = {"drawstyle": "steps-post"} if drawn.plot.kind == "trace" else {}
        x, heights = drawn.x.numbers(series[0].rows), y.numbers(series[0].rows, panel.beside)
        axes.plot(x, heights, color=drawing.BEHIND, linewidth=1.6, label=drawn.words(panel.beside), **steps)
    if drawn.plot.kind == "bar":
        _draw_bars(axes, drawn, y, series)
    elif drawn.plot.kind == "trace":
        _draw_traces(axes, drawn.x, y, series, steps=panel.steps)
    else:
        _draw_lines(axes, drawn.x, y, series)
        _draw_measured(axes, drawn.x, y, drawn.measured(panel))
    _dress(axes, panel, y)
    if panel.beside is not None and len(drawn.names) == 1:
        drawing.legend_beside(axes)


def _draw_lines(axes: Axes, x: _Axis, y: _Axis, series: Sequence[_Series]) -> None:
    for each in series:
        axes.errorbar(
            x.numbers(each.rows),
            y.numbers(each.rows),
            yerr=y.half_widths(each.rows),
            label=each.name,
            marker=drawing.marker(each.index),
            markersize=5,
            linewidth=1.4,
            capsize=2.5,
            **drawing.line(each.index),
        )


def _draw_measured(axes: Axes, x: _Axis, y: _Axis, series: Sequence[_Series]) -> None:
    """Draw the measurements of the study: open marks in the colours of the series."""
    style: Any = {"linestyle": "", "markersize": 8.5, "markerfacecolor": "none", "markeredgewidth": 1.1}
    for each in series:
        colour, marker = drawing.line(each.index)["color"], drawing.marker(each.index)
        axes.plot(x.numbers(each.rows), y.numbers(each.rows), marker=marker, color=colour, **style)
    if series:
        axes.plot([], [], label=_PUBLISHED, marker="o", color="#444444", **style)


def _draw_bars(axes: Axes, drawn: _Drawn, y: _Axis, series: Sequence[_Series]) -> None:
    column = drawn.plot.x
    places = list(dict.fromkeys(row[column] for each in series for row in each.rows))
    width = 0.8 / len(series)
    for place, each in enumerate(series):
        axes.bar(
            [places.index(row[column]) + (place - (len(series) - 1) / 2) * width for row in each.rows],
            y.numbers(each.rows),
            width,
            yerr=y.half_widths(each.rows),
            label=each.name,
            capsize=2.5,
            **drawing.bar(each.index),
        )
    texts = [place if isinstance(place, str) else readable.with_unit(place, drawn.units[column]) for place in places]
    axes.set_xticks(range(len(places)), texts, rotation=20, ha="right")


def _draw_traces(axes: Axes, x: _Axis, y: _Axis, series: Sequence[_Series], *, steps: bool) -> None:
    style: Any = {"drawstyle": "steps-post"} if steps else {}
    for each in series:
        style |= drawing.line(drawing.FIRST_BRIGHT + each.index)
        axes.plot(x.numbers(each.rows), y.numbers(each.rows), label=each.name, linewidth=0.9, **style)


def _dress(axes: Axes, panel: Panel, y: _Axis) -> None:
    if panel.line_at is not None:
        height = panel.line_at * y.factor
        axes.axhline(height, color="#444444", linewidth=0.8, linestyle=":")
        place = (1.01, height)
        axes.annotate(panel.line_label, place, xycoords=("axes fraction", "data"), va="center", fontsize=8)
    if panel.scale == "log":
        drawing.log_y(axes)
    drawing.dress(axes, y.label)
    if panel.title:
        axes.set_title(panel.title, loc="left", fontsize=8.5)
    if panel.range:
        axes.set_ylim(*(bound * y.factor for bound in panel.range))


def _dress_x(axes: Axes, drawn: _Drawn) -> None:
    plot = drawn.plot
    if plot.kind == "bar":
        axes.set_xlabel(plot.x_words)
        return
    if plot.x_scale == "log":
        drawing.log_x(axes, sorted(set(drawn.x.numbers(drawn.rows))))
    if plot.x_range:
        axes.set_xlim(*(bound * drawn.x.factor for bound in plot.x_range))
    axes.set_xlabel(drawn.x.label)


def _file(figure: Figure, kind: str, **options: Any) -> bytes:  # noqa: ANN401 - matplotlib's
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, **options)
    return buffer.getvalue()
