"""The output of ``celltrain run``: the summary of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from celltrain.cli.console import out
from celltrain.columns import COLUMNS
from celltrain.names import stem

if TYPE_CHECKING:
    from celltrain.results import Result
    from celltrain.table import Table

#: Columns of the summary, by table.
SUMMARY = {
    "flows": ("flow", "from", "to", "throughput_bps", "rtt_mean_s", "segments_retransmitted", "timeouts"),
    "fairness": ("group", "flows", "throughput_bps", "least_throughput_bps", "most_throughput_bps", "jain_index"),
    "vcs": (
        "vc",
        "from",
        "to",
        "service",
        "cells_sent",
        "cells_delivered",
        "cells_lost",
        "cells_errored",
        "cells_tagged",
        "cells_policed",
    ),
    "links": (
        "link",
        "from",
        "to",
        "mean_rate_bps",
        "utilization",
        "cell_loss_ratio",
        "queue_mean_cells",
        "queue_max_cells",
    ),
    "cell_delays": (
        "vc",
        "direction",
        "cells",
        "delay_min_s",
        "delay_p50_s",
        "delay_p99_s",
        "delay_max_s",
        "peak_to_peak_cdv_s",
    ),
    "cell_errors": ("link", "vc", "direction", "cells", "cells_corrupted", "cell_error_ratio", "cells_misinserted"),
    "responses": ("flow", "messages", "responses", "response_mean_s", "response_max_s"),
    "shapers": (
        "connection",
        "kind",
        "direction",
        "at",
        "cells_offered",
        "cells_dropped",
        "queue_mean_cells",
        "queue_max_cells",
        "delay_mean_s",
    ),
    "admission": ("vc", "reason", "refused_by", "direction", "needed_bps", "left_bps"),
}

#: Maximum rows of a table that are printed one by one. In longer tables, members of groups are combined, with the same
#: limit; ``--out`` writes all rows.
MOST_ROWS = 40


def show(result: Result) -> None:
    """Print the summary."""
    for name, columns in SUMMARY.items():
        table = result.tables.get(name)
        if table is None:
            continue
        rows = [row for row in table.rows() if worth_showing(name, row)]
        # The table of flows is more informative than that of VCs, except about contracts and line errors.
        if not rows or (name == "vcs" and len(result.tables["flows"]) and not any(map(has_faults, rows))):
            continue
        print_rows(name, table, rows, {column: COLUMNS[name][column].heading for column in columns})
    console = out()
    console.print(f"seed {result.seed}, {result!r}", style="dim", markup=False)
    console.print(str(result.cross_checked), style="dim", markup=False)


def show_columns(tables: Mapping[str, Table], chosen: Mapping[str, Sequence[str]]) -> None:
    """Print the chosen columns of tables, under their own names."""
    for name, columns in chosen.items():
        print_rows(name, tables[name], list(tables[name].rows()), {column: column for column in columns})


def print_rows(name: str, table: Table, rows: Sequence[Mapping[str, Any]], headings: Mapping[str, str]) -> None:
    """Print columns of rows of a table; of many rows, those of a group together."""
    from rich import box
    from rich.table import Table as Shown

    console = out()
    shown = Shown(box=box.SIMPLE_HEAD, title=name, title_justify="left", title_style="bold", pad_edge=False)
    for column, heading in headings.items():
        shown.add_column(heading, justify="left" if table.units[column] == "" else "right")
    lines = [[row[column] for column in headings] for row in rows]
    if len(rows) > MOST_ROWS:
        lines = in_groups(lines)
        if any(len(line) > len(headings) for line in lines):
            shown.add_column("", no_wrap=True)
    for line in lines[:MOST_ROWS]:
        values = [readable(value, column, table) for value, column in zip(line, headings, strict=False)]
        shown.add_row(*values, *map(str, line[len(headings) :]))
    console.print(shown)
    if len(lines) > MOST_ROWS:
        left = len(lines) - MOST_ROWS
        console.print(f" and {left:,} more rows, which --out DIR writes", style="dim", markup=False)


def worth_showing(name: str, row: dict[str, Any]) -> bool:
    """Return whether a row is worth showing: links with a line, and VCs with cells of their own."""
    if name == "links":
        return bool(row["mean_rate_bps"] == row["mean_rate_bps"])
    return name != "vcs" or row["cells_sent"] > 0


def has_faults(row: dict[str, Any]) -> bool:
    """Return whether a VC lost cells other than in a queue."""
    return any(row[column] > 0 for column in ("cells_errored", "cells_tagged", "cells_policed"))


def readable(value: float | str, column: str, table: Table) -> str:
    """Format a number with its unit."""
    from celltrain.readable import amount

    if isinstance(value, str):
        return value
    if column in ("utilization", "cell_loss_ratio", "loss_ratio") and value == value:
        return f"{100 * value:.3g} %"
    return amount(value, table.units[column])


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
