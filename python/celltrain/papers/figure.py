"""Figures: the plot of an experiment, as SVG and PNG."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from celltrain.notebook import Shown
from celltrain.papers.plot import Panel, Plot

Rows = Sequence[Mapping[str, Any]]

#: Colours that people with any colour vision tell apart (Okabe and Ito), each with a marker for print.
COLOURS = ("#000000", "#7f7f7f", "#0072b2", "#d55e00", "#56b4e9", "#e69f00", "#009e73", "#cc79a7")
MARKERS = "os^vDPX*"
#: After eight series the colours come again with another line.
LINES = ("-", "--", ":", "-.")
#: Without these, two drawings of one figure would differ in the file.
_SETTINGS: Any = {"svg.hashsalt": "celltrain", "svg.fonttype": "none", "font.size": 9.5}


def draw(plot: Plot, title: str, rows: Rows, published: Rows = ()) -> dict[str, bytes]:
    """Draw a figure of the rows of an experiment, and of those that the study measured.

    Returns
    -------
    dict of str to bytes
        The content of the file for each suffix: ``svg`` and ``png``.
    """
    with matplotlib.rc_context(_SETTINGS):
        figure = make(plot, title, rows, published)
        return {
            "svg": _file(figure, "svg", metadata={"Date": None}),
            "png": _file(figure, "png", dpi=150, metadata={"Software": None}),
        }


def make(plot: Plot, title: str, rows: Rows, published: Rows = ()) -> Figure:
    """Make the figure of the rows of an experiment, and of those that the study measured."""
    with matplotlib.rc_context(_SETTINGS):
        height = 4.6 if len(plot.panels) == 1 else 1.2 + 2.4 * len(plot.panels)
        figure = Shown(figsize=(7.8, height), layout="constrained")
        FigureCanvasAgg(figure)
        all_axes = figure.subplots(len(plot.panels), squeeze=False, sharex=True)[:, 0]
        plot = plot.within_panels()
        series = list(dict.fromkeys(plot.series(row) for row in rows))
        for axes, panel in zip(all_axes, plot.panels, strict=True):
            own = [row for row in rows if all(row[column] == value for column, value in panel.where.items())]
            _DRAWERS[plot.kind](axes, plot, panel, own, series)
            if plot.kind == "line":
                _draw_published(axes, plot, panel, published, series)
            _dress(axes, panel)
        if plot.x_scale == "log":
            _log_axis(all_axes[-1], sorted({row[plot.x] for row in rows}))
        if plot.x_range:
            all_axes[-1].set_xlim(*plot.x_range)
        all_axes[-1].set_xlabel(plot.x_label)
        figure.suptitle(title, fontsize=9.5, x=0.01, ha="left")
        handles, labels = all_axes[0].get_legend_handles_labels()
        if len(labels) > 1:
            figure.legend(handles, labels, loc="outside right center", frameon=False, fontsize=8.5)
        return figure


def _style(index: int) -> dict[str, Any]:
    line = LINES[index // len(COLOURS) % len(LINES)]
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": line}


def _draw_lines(axes: Axes, plot: Plot, panel: Panel, rows: Rows, series: Sequence[str]) -> None:
    if panel.beside is not None:
        own = [row for row in rows if plot.series(row) == series[0]]
        x, y = [row[plot.x] for row in own], [row[panel.beside] for row in own]
        axes.plot(x, y, color="#b0b0b0", linewidth=1.6, label=panel.beside)
    for index, name in enumerate(series):
        own = [row for row in rows if plot.series(row) == name]
        axes.errorbar(
            [row[plot.x] for row in own],
            [row[panel.y] for row in own],
            yerr=[_half_width(row, panel.y) for row in own],
            label=name,
            marker=MARKERS[index % len(MARKERS)],
            markersize=5,
            linewidth=1.4,
            capsize=2.5,
            **_style(index),
        )


def _draw_published(axes: Axes, plot: Plot, panel: Panel, rows: Rows, series: Sequence[str]) -> None:
    """Draw what the study measured: open marks in the colours of the series, where it has the panel's column."""
    measured = [row for row in rows if panel.y in row]
    for index, name in enumerate(series):
        own = [row for row in measured if plot.series(row) == name]
        axes.plot(
            [row[plot.x] for row in own],
            [row[panel.y] for row in own],
            linestyle="",
            marker=MARKERS[index % len(MARKERS)],
            markersize=8.5,
            markerfacecolor="none",
            markeredgewidth=1.1,
            color=COLOURS[index % len(COLOURS)],
        )
    if measured:
        style: Any = {"linestyle": "", "marker": "o", "markersize": 8.5, "markerfacecolor": "none", "color": "#444444"}
        axes.plot([], [], label="large: as measured", **style)


def _draw_bars(axes: Axes, plot: Plot, panel: Panel, rows: Rows, series: Sequence[str]) -> None:
    places = list(dict.fromkeys(row[plot.x] for row in rows))
    width = 0.8 / len(series)
    for index, name in enumerate(series):
        own = [row for row in rows if plot.series(row) == name]
        axes.bar(
            [places.index(row[plot.x]) + (index - (len(series) - 1) / 2) * width for row in own],
            [row[panel.y] for row in own],
            width,
            yerr=[_half_width(row, panel.y) for row in own],
            label=name,
            capsize=2.5,
            color=COLOURS[2 + index % (len(COLOURS) - 2)],
        )
    axes.set_xticks(range(len(places)), [str(place) for place in places], rotation=20, ha="right")


def _draw_traces(axes: Axes, plot: Plot, panel: Panel, rows: Rows, series: Sequence[str]) -> None:
    style = {"drawstyle": "steps-post"} if panel.steps else {}
    if panel.beside is not None:
        own = [row for row in rows if plot.series(row) == series[0]]
        axes.plot(
            [row[plot.x] for row in own],
            [row[panel.beside] for row in own],
            color="#b0b0b0",
            linewidth=1.6,
            label=panel.beside,
            drawstyle="steps-post",
        )
    for index, name in enumerate(series):
        own = [row for row in rows if plot.series(row) == name]
        axes.plot(
            [row[plot.x] for row in own],
            [row[panel.y] for row in own],
            label=name,
            linewidth=0.9,
            color=COLOURS[(2 + index) % len(COLOURS)],
            **style,  # type: ignore[arg-type]
        )


_DRAWERS = {"line": _draw_lines, "bar": _draw_bars, "trace": _draw_traces}


def _half_width(row: Mapping[str, Any], column: str) -> float:
    half_width = float(row.get(f"{column}_ci95", math.nan))
    return 0.0 if math.isnan(half_width) else half_width


def _dress(axes: Axes, panel: Panel) -> None:
    if panel.line_at is not None:
        axes.axhline(panel.line_at, color="#444444", linewidth=0.8, linestyle=":")
        place = (0.01, panel.line_at)
        axes.annotate(panel.line_label, place, xycoords=("axes fraction", "data"), va="bottom", fontsize=8)
    axes.set_yscale(panel.scale)
    if panel.range:
        axes.set_ylim(*panel.range)
    axes.set_ylabel(panel.label)
    axes.grid(visible=True, alpha=0.25)


def _log_axis(axes: Axes, ticks: Sequence[float]) -> None:
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def _file(figure: Figure, kind: str, **options: Any) -> bytes:  # noqa: ANN401 - matplotlib's
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, **options)
    return buffer.getvalue()
