"""The output of ``celltrain run``: the summary of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from celltrain.cli import sparklines
from celltrain.cli.console import out
from celltrain.cli.printing import table_width
from celltrain.cli.sheet import Column, Sheet
from celltrain.columns import COLUMNS, SUMMARY
from celltrain.names import stem

if TYPE_CHECKING:
    from celltrain.cli.printing import How
    from celltrain.results import Result
    from celltrain.table import Table

#: Maximum rows of a table that are printed one by one. In longer tables, members of groups are combined, with the same
#: limit; CSV and ``--out`` have all rows.
MOST_ROWS = 40


def show(result: Result, how: How) -> None:
    """Print the summary."""
    sheets = []
    for name, columns in SUMMARY.items():
        table = result.tables.get(name)
        if table is None:
            continue
        rows = [row for row in table.rows() if worth_showing(name, row)]
        # The table of flows is more informative than that of VCs, except about contracts and line errors.
        if not rows or (name == "vcs" and len(result.tables["flows"]) and not any(map(has_faults, rows))):
            continue
        sheets.append(sheet_of(name, table, rows, columns, how))
    how.show(*sheets)
    if how.format == "table":
        console = out()
        console.print()
        if drawn := sparklines.of_traces(result.traces, table_width()):
            for line in drawn:
                console.print(line, markup=False, soft_wrap=True)
            console.print()
        console.print(f"seed {result.seed}, {result!r}", style="dim", markup=False)
        console.print(str(result.cross_checked), style="dim", markup=False)


def show_columns(tables: Mapping[str, Table], chosen: Mapping[str, Sequence[str]], how: How) -> None:
    """Print the chosen columns of tables."""
    how.show(
        *(sheet_of(name, tables[name], list(tables[name].rows()), columns, how) for name, columns in chosen.items())
    )


def sheet_of(name: str, table: Table, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], how: How) -> Sheet:
    """Make the sheet of some columns of a table; of many rows, those of a group together."""
    lines = [[row[column] for column in columns] for row in rows]
    marks: list[str] = []
    if len(rows) > MOST_ROWS and how.format in ("table", "md") and not how.sort:
        grouped = in_groups(lines)
        marks = ["".join(map(str, line[len(columns) :])) for line in grouped]
        lines = [line[: len(columns)] for line in grouped]
    shown = [
        Column(
            column, [line[place] for line in lines], _heading(name, column, table.units[column]), table.units[column]
        )
        for place, column in enumerate(columns)
    ]
    headings = [each.heading for each in shown]
    # Columns that only their names tell apart have these as headings.
    shown = [replace(each, heading=each.name) if headings.count(each.heading) > 1 else each for each in shown]
    # The first column with numbers ends those that identify a row.
    keys = next((place for place, each in enumerate(shown) if each.is_number), len(shown))
    if any(marks):
        shown.append(Column("of", marks, "", kind="name"))
    return Sheet(
        name, shown, max(1, min(keys, 3)), most=MOST_ROWS, more_in="--format csv prints all, --out DIR writes them"
    )


def _heading(table: str, column: str, unit: str) -> str:
    """Return the heading of a column; columns of probes keep the item that they describe."""
    from celltrain.readable import heading

    known = COLUMNS.get(table, {}).get(column)
    if known:
        return known.heading
    item, dot, quantity = column.rpartition(".")
    return f"{item}{dot}" + heading(quantity, unit) if dot else heading(column, unit)


def worth_showing(name: str, row: dict[str, Any]) -> bool:
    """Return whether a row is worth showing: links with a line, and VCs with cells of their own."""
    if name == "links":
        return bool(row["mean_rate_bps"] == row["mean_rate_bps"])
    return name != "vcs" or row["cells_sent"] > 0


def has_faults(row: dict[str, Any]) -> bool:
    """Return whether a VC lost cells other than in a queue."""
    return any(row[column] > 0 for column in ("cells_errored", "cells_tagged", "cells_policed"))


def in_groups(lines: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Combine the lines of members of a group: mean, minimum and maximum of each number.

    The last cell of such a line says what it contains.

    >>> in_groups([["up1", "P1", 2.0], ["up2", "P2", 4.0], ["down", "P1", 9.0]])[:2]
    [['up…', 'P…', 3.0, 'mean of 2'], ['', '', 2.0, 'least']]
    """
    groups: dict[tuple[str, ...], list[Sequence[Any]]] = {}
    for line in lines:
        groups.setdefault(tuple(stem(value) for value in line if isinstance(value, str)), []).append(line)
    told: list[list[Any]] = []
    for members in groups.values():
        if len(members) == 1:
            told.append(list(members[0]))
            continue
        columns = list(zip(*members, strict=True))
        told.append([*(mean(column) for column in columns), f"mean of {len(members):,}"])
        for which, word in ((min, "least"), (max, "most")):
            extremes = ("" if isinstance(column[0], str) else which(finite(column)) for column in columns)
            told.append([*extremes, word])
    return told


def finite(column: Sequence[float]) -> Sequence[float]:
    """Leave out missing values, unless all are missing."""
    return [value for value in column if not math.isnan(value)] or [math.nan]


def mean(column: Sequence[Any]) -> Any:  # noqa: ANN401 - text or a number, as in the tables
    """Return the mean of numbers, and the common part of names."""
    first = column[0]
    if isinstance(first, str):
        return first if len(set(column)) == 1 else f"{stem(first)}…"
    values = finite(column)
    return math.fsum(values) / len(values)
