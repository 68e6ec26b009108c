"""Tables for display: numbers as text, means combined with their intervals, a limited number of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from celltrain import readable
from celltrain.report.document import Column, Grid
from celltrain.table import Table

#: Maximum rows of a table that are shown; its file has the others.
MOST_ROWS = 400
#: Suffix of columns with half-widths of 95 % confidence intervals.
_INTERVAL = "_ci95"


def grid(
    title: str,
    table: Table,
    *,
    columns: Iterable[str] | Mapping[str, str] | None = None,
    file: str = "",
    unfolded: bool = True,
) -> Grid:
    """Make a table for display.

    Parameters
    ----------
    columns
        Columns to show, optionally with headings; default: all.
    """
    headings = columns if isinstance(columns, Mapping) else {}
    chosen = [name for name in (columns if columns is not None else table) if name in table.columns]
    heads, cells = [], []
    for name in chosen:
        stem = name.removesuffix(_INTERVAL)
        if stem != name and stem in table.columns:
            continue  # It is shown beside its mean.
        unit, texts = _column(table, name)
        heads.append(
            Column(headings.get(name, readable.heading(name, table.units[name])), unit, _is_numeric(table, name))
        )
        cells.append(texts)
    rows = list(zip(*cells, strict=True))
    return Grid(title, heads, rows, max(0, len(table) - MOST_ROWS), file, unfolded)


def _column(table: Table, name: str) -> tuple[str, list[str]]:
    values = table[name][:MOST_ROWS]
    if not isinstance(values, np.ndarray):
        return "", list(values)
    factor, unit = readable.unit_for(values, table.units[name])
    half = table.columns.get(name + _INTERVAL)
    half_widths = half[:MOST_ROWS] * factor if isinstance(half, np.ndarray) else None
    return "" if unit == "1" else unit, readable.texts(values * factor, half_widths)


def _is_numeric(table: Table, name: str) -> bool:
    return isinstance(table.columns[name], np.ndarray)


def of_traces(traces: Mapping[str, Table]) -> Grid:
    """Make the table of minimum, mean and maximum of all recorded quantities."""
    columns = [
        Column("recorded", "", numeric=False),
        Column("unit", "", numeric=False),
        *(Column(name, "", numeric=True) for name in ("samples", "least", "mean", "greatest")),
    ]
    rows = [row for table in traces.values() for row in _summaries(table)]
    return Grid("Recorded quantities", columns, rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS))


def _summaries(table: Table) -> Iterable[Sequence[str]]:
    for name, values in table.columns.items():
        if name == "time_s" or not isinstance(values, np.ndarray):
            continue
        finite = values[np.isfinite(values)]
        if not finite.size:
            continue
        factor, unit = readable.unit_for(finite, table.units[name])
        least, mean, greatest = (f"{factor * value:.5g}" for value in (finite.min(), finite.mean(), finite.max()))
        yield name, "" if unit == "1" else unit, str(finite.size), least, mean, greatest
