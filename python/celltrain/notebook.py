"""How results show themselves in a notebook: small tables in HTML, and figures by matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from celltrain import readable

Values = npt.NDArray[np.float64] | list[str]

#: Most rows, columns and panels that a notebook shows.
_ROWS, _COLUMNS, _PANELS = 20, 12, 12
#: Colours that people with any colour vision tell apart (Okabe and Ito).
_COLOURS = ("#0072b2", "#d55e00", "#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#000000", "#7f7f7f")
#: More lines than this have no legend, which would hide them.
_NAMED = 12


class Shown(Figure):
    """A matplotlib figure that a notebook shows by itself, without pyplot and its list of open figures."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        FigureCanvasAgg(self)
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def table_html(columns: Mapping[str, Values], units: Mapping[str, str], caption: str = "") -> str:
    """Write the first rows of a table as HTML: names escaped, numbers aligned, each column with its unit.

    >>> table_html({"link": ["<up>"]}, {"link": ""})
    '<table><thead><tr><th>link</th></tr></thead><tbody><tr><td>&lt;up&gt;</td></tr></tbody></table>'
    """
    names = [name for name in columns if not name.endswith("_ci95") or name.removesuffix("_ci95") not in columns]
    shown = [_column_html(columns, units, name) for name in names[:_COLUMNS]]
    head = "".join(f"<th>{title}</th>" for title, _ in shown)
    rows = "".join(f"<tr>{''.join(cells)}</tr>" for cells in zip(*(cells for _, cells in shown), strict=True))
    length = len(next(iter(columns.values()), []))
    left_out = [f"{length - _ROWS} more rows"] if length > _ROWS else []
    left_out += [f"{len(names) - _COLUMNS} more columns"] if len(names) > _COLUMNS else []
    note = f"<p><small>{' and '.join(left_out)}</small></p>" if left_out else ""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"


def _column_html(columns: Mapping[str, Values], units: Mapping[str, str], name: str) -> tuple[str, list[str]]:
    """Give the head and the cells of a column."""
    values, unit = columns[name][:_ROWS], units.get(name, "")
    if isinstance(values, list):
        return escape(readable.heading(name, unit)), [f"<td>{escape(value)}</td>" for value in values]
    factor, shown = readable.unit_for(values, unit)
    half = columns.get(f"{name}_ci95")
    half_widths = half[:_ROWS] * factor if isinstance(half, np.ndarray) else None
    texts = readable.texts(values * factor, half_widths)
    head = escape(readable.heading(name, unit)) + (
        f"<br><small>{escape(shown)}</small>" if shown not in ("", "1") else ""
    )
    return head, [f'<td style="text-align: right">{text}</td>' for text in texts]


def traces_figure(traces: Mapping[str, tuple[Mapping[str, Values], Mapping[str, str]]]) -> Figure:
    """Draw time series, a panel for each quantity, all on one axis of time.

    Parameters
    ----------
    traces
        Columns and units by the name of the probe; ``time_s`` is the column of instants.
    """
    panels: dict[tuple[str, str], list[tuple[str, Values, Values]]] = {}
    for columns, units in traces.values():
        for name, values in columns.items():
            if name != "time_s" and not isinstance(values, list):
                item, _, quantity = name.rpartition(".")
                panels.setdefault((quantity, units[name]), []).append((item or name, columns["time_s"], values))
    shown = list(panels.items())[:_PANELS]
    figure = Shown(figsize=(8.5, 1.0 + 1.9 * len(shown)), layout="constrained")
    all_axes = figure.subplots(len(shown), squeeze=False, sharex=True)[:, 0]
    for axes, ((quantity, unit), lines) in zip(all_axes, shown, strict=True):
        _draw(axes, readable.quantity(quantity, unit), unit, lines)
    all_axes[-1].set_xlabel("time [s]")
    return figure


def _draw(axes: Axes, words: str, unit: str, lines: Sequence[tuple[str, Values, Values]]) -> None:
    factor, shown = readable.unit_for(np.concatenate([np.asarray(values) for _, _, values in lines]), unit)
    for index, (name, time, values) in enumerate(lines):
        # Queues, windows and rates hold until they change.
        colour = _COLOURS[index % len(_COLOURS)]
        axes.step(time, np.asarray(values) * factor, where="post", label=name, color=colour, linewidth=0.9)
    axes.set_ylabel(readable.label(words, shown))
    axes.grid(visible=True, alpha=0.25)
    if len(lines) <= _NAMED:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)


def columns_figure(columns: Mapping[str, Values], units: Mapping[str, str], x: str, y: Sequence[str]) -> Figure:
    """Draw columns of a table against another: lines over numbers, bars over names.

    Raises
    ------
    KeyError
        The table lacks a column.
    ValueError
        A column on the y axis holds names.
    """
    for name in (x, *y):
        if name not in columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(columns)}")
    figure = Shown(figsize=(7.8, 1.0 + 2.4 * len(y)), layout="constrained")
    all_axes = figure.subplots(len(y), squeeze=False, sharex=True)[:, 0]
    for axes, name in zip(all_axes, y, strict=True):
        values = columns[name]
        if isinstance(values, list):
            raise ValueError(f"column {name!r} holds names, which have no place on an axis of numbers")  # noqa: TRY004
        factor, shown = readable.unit_for(values, units[name])
        half = columns.get(f"{name}_ci95")
        spread = np.nan_to_num(half * factor) if isinstance(half, np.ndarray) else None
        axes.set_ylabel(readable.label(readable.heading(name, units[name]), shown))
        axes.grid(visible=True, alpha=0.25)
        places = columns[x]
        if isinstance(places, list):
            axes.bar(range(len(places)), values * factor, yerr=spread, capsize=2.5, color=_COLOURS[0])
            axes.set_xticks(range(len(places)), places, rotation=20, ha="right")
        else:
            axes.errorbar(
                places, values * factor, yerr=spread, marker="o", markersize=4, capsize=2.5, color=_COLOURS[0]
            )
    all_axes[-1].set_xlabel(readable.label(readable.heading(x, units[x]), units[x]))
    return figure
