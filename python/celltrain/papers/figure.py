"""Figures: the plot of an experiment, as SVG and PNG."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from celltrain.papers.experiment import Plot

#: Colours that people with any colour vision tell apart (Okabe and Ito), each with a marker for print.
STYLES = (
    ("#000000", "o", "--"),
    ("#7f7f7f", "s", "--"),
    ("#0072b2", "^", "-"),
    ("#d55e00", "v", "-"),
    ("#56b4e9", "D", "-"),
    ("#e69f00", "P", "-"),
    ("#009e73", "X", "-"),
    ("#cc79a7", "*", "-"),
)
#: Without these, two drawings of one figure would differ in the file.
_SETTINGS: Any = {"svg.hashsalt": "celltrain", "svg.fonttype": "none", "font.size": 9.5}


def draw(plot: Plot, title: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """Draw a figure of the rows of an experiment.

    Returns
    -------
    dict of str to bytes
        The content of the file for each suffix: ``svg`` and ``png``.
    """
    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(7.2, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        series = dict.fromkeys(row[plot.by] for row in rows)
        for name, (colour, marker, line) in zip(series, STYLES, strict=False):
            own = [row for row in rows if row[plot.by] == name]
            spread = [0.0 if math.isnan(width := row.get(f"{plot.y}_ci95", 0.0)) else width for row in own]
            axes.errorbar(
                [row[plot.x] for row in own],
                [row[plot.y] for row in own],
                yerr=spread,
                label=str(name),
                color=colour,
                marker=marker,
                linestyle=line,
                markersize=5,
                linewidth=1.4,
                capsize=2.5,
            )
        if plot.line_at is not None:
            axes.axhline(plot.line_at, color="#444444", linewidth=0.8, linestyle=":")
            axes.annotate(
                plot.line_label,
                (0.01, plot.line_at),
                xycoords=("axes fraction", "data"),
                va="bottom",
                fontsize=8,
                alpha=0.8,
            )
        if plot.x_scale == "log":
            axes.set_xscale("log")
            ticks = sorted({row[plot.x] for row in rows})
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
        if plot.y_range:
            axes.set_ylim(*plot.y_range)
        axes.set_xlabel(plot.x_label)
        axes.set_ylabel(plot.y_label)
        figure.suptitle(title, fontsize=9.5, x=0.01, ha="left")
        axes.grid(visible=True, alpha=0.25)
        figure.legend(loc="outside right center", frameon=False)
        return {
            "svg": _file(figure, "svg", metadata={"Date": None}),
            "png": _file(figure, "png", dpi=150, metadata={"Software": None}),
        }


def _file(figure: Figure, kind: str, **options: Any) -> bytes:  # noqa: ANN401 - matplotlib's
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, **options)
    return buffer.getvalue()
