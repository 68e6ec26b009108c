"""Display of results in a notebook: small tables in HTML, and matplotlib figures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from celltrain import readable
from celltrain.columns import SUMMARY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Tables are also shown where matplotlib is not installed: code that draws imports `drawing` when it runs.

Values = npt.NDArray[np.int64] | npt.NDArray[np.float64] | list[str]

#: Maximum rows, columns and panels shown in a notebook.
_ROWS, _COLUMNS, _PANELS = 20, 12, 12
#: With more lines than this there is no legend, which would hide them.
_NAMED = 12


def table_html(columns: Mapping[str, Values], units: Mapping[str, str], caption: str = "", *, most: int = _ROWS) -> str:
    """Write the first rows of a table as HTML: names escaped, numbers aligned, with units.

    >>> table_html({"link": ["<up>"]}, {"link": ""})
    '<table><thead><tr><th>link</th></tr></thead><tbody><tr><td>&lt;up&gt;</td></tr></tbody></table>'
    """
    names = [name for name in columns if not name.endswith("_ci95") or name.removesuffix("_ci95") not in columns]
    shown = [_column_html(columns, units, name, most) for name in names[:_COLUMNS]]
    head = "".join(f"<th>{title}</th>" for title, _ in shown)
    rows = "".join(f"<tr>{''.join(cells)}</tr>" for cells in zip(*(cells for _, cells in shown), strict=True))
    length = len(next(iter(columns.values()), []))
    left_out = [f"{length - most} more rows"] if length > most else []
    left_out += [f"{len(names) - _COLUMNS} more columns"] if len(names) > _COLUMNS else []
    note = f"<p><small>{' and '.join(left_out)}</small></p>" if left_out else ""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"


def _column_html(
    columns: Mapping[str, Values], units: Mapping[str, str], name: str, most: int
) -> tuple[str, list[str]]:
    """Return the heading and the cells of a column."""
    values, unit = columns[name][:most], units.get(name, "")
    if isinstance(values, list):
        return escape(readable.heading(name, unit)), [f"<td>{escape(value)}</td>" for value in values]
    factor, shown = readable.unit_for(values, unit)
    half = columns.get(f"{name}_ci95")
    half_widths = half[:most] * factor if isinstance(half, np.ndarray) else None
    texts = readable.texts(values * factor, half_widths)
    head = escape(readable.heading(name, unit)) + (
        f"<br><small>{escape(shown)}</small>" if shown not in ("", "1") else ""
    )
    return head, [f'<td style="text-align: right">{text}</td>' for text in texts]


def result_html(name: str, tables: Mapping[str, tuple[Mapping[str, Values], Mapping[str, str]]], traces: bytes) -> str:
    """Write the telling columns of the tables of a result, and the picture of its traces if there is one (PNG)."""
    shown = [f"<p><code>{escape(name)}</code></p>"]
    for table, (columns, units) in tables.items():
        telling = {
            column: _with_a_line(columns, values) for column, values in columns.items() if column in SUMMARY[table]
        }
        shown.append(table_html(telling, units, table))
    if traces:
        source = f"data:image/png;base64,{b64encode(traces).decode()}"
        shown.append(f'<img alt="traces of the probes" style="width: 100%; max-width: 50em" src="{source}">')
    return "".join(shown)


def _with_a_line(columns: Mapping[str, Values], values: Values) -> Values:
    """Leave out the links that are only a delay, and so have no rate."""
    rates = columns.get("mean_rate_bps")
    if not isinstance(rates, np.ndarray) or np.isnan(rates).all():
        return values
    rows = np.flatnonzero(~np.isnan(rates))
    return [values[row] for row in rows] if isinstance(values, list) else values[rows]


def traces_figure(traces: Mapping[str, tuple[Mapping[str, Values], Mapping[str, str]]]) -> Figure:
    """Draw time series, a panel for each quantity, all on one time axis.

    Parameters
    ----------
    traces
        Columns and units by the name of the probe; ``time_s`` is the column of instants.
    """
    from celltrain import drawing

    panels: dict[tuple[str, str], list[tuple[str, Values, Values]]] = {}
    for columns, units in traces.values():
        for name, values in columns.items():
            if name != "time_s" and not isinstance(values, list):
                item, _, quantity = name.rpartition(".")
                panels.setdefault((quantity, units[name]), []).append((item or name, columns["time_s"], values))
    shown = list(panels.items())[:_PANELS]
    factor, unit = readable.unit_for(_all(time for _, lines in shown for _, time, _ in lines), "s")
    named = [name for _, lines in shown if len(lines) <= _NAMED for name, _, _ in lines]
    figure, all_axes = drawing.empty(len(shown), 1.0 + 1.9 * len(shown), named)
    for axes, ((quantity, own_unit), lines) in zip(all_axes, shown, strict=True):
        _draw(axes, readable.quantity(quantity, own_unit), own_unit, lines, factor)
    all_axes[-1].set_xlabel(readable.label("time", unit))
    return figure


def _all(columns: Iterable[Values]) -> npt.NDArray[np.float64]:
    return np.concatenate([np.asarray(values, dtype=np.float64) for values in columns])


def _draw(axes: Axes, words: str, unit: str, lines: Sequence[tuple[str, Values, Values]], time_factor: float) -> None:
    from celltrain import drawing

    factor, shown = readable.unit_for(_all(values for _, _, values in lines), unit)
    for index, (name, time, values) in enumerate(lines):
        # Queues, windows and rates keep their value until they change.
        style = drawing.line(drawing.FIRST_BRIGHT + index)
        x, y = np.asarray(time) * time_factor, np.asarray(values) * factor
        axes.step(x, y, where="post", label=name, linewidth=0.9, **style)
    drawing.dress(axes, readable.label(words, shown))
    if len(lines) <= _NAMED:
        drawing.legend_beside(axes)


def columns_figure(columns: Mapping[str, Values], units: Mapping[str, str], x: str, y: Sequence[str]) -> Figure:
    """Draw columns of a table against another column: lines over numbers, bars over names.

    Raises
    ------
    KeyError
        The table lacks a column.
    ValueError
        A column on the y axis holds names.
    """
    from celltrain import drawing

    for name in (x, *y):
        if name not in columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(columns)}")
    figure, all_axes = drawing.empty(len(y), 1.0 + 2.4 * len(y))
    places = columns[x]
    x_factor, x_unit = (1.0, "") if isinstance(places, list) else readable.unit_for(places, units[x])
    for axes, name in zip(all_axes, y, strict=True):
        values = columns[name]
        if isinstance(values, list):
            raise ValueError(f"column {name!r} holds names, which have no place on an axis of numbers")  # noqa: TRY004
        factor, shown = readable.unit_for(values, units[name])
        half = columns.get(f"{name}_ci95")
        spread = np.nan_to_num(half * factor) if isinstance(half, np.ndarray) else None
        if isinstance(places, list):
            axes.bar(range(len(places)), values * factor, yerr=spread, capsize=2.5, **drawing.bar(0))
            axes.set_xticks(range(len(places)), places, rotation=20, ha="right")
        else:
            style = drawing.line(drawing.FIRST_BRIGHT)
            axes.errorbar(places * x_factor, values * factor, spread, marker="o", markersize=4, capsize=2.5, **style)
        drawing.dress(axes, readable.label(readable.quantity(name, units[name]), shown))
    all_axes[-1].set_xlabel(readable.label(readable.quantity(x, units[x]), x_unit))
    return figure
