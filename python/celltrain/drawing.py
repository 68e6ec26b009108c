"""Common parts of all matplotlib figures: colours, dashes and markers, widths, plain numbers, legends at the side."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from matplotlib import rc_context, rcParams
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, ScalarFormatter

from celltrain import readable
from celltrain.refused import Refused

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


#: Widths of figures in a paper, in inches: one and two columns of a page of 7.16 inches, as in IEEE's journals.
WIDTHS = {"one": 3.5, "two": 7.16}
#: Font of figures in a paper, which comes with matplotlib and looks like Times, and line widths.
_JOURNAL: Any = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "figure.constrained_layout.h_pad": 0.02,
    "figure.constrained_layout.w_pad": 0.02,
}
#: Height of a figure in one and in two columns, as a part of that on a screen.
_HEIGHTS = {"one": 0.62, "two": 0.8}
#: Without these settings, two files of the same figure would differ, and text would become outlines.
_FILE: Any = {"svg.hashsalt": "celltrain", "svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42}
#: Kinds of files, and what is left out of them so that equal figures are equal files.
KINDS = ("pdf", "svg", "png")
_METADATA: dict[str, Any] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {"Software": None}}

_width: ContextVar[str | None] = ContextVar("width", default=None)


@contextmanager
def page(width: str | None) -> Iterator[None]:
    """Draw for the width of one or two columns of a paper (``"one"``, ``"two"``), or for a screen (None).

    Raises
    ------
    ValueError
        There is no such width.
    """
    if width is None:
        yield
        return
    if width not in WIDTHS:
        raise ValueError(f"width {width!r}: expected one of {', '.join(map(repr, WIDTHS))}, or None for a screen")
    with rc_context(_JOURNAL):
        token = _width.set(width)
        try:
            yield
        finally:
            _width.reset(token)


def for_paper() -> bool:
    """Return whether the figure is for a paper, in which the caption says what a title would."""
    return _width.get() is not None


def kind_of(file: Path, option: str = "--plot") -> str:
    """Return the kind of a file with a figure, from its suffix.

    Raises
    ------
    Refused
        It is not one of `KINDS`.
    """
    kind = file.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise Refused(f"{option} {file}: expected a name that ends with .pdf, .svg or .png")
    return kind


def image(figure: Figure, kind: str) -> bytes:
    """Return the file of a figure: ``"pdf"``, ``"svg"`` or ``"png"``."""
    buffer = io.BytesIO()
    with rc_context(_FILE):
        figure.savefig(
            buffer, format=kind, dpi=150 if figure.get_figwidth() > WIDTHS["two"] else 300, metadata=_METADATA[kind]
        )
    return buffer.getvalue()


class Shown(Figure):
    """A matplotlib figure that a notebook displays directly, without pyplot and its list of open figures."""

    def savefig(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - those of matplotlib
        """Write it to a file, with text as text in PDF and SVG."""
        with rc_context(_FILE):
            super().savefig(*args, **kwargs)

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
    chosen = _width.get()
    if chosen:
        figure = Shown(figsize=(WIDTHS[chosen], height * _HEIGHTS[chosen]), layout="constrained")
        FigureCanvasAgg(figure)
        axes = list(figure.subplots(panels, squeeze=False, sharex=True)[:, 0])
        # Labels that stand at the widths of their own numbers look ragged in a column of a paper.
        figure.align_ylabels(axes)
        return figure, axes
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
    """Put the legend of one panel to its right; in a paper, above it."""
    if for_paper():
        names = axes.get_legend_handles_labels()[1]
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2, **_in_columns(names))
        return
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=_LEGEND)


def common_legend(figure: Figure, all_axes: Sequence[Axes], names: Sequence[str]) -> None:
    """Put one legend for all panels to their right, with each series once and in this order; in a paper, above."""
    handles: dict[str, Any] = {}
    for axes in all_axes:
        own, labels = axes.get_legend_handles_labels()
        handles |= dict(zip(labels, own, strict=True))
    shown = [name for name in names if name in handles]
    legend = [handles[name] for name in shown]
    if for_paper():
        figure.legend(legend, shown, loc="outside upper center", **_in_columns(shown))
        return
    figure.legend(legend, shown, loc="outside right center", frameon=False, fontsize=_LEGEND)


def _in_columns(names: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a legend above panels: as many columns as there is room for."""
    room = WIDTHS[_width.get() or "one"] - 0.6
    longest = max(map(len, names), default=1)
    count = max(1, min(len(names), int(room / (_MARK + 0.045 * longest))))
    return {"ncols": count, "frameon": False, "handlelength": 1.6, "columnspacing": 1.0}


def dress(axes: Axes, label: str) -> None:
    """Give a panel its label, a grid, and numbers without offsets and factors."""
    axes.set_ylabel(label)
    axes.grid(visible=True, alpha=0.25)
    axes.set_axisbelow(True)
    if for_paper():
        # Labels of ticks are made when the figure is written, when these settings no longer hold.
        axes.tick_params(axis="x", labelsize=rcParams["xtick.labelsize"], labelfontfamily=rcParams["font.family"][0])
        axes.tick_params(axis="y", labelsize=rcParams["ytick.labelsize"], labelfontfamily=rcParams["font.family"][0])
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
