"""Common parts of all matplotlib figures: colours, dashes and markers, widths, plain numbers, legends at the side."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, ScalarFormatter

from celltrain import readable

#: Colours distinguishable with any colour vision (Okabe and Ito); black and grey are for lines with markers.
COLOURS = ("#000000", "#7f7f7f", "#0072b2", "#d55e00", "#56b4e9", "#e69f00", "#009e73", "#cc79a7")
#: Thin lines and bars use the colours from this one on.
FIRST_BRIGHT = 2
#: Colour of reference data behind a series.
BEHIND = "#b0b0b0"
#: When all colours are used, they repeat with another line style, marker and hatching.
_LINES = ("-", "--", ":", "-.")
_MARKERS = "os^vDPX*"
_HATCHES = ("", "///", "...", "xxx")
#: Widths of the axes with their labels, of a letter of the legend, and of its markers, in inches.
_AXES_WIDTH = 6.6
_LETTER = 0.068
_MARK = 0.5
#: Font size of the legend, in points.
_LEGEND = 8.5
#: Powers of ten outside which numbers on an axis have an exponent.
_PLAIN = (-4, 9)


class Shown(Figure):
    """A matplotlib figure that a notebook displays directly, without pyplot and its list of open figures."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        FigureCanvasAgg(self)
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def empty(panels: int, height: float, *beside: Iterable[str]) -> tuple[Figure, list[Axes]]:
    """Make a figure of stacked panels, wide enough that the text beside them does not shrink them.

    Parameters
    ----------
    panels
        Number of panels.
    height
        The height of the figure, in inches.
    beside
        The texts of each column to the right of the panels: notes on lines, names of the legend.
    """
    columns = [max((len(text) for text in texts), default=0) for texts in beside]
    width = _AXES_WIDTH + sum(_MARK + _LETTER * longest for longest in columns if longest)
    figure = Shown(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(panels, squeeze=False, sharex=True)[:, 0])


def line(index: int) -> dict[str, Any]:
    """Return the colour and the dashes of a series."""
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": _LINES[index // len(COLOURS) % len(_LINES)]}


def marker(index: int) -> str:
    """Return the marker of a series; it changes when colours repeat."""
    return _MARKERS[(index + index // len(COLOURS)) % len(_MARKERS)]


def bar(index: int) -> dict[str, Any]:
    """Return the colour and the hatching of bars."""
    bright = COLOURS[FIRST_BRIGHT:]
    hatch = _HATCHES[index // len(bright) % len(_HATCHES)]
    return {"color": bright[index % len(bright)], "hatch": hatch, "edgecolor": "white" if hatch else None}


def legend_beside(axes: Axes) -> None:
    """Put the legend of one panel to its right."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=_LEGEND)


def common_legend(figure: Figure, all_axes: Sequence[Axes], names: Sequence[str]) -> None:
    """Put one legend for all panels to their right, with each series once and in this order."""
    handles: dict[str, Any] = {}
    for axes in all_axes:
        own, labels = axes.get_legend_handles_labels()
        handles |= dict(zip(labels, own, strict=True))
    shown = [name for name in names if name in handles]
    legend = [handles[name] for name in shown]
    figure.legend(legend, shown, loc="outside right center", frameon=False, fontsize=_LEGEND)


def dress(axes: Axes, label: str) -> None:
    """Give a panel its label, a grid, and numbers without offsets and factors."""
    axes.set_ylabel(label)
    axes.grid(visible=True, alpha=0.25)
    axes.set_axisbelow(True)
    for axis in (axes.xaxis, axes.yaxis):
        if isinstance(axis.get_major_formatter(), ScalarFormatter):
            formatter = ScalarFormatter(useOffset=False)
            formatter.set_powerlimits(_PLAIN)
            axis.set_major_formatter(formatter)
    if axes.dataLim.y0 == axes.dataLim.y1 == 0:
        axes.set_ylim(-0.05, 1.0)  # All values are zero: the default range would be hundredths of a unit.


def log_y(axes: Axes) -> None:
    """Make the y axis logarithmic, with plain numbers at 1, 2 and 5 of each decade."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: readable.plain(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())


def log_x(axes: Axes, ticks: Sequence[float]) -> None:
    """Make the x axis logarithmic, with a tick for each of these values."""
    axes.set_xscale("log")
    axes.set_xticks(ticks, [readable.plain(tick) for tick in ticks])
    axes.minorticks_off()
